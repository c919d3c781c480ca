// Changes to files that begin with a key: copy, move, remove, rename, make.

import { ask } from './ask.js';
import { chosen } from './chosen.js';
import { below } from './element.js';
import { operate } from './operate.js';
import { words } from './words.js';

/** @typedef {import('./pane.js').Pane} Pane */

/** @param {Pane} other @param {string} title @param {string} command */
export async function transfer(other, title, command) {
  const what = await chosen();
  if (!what) return;
  const options = (await words()).taken;
  const to = other.now.path;
  const typed = await ask({ title: `${title} ${what.what} to`, value: to, complete: true, options, lines: what.lines });
  if (typed) await operate(command, { to: typed.text, onConflict: typed.option }, { sure: true, chosen: what.id });
}

/** @param {boolean} permanent */
export async function remove(permanent) {
  const what = await chosen();
  if (what) await operate('delete', { permanent }, { chosen: what.id });
}

/** @param {Pane} pane */
export async function rename(pane) {
  if (pane.now.selected > 1) { await renameMany(); return; }
  const here = pane.here;
  if (!here) return;
  const path = below(pane.now.path, here.name);
  const dot = here.name.lastIndexOf('.');
  const stem = here.folder || dot <= 0 ? here.name.length : dot;
  const typed = await ask({ title: `Rename ${here.name}`, value: here.name, select: [0, stem] });
  if (typed?.text && typed.text !== here.name) {
    await operate('rename', { path, newName: typed.text }, { sure: true, then: typed.text });
  }
}

async function renameMany() {
  const what = await chosen();
  if (!what) return;
  const typed = await ask({
    title: `Rename ${what.what} by pattern`, second: 'replacement', lines: what.lines,
    hint: 'A regular expression, and what replaces it: $1 is the first group, {n} counts. You see the new names before '
      + 'anything happens.',
  });
  if (typed?.text) await operate('rename', { match: typed.text, replace: typed.second }, { chosen: what.id });
}

/** @param {string} title @param {string} command */
export async function create(title, command) {
  const typed = await ask({ title, hint: 'A name, or the way to it.' });
  if (!typed?.text) return;
  const where = { [typed.text.includes('/') ? 'path' : 'name']: typed.text };
  await operate(command, where, { sure: true, then: typed.text });
}
