// The words that windows offer; asked for once.

import { read } from './server.js';

/** @typedef {{reports: {value: string, text: string, about: string}[], taken: [string, string][]}} Words */

/** @type {Promise<Words> | null} */
let asked = null;

/** @returns {Promise<Words>} */
export function words() {
  asked ??= read('/page/words').catch((error) => { asked = null; throw error; });
  return /** @type {Promise<Words>} */ (asked);
}
