// What an operation acts on, held fast: whatever is selected meanwhile, these are the files the person saw.

import { inTurn, now, send } from '../core/server.js';

/** @typedef {{id: string, what: string, lines: string[], archive: string}} Chosen `archive`: its name if packed */

/**
 * The selection of a pane, else the entry under its cursor; null when there is neither.
 * @param {{side?: import('../core/state.js').Side, isAlone?: boolean}} [how] `isAlone`: the entry under the cursor,
 *   whatever is selected
 * @returns {Promise<Chosen | null>}
 */
export async function chosen({ side, isAlone = false } = {}) {
  // A cursor that is still on its way must have arrived, however slow cmdr is: the person sees it there already.
  /** @type {{id: string, count: number, names: string[], archive: string}} */
  const told = await inTurn(() => send('/page/chosen', { pane: side ?? now().focused, isAlone }));
  const { id, count, names, archive } = told;
  if (!count) return null;
  if (count === 1) return { id, archive, what: names[0], lines: [] };
  const more = count - names.length;
  return {
    id, archive, what: `${count.toLocaleString()} items`,
    lines: [...names, ...(more > 0 ? [`… ${more.toLocaleString()} more`] : [])],
  };
}
