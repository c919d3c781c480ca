// Selects files: one by one, by mask, by comparing the panes.

import { ask } from './ask.js';
import { choose } from './choose.js';
import { aside, order } from './server.js';
import { tell } from './status.js';

/** @typedef {import('./pane.js').Pane} Pane */

/** The way up is never selected, only passed. @param {Pane} pane @param {number} by */
export function mark(pane, by) {
  if (!pane.here) { pane.move(pane.place + by); return undefined; }
  return order('selection.toggle', { step: by }).then(() => pane.draw(true));
}

/** @param {string} title @param {string} mode */
export async function mask(title, mode) {
  const typed = await ask({ title, value: '*', hint: 'Masks like *.py;*.md. Small letters match capitals too.' });
  if (typed) tell(await order('selection.mask', { mask: typed.text || '*', mode }));
}

/** Select what differs. */
export async function compare() {
  const by = await choose('Compare the panes', [
    { text: 'Newer or missing', about: 'select what is newer here or missing there', value: 'newer' },
    { text: 'Different size', about: 'select what differs in size, or is missing', value: 'size' },
    { text: 'Missing only', about: 'select what the other pane does not have', value: 'names' },
    { text: 'Different contents', about: 'compare every byte; slow for large files', value: 'contents' },
  ]);
  if (by) tell(await aside('compare_panes', { by }));
}

/** Show less, while one types. @param {Pane} pane */
export async function narrow(pane) {
  const before = pane.now.filter;
  const { side } = pane;
  const typed = await ask({
    title: 'Filter', value: before, hint: 'Part of a name, or masks like *.py;*.md. Empty shows all.',
    typed: (text) => { order('filter', { pane: side, text }).catch(() => undefined); },
  });
  await order('filter', { pane: side, text: typed ? typed.text : before });
}
