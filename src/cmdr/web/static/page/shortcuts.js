// The person's own keys; what the terminal can do as well obeys them there too.

import { element } from './element.js';
import { actionTable, allActions, upToDate, watchActions } from './key_map.js';
import { pressed } from './key_names.js';
import { order } from './server.js';
import { guarded } from './status.js';
import { button } from './window.js';

/** Every action with its keys, each to be changed; `end` when nobody looks any more. */
export function shortcuts() {
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

  /** @param {import('./key_map.js').Action} action */
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
