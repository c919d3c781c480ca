// A proposed edit: who wants what changed, change by change, and the person's answer.

import { agentWords } from './agent_words.js';
import { conflict } from './conflict.js';
import { DiffView } from './diff_view.js';
import { element } from './element.js';
import { keysWaitInside } from './key_order.js';
import { ownVersion } from './own_version.js';
import { order, read, watch } from './server.js';
import { guarded, tell } from './status.js';
import { button, show } from './window.js';

/** Show an edit until it is answered. @param {string} id */
export async function review(id) {
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
    closed: () => unwatch(),
  });
  const unwatch = watch((picture) => {
    if (isAnswering) return;
    if (picture.edits.some((waiting) => waiting.id === id)) { guarded(renew()); return; }
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
