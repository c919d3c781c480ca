// A proposed edit: who wants what changed, change by change, and the person's answer.

import { diffRow } from './diff.js';
import { element } from './element.js';
import { order, read, watch } from './server.js';
import { guarded, tell } from './status.js';
import { button, show } from './window.js';

/**
 * @typedef {{id: string, path: string, from: string | null, isNew: boolean, title: string, by: string, state: string,
 *   digest: string, word: string, protected: string, decisions: string[], hunkRows: number[],
 *   conflicts: {mine: string, theirs: string}[], start: number, count: number,
 *   rows: import('./diff.js').DiffRow[]}} EditPicture
 */

const ROWS = 300;

/** Show an edit until it is answered. @param {string} id */
export async function review(id) {
  let unified = matchMedia('(max-width: 900px)').matches;
  let folded = true;
  let hunk = 0;
  let isMine = false;
  /** @type {EditPicture} */
  let edit = await load(0, ROWS);
  const rows = element('div', { class: 'diff', tabIndex: 0, role: 'region', 'aria-label': 'Changes' });
  const note = element('div', { class: 'note', 'aria-live': 'polite' });
  const word = edit.word ? element('input', {
    type: 'text', placeholder: `type “${edit.word}” to accept`, 'aria-label': `Type ${edit.word} to accept`,
    autocomplete: 'off', spellcheck: false, onpaste: (/** @type {Event} */ event) => event.preventDefault(),
  }) : null;
  const accept = button('Accept (a)', () => answer(true), { disabled: true, class: 'good' });
  /** @type {Record<string, [string, () => void]>} */
  const does = {
    a: ['', () => answer(true)], r: ['', () => answer(false)], y: ['Take', () => decide('accepted')],
    x: ['Drop', () => decide('rejected')], n: ['Next', () => go(hunk + 1)], p: ['Previous', () => go(hunk - 1)],
    u: ['Unified', () => shape(() => { unified = !unified; })],
    c: ['All lines', () => shape(() => { folded = !folded; })],
    e: ['Edit', () => { guarded(change()); }],
  };
  const window = show({
    title: `${edit.by}: ${edit.isNew ? 'new file ' : ''}${edit.from ? `${edit.from} → ` : ''}${edit.path}`,
    class: 'full', body: [note, rows, ...(word ? [word] : [])],
    buttons: [accept, button('Reject (r)', () => answer(false)),
      ...Object.entries(does).map(([key, [text, run]]) => (text ? button(`${text} (${key})`, run) : null)),
      button('Later', () => window.close())],
    keys: (event) => {
      const isPlain = !(event.ctrlKey || event.altKey || event.metaKey) && event.target !== word;
      if (isPlain && Object.hasOwn(does, event.key)) does[event.key][1]();
      return isPlain && Object.hasOwn(does, event.key);
    },
    // A key or click that was meant for something else must not accept.
    heard: (isHeard) => { accept.disabled = !isHeard; },
    closed: () => unwatch(),
  });
  rows.addEventListener('scroll', () => {
    if (rows.scrollTop + rows.clientHeight > rows.scrollHeight - 400) guarded(more());
  });
  const unwatch = watch((picture) => {
    if (picture.edits.some((waiting) => waiting.id === id)) guarded(renew());
    else { window.close(); tell('This edit has been answered.'); }
  });
  draw();
  rows.focus();

  /** @param {number} start @param {number} count @returns {Promise<EditPicture>} */
  function load(start, count) {
    const how = `rows=${start},${count}&unified=${unified ? 1 : 0}&folded=${folded ? 1 : 0}`;
    return read(`/page/edit/${encodeURIComponent(id)}?${how}`);
  }

  /** Look again; what somebody else changed has to be seen for a while before it can be accepted. */
  async function renew() {
    const fresh = await load(0, Math.max(ROWS, edit.rows.length));
    const isSame = fresh.digest === edit.digest && String(fresh.decisions) === String(edit.decisions);
    if (isSame && fresh.conflicts.length === edit.conflicts.length) return;
    if (!isMine) window.deafen();
    edit = fresh;
    hunk = Math.min(hunk, Math.max(0, edit.decisions.length - 1));
    draw();
  }

  async function more() {
    if (edit.rows.length >= edit.count) return;
    const next = await load(edit.rows.length, ROWS);
    if (next.digest !== edit.digest || next.start !== edit.rows.length) return;
    edit.rows.push(...next.rows);
    rows.append(...next.rows.map(line));
    mark();
  }

  /** @param {() => void} turn */
  function shape(turn) {
    turn();
    guarded(load(0, ROWS).then((fresh) => { edit = fresh; draw(); }));
  }

  function draw() {
    const { decisions } = edit;
    const taken = decisions.filter((decision) => decision !== 'rejected').length;
    const told = [`change ${decisions.length ? hunk + 1 : 0} of ${decisions.length}`, `${taken} taken`];
    if (edit.title) told.unshift(edit.title);
    if (edit.protected) told.push(`this file ${edit.protected}`);
    note.replaceChildren(told.join(' · '), ...edit.conflicts.map(conflict));
    rows.classList.toggle('unified', unified);
    rows.replaceChildren(...edit.rows.map(line));
    mark();
  }

  /** @param {import('./diff.js').DiffRow} row */
  function line(row) {
    const state = row.hunk === null ? '' : edit.decisions[row.hunk];
    return diffRow(row, state, unified, (picked) => { hunk = picked; draw(); });
  }

  /** @param {{mine: string, theirs: string}} found @param {number} index */
  function conflict(found, index) {
    /** @param {string} text @param {string} choice */
    const side = (text, choice) => button(text, () => { mine('review.conflict', { conflict: index + 1, choice }); });
    return element('div', { class: 'conflict' }, element('p', {}, 'The same lines changed on disk meanwhile:'),
      element('pre', { class: 'old' }, found.mine), element('pre', { class: 'new' }, found.theirs),
      element('div', { class: 'buttons' }, side('Keep what is on disk', 'mine'), side('Take the proposal', 'theirs'),
        side('Both', 'both')));
  }

  function mark() {
    for (const drawn of rows.children) {
      drawn.classList.toggle('here', drawn instanceof HTMLElement && drawn.dataset.hunk === String(hunk));
    }
  }

  /** @param {number} wanted */
  async function go(wanted) {
    if (!edit.decisions.length) return;
    hunk = Math.max(0, Math.min(wanted, edit.decisions.length - 1));
    while (edit.rows.length <= edit.hunkRows[hunk] && edit.rows.length < edit.count) await more();
    draw();
    rows.querySelector(`[data-hunk="${hunk}"]`)?.scrollIntoView({ block: 'center' });
  }

  /** @param {string} decision */
  function decide(decision) {
    if (!edit.decisions.length) return;
    mine('review.hunk', { hunk: hunk + 1, decision: edit.decisions[hunk] === decision ? 'undecided' : decision });
  }

  /** Change the edit; what comes of it is what the person wanted. @param {string} command @param {object} args */
  async function mine(command, args) {
    isMine = true;
    const told = await guarded(order(command, { review: id, ...args }));
    await guarded(renew());
    isMine = false;
    return told !== undefined;
  }

  /** @param {boolean} yes */
  async function answer(yes) {
    if (!window.hears()) return;
    const told = await guarded(yes
      ? order('review.accept', { review: id, digest: edit.digest, word: word?.value ?? '' })
      : order('review.reject', { review: id }));
    if (told !== undefined) { window.close(); tell(told); }
  }

  async function change() {
    const { text } = await read(`/page/edit/${encodeURIComponent(id)}/proposed`);
    const area = element('textarea', { value: text, spellcheck: false, 'aria-label': 'The proposed text' });
    const take = async () => { if (await mine('review.edit', { text: area.value })) editor.close(); };
    const editor = show({
      title: `Your own version of ${edit.path}`, class: 'full', body: [area],
      buttons: [button('Take this text', take, { class: 'main' }), button('Cancel', () => editor.close())],
    });
    area.focus();
  }
}
