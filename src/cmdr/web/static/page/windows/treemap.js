// What fills a folder: rectangles as large as what they stand for, and the same as a table.

import { below, element, shape } from '../core/element.js';
import { now, order, read, watch } from '../core/server.js';
import { guarded } from '../core/status.js';
import { titleOf } from '../keys/key_map.js';
import { keysWaitFor } from '../keys/key_order.js';
import { heads } from './agents.js';
import { button, show } from './window.js';

/**
 * @typedef {{name: string, folder: boolean, size: string, share: string, x: number, y: number, width: number,
 *   height: number, others?: number}} Tile
 * @typedef {{path: string, wide: number, high: number, total: string, fresh: boolean, tiles: Tile[],
 *   scan?: string}} Map_
 */

const LETTER = 26;
const HUES = 6;

/** Show what fills a folder; a click goes into what it hits. @param {string} start */
export function treemap(start) {
  let path = start;
  let scan = '';
  const note = element('p', { class: 'note', 'aria-live': 'polite' });
  const drawing = element('div', { class: 'drawing', 'aria-hidden': 'true' });
  const table = element('div', { class: 'twin', tabIndex: 0, role: 'region', 'aria-label': 'The same as a table' });
  const window = show({
    title: titleOf('treemap'), class: 'full treemap',
    body: [note, element('div', { class: 'both' }, drawing, table)],
    buttons: [button('Up (Backspace)', up), button('Show in the pane', () => leave(path, true)),
      button('Close', () => window.close())],
    keys: (event) => event.key === 'Backspace' && (up(), true),
    closed: () => unwatch(),
  });
  const unwatch = watch(({ scans }) => {
    if (!scan) return;
    const running = scans.find(({ id }) => id === scan);
    note.textContent = running ? `Reading ${path}: ${running.entries} so far…` : note.textContent;
    if (!running) { scan = ''; guarded(load(path, true)); }
  });
  table.focus();
  guarded(load(path, false));

  /** @param {string} wanted @param {boolean} isRead whether the tree was read just now */
  async function load(wanted, isRead) {
    const ratio = drawing.clientWidth / Math.max(1, drawing.clientHeight) || 1.6;
    /** @type {Map_} */
    const found = await read(`/page/treemap?path=${encodeURIComponent(wanted)}&shape=${ratio.toFixed(3)}`);
    path = wanted;
    if (!found.scan) draw(found);
    else if (isRead) note.textContent = `${wanted} could not be read.`;
    else {
      scan = found.scan;
      note.textContent = `Reading ${wanted}…`;
      drawing.replaceChildren();
      table.replaceChildren();
    }
  }

  /** @param {Map_} map */
  function draw(map) {
    const old = map.fresh ? '' : ' (some of it may have changed since)';
    note.textContent = map.tiles.length ? `${map.path}: ${map.total}${old}` : `${map.path} holds nothing.`;
    drawing.replaceChildren(shape('svg', { viewBox: `0 0 ${map.wide} ${map.high}`, preserveAspectRatio: 'none' },
      ...map.tiles.map(tile)));
    table.replaceChildren(element('table', {}, element('caption', {}, map.path), heads('name', 'size', 'share'),
      element('tbody', {}, ...map.tiles.map((each) => element('tr', {}, element('td', {}, named(each)),
        element('td', {}, each.size), element('td', {}, each.share))))));
  }

  /** @param {Tile} each @param {number} index */
  function tile(each, index) {
    const { x, y, width, height } = each;
    const hue = each.name ? `tile hue${index % HUES}${each.folder ? ' folder' : ''}` : 'tile rest';
    const letters = Math.floor((width - 16) / (LETTER * 0.62));
    const isLabelled = letters > 3 && height > LETTER * 2;
    const isTall = isLabelled && height > LETTER * 4;
    const made = shape('g', { class: hue }, shape('rect', { x, y, width, height }),
      isLabelled && shape('text', { x: x + 8, y: y + LETTER * 1.4 }, cut(title(each), letters)),
      isTall && shape('text', { x: x + 8, y: y + LETTER * 2.8, class: 'size' }, each.size),
      shape('title', {}, `${title(each)} · ${each.size} · ${each.share}`));
    if (each.name) made.addEventListener('click', () => pick(each));
    return made;
  }

  /** @param {Tile} each */
  function named(each) {
    return each.name ? button(title(each), () => pick(each), { class: 'link' }) : title(each);
  }

  /** Into a folder; to a file in the pane. @param {Tile} each */
  function pick(each) {
    const to = below(path, each.name);
    if (each.folder) guarded(load(to, false).then(() => table.focus()));
    else leave(to, false);
  }

  function up() {
    if (path !== '/') guarded(load(path.slice(0, path.lastIndexOf('/')) || '/', false));
  }

  /** @param {string} to @param {boolean} isFolder */
  function leave(to, isFolder) {
    window.close();
    guarded(keysWaitFor(isFolder ? order('nav_to_path', { pane: now().focused, path: to })
      : order('find.go', { path: to })));
  }
}

/** @param {Tile} each */
function title(each) {
  return each.name ? each.name + (each.folder ? '/' : '') : `${(each.others ?? 0).toLocaleString()} smaller ones`;
}

/** @param {string} text @param {number} most */
function cut(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text;
}
