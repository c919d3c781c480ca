// The texts that windows offer; asked for once.

import { read } from './server.js';

/** @typedef {{reports: {value: string, text: string, about: string}[], taken: [string, string][]}} Texts */

/** @type {Promise<Texts> | null} */
let asked = null;

/** @returns {Promise<Texts>} */
export function texts() {
  asked ??= read('/page/texts').catch((error) => { asked = null; throw error; });
  return /** @type {Promise<Texts>} */ (asked);
}

/** A number of things in words: `1 file`, `3 files`. @param {number} number @param {string} thing */
export function count(number, thing) {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
