// What an operation acts on, held fast: whatever is selected meanwhile, these are the files the person saw.

import { inTurn, now, send } from './server.js';

/** @typedef {{id: string, what: string, lines: string[]}} Chosen */

/**
 * The selection of a pane, else the entry under its cursor; null when there is neither.
 * @param {{side?: import('./picture.js').Side, isAlone?: boolean}} [how] `isAlone`: the entry under the cursor,
 *   whatever is selected
 * @returns {Promise<Chosen | null>}
 */
export async function chosen({ side, isAlone = false } = {}) {
  // A cursor that is still on its way must have arrived, however slow cmdr is: the person sees it there already.
  /** @type {{id: string, count: number, names: string[]}} */
  const { id, count, names } = await inTurn(() => send('/page/chosen', { pane: side ?? now().focused, isAlone }));
  if (!count) return null;
  if (count === 1) return { id, what: names[0], lines: [] };
  const more = count - names.length;
  return {
    id, what: `${count.toLocaleString()} items`,
    lines: [...names, ...(more > 0 ? [`… ${more.toLocaleString()} more`] : [])],
  };
}
