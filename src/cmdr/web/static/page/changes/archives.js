// Archives: pack what is chosen, unpack, and ask what is wanted of one that is opened.

import { operate } from './change.js';
import { chosen } from './chosen.js';
import { below } from '../core/element.js';
import { perform } from '../core/perform.js';
import { order } from '../core/server.js';
import { tell } from '../core/status.js';
import { texts } from '../core/texts.js';
import { keysOf } from '../keys/key_map.js';
import { ask } from '../windows/ask.js';
import { choose } from '../windows/choose.js';

/** @typedef {import('../panes/pane.js').Pane} Pane */

const ENDING = '.zip';

/** Pack what is chosen, into the other pane or wherever is typed. @param {Pane} _ @param {Pane} other */
export async function pack(_, other) {
  const what = await chosen();
  if (!what) return;
  const value = below(other.now.path, what.archive);
  const typed = await ask({
    title: `Pack ${what.what} into (.zip or .tar.gz)`, value, complete: true, lines: what.lines,
    select: [value.length - what.archive.length, value.length - ENDING.length],
  });
  if (typed) await operate('pack', { to: typed.text }, { sure: true, chosen: what.id });
}

/** Unpack each into a folder of its own, in the other pane or wherever is typed. @param {Pane} _ @param {Pane} other */
export async function unpack(_, other) {
  const what = await chosen();
  if (!what) return;
  const options = (await texts()).taken;
  const title = `Unpack ${what.what} into a folder of its own in`;
  const typed = await ask({ title, value: other.now.path, complete: true, options, lines: what.lines });
  if (typed) await operate('unpack', { to: typed.text, onConflict: typed.option }, { chosen: what.id });
}

/** Ask what is wanted of the archive under the cursor. @param {Pane} pane @param {Pane} other */
export async function openArchive({ here, now: { path } }, other) {
  if (!here) return;
  const archive = below(path, here.name);
  const there = other.now.path;
  /** @param {string} to */
  const into = (to) => () => operate('unpack', { paths: [archive], to });
  const run = await choose(here.name, [
    { text: 'Look inside', about: keysOf('view')[0], value: () => perform('file.quickLook') },
    { text: 'Unpack to the other pane', about: [there, ...keysOf('unpack').slice(0, 1)].join(' · '),
      value: into(there) },
    { text: 'Unpack here', about: path, value: into(path) },
    { text: 'Show in the file manager', value: () => order('file.showInFinder').then(tell) },
  ]);
  await run?.();
}
