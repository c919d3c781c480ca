// The settings, changed at once.

import { element } from './element.js';
import { titleOf } from './key_map.js';
import { order, read } from './server.js';
import { shortcuts } from './shortcuts.js';
import { guarded, tell } from './status.js';
import { tie } from './tie.js';
import { show } from './window.js';

/**
 * @typedef {{key: string, section: string, title: string, value: string | number | boolean,
 *   choices: string[]}} Setting
 */

/** Every setting. */
export async function settings() {
  /** @type {Setting[]} */
  const all = await read('/page/settings');
  const sections = [...new Set(all.map(({ section }) => section))];
  const window = show({
    title: titleOf('settings'), class: 'wide',
    body: sections.map((section) => element('fieldset', {}, element('legend', {}, section),
      ...all.filter((setting) => setting.section === section).map((setting) => (
        element('label', { class: 'setting' }, element('span', {}, setting.title), field(setting)))))),
    closed: () => { closed(); own.end(); },
  });
  const closed = tie('settings', '', () => window.close());
  const own = shortcuts();
  window.body.append(own.root);
  window.body.querySelector('select')?.focus();
}

/** @param {Setting} setting */
function field({ key, value, choices }) {
  /** @param {string} chosen */
  const set = (chosen) => guarded(order('settings.set', { key, value: chosen }).then(tell));
  if (choices.length) {
    const made = element('select', {},
      ...choices.map((choice) => element('option', { value: choice, selected: choice === value }, choice)));
    made.addEventListener('change', () => { set(made.value); });
    return made;
  }
  if (typeof value === 'boolean') {
    const made = element('input', { type: 'checkbox', checked: value });
    made.addEventListener('change', () => { set(String(made.checked)); });
    return made;
  }
  const made = element('input', { type: 'text', value: String(value) });
  made.addEventListener('change', () => { set(made.value); });
  return made;
}
