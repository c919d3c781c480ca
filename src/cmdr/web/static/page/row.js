// One row of a pane: its name, its size, its date, and what to say about it.

import { element } from './element.js';

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
  classes.push(`kind-${found.kind}`, found.folder ? 'folder' : '', found.selected ? 'selected' : '');
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
