// Asks for one line: a name, a path, a mask.

import { element } from '../core/element.js';
import { read } from '../core/server.js';
import { guarded } from '../core/status.js';
import { keysWaitInside } from '../keys/key_order.js';
import { button, show } from './window.js';

/**
 * @typedef {{title: string, value?: string, select?: [number, number], hint?: string, complete?: boolean,
 *   lines?: string[], options?: [string, string][], typed?: (text: string) => void}} Asked
 */

/** @param {Asked} how @returns {Promise<{text: string, option: string} | null>} */
export function ask(how) {
  return new Promise((answer) => {
    const input = field(how.title, how.value);
    const names = element('ul', { class: 'names', 'aria-live': 'polite' });
    const option = how.options ? element('select', {},
      ...how.options.map(([value, text]) => element('option', { value }, text))) : null;
    /** @param {boolean} yes */
    const done = (yes) => {
      answer(yes ? { text: input.value, option: option?.value ?? '' } : null);
      window.close();
    };
    const window = show({
      title: how.title,
      body: [
        ...(how.lines?.length ? [listed(how.lines)] : []),
        input, names,
        ...(option ? [element('label', {}, 'When a name is taken: ', option)] : []),
        element('p', { class: 'hint' }, how.hint ?? (how.complete ? 'Tab completes.' : '')),
      ],
      buttons: [button('Cancel', () => done(false)), button('OK', () => done(true), { class: 'main' })],
      keys: (event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement && !event.isComposing) {
          done(true);
          return true;
        }
        const completes = event.key === 'Tab' && how.complete && event.target === input && !event.shiftKey;
        if (completes) guarded(keysWaitInside(complete()));
        return Boolean(completes);
      },
      closed: () => answer(null),
    });
    const { typed } = how;
    if (typed) input.addEventListener('input', () => typed(input.value));
    input.focus();
    input.setSelectionRange(...(how.select ?? [0, input.value.length]));

    async function complete() {
      const asked = input.value;
      const found = await read(`/page/complete?text=${encodeURIComponent(asked)}`);
      if (input.value !== asked) return;
      input.value = found.sure;
      const several = found.names.length > 1 ? found.names : [];
      names.replaceChildren(...several.map((/** @type {string} */ name) => element('li', {}, name)));
    }
  });
}

/** @param {string[]} lines */
function listed(lines) {
  return element('ul', { class: 'what' }, ...lines.map((line) => element('li', {}, line)));
}

/** @param {string} name @param {string} [value] */
function field(name, value = '') {
  return element('input', { type: 'text', value, spellcheck: false, autocomplete: 'off', 'aria-label': name });
}
