// Changes to files that begin with a key: copy, move, remove, rename, make.

import { operate } from './change.js';
import { chosen } from './chosen.js';
import { renameMany } from './rename_many.js';
import { below } from '../core/element.js';
import { texts } from '../core/texts.js';
import { titleOf } from '../keys/key_map.js';
import { ask } from '../windows/ask.js';

/** @typedef {import('../panes/pane.js').Pane} Pane */

/**
 * Ask where to, and copy or move what is chosen there.
 * @param {string} to @param {'copy' | 'move'} command @param {ReturnType<typeof chosen>} [wanted]
 */
export async function transfer(to, command, wanted = chosen()) {
  const what = await wanted;
  if (!what) return;
  const options = (await texts()).taken;
  const title = `${titleOf(command)} ${what.what} to`;
  const typed = await ask({ title, value: to, complete: true, options, lines: what.lines });
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
  const typed = await ask({ title: `Rename ${here.name}`, value: here.name, select: [0, stem(here)] });
  if (typed?.text && typed.text !== here.name) {
    await operate('rename', { path, newName: typed.text }, { sure: true, then: typed.text });
  }
}

/** Copy the entry under the cursor beside itself. @param {Pane} pane */
export async function copyHere({ here, now: { path } }) {
  if (!here) return;
  const { name } = here;
  const typed = await ask({ title: `Copy ${name} here as`, value: name, select: [0, stem(here)] });
  if (!typed?.text || typed.text === name) return;
  await operate('copy', { paths: [below(path, name)], to: below(path, typed.text) }, { sure: true, then: typed.text });
}

/** How long a name is without its extension. @param {import('../core/state.js').Row} row */
function stem({ name, folder }) {
  const dot = name.lastIndexOf('.');
  return folder || dot <= 0 ? name.length : dot;
}

/** @param {'mkdir' | 'new_file'} action @param {string} command */
export async function create(action, command) {
  const typed = await ask({ title: titleOf(action), hint: 'A name, or the way to it.' });
  if (!typed?.text) return;
  const where = { [typed.text.includes('/') ? 'path' : 'name']: typed.text };
  await operate(command, where, { sure: true, then: typed.text, opens: action === 'new_file' ? typed.text : '' });
}
