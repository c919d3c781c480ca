// Keys in the panes: letters that search, and everything that has a key.

import { letGo, now, order, read } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { STOP, stopAgents } from '../core/stop.js';
import { actionOf } from './key_map.js';
import { keysWaitFor } from './key_order.js';
import { moves } from '../panes/moving.js';
import { isCovered } from '../windows/window.js';

/** @typedef {import('../panes/pane.js').Pane} Pane */

/**
 * Listen to the keyboard.
 * @param {Record<import('../core/state.js').Side, Pane>} panes @param {(action: string) => void} act
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
    if (!isSign && now().theme.search && typing.take(event)) return true;
    if (action !== undefined) {
      if (!moves(action, pane)) act(action);
    } else if (event.key === 'Escape') escape(pane);
    else return false;
    return true;
  }
}

/** The key that stops the agents is heard before all others, in every window and field; a letter writes there. */
export function listenForStop() {
  addEventListener('keydown', (event) => {
    const isLetter = event.key.length === 1 && !(event.ctrlKey || event.altKey || event.metaKey);
    if (isLetter || actionOf(event) !== STOP) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) stopAgents();
  }, true);
}

/** Give up waiting, then clear the filter, then the selection. @param {Pane} pane */
function escape(pane) {
  if (letGo()) tell('Not waiting for it any longer.');
  else if (pane.now.filter) guarded(order('filter', { text: '' }));
  else if (pane.now.selected) guarded(order('selection.none'));
}

const IDLE = 3000;
const FIRST = /[\p{L}\p{N}._~([{@#$%&=!,']/u;

class Typing {
  /** @param {() => import('../panes/pane.js').Pane} pane */
  constructor(pane) {
    this.pane = pane;
    this.text = '';
    /** @type {import('../panes/pane.js').Pane | null} */
    this.noted = null;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /** Whether the key was part of a search. @param {KeyboardEvent} event */
  take(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    const { key } = event;
    if (this.text && key === 'Escape') { this.end(); return true; }
    if (this.text && key === 'Backspace') { this.search(this.text.slice(0, -1), 0); return true; }
    if (this.text && (key === 'ArrowDown' || key === 'ArrowUp')) {
      this.search(this.text, key === 'ArrowDown' ? 1 : -1);
      return true;
    }
    if ([...key].length === 1 && (this.text ? key !== ' ' : FIRST.test(key))) {
      this.search(this.text + key, 0);
      return true;
    }
    this.end();
    return false;
  }

  end() {
    clearTimeout(this.timer);
    this.text = '';
    this.note('');
  }

  /** @param {string} text @param {number} step */
  search(text, step) {
    clearTimeout(this.timer);
    if (!text) { this.end(); return; }
    const before = this.text;
    this.text = text;
    this.note(`Search: ${text}_`);
    this.timer = setTimeout(() => this.end(), IDLE);
    const pane = this.pane();
    const asked = `/page/seek?pane=${pane.side}&step=${step}&text=${encodeURIComponent(text)}`;
    guarded(keysWaitFor(read(asked).then(({ position }) => {
      if (position !== null) pane.move(position + pane.list.above);
      // A letter that leads nowhere is not taken.
      else if (this.text === text && step === 0) { this.text = before; this.note(before ? `Search: ${before}_` : ''); }
    })));
  }

  /** @param {string} text */
  note(text) {
    const pane = text ? this.pane() : this.noted;
    if (!pane) return;
    if (this.noted && this.noted !== pane) { this.noted.note = ''; this.noted.draw(false); }
    this.noted = text ? pane : null;
    pane.note = text;
    pane.draw(false);
  }
}
