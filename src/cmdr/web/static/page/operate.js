// A change to files that the person asked for: planned, confirmed where that is due, followed to its end.

import { confirmed, proposal } from './confirm.js';
import { askAbout } from './question.js';
import { now, order, watch } from './server.js';
import { guarded, tell } from './status.js';

/** Jobs of this page, and what to do when they are over. @type {Map<string, () => Promise<void>>} */
const followed = new Map();
/** @type {Set<string>} */
const questions = new Set();

/**
 * @param {string} name @param {object} wanted
 * @param {{sure?: boolean, then?: string, chosen?: string}} [how] `sure`: the person has already said yes, and only a
 *   plan with a risk is asked about again; `then`: where the cursor goes; `chosen`: the files
 */
export async function operate(name, wanted, { sure = false, then = '', chosen = '' } = {}) {
  const answer = await order(name, wanted, chosen);
  const planned = /^proposal: (\S+)/m.exec(answer)?.[1];
  if (!planned) { tell(answer); return; }
  const asked = await proposal(planned);
  const job = sure && asked.plain
    ? /job: (\S+)/.exec(await order('approve', { proposal: asked.id, digest: asked.digest }))?.[1]
    : await confirmed(asked);
  if (job) follow(job, then);
}

/** Tell what comes of a job. @param {string} job @param {string} [then] */
export function follow(job, then = '') {
  const side = now().focused;
  followed.set(job, async () => {
    if (now().panes[side].selected) await order('selection.none', { pane: side });
    await Promise.all(['left', 'right'].map((pane) => order('refresh', { pane })));
    if (then) await order('move_cursor', { pane: side, to: then }).catch(() => '');
  });
  look();
}

function look() {
  for (const job of now().jobs) {
    const done = followed.get(job.id);
    if (!done) continue;
    if (job.over) {
      followed.delete(job.id);
      tell([job.outcome, ...job.problems.slice(0, 1)].join('; '), job.state === 'failed');
      if (job.state === 'done') guarded(done());
    } else if (job.question && !questions.has(job.question.id)) {
      questions.add(job.question.id);
      askAbout(job, job.question);
    }
  }
}

watch(look);
