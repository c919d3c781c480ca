// Who is connected, what they called, and what they may do.

import { element } from '../core/element.js';
import { order, read } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { titleOf } from '../keys/key_map.js';
import { button, show } from './window.js';

/**
 * @typedef {{name: string, toolsets: string[], folders: string[], readOnly: boolean, expired: boolean, calls: number,
 *   shell: string, write: string, hasToken: boolean}} Client
 * @typedef {{told: string, when: string, result: string, ms: number}} SeenCall
 * @typedef {{stopped: boolean, clients: Client[], calls: SeenCall[]}} Found
 */

/** Who is connected, what they called, and what they may do. */
export async function agents() {
  const body = element('div', { class: 'agentlist' });
  show({ title: titleOf('agents'), class: 'wide', body: [body], reads: true });
  await draw();

  async function draw() {
    /** @type {Found} */
    const found = await read('/page/agents');
    const { stopped } = found;
    body.replaceChildren(
      element('p', {}, stopped ? 'All agents are stopped. ' : '',
        does(stopped ? 'Let agents call again' : titleOf('stop_agents'), stopped ? 'agents.allow' : 'agents.stop', {})),
      element('h3', {}, 'Clients'),
      ...(found.clients.length ? found.clients.map(client) : [element('p', {}, 'No agent has called yet.')]),
      element('h3', {}, 'Last calls'),
      found.calls.length ? element('table', {}, heads('when', 'what', 'result', 'took'),
        element('tbody', {}, ...found.calls.map((call) => element('tr', {},
          element('td', {}, call.when), element('td', {}, call.told), element('td', {}, call.result),
          element('td', {}, `${call.ms} ms`))))) : element('p', {}, 'None yet.'));
  }

  /** @param {Client} client */
  function client({ name, calls, toolsets, readOnly, folders, expired, shell, write, hasToken }) {
    const told = [`${calls} calls`, `may use ${toolsets.join(', ') || 'nothing'}`, readOnly && 'read-only',
      folders.length > 0 && `in ${folders.join(', ')}`, expired && 'expired'];
    return element('section', { class: 'client' },
      element('strong', {}, name), ` ${told.filter(Boolean).join(' · ')}`,
      element('p', {}, `commands: ${shell} · changes to files: ${write} `),
      element('div', { class: 'buttons' },
        shell === 'asks each time' && does('Let it run commands', 'grants.give', { client: name, grant: 'shell' }),
        shell === 'given' && does('Ask each time again', 'grants.revoke', { client: name, grant: 'shell' }),
        write === 'given' && does('Withdraw writing', 'grants.revoke', { client: name, grant: 'write' }),
        write === 'withdrawn' && does('Give writing back', 'grants.give', { client: name, grant: 'write' }),
        hasToken && does('Revoke its token', 'clients.revoke', { client: name })));
  }

  /** @param {string} text @param {string} command @param {object} args */
  function does(text, command, args) {
    return button(text, () => guarded(order(command, args).then((told) => { tell(told); return draw(); })));
  }
}

/** @param {...string} names */
export function heads(...names) {
  const cells = names.map((name) => (name ? element('th', { scope: 'col' }, name) : element('td', {})));
  return element('thead', {}, element('tr', {}, ...cells));
}
