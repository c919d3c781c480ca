// Asks what to do about a name that is taken, or about a folder that holds something else than was shown.

import { element } from '../core/element.js';
import { order } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { keysOf } from '../keys/key_map.js';
import { button, show } from '../windows/window.js';

/** @type {Record<string, string>} */
const TEXTS = {
  skip: 'Skip', overwrite: 'Overwrite (the old one is kept in the trash)', rename: 'Keep both',
  newer: 'Overwrite if older', larger: 'Overwrite if smaller',
};
/** @type {Record<string, string>} */
const ABOUT_A_FOLDER = { skip: 'Leave it', overwrite: 'Take all of it' };

/**
 * Closed without an answer it stays asked, and says where.
 * @param {import('../core/state.js').Job} asking @param {import('../core/state.js').Question} question
 */
export function askAbout(asking, question) {
  const job = asking.id;
  let isOver = false;
  const all = element('input', { type: 'checkbox' });
  const texts = question.folder === null ? TEXTS : ABOUT_A_FOLDER;
  const answers = Object.entries(question.answers).map(([key, answer]) => (
    button(`${texts[answer]} (${key})`, () => give(answer))));
  const window = show({
    title: question.folder === null ? 'This name is taken' : 'This folder holds something else than was shown',
    reads: true,
    closed: () => { if (!isOver) tell(`${asking.asks}: ${keysOf('approvals')[0] ?? ''}`); },
    body: [
      element('dl', { class: 'pairs' }, ...facts(question)),
      element('label', {}, all, ' the same for all others (a)'),
    ],
    buttons: [...answers, button('Stop here', stop)],
    heard: (isHeard) => {
      for (const each of answers) each.disabled = !isHeard;
      if (isHeard && document.activeElement === window.body) answers[0].focus();
    },
    keys: (event) => {
      if (Object.hasOwn(question.answers, event.key)) give(question.answers[event.key]);
      else if (event.key === 'a') all.checked = !all.checked;
      else return false;
      return true;
    },
  });

  /** @param {string} answer */
  function give(answer) {
    if (!window.hears()) return;
    isOver = true;
    window.close();
    guarded(order('job.answer', { job, question: question.id, answer, forAll: all.checked }));
  }

  function stop() {
    isOver = true;
    window.close();
    guarded(order('job.cancel', { job }));
  }
}

/** @param {import('../core/state.js').Question} question */
function facts(question) {
  const pairs = question.folder === null
    ? [['there', `${question.there} (${question.thereFacts})`], ['new', `${question.new} (${question.newFacts})`]]
    : [['folder', question.folder], ['shown', question.newFacts], ['now', question.thereFacts]];
  return pairs.flatMap(([what, text]) => [element('dt', {}, what), element('dd', {}, text)]);
}
