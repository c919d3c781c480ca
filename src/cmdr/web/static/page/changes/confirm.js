// The confirmation of a proposed change, drawn from the plan that would run and from nothing else.

import { element } from '../core/element.js';
import { asideResult, watch } from '../core/server.js';
import { guarded } from '../core/status.js';
import { agentWords } from '../windows/agent_words.js';
import { button, show } from '../windows/window.js';
import { step } from './change.js';

/** @typedef {import('./change.js').Change} Change */

/**
 * Ask the person about a change that waits for their answer; returns its next state.
 * @param {import('./change.js').Confirming} change @returns {Promise<Change>}
 */
export function confirmed({ id: change, proposal: asked }) {
  return new Promise((answer) => {
    const { word: wanted } = asked;
    const word = wanted === null ? null : element('input', {
      type: 'text', autocomplete: 'off', spellcheck: false, placeholder: `type “${wanted}” to do it`,
      'aria-label': `Type ${wanted} to do it`,
      onpaste: (/** @type {Event} */ event) => event.preventDefault(),
      ondrop: (/** @type {Event} */ event) => event.preventDefault(),
    });
    const yes = button('Yes, do it', () => decide(true), { disabled: true });
    const no = button('No, leave everything as it is', () => decide(false), { class: 'main' });
    const later = button('Later', () => window.leave(), { hidden: !asked.byAgent });
    /** What became of it without an answer from here. @type {Change | null} */
    let expired = null;
    let isAnswered = false;
    const window = show({
      title: asked.byAgent ? `${asked.by} proposes a change` : 'Please confirm',
      class: 'confirm',
      body: [
        element('p', { class: 'deed' }, asked.title),
        element('ul', { class: 'facts', tabIndex: 0, 'aria-label': 'What will happen' },
          ...asked.facts.map(({ text, tone }) => element('li', { class: tone }, text))),
        ...agentWords(`${asked.by} says:`, asked.reason),
        ...(word ? [word] : []),
      ],
      buttons: [
        no, yes, asked.steps > 1 ? button(`List all ${asked.steps}`, listAll) : null, later,
      ],
      keys: (event) => {
        const isPlain = !(event.ctrlKey || event.altKey || event.metaKey);
        if (event.key === 'Enter' && event.target === word) { decide(true); return true; }
        if (event.key === 'F3' || (event.key === 'l' && isPlain && !word)) { listAll(); return true; }
        if (word || !isPlain || (event.key !== 'y' && event.key !== 'n')) return false;
        decide(event.key === 'y');
        return true;
      },
      // A key or click that was meant for something else must not decide.
      heard: (isHeard) => { yes.disabled = !isHeard; },
      closed: () => { give(expired ?? { answer: 'later' }); },
      refuses: () => {
        if (asked.byAgent || expired) return false;
        give({ answer: 'reject' });
        return true;
      },
    });
    const unwatch = watch((state) => {
      if (state.proposals.some(({ id }) => id === asked.id)) return;
      unwatch();
      if (!isAnswered) guarded(over());
    });
    (word ?? no).focus();

    /** @param {boolean} does */
    function decide(does) {
      if (expired || !window.hears()) return;
      if (!does) { give({ answer: 'reject' }); return; }
      if (word && word.value.trim().toLowerCase() !== wanted) { word.value = ''; word.focus(); return; }
      give({ answer: 'approve', digest: asked.digest, word: word?.value ?? '' });
    }

    /** @param {object} given the person's answer, or the state that the change is in without one */
    function give(given) {
      if (isAnswered) return;
      isAnswered = true;
      unwatch();
      answer('kind' in given ? /** @type {Change} */ (given) : step(change, given));
      window.close();
    }

    function listAll() {
      // A key that was meant for the list must not answer the question behind it.
      planList(asked.id, asked.digest, () => window.deafen());
    }

    /** It was answered elsewhere, taken back, or has waited too long; the last is not to be overlooked. */
    async function over() {
      const next = await step(change);
      if (next.kind !== 'ended' || next.proposal !== 'expired') { give(next); return; }
      expired = { ...next, said: '' };
      window.body.prepend(element('p', { class: 'risk', role: 'alert' }, next.said));
      for (const each of [no, yes, word]) each?.remove();
      later.textContent = 'Close';
      later.hidden = false;
      later.focus();
    }
  });
}

const AT_ONCE = 500;

/**
 * Show every step of a proposal.
 * @param {string} id @param {string} digest of the plan that is asked about @param {() => void} closed
 */
export function planList(id, digest, closed) {
  const lines = element('ol', { class: 'steps', tabIndex: 0, 'aria-label': 'Every step' });
  const more = button('Show more', () => { guarded(load()); }, { class: 'main' });
  const window = show({ title: 'The whole plan', class: 'wide', body: [lines], buttons: [more], closed });
  lines.focus();
  guarded(load());

  async function load() {
    more.disabled = true;
    let left = 0;
    const wanted = lines.childElementCount + AT_ONCE;
    do {
      const start = lines.childElementCount;
      const page = await asideResult('proposal.items', { proposal: id, start, count: wanted - start });
      if (page.digest !== digest) { window.close(); return; }
      lines.append(...page.lines.map((/** @type {string} */ line) => element('li', {}, line)));
      left = page.lines.length ? page.total - lines.childElementCount : 0;
    } while (left && lines.childElementCount < wanted);
    more.textContent = left ? `Show more (${left} left)` : `All ${lines.childElementCount} are shown`;
    more.disabled = left === 0;
  }
}
