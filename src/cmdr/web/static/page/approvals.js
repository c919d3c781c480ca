// What waits for the person's answer.

import { choose } from './choose.js';
import { confirmed, proposal } from './confirm.js';
import { follow } from './operate.js';
import { review } from './review.js';
import { look as refresh, now, order } from './server.js';
import { guarded, tell } from './status.js';
import { view } from './viewer.js';

/** How much waits: what agents propose, what they edit, what they want to be looked at. */
export function waitingCount() {
  const { proposals, edits } = now();
  return proposals.filter(({ mine }) => !mine).length + edits.length + looks().length;
}

/** What agents want: the only one at once, several in a list. */
export async function approvals() {
  if (!waitingCount()) await refresh();
  const { proposals, edits } = now();
  const waiting = [
    ...proposals.map(({ id, title, by, what }) => (
      { text: title, about: `${by} · ${what}`, value: () => decide(id) })),
    ...edits.map(({ id, path, by, changes }) => (
      { text: `Edit ${path}`, about: `${by} · ${changes}`, value: () => review(id) })),
    ...looks().map(({ path, by }) => (
      { text: `Look at ${path}`, about: by, value: () => look(path) })),
  ];
  if (!waiting.length) { tell('Nothing waits for your answer.'); return; }
  const chosen = waiting.length === 1 ? waiting[0].value : await choose('What waits for your answer', waiting);
  await chosen?.();
}

/** @param {string} id */
async function decide(id) {
  const job = await confirmed(await proposal(id));
  if (job) follow(job);
}

/** Files that agents opened; their windows never open by themselves. */
function looks() {
  return now().dialogs.flatMap(({ type, by, path }) => (type === 'file-viewer' && by && path ? [{ path, by }] : []));
}

/** @param {string} path */
function look(path) {
  return view(path, () => { guarded(order('dialog', { action: 'close', type: 'file-viewer', path })); });
}
