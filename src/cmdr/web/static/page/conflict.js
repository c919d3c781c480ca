// Lines that changed on disk while an edit of the same lines waits: which of the two stay.

import { element } from './element.js';
import { button } from './window.js';

/** @param {{mine: string, theirs: string}} found @param {(choice: string) => void} settle */
export function conflict(found, settle) {
  /** @param {string} text @param {string} choice */
  const side = (text, choice) => button(text, () => settle(choice));
  return element('div', { class: 'conflict' }, element('p', {}, 'The same lines changed on disk meanwhile:'),
    element('pre', { class: 'old' }, found.mine), element('pre', { class: 'new' }, found.theirs),
    element('div', { class: 'buttons' }, side('Keep what is on disk', 'mine'), side('Take the proposal', 'theirs'),
      side('Both', 'both')));
}
