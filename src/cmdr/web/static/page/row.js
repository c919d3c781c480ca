// One row of a pane: its name, its size, its date, and what to say about it.

import { element } from './element.js';

/** @type {Record<string, string>} */
const KINDS = { d: 'folder', f: 'file', l: 'link', p: 'pipe', s: 'socket', b: 'device', c: 'device', '?': 'unknown' };
/** @type {Record<string, string>} */
const SORTS = {
  zip: 'packed', gz: 'packed', xz: 'packed', zst: 'packed', tar: 'packed', '7z': 'packed', bz2: 'packed',
  png: 'media', jpg: 'media', jpeg: 'media', gif: 'media', webp: 'media', svg: 'media', mp3: 'media', flac: 'media',
  mp4: 'media', mkv: 'media', wav: 'media', py: 'code', js: 'code', ts: 'code', rs: 'code', go: 'code', c: 'code',
  h: 'code', sh: 'code', html: 'code', css: 'code', json: 'code', toml: 'code', yaml: 'code', yml: 'code',
};

/**
 * @param {{id: string, place: number, total: number, isHere: boolean}} where
 * @param {import('./picture.js').Row | null | undefined} found null is the way up, undefined a row not known yet
 */
export function row(where, found) {
  const given = {
    id: where.id, role: 'option', 'data-place': where.place, 'aria-posinset': where.place + 1,
    'aria-setsize': where.total, 'aria-selected': String(Boolean(found?.selected)),
  };
  const classes = ['row', where.isHere ? 'cursor' : ''];
  if (found === null) return drawn(given, [...classes, 'folder', 'up'], '..', 'up', '');
  if (found === undefined) return drawn(given, classes, '…', '', '');
  classes.push(found.folder ? 'folder' : KINDS[found.kind] ?? 'unknown', found.selected ? 'selected' : '');
  if (!found.folder) classes.push(SORTS[found.name.slice(found.name.lastIndexOf('.') + 1).toLowerCase()] ?? '');
  if (found.kind === 'l') classes.push('link');
  if (found.fresh) classes.push('fresh');
  const made = drawn({ ...given, title: found.name }, classes, found.name, found.size, found.date);
  if (found.fresh) made.append(element('span', { class: 'unseen' }, 'new, an agent was at work'));
  return made;
}

/** @param {object} given @param {string[]} classes @param {string} name @param {string} size @param {string} date */
function drawn(given, classes, name, size, date) {
  return element('div', { ...given, class: classes.filter(Boolean).join(' ') },
    element('span', { class: 'name' }, name), element('span', { class: 'size' }, size),
    element('span', { class: 'date' }, date));
}
