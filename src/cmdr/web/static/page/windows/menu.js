// What can be done with an entry, beside the mouse.

import { element } from '../core/element.js';
import { now } from '../core/server.js';
import { actionBy, actionTable } from '../keys/key_map.js';

/** @typedef {import('../panes/pane.js').Pane} Pane */

/**
 * The menu for the row under the mouse. One that is not selected is meant alone; a finger, which has no keys to add
 * to a selection with, adds to it from here.
 * @param {Pane} pane @param {number | null} place @param {MouseEvent} event
 */
export function menuAt(pane, place, event) {
  const isEntry = place !== null && place >= pane.list.above;
  const isFinger = event instanceof PointerEvent && event.pointerType === 'touch';
  pane.focused(() => {
    if (place !== null) pane.move(place);
    const isAlone = isEntry && !pane.here?.selected;
    if (isAlone && !isFinger) pane.clear();
    open(isEntry ? pane : null, event.clientX, event.clientY, (action) => {
      if (isAlone && isFinger && action !== 'mark_stay') pane.clear();
    });
  });
}

/** The menu for the row under the cursor. @param {Pane} pane */
export function menuAtCursor(pane) {
  const drawn = document.getElementById(`${now().focused}-${pane.place}`) ?? pane.root;
  const box = drawn.getBoundingClientRect();
  open(pane.here ? pane : null, box.left + 40, box.bottom);
}

/**
 * For the entry under the cursor of a pane, or for the folder.
 * @param {Pane | null} pane @param {number} x @param {number} y @param {(action: string) => void} [before] it acts
 */
function open(pane, x, y, before) {
  const { entryMenu, folderMenu } = actionTable();
  const choices = (pane ? entryMenu : folderMenu).flatMap((group, index) => [
    ...(index ? [element('hr', {})] : []), ...group.map((id) => item(id, pane))].filter((each) => each !== null));
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

  /** What applies to files alone is not offered for a folder. @param {string} id @param {Pane | null} on */
  function item(id, on) {
    const action = actionBy(id);
    if (!action || (action.appliesTo === 'file' && on?.here?.folder)) return null;
    const asks = action.risk === 'none' ? '' : '…';
    return element('button', {
      type: 'button', role: 'menuitem', tabIndex: -1, class: action.risk, onclick: () => run(id),
    }, action.title + asks);
  }

  /** @param {string} action */
  function run(action) {
    menu.close();
    before?.(action);
    dispatchEvent(new CustomEvent('cmdr-action', { detail: action }));
  }
}
