// What the page has to say: messages in the status line, and errors wherever they come from.

import { part } from './element.js';

const SECONDS = 6;

/** @type {number | undefined} */
let timer;

/** Show a line for a while. @param {string} text @param {boolean} [bad] */
export function tell(text, bad = false) {
  say(text.split('\n')[0], bad);
  clearTimeout(timer);
  timer = setTimeout(() => say('', false), SECONDS * 1000);
}

/**
 * In the status line and in the window in front: what lies behind a window is read to nobody.
 * @param {string} text @param {boolean} bad
 */
function say(text, bad) {
  for (const line of [part('status'), [...document.querySelectorAll('dialog[open] > .told')].at(-1)]) {
    if (!line) continue;
    line.textContent = text;
    line.classList.toggle('bad', bad);
  }
}

/** Show what went wrong, if something does. @template T @param {Promise<T>} work @returns {Promise<T | undefined>} */
export function guarded(work) {
  return work.catch((error) => {
    tell(error instanceof Error ? error.message : String(error), true);
    return undefined;
  });
}
