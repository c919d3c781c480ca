// What this program is.

import { element } from './element.js';
import { keysOf } from './key_map.js';
import { read } from './server.js';
import { tie } from './tie.js';
import { button, show } from './window.js';

/** Version, where things are kept, where agents connect. */
export async function about() {
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
