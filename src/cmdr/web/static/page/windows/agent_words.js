// What an agent says about its own proposal: in a frame of its own, below a line that says whose words they are.

import { element } from '../core/element.js';

/** Nothing when it says nothing. @param {string} heading @param {string} said @returns {HTMLElement[]} */
export function agentWords(heading, said) {
  return said ? [element('figure', { class: 'words' },
    element('figcaption', {}, heading), element('blockquote', { tabIndex: 0, dir: 'ltr' }, said))] : [];
}
