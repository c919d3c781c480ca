// What waits for the person: the rows of the inbox, and the windows that agents want to be looked at.

import { now, read } from '../core/server.js';

/** @typedef {import('./inbox_rows.js').InboxRow} InboxRow */

/** How much waits: what has to be answered, what has to be seen, and what agents want to be looked at. */
export function waitingCount() {
  const { answers, sees } = now().inbox;
  return { answers: answers + looks().length, sees };
}

/** Whether an answer to one is an answer to the other. @param {InboxRow} one @param {InboxRow} other */
export function isSame(one, other) {
  return one.digest === other.digest && one.kind === other.kind && one.question === other.question
    && String(one.answers) === String(other.answers);
}

/** Everything, what blocks an agent first. @returns {Promise<InboxRow[]>} */
export async function waitingRows() {
  const { rows } = await read('/page/inbox');
  return [...rows, ...looks().map(({ id, type, path, by }) => ({
    id: `window ${id}`, kind: 'look', by, what: `Look at ${path ?? type}`, detail: '', amount: '', risk: [], since: 0,
    expires: null, digest: '', reason: '', word: '', answers: ['look', 'close'], alike: '', rule: '', question: '',
    dialog: { type, path },
  }))];
}

/** What agents opened; their windows never open by themselves. */
function looks() {
  return now().dialogs.filter(({ by }) => by);
}
