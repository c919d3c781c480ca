// The person's own keys: they hold in the terminal too, so only what both can do is offered.

import { element } from './element.js';
import { clashes, keysOf } from './key_map.js';
import { kept, pressed } from './key_names.js';
import { SECTIONS } from './keys.js';
import { now, order, watch } from './server.js';
import { guarded } from './status.js';
import { button } from './window.js';

/** What the terminal has no word for. */
const ONLY_HERE = new Set(['treemap', 'menu', 'download', 'upload']);

/** Every action with its keys, each to be changed; `end` when nobody looks any more. */
export function shortcuts() {
  let drawn = '';
  const rows = element('div', { class: 'shortcuts' });
  const note = element('p', { class: 'care', 'aria-live': 'polite' });
  const unwatch = watch(({ shortcuts: chosen }) => { if (JSON.stringify(chosen) !== drawn) draw(); });
  draw();
  return { root: element('fieldset', {}, element('legend', {}, 'shortcuts'), note, rows), end: unwatch };

  function draw() {
    const here = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.key : undefined;
    const own = new Set(now().shortcuts.map(({ id }) => id));
    drawn = JSON.stringify(now().shortcuts);
    rows.replaceChildren(...SECTIONS.flatMap(([, actions]) => actions).filter(({ id }) => !ONLY_HERE.has(id))
      .map(({ id, title }) => row(id, title, own.has(id))));
    note.textContent = clashes().join('; ');
    const again = here && rows.querySelector(`[data-key="${here}"]`);
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {string} id @param {string} title @param {boolean} isOwn */
  function row(id, title, isOwn) {
    const keys = keysOf(id).join(', ') || 'no key';
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
        if (key !== 'Escape') bind({ action: id, keys: [kept(key)] });
      },
    });
    wait(false);
    const back = () => button('as it was', () => bind({ action: id }), { 'aria-label': `${title}, as it was` });
    return element('div', { class: 'setting' }, element('span', {}, title),
      element('span', { class: 'buttons' }, change, isOwn && back()));
  }

  /** @param {{action: string, keys?: string[]}} wanted */
  function bind(wanted) {
    guarded(order('settings.bind', wanted).then(draw));
  }
}
