// Finds files below the folder of the pane while one types; the index answers.

import { below, element } from '../core/element.js';
import { aside, asideResult, now, order } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { titleOf } from '../keys/key_map.js';
import { keysWaitFor, keysWaitInside } from '../keys/key_order.js';
import { isForList, narrowing } from './choose.js';
import { button, show } from './window.js';

const PAUSE = 120;

/** The find window. */
export function find() {
  const root = now().panes[now().focused].path;
  /** @type {{path: string, size?: number, lines?: {line: number, text: string}[]}[]} */
  let rows = [];
  /** @type {number | undefined} */
  let timer;
  let asked = 0;
  let answered = '';
  /** Keys for the list that came before it. @type {KeyboardEvent[]} */
  let early = [];
  /** @type {() => void} */
  let drawn = () => undefined;
  const field = narrowing({
    name: 'Part of the name, or a filter', placeholder: 'part of the name, or ext:md size>=1M',
    typed: later, picked: go,
  });
  const note = element('p', { class: 'note', 'aria-live': 'polite' }, `below ${root}`);
  const window = show({
    title: titleOf('find'), class: 'wide', body: [field.input, note, field.list], keys,
    buttons: [button('Show all in the pane', all), button('Read the tree again', again)],
    closed: () => clearTimeout(timer),
  });
  field.input.focus();

  /** What is chosen from the list is chosen from the one for what was typed. @param {KeyboardEvent} event */
  function keys(event) {
    if (event.target !== field.input || !isForList(event) || field.input.value.trim() === answered) {
      return field.keys(event);
    }
    early.push(event);
    keysWaitInside(new Promise((done) => { drawn = () => done(undefined); }));
    return true;
  }

  function later() {
    early = [];
    clearTimeout(timer);
    timer = setTimeout(() => guarded(search()), PAUSE);
  }

  async function search() {
    const number = ++asked;
    const text = field.input.value.trim();
    const isOld = () => number !== asked || text !== field.input.value.trim();
    try {
      const nothing = { rows: [], count: 0, complete: true, directions: '', note: '', behind: 0 };
      const found = text ? await asideResult('find.run', { text, root }) : nothing;
      if (isOld()) return;
      rows = found.rows;
      const partly = found.complete ? '' : ` (${found.note || 'not everything could be read'})`;
      const when = found.directions && `, ${found.directions},`;
      const late = found.behind ? ` (index behind: ${found.behind} folder${found.behind === 1 ? '' : 's'})` : '';
      const told = `${found.count.toLocaleString()} found${when} below ${root}${partly}${late}`;
      note.textContent = text ? told : `below ${root}`;
    } catch (error) {
      if (isOld()) return;
      rows = [];
      note.textContent = error instanceof Error ? error.message : String(error);
    }
    answered = text;
    /** @param {any} row */
    const first = ({ path, lines }) => (lines?.length ? `${path}:${lines[0].line}: ${lines[0].text.trim()}` : path);
    field.draw(rows.map((row) => ({ text: first(row) })));
    for (const key of early.splice(0)) field.keys(key);
    drawn();
  }

  /** @param {number} index */
  function go(index) {
    const { path } = rows[index];
    window.close();
    guarded(keysWaitFor(order('find.go', { path: path.startsWith('/') ? path : below(root, path) })));
  }

  function all() {
    const text = field.input.value;
    window.close();
    if (text.trim()) guarded(aside('find.open', { text, root }).then(tell));
  }

  function again() {
    field.input.focus();
    guarded(aside('index', { root }).then((told) => { note.textContent = told; }));
  }
}
