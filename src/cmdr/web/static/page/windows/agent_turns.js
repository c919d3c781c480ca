// What agents did today, turn by turn, and the way back: of one operation, of a turn, of all of it.

import { followJobs } from '../changes/followed_jobs.js';
import { element } from '../core/element.js';
import { asideResult } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { count as counted } from '../core/texts.js';
import { agentMark } from './agent_mark.js';
import { button, show } from './window.js';

/**
 * @typedef {{operation: number, at: number, what: string, state: string, rule: number | null,
 *   canUndo: boolean, isUndone: boolean, isPartial: boolean}} AgentOperation
 * @typedef {{id: string, began: number, ended: number, operations: AgentOperation[], count: number,
 *   undoable: number}} AgentTurn
 * @typedef {{client: string, isConnected: boolean, lastCall: number, calls: number, doing: string, waiting: number,
 *   turns: AgentTurn[], undoable: number, rules: number, operations: number}} AgentRow
 * @typedef {{operations?: number[], turn?: string, client?: string, since?: number}} What to take back
 */

/** Every turn of every client, newest first. @param {AgentRow[]} rows @param {() => Promise<void>} draw */
export function turnsOf(rows, draw) {
  const turns = rows.flatMap(({ client, turns: own }) => own.map((turn) => ({ client, turn })))
    .sort((one, other) => other.turn.ended - one.turn.ended);
  if (!turns.length) return [element('p', { class: 'nothing' }, 'No agent has changed anything today.')];
  return turns.map(({ client, turn }) => drawn(client, turn, rows, draw));
}

/** Everything of today, of all of them. @param {AgentRow[]} rows @param {() => Promise<void>} draw */
export function allButton(rows, draw) {
  const all = rows.reduce((sum, { undoable }) => sum + undoable, 0);
  const oldest = Math.min(...rows.flatMap(({ turns }) => turns.map(({ began }) => began)));
  return all > 1 ? undoButton(`Undo all ${all}…`, { since: Math.floor(oldest) }, rows, draw, 'all') : null;
}

/** @param {string} client @param {AgentTurn} turn @param {AgentRow[]} rows @param {() => Promise<void>} draw */
function drawn(client, turn, rows, draw) {
  const { id, began, ended, operations, count, undoable } = turn;
  const times = clock(began) === clock(ended) ? clock(began) : `${clock(began)}–${clock(ended)}`;
  const earlier = count - operations.length;
  return element('section', { class: 'turn' },
    element('header', { class: 'split' },
      element('h4', {}, `${times} `, agentMark(client), ` ${counted(count, 'operation')}`),
      element('span', { class: 'buttons' },
        undoable > 1 && undoButton('Undo turn…', { turn: id }, rows, draw, id),
        undoable > 1 && undoButton('Undo all since…', { since: Math.floor(began) }, rows, draw, `since ${id}`))),
    element('ul', {}, ...operations.map((each) => operation(each, rows, draw))),
    earlier > 0 ? element('p', { class: 'dim' }, `and ${earlier} earlier ones`) : null);
}

/** @param {AgentOperation} each @param {AgentRow[]} rows @param {() => Promise<void>} draw */
function operation({ operation: number, at, what, state, rule, canUndo, isUndone, isPartial }, rows, draw) {
  return element('li', { class: isUndone ? 'undone' : '' },
    element('span', { class: 'deedline' }, what),
    rule === null ? null : element('span', { class: 'tag ok' }, `by rule ${rule}`),
    state === 'done' ? null : element('span', { class: `tag ${isPartial ? 'bad' : ''}` }, state),
    element('span', { class: 'dim' }, clock(at)),
    canUndo ? undoButton('Undo…', { operations: [number] }, rows, draw, `operation ${number}`) : null);
}

/**
 * @param {string} text @param {What} what @param {AgentRow[]} rows @param {() => Promise<void>} draw
 * @param {string} name of what is undone
 */
function undoButton(text, what, rows, draw, name) {
  return button(text, () => { guarded(askUndo(what, rows, draw)); }, {
    'data-key': `undo ${name}`, ...(text === 'Undo…' && { 'aria-label': `Undo ${name}` }),
  });
}

/**
 * Ask, with everything that would be taken back; exactly that is undone on a yes.
 * @param {What} what @param {AgentRow[]} rows @param {() => Promise<void>} draw
 */
export async function askUndo(what, rows, draw) {
  /** @type {{operations: number[], words: string}} */
  const offer = await asideResult('agents.undoOffer', what);
  const known = new Map(rows.flatMap(({ turns }) => turns.flatMap(({ operations }) => operations))
    .map((each) => [each.operation, each]));
  const yes = button('Yes, undo', () => { guarded(undo()); }, { class: 'main', disabled: true });
  const no = button('No, leave it', () => window.close());
  const window = show({
    title: 'Undo what agents did', class: 'confirm',
    body: [element('p', { class: 'deed' }, `Undo ${offer.words}`),
      element('p', { class: 'dim' }, 'Newest first. It stops at the first that finds something changed since.'),
      element('ol', { class: 'steps', tabIndex: 0, 'aria-label': 'What is undone' },
        ...offer.operations.map((number) => (
          element('li', {}, known.get(number)?.what ?? `operation ${number}`))))],
    buttons: [no, yes],
    heard: (isHeard) => { yes.disabled = !isHeard; },
    keys: ({ key, ctrlKey, altKey, metaKey }) => {
      if (ctrlKey || altKey || metaKey || (key !== 'y' && key !== 'n')) return false;
      if (key === 'y') guarded(undo()); else window.close();
      return true;
    },
  });
  no.focus();

  async function undo() {
    if (!window.hears()) return;
    window.close();
    const { job, words } = await asideResult('agents.undo', { operations: offer.operations });
    tell(`Undoing ${words}`);
    followJobs([job]);
    await draw();
  }
}

/** @param {number} moment in seconds since 1970 */
function clock(moment) {
  return new Date(moment * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false });
}
