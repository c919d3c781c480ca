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
  const { word: wanted, by, isNew, from, path, title } = await view.open();
  const note = element('div', { class: 'note', 'aria-live': 'polite' });
  const word = wanted ? element('input', {
    type: 'text', placeholder: `type “${wanted}” to accept`, 'aria-label': `Type ${wanted} to accept`,
    autocomplete: 'off', spellcheck: false, onpaste: (/** @type {Event} */ event) => event.preventDefault(),
    ondrop: (/** @type {Event} */ event) => event.preventDefault(),
  }) : null;
  const accept = button('Accept (a)', () => answer(true), { disabled: true, class: 'good' });
  /** @type {Record<string, [string, () => void]>} */
  const does = {
    a: ['', () => answer(true)], r: ['', () => answer(false)], y: ['Take', () => decide('accepted')],
    x: ['Drop', () => decide('rejected')], n: ['Next', () => { guarded(view.go(view.hunk + 1)); }],
    p: ['Previous', () => { guarded(view.go(view.hunk - 1)); }],
    u: ['Unified', () => { guarded(view.shape(() => { view.unified = !view.unified; })); }],
    c: ['All lines', () => { guarded(view.shape(() => { view.folded = !view.folded; })); }],
    e: ['Edit', () => { guarded(ownVersion(id, path, (text) => mine('review.edit', { text }))); }],
  };
  const window = show({
    title: `${by}: ${isNew ? 'new file ' : ''}${from ? `${from} → ` : ''}${path}`,
    class: 'full', body: [note, ...agentWords('the agent calls it:', title), view.rows, ...(word ? [word] : [])],
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
    closed: () => { unwatch(); closed?.(); },
  });
  const unwatch = watch((state) => {
    if (isAnswering) return;
    if (state.edits.some((waiting) => waiting.id === id)) { guarded(renew()); return; }
    unwatch();
    guarded(over());
  });
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
    const { decisions, protected: why, link, joined, conflicts } = view.known;
    const taken = decisions.filter((decision) => decision !== 'rejected').length;
    const told = [
      why && `This file ${why}`, link && `${link} leads there`,
      joined && 'The file changed on disk meanwhile; both changes are joined here',
      `change ${decisions.length ? view.hunk + 1 : 0} of ${decisions.length}`, `${taken} taken`,
    ];
    note.replaceChildren(told.filter(Boolean).join(' · '), ...conflicts.map((found, index) => (
      conflict(found, (choice) => { mine('review.conflict', { conflict: index + 1, choice }); }))));
  }

  /** @param {string} decision */
  function decide(decision) {
    const { decisions } = view.known;
    if (!decisions.length) return;
    const { hunk } = view;
    mine('review.hunk', { hunk: hunk + 1, decision: decisions[hunk] === decision ? 'undecided' : decision });
  }

  /** Change the edit; what comes of it is what the person wanted. @param {string} command @param {object} args */
  async function mine(command, args) {
    isMine = true;
    const told = await guarded(keysWaitInside(order(command, { review: id, ...args })));
    await guarded(keysWaitInside(renew()));
    isMine = false;
    return told !== undefined;
  }

  /** @param {boolean} yes */
  async function answer(yes) {
    if (isAnswering || !window.hears()) return;
    isAnswering = true;
    const told = await guarded(keysWaitInside(yes
      ? order('review.accept', { review: id, digest: view.known.digest, word: word?.value ?? '' })
      : order('review.reject', { review: id })));
    isAnswering = false;
    if (told !== undefined) { window.close(); tell(told); }
  }
}

/**
 * Let the person change the proposed text; `take` says whether the change was taken.
 * @param {string} id @param {string} path @param {(text: string) => Promise<boolean>} take
 */
async function ownVersion(id, path, take) {
  const { text } = await read(`/page/edit/${encodeURIComponent(id)}/proposed`);
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
