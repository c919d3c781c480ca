// Keys in the panes: the cursor, letters that search, and everything that has a key.

import { actionOf } from './keys.js';
import { letGo, now, order } from './server.js';
import { guarded, tell } from './status.js';
import { Typing } from './typing.js';
import { isCovered } from './window.js';

/** @typedef {import('./pane.js').Pane} Pane */

/**
 * Listen to the keyboard.
 * @param {Record<import('./picture.js').Side, Pane>} panes @param {(action: string) => void} act
 */
export function listenToKeys(panes, act) {
  const typing = new Typing(() => panes[now().focused]);

  addEventListener('keydown', (event) => {
    if (isCovered() || event.isComposing) return;
    const { target } = event;
    const isWidget = target instanceof HTMLButtonElement || target instanceof HTMLInputElement;
    if (isWidget && ['Enter', ' ', 'Tab'].includes(event.key)) return;
    if (pressed(event, panes[now().focused])) event.preventDefault();
  });

  /** Whether the key meant something. @param {KeyboardEvent} event @param {Pane} pane */
  function pressed(event, pane) {
    const action = actionOf(event);
    const isSign = event.key.length === 1 && action !== undefined && !typing.text;
    if (!isSign && now().look.search && typing.take(event)) return true;
    const to = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey ? null : placeAfter(event.key, pane);
    if (to !== null) pane.move(to);
    else if (event.key === 'Escape') escape(pane);
    else if (action !== undefined) act(action);
    else return false;
    return true;
  }
}

/** Where a key leads the cursor, or null. @param {string} key @param {Pane} pane */
function placeAfter(key, pane) {
  const { list, place } = pane;
  const across = pane.now.view === 'brief' ? list.lines : list.page;
  /** @type {Record<string, number>} */
  const places = {
    ArrowUp: place - 1, ArrowDown: place + 1, PageUp: place - list.page, PageDown: place + list.page,
    Home: 0, End: list.total - 1, ArrowLeft: place - across, ArrowRight: place + across,
  };
  return Object.hasOwn(places, key) ? places[key] : null;
}

/** Give up waiting, then clear the filter, then the selection. @param {Pane} pane */
function escape(pane) {
  if (letGo()) tell('Not waiting for it any longer.');
  else if (pane.now.filter) guarded(order('filter', { text: '' }));
  else if (pane.now.selected) guarded(order('selection.none'));
}
