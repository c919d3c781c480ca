// Every key, as it is bound by now.

import { element } from '../core/element.js';
import { actionTable } from '../keys/key_map.js';
import { show } from './window.js';

/** Every key. */
export function help() {
  const { sections, commands } = actionTable();
  show({
    title: 'Keys', class: 'wide', reads: true,
    body: [
      element('p', { class: 'hint' }, 'Letters search for a name. Ctrl and a click select one, Shift and a click '
        + 'select as far as there, the right button shows what can be done.'),
      element('div', { class: 'sections' }, ...sections.map(({ name, actions }) => section(name, actions)),
        commands.length ? section('Your own', commands) : null),
    ],
  });
}

/** @param {string} name @param {{title: string, keys: string[], risk?: string}[]} actions */
function section(name, actions) {
  return element('section', {}, element('h3', {}, name),
    element('dl', { class: 'keylist' }, ...actions.flatMap(({ title, keys, risk }) => [
      element('dt', {}, keys.join(', ') || '–'), element('dd', { class: risk }, title)])));
}
