// Rename many: a pattern above, a table of old and new names below; every name can also be typed by hand.

import { element } from '../core/element.js';
import { inTurn, now, send } from '../core/server.js';
import { guarded } from '../core/status.js';
import { keysWaitFor } from '../keys/key_order.js';
import { titleOf } from '../keys/key_map.js';
import { ask } from '../windows/ask.js';
import { button, show } from '../windows/window.js';
import { operate } from './change.js';

/** @typedef {{rows: [string, string, string][], note: string, isBad: boolean, isReady: boolean}} Table */

/** @type {Record<string, string>} */
const SIGNS = { same: ' ', new: '→' };

/** Nothing happens before F2, and nothing at all while a name clashes. */
export async function renameMany() {
  /** @type {Table & {id: string}} */
  const { id, ...opened } = await inTurn(() => send('/page/renames', { pane: now().focused }));
  if (!id) return;
  /** @type {Table} */
  let table = opened;
  /** Names that were typed by hand, by their place. @type {Record<string, string>} */
  const typed = {};
  let isRegex = false;
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  const find = field('find');
  const replace = field('replace with ($1, {n:03}, {date} …)');
  const rows = element('div', { class: 'renames', role: 'list', 'aria-label': 'Old and new names' });
  const note = element('p', { class: 'note', 'aria-live': 'polite' });
  const rename = button('Rename (F2)', apply, { class: 'main' });
  const window = show({
    title: titleOf('bulk_rename'), class: 'full rename',
    body: [element('div', { class: 'pattern' }, find, replace), rows, note],
    buttons: [button('Cancel', () => window.close()), button('Regular expression (Ctrl+R)', turn), rename],
    keys: (event) => {
      const place = event.target instanceof HTMLElement ? event.target.dataset.place : undefined;
      if (event.key === 'F2') apply();
      else if (event.key === 'r' && (event.ctrlKey || event.metaKey)) turn();
      else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) focusRow(0);
      else if (place !== undefined && event.key === 'ArrowDown') focusRow(Number(place) + 1);
      else if (place !== undefined && event.key === 'ArrowUp') focusRow(Number(place) - 1);
      else if (place !== undefined && event.key === 'Delete') { delete typed[place]; preview(); }
      else return false;
      return true;
    },
  });
  draw();
  find.focus();

  /** @param {string} about */
  function field(about) {
    return element('input', {
      type: 'text', placeholder: about, 'aria-label': about, spellcheck: false, autocomplete: 'off', oninput: preview,
    });
  }

  function turn() {
    isRegex = !isRegex;
    preview();
  }

  /** What the letters so far lead to; a later letter asks anew. */
  function preview() {
    const asked = { find: find.value, replace: replace.value, regex: isRegex, typed };
    last = guarded(last.then(async () => { table = await send(`/page/renames/${id}`, asked); draw(); }));
  }

  function draw() {
    // A row that is drawn anew keeps the keyboard: without it no key would reach this window.
    const place = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.place : undefined;
    rows.replaceChildren(...table.rows.map(([old, name, mark], at) => (
      element('div', { class: `pair ${mark}`, role: 'listitem' },
        element('span', {}, old), element('span', {}, SIGNS[mark] ?? '!'),
        button(name, () => edit(at), { 'data-place': at, tabIndex: at ? -1 : 0 })))));
    note.textContent = table.note;
    note.classList.toggle('risk', table.isBad);
    rename.disabled = !table.isReady;
    if (place !== undefined) focusRow(Number(place));
  }

  /** @param {number} place */
  function focusRow(place) {
    const row = rows.querySelector(`[data-place="${place}"]`);
    if (row instanceof HTMLElement) row.focus();
  }

  /** @param {number} place */
  function edit(place) {
    const [old, name] = table.rows[place];
    const dot = name.lastIndexOf('.');
    const asked = ask({ title: `New name for ${old}`, value: name, select: [0, dot > 0 ? dot : name.length] });
    guarded(asked.then((given) => {
      if (given) { typed[place] = given.text; preview(); }
      return last.then(() => focusRow(place));
    }));
  }

  function apply() {
    guarded(keysWaitFor(last.then(async () => {
      if (!table.isReady) return;
      window.close();
      await operate('rename_many', {}, { sure: true, renames: id });
    })));
  }
}
