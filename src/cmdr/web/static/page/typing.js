// Letters in the panes: they search for a name as one types.

import { keysWaitFor } from './key_order.js';
import { read } from './server.js';
import { guarded } from './status.js';

const IDLE = 3000;
const FIRST = /[\p{L}\p{N}._~([{@#$%&=!,']/u;

export class Typing {
  /** @param {() => import('./pane.js').Pane} pane */
  constructor(pane) {
    this.pane = pane;
    this.text = '';
    /** @type {import('./pane.js').Pane | null} */
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
