// Draws the rows of a proposed edit: what goes, what comes, and which words in them.

import { element } from './element.js';

/**
 * @typedef {{number: number, ending: string, pieces: [string, boolean][]}} Line
 * @typedef {{kind: string, hunk: number | null, hidden: number, old: Line | null, new: Line | null}} DiffRow
 */

/**
 * One row; `state` is what was decided of its change.
 * @param {DiffRow} row @param {string} state @param {boolean} unified @param {(hunk: number) => void} picked
 */
export function diffRow(row, state, unified, picked) {
  if (row.kind === 'fold') return element('div', { class: 'diffrow fold' }, `${row.hidden} equal lines`);
  const { hunk } = row;
  const one = row.old ? side(row.old, 'old') : side(row.new, 'new');
  const sides = unified ? [one] : [side(row.old, 'old'), side(row.new, 'new')];
  return element('div', {
    class: `diffrow ${row.kind} ${state}`, 'data-hunk': hunk ?? undefined,
    onclick: () => { if (hunk !== null) picked(hunk); },
  }, ...sides);
}

/** @param {Line | null} found @param {string} which */
function side(found, which) {
  if (!found) return element('span', { class: 'gap' });
  const text = element('code', {}, ...found.pieces.map(([piece, isMarked]) => (
    isMarked ? element('mark', {}, piece) : piece)));
  if (!found.ending) text.append(element('i', { title: 'no newline at the end' }, ' ⏎?'));
  return element('span', { class: `side ${which}` }, element('b', {}, String(found.number)), text);
}
