// Jobs that an answer began: what comes of each is told when it is over.

import { now, watch } from '../core/server.js';
import { tell } from '../core/status.js';

/** @type {Set<string>} */
const followed = new Set();

/** Tell what comes of these. @param {string[]} jobs */
export function followJobs(jobs) {
  for (const job of jobs) followed.add(job);
  look();
}

function look() {
  for (const { id, over, outcome, problems, state } of now().jobs) {
    if (!over || !followed.delete(id)) continue;
    tell([outcome, ...problems.slice(0, 1)].join('; '), state === 'failed');
  }
}

watch(look);
