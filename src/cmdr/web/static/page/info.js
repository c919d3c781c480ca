// Facts about one entry.

import { element } from './element.js';
import { read } from './server.js';
import { tie } from './tie.js';
import { button, show } from './window.js';

/** @param {string} path */
export async function info(path) {
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
