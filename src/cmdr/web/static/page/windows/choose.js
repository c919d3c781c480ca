// Lets one choose from a list, narrowed by typing.

import { element } from '../core/element.js';
import { button, show } from './window.js';

/**
 * @template T
 * @typedef {{text: string, about?: string, value: T}} Choice
 */

/** @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

/** Whether a key moves in a list or chooses from it. @param {KeyboardEvent} event */
export function isForList({ key }) {
  return key === 'Enter' || Object.hasOwn(STEPS, key);
}

/**
 * A field and a list that belong together: arrows move in the list while one types.
 * @param {{name: string, placeholder: string, typed: () => void, picked: (index: number) => void}} how
 */
export function narrowing(how) {
  let at = 0;
  /** @type {{text: string, about?: string}[]} */
  let shown = [];
  const list = element('div', {
    class: 'choices', role: 'listbox', id: 'choices', 'aria-label': how.name, tabIndex: -1,
  });
  const input = element('input', {
    type: 'text', spellcheck: false, autocomplete: 'off', 'aria-label': how.name, placeholder: how.placeholder,
    oninput: how.typed, role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'choices',
  });

  /** @param {{text: string, about?: string}[]} rows */
  function draw(rows) {
    shown = rows;
    at = 0;
    list.replaceChildren(...rows.map(({ text, about }, index) => element('div', {
      class: 'choice', role: 'option', id: `choice-${index}`, 'aria-selected': 'false',
      onclick: () => how.picked(index),
    }, element('span', {}, text), about ? element('span', { class: 'about' }, about) : null)));
    mark();
  }

  function mark() {
    for (const [index, drawn] of [...list.children].entries()) {
      drawn.classList.toggle('cursor', index === at);
      drawn.setAttribute('aria-selected', String(index === at));
    }
    if (shown.length) input.setAttribute('aria-activedescendant', `choice-${at}`);
    else input.removeAttribute('aria-activedescendant');
    list.children[at]?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {KeyboardEvent} event */
  function keys(event) {
    const step = STEPS[event.key];
    if (step && shown.length) { at = Math.max(0, Math.min(shown.length - 1, at + step)); mark(); return true; }
    if (event.key === 'Enter' && event.target === input && shown[at]) { how.picked(at); return true; }
    return false;
  }

  return { input, list, draw, keys };
}

/**
 * @template T
 * @param {string} title @param {Choice<T>[]} choices @param {string} [hint]
 * @returns {Promise<T | null>}
 */
export function choose(title, choices, hint = '') {
  return new Promise((answer) => {
    let shown = choices;
    const field = narrowing({ name: title, placeholder: 'type to narrow', typed: narrow, picked: pick });
    const empty = element('p', { class: 'hint', 'aria-live': 'polite' }, hint);
    const window = show({
      title, class: 'choose', body: [field.input, field.list, empty], keys: field.keys, closed: () => answer(null),
      buttons: [button('Cancel', () => window.close())],
    });
    field.draw(shown);
    field.input.focus();

    /** @param {number} index */
    function pick(index) {
      answer(shown[index].value);
      window.close();
    }

    function narrow() {
      const words = field.input.value.toLowerCase().split(/\s+/);
      shown = choices.filter(({ text, about }) => {
        const all = `${text} ${about ?? ''}`.toLowerCase();
        return words.every((word) => all.includes(word));
      });
      empty.textContent = shown.length ? hint : 'Nothing like that.';
      field.draw(shown);
    }
  });
}
