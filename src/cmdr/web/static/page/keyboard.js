// Keys in the panes: letters that search, and everything that has a key.

import { actionOf } from './key_map.js';
import { moves } from './moving.js';
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
    if (action !== undefined) {
      if (!moves(action, pane)) act(action);
    } else if (event.key === 'Escape') escape(pane);
    else return false;
    return true;
  }
}

/** Give up waiting, then clear the filter, then the selection. @param {Pane} pane */
function escape(pane) {
  if (letGo()) tell('Not waiting for it any longer.');
  else if (pane.now.filter) guarded(order('filter', { text: '' }));
  else if (pane.now.selected) guarded(order('selection.none'));
}
