// What waits for the person's answer.

import { decide } from '../changes/change.js';
import { askAbout } from '../changes/question.js';
import { element } from '../core/element.js';
import { look as refresh, now, order } from '../core/server.js';
import { tell } from '../core/status.js';
import { choose } from './choose.js';
import { draw } from './dialogs.js';
import { jobNotes, jobsWindow } from './jobs.js';
import { review } from './review.js';
import { show } from './window.js';

/** @type {Record<string, string>} */
const WINDOWS = { settings: 'the settings', 'volume-picker': 'the volumes', about: 'what cmdr is' };

/** How much waits: what agents propose, edit and want to be looked at, what was cut short, what the record lacks. */
export function waitingCount() {
  const { proposals, edits, interrupted, warnings } = now();
  return proposals.filter(({ mine }) => !mine).length + edits.length + looks().length
    + interrupted.length + warnings.length + jobNotes().length;
}

/** What agents want: the only one at once, several in a list. */
export async function approvals() {
  if (!waitingCount() && !now().expired.count) await refresh();
  const { proposals, edits, interrupted, warnings } = now();
  const waiting = [
    ...proposals.filter(({ mine }) => !mine).map(({ id, title, by, what }) => (
      { text: title, about: [by, what].filter(Boolean).join(' · '), value: () => decide(id) })),
    ...edits.map(({ id, path, by, changes }) => (
      { text: `Edit ${path}`, about: `${by} · ${changes}`, value: () => review(id) })),
    ...looks().map(({ type, path, by }) => (
      { text: `Look at ${path ?? WINDOWS[type] ?? type}`, about: by, value: () => draw(type, path ?? '') })),
    ...interrupted.map(({ title, state, by }) => (
      { text: title, about: `${by} · ${state}`, value: async () => jobsWindow() })),
    ...now().jobs.flatMap((job) => {
      const { question } = job;
      return question ? [{ text: job.asks, about: job.title, value: async () => { askAbout(job, question); } }] : [];
    }),
    ...now().jobs.filter(({ isStopped, isSeen, question }) => (isStopped || !isSeen) && !question).map((job) => (
      { text: job.title, about: job.outcome || job.state, value: async () => jobsWindow() })),
    ...warnings.map((text) => ({ text, about: 'the record', value: () => aboutTheRecord() })),
  ];
  const { count, told } = now().expired;
  if (count) {
    await order('pending.seen');
    tell(told);
  }
  if (!waiting.length) {
    if (!count) tell('Nothing waits for your answer.');
    return;
  }
  const chosen = waiting.length === 1 ? waiting[0].value : await choose('What waits for your answer', waiting);
  await chosen?.();
}

/** What is wrong with the record, in full; once it was on the screen it has been seen. */
async function aboutTheRecord() {
  show({ title: 'The record', reads: true, body: now().warnings.map((text) => element('p', {}, text)) });
  await order('pending.seen');
}

/** What agents opened; their windows never open by themselves. */
function looks() {
  return now().dialogs.filter(({ by }) => by);
}
