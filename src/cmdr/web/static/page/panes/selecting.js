// Selects files: one by one, by mask, by comparing the panes.

import { aside, order } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { titleOf } from '../keys/key_map.js';
import { PLACES } from './moving.js';
import { ask } from '../windows/ask.js';
import { choose } from '../windows/choose.js';

/** @typedef {import('./pane.js').Pane} Pane */

/** The way up is never selected, only passed. @param {Pane} pane @param {number} by */
export function mark(pane, by) {
  if (pane.isOnParent || !pane.now.count) { pane.move(pane.place + by); return undefined; }
  return order('selection.toggle', { step: by }).then(() => pane.draw(true));
}

/**
 * Select from the cursor to a place; from a selected row on, deselect. A page ends before the row it leads to.
 * @param {Pane} pane @param {string} action that leads there
 */
export async function markTo(pane, action) {
  const { here, place: from, list: { above, total } } = pane;
  if (total <= above) return;
  const to = Math.max(0, Math.min(PLACES[action](pane), total - 1));
  const isEnd = to === 0 || to === total - 1;
  const low = Math.min(from, to) + (isEnd || to > from ? 0 : 1);
  const high = Math.max(from, to) - (isEnd || to < from ? 0 : 1);
  const start = Math.max(0, low - above);
  const count = high - above - start + 1;
  const mode = here?.selected ? 'subtract' : 'add';
  if (count > 0) await order('select', { pane: pane.side, start, count, mode });
  pane.move(to);
}

/** @param {'select_mask' | 'deselect_mask'} action @param {string} mode */
export async function mask(action, mode) {
  const hint = 'Masks like *.py;*.md. Small letters match capitals too.';
  const typed = await ask({ title: titleOf(action), value: '*', hint });
  if (typed) tell(await order('selection.mask', { mask: typed.text || '*', mode }));
}

/** Select what differs. */
export async function compare() {
  const by = await choose(titleOf('compare'), [
    { text: 'Newer or missing', about: 'select what is newer here or missing there', value: 'newer' },
    { text: 'Different size', about: 'select what differs in size, or is missing', value: 'size' },
    { text: 'Missing only', about: 'select what the other pane does not have', value: 'names' },
    { text: 'Different contents', about: 'compare every byte; slow for large files', value: 'contents' },
  ]);
  if (by) guarded(aside('compare_panes', { by }).then(tell));
}

/** Show less, while one types. @param {Pane} pane */
export async function narrow(pane) {
  const before = pane.now.filter;
  const { side } = pane;
  const typed = await ask({
    title: titleOf('filter'), value: before, hint: 'Part of a name, or masks like *.py;*.md. Empty shows all.',
    typed: (text) => { order('filter', { pane: side, text }).catch(() => undefined); },
  });
  await order('filter', { pane: side, text: typed ? typed.text : before });
}
