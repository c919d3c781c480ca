// Keys act in the order they were typed, also when they come faster than windows open and folders are read.

import { tell } from '../core/status.js';
import { actionOf } from './key_map.js';
import { isHeld } from './key_names.js';
import { isPaste, pressAgain } from './repeated_keys.js';
import { isCovered, whenCovering } from '../windows/window.js';

/** How long a key waits for what the one before it began; something slower lets it go on. */
const LONGEST = 5000;
/** From when on Esc no longer belongs to the window that should have opened, but gives up waiting. */
const LONG = 500;

/** What was begun in the panes and has neither ended nor opened a window. @type {Set<object>} */
const begun = new Set();
/** What was begun in a window. @type {Set<object>} */
const begunInside = new Set();
/** @type {KeyboardEvent[]} */
const held = [];
/** What was on the clipboard. @type {WeakMap<KeyboardEvent, string>} */
const pasted = new WeakMap();
let since = 0;
/** @type {number | undefined} */
let timer;

/** Let keys wait until this is done, or opens a window. @template T @param {Promise<T>} work @returns {Promise<T>} */
export function keysWaitFor(work) {
  return waitedFor(work, begun);
}

/** Let keys wait until the window has done this. @template T @param {Promise<T>} work @returns {Promise<T>} */
export function keysWaitInside(work) {
  return waitedFor(work, begunInside);
}

/** @template T @param {Promise<T>} work @param {Set<object>} among @returns {Promise<T>} */
function waitedFor(work, among) {
  const mine = {};
  among.add(mine);
  wait();
  const over = () => { among.delete(mine); goOn(); };
  work.then(over, over);
  return work;
}

/** Hold keys back where they have to wait; before anybody else hears of them. */
export function listenInOrder() {
  addEventListener('keydown', (event) => {
    if (!event.isTrusted || !mustWait() || isForeign(event)) return;
    if (performance.now() - since > LONG) {
      if (event.key === 'Escape') { forget(); held.length = 0; return; }
      tell('This key waits for what came before it. Esc gives up waiting.');
    }
    if (!isPaste(event)) event.preventDefault();
    event.stopImmediatePropagation();
    // What a finger that rests on a key adds must not go on after it was lifted.
    if (!event.repeat || !held.length) held.push(event);
  }, true);
  // The browser tells what is pasted only now.
  addEventListener('paste', (event) => {
    const last = held.at(-1);
    if (last && isPaste(last)) pasted.set(last, event.clipboardData?.getData('text/plain') ?? '');
  }, true);
  // The window is not ready before whoever opened it has put the keyboard where it belongs.
  whenCovering((isOpen) => { if (isOpen) queueMicrotask(goOn); else wait(); });
}

/** What the browser does with a key is none of our business. @param {KeyboardEvent} event */
function isForeign(event) {
  const isMarked = event.ctrlKey || event.altKey || event.metaKey;
  return event.isComposing || isHeld(event.key) || (isMarked && actionOf(event) === undefined);
}

function mustWait() {
  return begunInside.size > 0 || (begun.size > 0 && !isCovered());
}

/** Wait from now on, but not for ever. */
function wait() {
  since = performance.now();
  clearTimeout(timer);
  timer = setTimeout(() => { forget(); goOn(); }, LONGEST);
}

/** Press the keys that waited, until one of them begins something again. */
function goOn() {
  while (held.length && !mustWait()) {
    const key = /** @type {KeyboardEvent} */ (held.shift());
    pressAgain(key, pasted.get(key) ?? '');
  }
}

function forget() {
  begun.clear();
  begunInside.clear();
}
