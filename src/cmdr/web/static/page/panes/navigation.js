// Goes somewhere: a path, a volume, another tab, a report.

import { below } from '../core/element.js';
import { aside, now, order, read } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { texts } from '../core/texts.js';
import { keysOf, titleOf, wordOf } from '../keys/key_map.js';
import { ask } from '../windows/ask.js';
import { choose } from '../windows/choose.js';

/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {import('../core/state.js').Side} Side */

/** @param {Pane} pane */
export async function goTo(pane) {
  const hint = 'A path, or words of a folder you use. Tab completes.';
  const typed = await ask({ title: titleOf('go_to_path'), value: pane.now.path, complete: true, hint });
  const text = typed?.text.trim();
  if (!text) return;
  const isPath = text.includes('/') || ['~', '.', '..'].includes(text);
  await (isPath ? order('nav_to_path', { pane: pane.side, path: text }) : order('nav.jump', { text }));
}

/**
 * The folder under the cursor, in the other pane; on a file the folder around it, on the way up the one above.
 * @param {Pane} pane @param {Pane} other
 */
export function openOther({ here, isOnParent, now: { path } }, other) {
  const above = path.slice(0, path.lastIndexOf('/')) || '/';
  const to = isOnParent ? above : here?.folder ? below(path, here.name) : path;
  return order('nav_to_path', { pane: other.side, path: to });
}

/** The volumes there are. @param {Side} pane */
export async function volumes(pane) {
  /** @type {{volumes: {name: string, about: string}[]}} */
  const found = await read('/page/places');
  const name = await choose(`Volumes, ${pane} pane`, found.volumes.map((volume) => (
    { text: volume.name, about: volume.about, value: volume.name })));
  if (name) await order('select_volume', { pane, name });
}

/** Bookmarks and the folders used most. */
export async function places() {
  /** @type {{bookmarks: string[], frequent: string[]}} */
  const { bookmarks, frequent } = await read('/page/places');
  const pane = now().focused;
  const path = await choose(wordOf('bookmarks'), [
    ...bookmarks.map((value) => ({ text: value, about: 'bookmark', value })),
    ...frequent.map((value) => ({ text: value, about: 'frequent', value })),
  ], bookmarks.length ? '' : `${keysOf('bookmark_here')[0] ?? 'A command'} bookmarks the folder of the pane.`);
  if (path) await order('nav_to_path', { pane, path });
}

/** The folders that the tab has been in, the last one first. */
export async function visited() {
  /** @type {{visited: string[]}} */
  const found = await read('/page/places');
  if (!found.visited.length) { tell('This tab has been nowhere else yet.'); return; }
  const pane = now().focused;
  const path = await choose(titleOf('visited'), found.visited.map((value) => ({ text: value, value })));
  if (path) await order('nav_to_path', { pane, path });
}

/** @param {Pane} pane */
export async function sort(pane) {
  const keys = [
    ['name', 'Name'], ['ext', 'Extension'], ['size', 'Size'], ['modified', 'Modified'], ['created', 'Created'],
  ];
  const by = await choose('Sort by', keys.map(([value, text]) => ({ text, value })));
  if (by) await pane.sort(by);
}

/** What a report lists opens in a tab. @param {Pane} pane */
export async function report(pane) {
  const root = pane.now.path;
  const kind = await choose(`Report on ${root}`, (await texts()).reports);
  if (kind) guarded(aside('report.open', { kind, root }).then(tell));
}

/** @param {Pane} pane @param {number} by */
export async function step(pane, by) {
  const { tabs, tab } = pane.now;
  const at = tabs.findIndex(({ id }) => id === tab);
  await order('activate_tab', { pane: pane.side, tab: tabs[(at + by + tabs.length) % tabs.length].id });
}

/** @param {Pane} pane */
export function pin(pane) {
  const { tabs, tab } = pane.now;
  const isPinned = tabs.find(({ id }) => id === tab)?.pinned;
  return order('pin_tab', { pane: pane.side, tab, pinned: !isPinned });
}
