// Asks what to do about a name that is taken.

import { element } from './element.js';
import { order } from './server.js';
import { guarded } from './status.js';
import { button, show } from './window.js';

/** @type {[string, string, string][]} */
const ANSWERS = [
  ['skip', 's', 'Skip'], ['overwrite', 'o', 'Overwrite (the old one is kept in the trash)'],
  ['rename', 'b', 'Keep both'], ['newer', 'w', 'Overwrite if older'], ['larger', 'l', 'Overwrite if smaller'],
];

/** @param {import('./picture.js').Job} job @param {import('./picture.js').Question} question */
export function askAbout(job, question) {
  const all = element('input', { type: 'checkbox' });
  const answers = ANSWERS.map(([answer, key, text]) => button(`${text} (${key})`, () => give(answer)));
  const window = show({
    title: 'This name is taken', reads: true,
    body: [
      element('dl', { class: 'pairs' },
        element('dt', {}, 'there'), element('dd', {}, `${question.there} (${question.thereFacts})`),
        element('dt', {}, 'new'), element('dd', {}, `${question.new} (${question.newFacts})`)),
      element('label', {}, all, ' the same for all others (a)'),
    ],
    buttons: [...answers, button('Stop here', stop)],
    heard: (isHeard) => {
      for (const each of answers) each.disabled = !isHeard;
      if (isHeard && document.activeElement === window.body) answers[0].focus();
    },
    keys: (event) => {
      const found = ANSWERS.find(([, key]) => key === event.key);
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
