// Every key.

import { element } from './element.js';
import { SECTIONS, spoken } from './keys.js';
import { show } from './window.js';

/** Every key. */
export function help() {
  show({
    title: 'Keys', class: 'wide', reads: true,
    body: [
      element('p', { class: 'hint' }, 'Letters search for a name. Ctrl and a click select one, Shift and a click '
        + 'select as far as there, the right button shows what can be done.'),
      element('div', { class: 'sections' }, ...SECTIONS.map(([section, actions]) => element('section', {},
        element('h3', {}, section),
        element('dl', { class: 'keylist' }, ...actions.flatMap(({ title, keys }) => [
          element('dt', {}, keys.map(spoken).join(', ')), element('dd', {}, title)]))))),
    ],
  });
}
