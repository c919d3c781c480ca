// Every key, as it is bound by now.

import { element } from './element.js';
import { keysOf, ownCommands } from './key_map.js';
import { SECTIONS } from './keys.js';
import { show } from './window.js';

/** Every key. */
export function help() {
  const own = ownCommands();
  show({
    title: 'Keys', class: 'wide', reads: true,
    body: [
      element('p', { class: 'hint' }, 'Letters search for a name. Ctrl and a click select one, Shift and a click '
        + 'select as far as there, the right button shows what can be done.'),
      element('div', { class: 'sections' }, ...SECTIONS.map(([name, actions]) => section(name, actions)),
        own.length ? section('Your own', own) : null),
    ],
  });
}

/** @param {string} name @param {{id: string, title: string}[]} actions */
function section(name, actions) {
  return element('section', {}, element('h3', {}, name),
    element('dl', { class: 'keylist' }, ...actions.flatMap(({ id, title }) => [
      element('dt', {}, keysOf(id).join(', ') || '–'), element('dd', {}, title)])));
}
