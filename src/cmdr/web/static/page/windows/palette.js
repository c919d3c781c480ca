// Everything by its name: what has a key, and every command beside.

import { perform } from '../core/perform.js';
import { read } from '../core/server.js';
import { allActions, keysOf, titleOf } from '../keys/key_map.js';
import { PLACES } from '../panes/moving.js';
import { choose } from './choose.js';

/** Everything that can be done; `data-action` leads to what has a key. */
export async function palette() {
  /** @type {{name: string, id: string, title: string, about: string}[]} */
  const commands = await read('/page/commands');
  const actions = allActions().filter(({ id }) => id !== 'palette' && !Object.hasOwn(PLACES, id));
  const titles = new Set(actions.map(({ title }) => title));
  const run = await choose(titleOf('palette'), [
    ...actions.map(({ id, title, keys }) => ({ text: title, about: keys[0], value: () => { dispatch(id); } })),
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
