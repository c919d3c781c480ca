// Agents: who is connected, what each did today by turn and how it is taken back, what rules admit, who may do what.

import { element } from '../core/element.js';
import { now, order, read, watch } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { count } from '../core/texts.js';
import { titleOf } from '../keys/key_map.js';
import { agentMark } from './agent_mark.js';
import { allButton, turnsOf } from './agent_turns.js';
import { rulesPanel } from './rules.js';
import { button, show } from './window.js';

/**
 * @typedef {{name: string, toolsets: string[], folders: string[], readOnly: boolean, expired: boolean, calls: number,
 *   shell: string, write: string, hasToken: boolean}} Client
 * @typedef {{told: string, when: string, result: string, ms: number}} SeenCall
 * @typedef {import('./agent_turns.js').AgentRow} AgentRow
 * @typedef {{stopped: boolean, clients: Client[], calls: SeenCall[], did: AgentRow[],
 *   rules: import('./rules.js').Rules}} Found
 */

/** Who is connected, what they did, and what they may do. */
export async function agents() {
  let isDrawing = false;
  let isStale = false;
  const body = element('div', { class: 'agentlist' });
  const window = show({
    title: titleOf('agents'), class: 'full', body: [body], reads: true, closed: () => unwatch(),
  });
  let seen = signs();
  const unwatch = watch(() => {
    const before = seen;
    seen = signs();
    if (seen !== before) guarded(draw());
  });
  await draw();

  /** One at a time; what changed meanwhile is drawn after it. */
  async function draw() {
    if (isDrawing) { isStale = true; return; }
    isDrawing = true;
    try {
      drawAll(await read('/page/agents'));
    } finally {
      isDrawing = false;
    }
    if (isStale) { isStale = false; await draw(); }
  }

  /** @param {Found} found */
  function drawAll(found) {
    const { did: rows } = found;
    const here = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.key : undefined;
    const top = window.body.scrollTop;
    body.replaceChildren(
      head(found.stopped, rows),
      element('div', { class: 'panels three' },
        element('section', { class: 'panel', 'aria-label': 'Clients' },
          element('header', {}, element('h3', {}, 'Clients')),
          element('div', { class: 'scrolled', tabIndex: 0, role: 'region', 'aria-label': 'Every client' },
            ...clients(found.clients, rows))),
        element('section', { class: 'panel', 'aria-label': 'Today, by turn' },
          element('header', { class: 'split' }, element('h3', {}, 'Today, by turn'), allButton(rows, draw)),
          element('div', { class: 'scrolled', tabIndex: 0, role: 'region', 'aria-label': 'Every turn' },
            ...turnsOf(rows, draw))),
        rulesPanel(found.rules, draw)),
      lastCalls(found.calls));
    window.body.scrollTop = top;
    const again = here && body.querySelector(`[data-key="${CSS.escape(here)}"]`);
    if (again instanceof HTMLElement) again.focus();
  }

  /** What holds for all of them. @param {boolean} stopped @param {AgentRow[]} rows */
  function head(stopped, rows) {
    const here = rows.filter(({ isConnected }) => isConnected).length;
    const all = rows.reduce((sum, { operations }) => sum + operations, 0);
    const undoable = rows.reduce((sum, row) => sum + row.undoable, 0);
    const did = `${here} connected · ${count(all, 'operation')} today, ${undoable} undoable`;
    const told = stopped ? 'All agents are stopped.' : did;
    return element('p', { class: 'split' }, element('span', { class: stopped ? 'risk' : 'dim' }, told),
      stopped && does('Let agents call again', 'agents.allow', {}));
  }

  /** @param {Client[]} found @param {AgentRow[]} rows */
  function clients(found, rows) {
    const names = [...new Set([...rows.map(({ client }) => client), ...found.map(({ name }) => name)])];
    if (!names.length) return [element('p', { class: 'nothing' }, 'No agent has called yet.')];
    return names.map((name) => client(name, found.find((each) => each.name === name),
      rows.find((row) => row.client === name)));
  }

  /** @param {string} name @param {Client | undefined} known @param {AgentRow | undefined} row */
  function client(name, known, row) {
    const did = row ? [count(row.operations, 'operation'), row.rules && count(row.rules, 'rule'),
      count(row.calls, 'call')] : [];
    const may = known ? [`may use ${known.toolsets.join(', ') || 'nothing'}`, known.readOnly && 'read-only',
      known.folders.length > 0 && `in ${known.folders.join(', ')}`, known.expired && 'expired'] : [];
    const { shell, write, hasToken } = known ?? { shell: '', write: '', hasToken: false };
    return element('section', { class: 'client' },
      element('p', { class: 'split' }, agentMark(name), state(row)),
      element('p', { class: 'dim' }, did.filter(Boolean).join(' · ') || (known ? count(known.calls, 'call') : '')),
      row?.doing ? element('p', {}, `now: ${row.doing}`) : null,
      may.length ? element('p', { class: 'dim' }, may.filter(Boolean).join(' · ')) : null,
      known ? element('p', { class: 'dim' }, `commands: ${shell} · changes to files: ${write}`) : null,
      element('div', { class: 'buttons' },
        shell === 'asks each time' && does('Let it run commands', 'grants.give', { client: name, grant: 'shell' }),
        shell === 'given' && does('Ask each time again', 'grants.revoke', { client: name, grant: 'shell' }),
        write === 'given' && does('Withdraw writing', 'grants.revoke', { client: name, grant: 'write' }),
        write === 'withdrawn' && does('Give writing back', 'grants.give', { client: name, grant: 'write' }),
        hasToken && does('Revoke its token', 'clients.revoke', { client: name })));
  }

  /** @param {AgentRow | undefined} row */
  function state(row) {
    if (now().stopped) return element('span', { class: 'tag bad' }, 'stopped');
    if (row?.waiting) return element('span', { class: 'tag warn' }, 'waits for you');
    if (row?.doing) return element('span', { class: 'tag ok' }, 'at work');
    if (row?.isConnected) return element('span', { class: 'tag ok' }, 'connected');
    return element('span', { class: 'tag' }, 'not here');
  }

  /** @param {string} text @param {string} command @param {{client?: string, grant?: string}} args */
  function does(text, command, args) {
    return button(text, () => guarded(order(command, args).then((told) => { tell(told); return draw(); })),
      { 'data-key': `${command} ${text} ${args.client ?? ''}` });
  }
}

/** Another one whenever agents may have done something. */
function signs() {
  const { stopped, inbox, jobs } = now();
  return `${stopped} ${inbox.tag} ${jobs.map(({ id, state, operation }) => `${id} ${state} ${operation}`).join()}`;
}

/** @param {SeenCall[]} calls */
function lastCalls(calls) {
  const table = calls.length ? element('table', {}, heads('when', 'what', 'result', 'took'),
    element('tbody', {}, ...calls.map((call) => element('tr', {},
      element('td', {}, call.when), element('td', {}, call.told), element('td', {}, call.result),
      element('td', {}, `${call.ms} ms`))))) : element('p', {}, 'None yet.');
  return element('section', {}, element('h3', {}, 'Last calls'), table);
}

/** @param {...string} names */
export function heads(...names) {
  const cells = names.map((name) => (name ? element('th', { scope: 'col' }, name) : element('td', {})));
  return element('thead', {}, element('tr', {}, ...cells));
}
