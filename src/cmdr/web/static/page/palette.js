// Everything by its name: what has a key, and every command beside.

import { choose } from './choose.js';
import { keysOf } from './key_map.js';
import { ALL } from './keys.js';
import { PLACES } from './moving.js';
import { perform } from './perform.js';
import { read } from './server.js';

/** Everything that can be done; `data-action` leads to what has a key. */
export async function palette() {
  /** @type {{name: string, id: string, title: string, about: string}[]} */
  const commands = await read('/page/commands');
  const actions = ALL.filter(({ id }) => id !== 'palette' && !Object.hasOwn(PLACES, id));
  const titles = new Set(actions.map(({ title }) => title));
  const run = await choose('All commands', [
    ...actions.map(({ id, title }) => ({ text: title, about: keysOf(id)[0], value: () => { dispatch(id); } })),
    ...commands.filter(({ title }) => !titles.has(title)).map(({ name, id, title, about }) => ({
      text: title, about: [about, ...keysOf(id).slice(0, 1)].join(' · '), value: () => perform(name),
    })),
  ]);
  await run?.();
}

/** As if its button had been pressed. @param {string} action */
function dispatch(action) {
  dispatchEvent(new CustomEvent('cmdr-action', { detail: action }));
}
