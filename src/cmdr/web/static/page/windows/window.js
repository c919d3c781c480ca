// A window over the panes. The browser keeps the keyboard inside it, and gives it back when it closes.

import { element } from '../core/element.js';
import { STOP } from '../core/stop.js';
import { reallyPressed } from '../keys/repeated_keys.js';

/** How long keys and clicks that were on their way to somewhere else are not taken as an answer. */
const DEAF = 600;

/**
 * @typedef {{title: string, body: Node[], buttons?: (HTMLElement | null)[], class?: string, closed?: () => void,
 *   keys?: (event: KeyboardEvent) => boolean, refuses?: () => boolean, reads?: boolean,
 *   heard?: (isHeard: boolean) => void}} How `heard` is told when an answer counts, and when it does not any more
 */

/** @type {Window_[]} */
const open = [];
/** @type {(isOpen: boolean) => void} */
let covering = () => undefined;
/** @type {() => void} */
let uncovered = () => undefined;
let made = 0;

class Window_ {
  /** @param {How} how */
  constructor(how) {
    this.how = how;
    /** When it was first seen; what was pressed before cannot have been meant for it. */
    this.seen = Infinity;
    /** How long what is shown has to have been seen before an answer counts. */
    this.deaf = DEAF;
    this.isDeaf = false;
    /** @type {number | undefined} */
    this.timer = undefined;
    const title = element('h2', { id: `window-${++made}` }, how.title);
    this.body = element('div', { class: 'body', tabIndex: how.reads ? 0 : -1 }, ...how.body);
    const buttons = (how.buttons ?? []).filter((each) => each !== null);
    this.root = element('dialog', { class: how.class ?? '', 'aria-labelledby': title.id },
      element('header', {}, title, button('✕', () => this.leave(), { class: 'close', 'aria-label': 'Close' }),
        // What lies behind a window cannot be reached, and this must be.
        element('button', { type: 'button', class: 'stop', 'data-action': STOP, tabIndex: -1 }, 'Stop agents')),
      this.body,
      element('p', { class: 'told', role: 'status' }),
      buttons.length ? element('footer', {}, ...buttons) : null);
    this.root.addEventListener('keydown', (event) => this.pressed(event));
    this.root.addEventListener('cancel', (event) => { event.preventDefault(); this.leave(); });
    document.body.append(this.root);
    open.push(this);
    this.root.showModal();
    if (how.reads) this.body.focus();
    this.deafen();
    covering(true);
  }

  /**
   * Take nothing as an answer until what is shown now has been seen for a while.
   * @param {number} [deaf] for how long; less where the person went there by themselves
   */
  deafen(deaf = DEAF) {
    // What changed by itself is not seen sooner because the person moved as well.
    this.deaf = this.isDeaf ? Math.max(deaf, this.deaf) : deaf;
    this.isDeaf = true;
    this.seen = Infinity;
    this.how.heard?.(false);
    clearTimeout(this.timer);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      this.seen = performance.now();
      this.listenLater();
    }));
  }

  /**
   * Whether somebody who saw this window pressed the key or the button: not a key that is held down, not one that
   * was pressed before the window was there, nothing that a program made up.
   * @param {Event} [event]
   */
  hears(event = globalThis.event && reallyPressed(globalThis.event)) {
    if (!event?.isTrusted || (event instanceof KeyboardEvent && event.repeat)) return false;
    return event.timeStamp - this.seen > this.deaf;
  }

  /**
   * A key that comes too early keeps the next ones from answering: whoever goes on pressing one has seen nothing yet.
   * What is typed into a field is no such key.
   * @param {KeyboardEvent} event
   */
  early(event) {
    const since = event.timeStamp - this.seen;
    if (event.target instanceof HTMLInputElement || !(since > 0 && since <= this.deaf)) return;
    this.seen = event.timeStamp;
    this.listenLater();
  }

  listenLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.isDeaf = false; this.how.heard?.(true); }, this.deaf);
  }

  leave() {
    if (!this.how.refuses?.()) this.close();
  }

  close() {
    if (!open.includes(this)) return;
    open.splice(open.indexOf(this), 1);
    clearTimeout(this.timer);
    this.root.close();
    this.root.remove();
    this.how.closed?.();
    if (open.length) return;
    uncovered();
    covering(false);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    event.stopPropagation();
    if (event.key === 'Escape') { event.preventDefault(); this.leave(); return; }
    this.early(event);
    if (/^F\d+$/.test(event.key) && event.key !== 'F12') event.preventDefault();
    if (this.how.keys?.(event)) event.preventDefault();
  }
}

/** Open a window. @param {How} how */
export function show(how) {
  return new Window_(how);
}

/** Whether any window is open. */
export function isCovered() {
  return open.length > 0;
}

/** Call this whenever a window has opened or the last one has closed. @param {(isOpen: boolean) => void} then */
export function whenCovering(then) {
  covering = then;
}

/** Call this when the last window has closed. @param {() => void} then */
export function whenUncovered(then) {
  uncovered = then;
}

/** A button. @param {string} text @param {() => void} pressed @param {Record<string, any>} [more] */
export function button(text, pressed, more = {}) {
  return element('button', { type: 'button', onclick: pressed, ...more }, text);
}
