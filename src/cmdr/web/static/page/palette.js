// Everything by its name: what has a key, and every command beside.

import { choose } from './choose.js';
import { SECTIONS, spoken } from './keys.js';
import { operate } from './operate.js';
import { order, read } from './server.js';
import { tell } from './status.js';

/** @typedef {import('./pane.js').Pane} Pane */

/** Everything that can be done; `data-action` leads to what has a key. */
export async function palette() {
  /** @type {{name: string, title: string, about: string, proposes: boolean}[]} */
  const commands = await read('/page/commands');
  const actions = SECTIONS.flatMap(([, listed]) => listed).filter(({ id }) => id !== 'palette');
  const titles = new Set(actions.map(({ title }) => title));
  const run = await choose('All commands', [
    ...actions.map(({ id, title, keys }) => (
      { text: title, about: spoken(keys[0]), value: () => { dispatch(id); } })),
    ...commands.filter(({ title }) => !titles.has(title)).map(({ name, title, about, proposes }) => (
      { text: title, about, value: () => (proposes ? operate(name, {}) : order(name).then(tell)) })),
  ]);
  await run?.();
}

/** As if its button had been pressed. @param {string} action */
function dispatch(action) {
  dispatchEvent(new CustomEvent('cmdr-action', { detail: action }));
}
