// What can be done with an entry, beside the mouse.

import { element } from './element.js';
import { now } from './server.js';

/** @typedef {import('./pane.js').Pane} Pane */

/** @type {[string, string][]} */
const ON_ENTRY = [
  ['open', 'Open'], ['view', 'View'], ['edit', 'Edit'], ['', ''], ['copy', 'Copy…'], ['move', 'Move…'],
  ['rename', 'Rename…'], ['trash', 'Move to the trash…'], ['', ''], ['mark_stay', 'Select or deselect'],
  ['info', 'Info'], ['download', 'Download'], ['copy_path', 'Copy the path'], ['copy_name', 'Copy the name'],
  ['mention', 'Mention to the agent'],
];
/** @type {[string, string][]} */
const ON_FOLDER = [
  ['new_file', 'New file…'], ['mkdir', 'New folder…'], ['upload', 'Upload…'], ['', ''], ['select_all', 'Select all'],
  ['select_mask', 'Select by mask…'], ['filter', 'Filter…'], ['sort', 'Sort…'], ['hidden', 'Hidden files'], ['', ''],
  ['treemap', 'What fills this folder'], ['report', 'Report…'], ['bookmark_here', 'Bookmark'],
  ['refresh', 'Read again'],
];

/** The menu for the row under the mouse. @param {Pane} pane @param {number | null} place @param {MouseEvent} event */
export function menuAt(pane, place, event) {
  const isEntry = place !== null && place >= pane.list.above;
  pane.focused(() => {
    if (place !== null) pane.move(place);
    open(isEntry ? ON_ENTRY : ON_FOLDER, event.clientX, event.clientY);
  });
}

/** The menu for the row under the cursor. @param {Pane} pane */
export function menuAtCursor(pane) {
  const drawn = document.getElementById(`${now().focused}-${pane.place}`) ?? pane.root;
  const box = drawn.getBoundingClientRect();
  open(pane.here ? ON_ENTRY : ON_FOLDER, box.left + 40, box.bottom);
}

/** @param {[string, string][]} items @param {number} x @param {number} y */
function open(items, x, y) {
  const choices = items.map(([action, text]) => (action
    ? element('button', { type: 'button', role: 'menuitem', tabIndex: -1, onclick: () => run(action) }, text)
    : element('hr', {})));
  const menu = element('dialog', { class: 'menu', 'aria-label': 'What can be done' },
    element('div', { role: 'menu', 'aria-label': 'What can be done' }, ...choices));
  const buttons = choices.filter((choice) => choice instanceof HTMLButtonElement);
  menu.addEventListener('keydown', (event) => {
    event.stopPropagation();
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    /** @type {Record<string, number>} */
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 };
    if (event.key === 'Tab' || event.key === 'Escape') menu.close();
    else if (Object.hasOwn(to, event.key)) buttons[(to[event.key] + buttons.length) % buttons.length].focus();
    else return;
    event.preventDefault();
  });
  menu.addEventListener('mousedown', (event) => { if (event.target === menu) menu.close(); });
  menu.addEventListener('contextmenu', (event) => event.preventDefault());
  menu.addEventListener('close', () => menu.remove());
  document.body.append(menu);
  menu.showModal();
  menu.style.left = `${Math.max(4, Math.min(x, innerWidth - menu.offsetWidth - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, innerHeight - menu.offsetHeight - 4))}px`;
  buttons[0].focus();

  /** @param {string} action */
  function run(action) {
    menu.close();
    dispatchEvent(new CustomEvent('cmdr-action', { detail: action }));
  }
}
