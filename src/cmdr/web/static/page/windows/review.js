// A proposed edit: who wants what changed, change by change, and the person's answer.

import { element } from '../core/element.js';
import { order, read, watch } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { keep } from '../core/unsaved.js';
import { keysWaitInside } from '../keys/key_order.js';
import { agentWords } from './agent_words.js';
import { DiffView } from './diff_view.js';
import { button, show } from './window.js';

/** Show an edit until it is answered. @param {string} id @param {() => void} [closed] */
export async function review(id, closed) {
  let isMine = false;
  let isAnswering = false;
  const view = new DiffView(id, drawNote);
  const { word: wanted, by, isNew, from, path, title, files, told } = await view.open();
  const isMany = files.length > 0;
  const list = element('div', { class: 'reviewfiles', role: 'listbox', 'aria-label': 'Files' });
  const note = element('div', { class: 'note', 'aria-live': 'polite' });
  const word = wanted ? element('input', {
    type: 'text', placeholder: `type “${wanted}” to accept`, 'aria-label': `Type ${wanted} to accept`,
    autocomplete: 'off', spellcheck: false, onpaste: (/** @type {Event} */ event) => event.preventDefault(),
    ondrop: (/** @type {Event} */ event) => event.preventDefault(),
  }) : null;
  const all = isMany ? ' all' : '';
  const accept = button(`Accept${all} (a)`, () => answer(true), { disabled: true, class: 'good' });
  /** @type {Record<string, [string, () => void]>} */
  const does = {
    a: ['', () => answer(true)], r: ['', () => answer(false)], y: ['Take', () => decide('accepted')],
    x: ['Drop', () => decide('rejected')], n: ['Next', () => { guarded(view.step(1)); }],
    p: ['Previous', () => { guarded(view.step(-1)); }],
    ...(isMany ? manyKeys() : {}),
    u: ['Unified', () => { guarded(view.shape(() => { view.unified = !view.unified; })); }],
    c: ['All lines', () => { guarded(view.shape(() => { view.folded = !view.folded; })); }],
    e: ['Edit', () => { guarded(ownVersion(id, view.known.path, ownText, view.file)); }],
  };
  const window = show({
    title: isMany ? `${by ? `${by}: edit` : 'Edit'} ${files.length} files`
      : `${by}: ${isNew ? 'new file ' : ''}${from ? `${from} → ` : ''}${path}`,
    class: 'full',
    body: [note, ...agentWords(by ? 'the agent calls it:' : 'you:', title), ...(isMany ? [list] : []), view.rows,
      ...(word ? [word] : [])],
    buttons: [accept, button(`Reject${all} (r)`, () => answer(false)),
      ...Object.entries(does).map(([key, [text, run]]) => (text ? button(`${text} (${key})`, run) : null)),
      button('Later', () => window.close())],
    keys: (event) => {
      const isPlain = !(event.ctrlKey || event.altKey || event.metaKey) && event.target !== word;
      if (isPlain && Object.hasOwn(does, event.key)) does[event.key][1]();
      return isPlain && Object.hasOwn(does, event.key);
    },
    // A key or click that was meant for something else must not accept.
    heard: (isHeard) => { accept.disabled = !isHeard; },
    closed: () => { unwatch(); closed?.(); },
  });
  const unwatch = watch((state) => {
    if (isAnswering) return;
    if (state.edits.some((waiting) => waiting.id === id)) { guarded(renew()); return; }
    unwatch();
    guarded(over());
  });
  view.differed = () => { if (!isMine) window.deafen(); };
  view.draw();
  view.rows.focus();

  /** What somebody else changed has to be seen for a while before it can be accepted. */
  function renew() {
    return view.renew(() => { if (!isMine) window.deafen(); });
  }

  /** Somebody answered, or nobody wants the answer any more. */
  async function over() {
    const { ended } = await read(`/page/edit/${encodeURIComponent(id)}`).catch(() => ({ ended: '' }));
    window.close();
    tell(`This edit does not wait any more${ended ? ` (${ended})` : ''}.`);
  }

  function drawNote() {
    const { decisions, care, protected: why, link, joined, conflicts } = view.known;
    const taken = decisions.filter((decision) => decision !== 'rejected').length;
    drawFiles();
    const lines = [
      isMany ? care : why && `This file ${why}`, ...told, link && `${link} leads there`,
      joined && 'The file changed on disk meanwhile; both changes are joined here',
      `change ${decisions.length ? view.hunk + 1 : 0} of ${decisions.length}`, `${taken} taken`,
    ];
    note.replaceChildren(lines.filter(Boolean).join(' · '), ...conflicts.map((found, index) => (
      conflict(found, (choice) => { mine('review.conflict', { conflict: index + 1, choice }); }))));
  }

  /** The keys that many files need besides. @returns {Record<string, [string, () => void]>} */
  function manyKeys() {
    return {
      f: ['Next file', () => { guarded(view.goFile(view.file + 1)); }],
      F: ['Previous file', () => { guarded(view.goFile(view.file - 1)); }],
      Y: ['Take file', () => decideFile('accepted')], X: ['Drop file', () => decideFile('rejected')],
    };
  }

  /** @param {string} text */
  function ownText(text) {
    return mine('review.edit', { text, file: view.file + 1 });
  }

  function drawFiles() {
    if (!isMany) return;
    const lines = view.known.files.map((file, index) => fileLine(file, index === view.file, () => {
      guarded(view.goFile(index));
    }));
    list.replaceChildren(...lines);
    lines[view.file]?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {string} decision */
  function decide(decision) {
    const { decisions } = view.known;
    if (!decisions.length) return;
    const { hunk, file } = view;
    mine('review.hunk', {
      file: file + 1, hunk: hunk + 1, decision: decisions[hunk] === decision ? 'undecided' : decision,
    });
  }

  /** Take or drop all of the file; once more leaves it open. @param {string} decision */
  async function decideFile(decision) {
    const { file } = view;
    const isSaid = view.known.decisions.every((each) => each === decision);
    await mine('review.file', { file: file + 1, decision: isSaid ? 'undecided' : decision });
    if (!isSaid) await guarded(view.goFile(file + 1));
  }

  /** Change the edit; what comes of it is what the person wanted. @param {string} command @param {object} args */
  async function mine(command, args) {
    isMine = true;
    const done = await guarded(keysWaitInside(order(command, { review: id, ...args })));
    await guarded(keysWaitInside(renew()));
    isMine = false;
    return done !== undefined;
  }

  /** @param {boolean} yes */
  async function answer(yes) {
    if (isAnswering || !window.hears()) return;
    isAnswering = true;
    const done = await guarded(keysWaitInside(yes
      ? order('review.accept', { review: id, digest: view.known.digest, word: word?.value ?? '' })
      : order('review.reject', { review: id })));
    isAnswering = false;
    if (done !== undefined) { window.close(); tell(done); }
  }
}

/**
 * Let the person change the proposed text; `take` says whether the change was taken.
 * @param {string} id @param {string} path @param {(text: string) => Promise<boolean>} take
 * @param {number} file which of many
 */
async function ownVersion(id, path, take, file) {
  const { text } = await read(`/page/edit/${encodeURIComponent(id)}/proposed?file=${file}`);
  const area = element('textarea', { value: text, spellcheck: false, 'aria-label': 'The proposed text' });
  const given = area.value;
  let isLeaving = false;
  const note = element('p', { class: 'note', 'aria-live': 'polite' });
  const taken = async () => { if (await take(area.value)) window.close(); };
  const window = show({
    title: `Your own version of ${path}`, class: 'full', body: [note, area], closed: keep(() => area.value !== given),
    buttons: [button('Take this text', taken, { class: 'main' }), button('Cancel', () => window.leave())],
    refuses: () => {
      if (area.value === given || isLeaving) return false;
      isLeaving = true;
      note.textContent = '● changed and not taken. Esc once more throws the changes away.';
      area.focus();
      return true;
    },
  });
  area.addEventListener('input', () => { isLeaving = false; note.textContent = ''; });
  area.focus();
}

/** @param {{mine: string, theirs: string}} found @param {(choice: string) => void} settle */
function conflict(found, settle) {
  /** @param {string} text @param {string} choice */
  const side = (text, choice) => button(text, () => settle(choice));
  return element('div', { class: 'conflict' }, element('p', {}, 'The same lines changed on disk meanwhile:'),
    element('pre', { class: 'old' }, found.mine), element('pre', { class: 'new' }, found.theirs),
    element('div', { class: 'buttons' }, side('Keep what is on disk', 'mine'), side('Take the proposal', 'theirs'),
      side('Both', 'both')));
}

/**
 * One file of many: what is decided of it, its name, and how much changes.
 * @param {import('./diff_view.js').FileLine} file @param {boolean} isHere @param {() => void} picked
 */
function fileLine(file, isHere, picked) {
  const { changes, taken, dropped } = file;
  const left = changes - dropped;
  const sign = left ? (taken === changes ? '✓' : dropped ? '~' : ' ') : '✗';
  return element('div', {
    class: `reviewfile${isHere ? ' here' : ''}${left ? '' : ' dropped'}`, role: 'option',
    'aria-selected': String(isHere), onclick: picked,
  }, element('b', {}, sign), element('span', {}, file.path),
  element('i', {}, `${dropped ? `${left}/` : ''}${changes}  +${file.added} -${file.removed}`));
}
