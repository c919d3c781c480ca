// The settings and the keys, changed at once.

import { element } from '../core/element.js';
import { order, read } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { actionTable, allActions, titleOf, upToDate, watchActions } from '../keys/key_map.js';
import { pressed } from '../keys/key_names.js';
import { tie } from './dialog_link.js';
import { notifyButton } from './notify_button.js';
import { button, show } from './window.js';

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
  window.body.append(own.root, notifyButton());
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

/** Every action with its keys, each to be changed; `end` when nobody looks any more. */
function shortcuts() {
  const rows = element('div', { class: 'shortcuts' });
  const note = element('p', { class: 'care', 'aria-live': 'polite' });
  const unwatch = watchActions(draw);
  draw();
  return { root: element('fieldset', {}, element('legend', {}, 'shortcuts'), note, rows), end: unwatch };

  function draw() {
    const here = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.key : undefined;
    rows.replaceChildren(...allActions().map(row));
    note.textContent = actionTable().problems.join('; ');
    const again = here && rows.querySelector(`[data-key="${here}"]`);
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {import('../keys/key_map.js').Action} action */
  function row({ id, title, isOwn, keys: bound }) {
    const keys = bound.join(', ') || 'no key';
    let isWaiting = false;
    /** @param {boolean} waits whether the next key that is pressed is the new one */
    const wait = (waits) => {
      isWaiting = waits;
      change.textContent = waits ? 'press the new key…' : keys;
      change.setAttribute('aria-label', waits ? `Press the new key for ${title}` : `${title}: ${keys}, change`);
    };
    const change = button('', () => wait(true), {
      'data-key': id, onblur: () => wait(false),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (!isWaiting) return;
        event.preventDefault();
        event.stopPropagation();
        const key = pressed(event);
        if (!key) return;
        wait(false);
        if (key !== 'escape') bind({ action: id, keys: [key] });
      },
    });
    wait(false);
    const back = () => button('as it was', () => bind({ action: id }), { 'aria-label': `${title}, as it was` });
    return element('div', { class: 'setting' }, element('span', {}, title),
      element('span', { class: 'buttons' }, change, isOwn && back()));
  }

  /** @param {{action: string, keys?: string[]}} wanted */
  function bind(wanted) {
    guarded(order('settings.bind', wanted).then(upToDate).then(draw));
  }
}
