// What an operation acts on, held fast: whatever is selected meanwhile, these are the files the person saw.

import { inTurn, now, send } from './server.js';

/**
 * The selection of the pane in focus, else the entry under its cursor; null when there is neither.
 * @returns {Promise<{id: string, what: string, lines: string[]} | null>}
 */
export async function chosen() {
  // A cursor that is still on its way must have arrived, however slow cmdr is: the person sees it there already.
  /** @type {{id: string, count: number, names: string[]}} */
  const { id, count, names } = await inTurn(() => send('/page/chosen', { pane: now().focused }));
  if (!count) return null;
  if (count === 1) return { id, what: names[0], lines: [] };
  const more = count - names.length;
  return {
    id, what: `${count.toLocaleString()} items`,
    lines: [...names, ...(more > 0 ? [`… ${more.toLocaleString()} more`] : [])],
  };
}
