// A change to files that the person asked for: planned, confirmed where that is due, followed to its end.

import { confirmed, proposal } from './confirm.js';
import { askAbout } from './question.js';
import { ask, now, order, watch } from '../core/server.js';
import { guarded, tell } from '../core/status.js';

/** @typedef {(job: import('../core/state.js').Job | null) => void} Ended */
/** How long to wait for a job before going on: a new folder is there within a moment, a copy is not. */
const MOMENT = 500;
/** Jobs of this page, and what to do when they are over. @type {Map<string, Ended>} */
const followed = new Map();
/** @type {Set<string>} */
const questions = new Set();

/**
 * @param {string} name @param {object} wanted
 * @param {{sure?: boolean, then?: string, chosen?: string, ended?: Ended}} [how] `sure`: the person has already said
 *   yes, and only a plan with a risk is asked about again; `then`: where the cursor goes; `chosen`: the files;
 *   `ended`: is told what came of it, null when it was not to be
 */
export async function operate(name, wanted, { chosen = '', ...how } = {}) {
  const answer = await ask(name, wanted, chosen);
  if (!await decided(answer, how)) tell(answer.text);
}

/**
 * Let the person decide about what a command planned; false when it planned nothing.
 * @param {import('../core/server.js').Answer} answer of the command
 * @param {{sure?: boolean, then?: string, ended?: Ended}} [how]
 */
export async function decided(answer, { sure = false, then = '', ended } = {}) {
  const { result } = answer;
  if (result.kind !== 'proposed') return false;
  const asked = await proposal(result.proposal);
  const job = sure && !asked.asksAgain
    ? (await ask('approve', { proposal: asked.id, digest: asked.digest })).result.job
    : await confirmed(asked);
  if (job) await follow(job, { then, ended, letsGo: result.fromPane });
  else ended?.(null);
  return true;
}

/**
 * Tell what comes of a job, and wait for it if it takes no more than a moment.
 * @param {string} job
 * @param {{then?: string, ended?: Ended, letsGo?: boolean}} [how] `letsGo`: what was selected was meant
 */
export async function follow(job, { then = '', ended = () => undefined, letsGo = false } = {}) {
  const side = now().focused;
  /** @type {Promise<void> | undefined} */
  let settling;
  const over = new Promise((done) => {
    followed.set(job, (found) => {
      ended(found);
      if (found?.state === 'done') settling = guarded(settle());
      done(undefined);
    });
  });
  look();
  await Promise.race([over, new Promise((done) => { setTimeout(done, MOMENT); })]);
  await settling;

  async function settle() {
    if (letsGo && now().panes[side].selected) await order('selection.none', { pane: side });
    await Promise.all(['left', 'right'].map((pane) => order('refresh', { pane })));
    if (then) await order('move_cursor', { pane: side, to: then }).catch(() => '');
  }
}

function look() {
  for (const job of now().jobs) {
    const done = followed.get(job.id);
    if (!done) continue;
    if (job.over) {
      followed.delete(job.id);
      tell([job.outcome, ...job.problems.slice(0, 1)].join('; '), job.state === 'failed');
      done(job);
    } else if (job.question && !questions.has(job.question.id)) {
      questions.add(job.question.id);
      askAbout(job, job.question);
    }
  }
}

watch(look);
