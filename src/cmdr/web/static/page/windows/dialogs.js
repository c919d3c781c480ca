// Draws the dialogs of the workspace: facts about an entry, what cmdr is, and which window draws each other kind.

import { element } from '../core/element.js';
import { now, read } from '../core/server.js';
import { keysOf } from '../keys/key_map.js';
import { volumes } from '../panes/navigation.js';
import { tie } from './dialog_link.js';
import { settings } from './settings.js';
import { view } from './viewer.js';
import { button, show } from './window.js';

/** @type {Record<string, (path: string) => unknown>} */
const DRAWN = { 'file-viewer': view, info, about, settings, 'volume-picker': pickVolume };

/** Show a dialog that is open. @param {string} type @param {string} path */
export async function draw(type, path) {
  await DRAWN[type]?.(path);
}

async function pickVolume() {
  const closed = tie('volume-picker', '', () => undefined);
  try {
    await volumes(now().focused);
  } finally {
    closed();
  }
}

/** Version, where things are kept, where agents connect. */
async function about() {
  /** @type {[string, string][]} */
  const facts = await read('/page/about');
  const window = show({
    title: 'About cmdr', reads: true, closed: () => closed(),
    body: [
      element('p', {}, 'A two-pane file commander that a person and their AI agents share.'),
      element('dl', { class: 'pairs' }, ...facts.flatMap(([name, value]) => [
        element('dt', {}, name), element('dd', {}, value)])),
      element('p', { class: 'hint' }, `${keysOf('help')[0] ?? 'Keys'} shows every key, `
        + `${keysOf('palette')[0] ?? 'Commands'} every command.`),
    ],
    buttons: [button('Close', () => window.close())],
  });
  const closed = tie('about', '', () => window.close());
}

/** @param {string} path */
async function info(path) {
  const list = element('dl', { class: 'pairs' }, element('dt', {}, 'Path'), element('dd', {}, path));
  const name = path.slice(path.lastIndexOf('/') + 1) || '/';
  const window = show({
    title: `Info: ${name}`, body: [list], reads: true, closed: () => closed(),
    buttons: [button('Close', () => window.close())],
  });
  const closed = tie('info', path, () => window.close());
  /** @type {[string, string][]} */
  const rows = await read(`/page/info?path=${encodeURIComponent(path)}`);
  list.replaceChildren(...rows.flatMap(([what, value]) => [
    element('dt', {}, what || 'State'), element('dd', {}, value)]));
}
