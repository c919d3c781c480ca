// The rows of the inbox: who, what, how much, whether it needs care, how old it is and when it expires.

import { element } from '../core/element.js';
import { agentMark } from './agent_mark.js';

/**
 * @typedef {{id: string, kind: string, by: string, what: string, detail: string, amount: string, risk: string[],
 *   since: number, expires: number | null, digest: string, reason: string, word: string, answers: string[],
 *   alike: string, rule: string, question: string, dialog?: {type: string, path: string | null}}} InboxRow
 */

/** What is said of a row beside its words: look first, or danger. @type {Record<string, [string, string]>} */
const TAGS = {
  question: ['asks', 'warn'], paused: ['paused', 'warn'], failed: ['failed', 'bad'], interrupted: ['cut short', 'bad'],
  ended: ['ended', ''], suspended: ['rule suspended', 'warn'], warning: ['record', 'bad'], trust: ['trust', 'warn'],
  command: ['command', 'warn'], look: ['window', ''],
};
/** What an agent waits for. */
const HELD_UP = new Set(['proposal', 'edit', 'command', 'trust']);
/** @type {[number, string][]} */
const UNITS = [[86_400, 'd'], [3600, 'h'], [60, 'min']];

/** Seconds before it expires from which on the list says so. */
const SOON = 3600;

/** A time in one unit, as in `12 min`. @param {number} seconds */
export function span(seconds) {
  const [size, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.max(0, Math.floor(seconds / size))} ${unit}`;
}

/** How long ago. @param {number} since in seconds since 1970 */
export function age(since) {
  return since ? span(Date.now() / 1000 - since) : '';
}

/** When it expires, if it does. @param {InboxRow} row */
export function expiry({ expires }) {
  return expires === null ? '' : `expires in ${span(expires - Date.now() / 1000)}`;
}

/** The same, where it is soon. @param {InboxRow} row */
function soon(row) {
  return row.expires !== null && row.expires - Date.now() / 1000 < SOON ? expiry(row) : '';
}

/** How much waits, in a line. @param {InboxRow[]} rows */
export function summaryOf(rows) {
  const held = rows.filter(({ kind }) => HELD_UP.has(kind)).length;
  const all = rows.length === 1 ? '1 waits for you' : `${rows.length} wait for you`;
  if (!held) return all;
  return held === rows.length ? `${all} and ${held === 1 ? 'keeps' : 'keep'} an agent waiting`
    : `${all}, ${held} of them ${held === 1 ? 'keeps' : 'keep'} an agent waiting`;
}

/** @param {InboxRow} row @param {{isHere: boolean, isMarked: boolean}} how */
export function inboxRow(row, { isHere, isMarked }) {
  const { id, what, detail, amount, since } = row;
  return element('div', {
    class: `entryrow${isHere ? ' cursor' : ''}`, role: 'option', id: `waits-${id}`, 'data-id': id,
    'aria-selected': String(isMarked),
  },
  element('span', { class: 'mark', title: 'Mark (Space)' }, isMarked ? '☑' : '☐'),
  element('span', { class: 'line' }, who(row), element('span', { class: 'dim age' }, [soon(row), age(since)]
    .filter(Boolean).join(' · '))),
  element('strong', { class: 'cut' }, what),
  element('span', { class: 'line' },
    // The end of a path tells more than its beginning.
    element('span', { class: 'dim cut tail' }, element('bdi', {}, [what.includes(amount) ? '' : amount, detail]
      .filter(Boolean).join(' · '))), tag(row)));
}

/** Who wants it. @param {InboxRow} row */
export function who({ by, kind }) {
  return by ? agentMark(by) : element('span', { class: 'dim' }, kind === 'question' ? 'a job' : 'cmdr');
}

/** @param {InboxRow} row */
function tag({ kind, risk, word }) {
  if (risk.length || word) return element('span', { class: 'tag bad' }, word ? `needs “${word}”` : 'look first');
  const [text, tone] = TAGS[kind] ?? ['', ''];
  return text ? element('span', { class: `tag ${tone}` }, text) : null;
}
