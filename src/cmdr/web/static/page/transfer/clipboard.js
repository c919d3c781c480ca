// Puts a name or a path on the clipboard of the browser.

import { below } from '../core/element.js';
import { tell } from '../core/status.js';

/** @typedef {import('../panes/pane.js').Pane} Pane */

/** @param {Pane} pane */
export async function copyPath(pane) {
  if (pane.here) await clip(below(pane.now.path, pane.here.name));
}

/** @param {Pane} pane */
export async function copyName(pane) {
  if (pane.here) await clip(pane.here.name.slice(pane.here.name.lastIndexOf('/') + 1));
}

/** @param {string} text */
async function clip(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error('The browser does not let this page use the clipboard.');
  }
  tell(`Copied ${text}`);
}
