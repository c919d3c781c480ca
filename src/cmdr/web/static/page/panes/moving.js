// Moves the cursor. A key that does only this need not wait for what was ordered before it.

/** @typedef {import('./pane.js').Pane} Pane */

/** Where each action leads. @type {Record<string, (pane: Pane) => number>} */
export const PLACES = {
  up: ({ place }) => place - 1,
  down: ({ place }) => place + 1,
  left: (pane) => pane.place - across(pane),
  right: (pane) => pane.place + across(pane),
  page_up: ({ place, list }) => place - list.page,
  page_down: ({ place, list }) => place + list.page,
  first: () => 0,
  last: ({ list }) => list.total - 1,
};

/** A column, where there are columns. @param {Pane} pane */
function across({ now, list }) {
  return now.view === 'brief' ? list.lines : list.page;
}

/** Move the cursor, if the action does that. @param {string} action @param {Pane} pane */
export function moves(action, pane) {
  if (!Object.hasOwn(PLACES, action)) return false;
  pane.move(PLACES[action](pane));
  return true;
}
