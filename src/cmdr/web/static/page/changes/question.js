// Asks what to do about a name that is taken, or about a folder that holds something else than was shown.

import { element } from '../core/element.js';
import { order } from '../core/server.js';
import { guarded } from '../core/status.js';
import { button, show } from '../windows/window.js';

/** @type {[string, string, string][]} */
const ANSWERS = [
  ['skip', 's', 'Skip'], ['overwrite', 'o', 'Overwrite (the old one is kept in the trash)'],
  ['rename', 'b', 'Keep both'], ['newer', 'w', 'Overwrite if older'], ['larger', 'l', 'Overwrite if smaller'],
];
/** @type {[string, string, string][]} */
const ABOUT_A_FOLDER = [['skip', 's', 'Leave it'], ['overwrite', 'o', 'Take all of it']];

/** @param {import('../core/state.js').Job} job @param {import('../core/state.js').Question} question */
export function askAbout(job, question) {
  const all = element('input', { type: 'checkbox' });
  const choices = question.folder === null ? ANSWERS : ABOUT_A_FOLDER;
  const answers = choices.map(([answer, key, text]) => button(`${text} (${key})`, () => give(answer)));
  const window = show({
    title: question.folder === null ? 'This name is taken' : 'This folder holds something else than was shown',
    reads: true,
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
      const found = choices.find(([, key]) => key === event.key);
      if (found) give(found[0]);
      else if (event.key === 'a') all.checked = !all.checked;
      else return false;
      return true;
    },
  });

  /** @param {string} answer */
  function give(answer) {
    if (!window.hears()) return;
    window.close();
    guarded(order('job.answer', { job: job.id, question: question.id, answer, forAll: all.checked }));
  }

  function stop() {
    window.close();
    guarded(order('job.cancel', { job: job.id }));
  }
}

/** @param {import('../core/state.js').Question} question */
function facts(question) {
  const pairs = question.folder === null
    ? [['there', `${question.there} (${question.thereFacts})`], ['new', `${question.new} (${question.newFacts})`]]
    : [['folder', question.folder], ['shown', question.newFacts], ['now', question.thereFacts]];
  return pairs.flatMap(([what, text]) => [element('dt', {}, what), element('dd', {}, text)]);
}
