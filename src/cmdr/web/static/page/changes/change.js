// A change to files that the person asked for: cmdr carries it through its states, and each of them is drawn here.

import { inTurn, now, post, watch } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { edit } from '../windows/editor.js';
import { confirmed } from './confirm.js';
import { askAbout } from './question.js';

/**
 * @typedef {{text: string, tone: '' | 'care' | 'risk'}} Fact
 * @typedef {{id: string, state: string, title: string, facts: Fact[], by: string, byAgent: boolean, reason: string,
 *   digest: string, word: string | null, steps: number}} Proposal
 * @typedef {{kind: 'confirming', id: string, proposal: Proposal}} Confirming
 * @typedef {{kind: 'following', id: string, job: string}} Following
 * @typedef {{kind: 'ended', said: string, isBad: boolean, job: string | null, proposal: string | null,
 *   opens: string | null}} Ended `job` carried it out; `proposal` tells what became of the question otherwise
 * @typedef {Confirming | Following | Ended} Change
 * @typedef {(job: import('../core/state.js').Job | null) => void} WhenOver is told of its job; null: there was none
 */

/** Changes of this page whose jobs run, by the job. @type {Map<string, {id: string, whenOver?: WhenOver}>} */
const followed = new Map();
/** @type {Set<string>} */
const questions = new Set();

/**
 * Run a command behind those before it, and carry through what it plans.
 * @param {string} name @param {object} args
 * @param {{sure?: boolean, then?: string, chosen?: string, renames?: string, opens?: string,
 *   whenOver?: WhenOver}} [how] `sure`: the person has already said yes, and only a plan with a risk is asked about
 *   again; `then`: where the cursor goes; `chosen`: the files; `renames`: the table of
 *   names; `opens`: the file to edit once it is there
 */
export async function operate(name, args, { whenOver, ...how } = {}) {
  await carry((await begin(name, args, how)).change, whenOver);
}

/** @param {string} name @param {object} args @param {object} [how] @returns {Promise<{change: Change, result: any}>} */
export function begin(name, args, how = {}) {
  return inTurn(() => post('/page/change', { name, arguments: args, ...how }));
}

/** Let the person decide about what an agent proposes. @param {string} proposal */
export async function decide(proposal) {
  await carry((await post('/page/change', { proposal })).change);
}

/** Go on with a change, maybe with an answer. @param {string} id @param {object} [answer] @returns {Promise<Change>} */
export async function step(id, answer = {}) {
  return (await post(`/page/change/${id}`, answer)).change;
}

/**
 * Draw a change to its end, or until its job takes longer than a moment.
 * @param {Change} begun @param {WhenOver} [whenOver]
 */
export async function carry(begun, whenOver) {
  const change = begun.kind === 'confirming' ? await confirmed(begun)
    : begun.kind === 'following' ? await step(begun.id) : begun;
  if (change.kind === 'following') {
    followed.set(change.job, { id: change.id, whenOver });
    look();
  } else if (change.kind === 'ended') over(change, whenOver);
}

/** @param {Ended} change @param {WhenOver} [whenOver] */
function over({ said, isBad, job, opens }, whenOver) {
  if (said) tell(said, isBad);
  whenOver?.(now().jobs.find(({ id }) => id === job) ?? null);
  if (opens) guarded(edit(opens));
}

function look() {
  for (const job of now().jobs) {
    const change = followed.get(job.id);
    if (!change) continue;
    if (job.over) {
      followed.delete(job.id);
      guarded(step(change.id).then((ended) => carry(ended, change.whenOver)));
    } else if (job.question && !questions.has(job.question.id)) {
      questions.add(job.question.id);
      askAbout(job, job.question);
    }
  }
}

watch(look);
