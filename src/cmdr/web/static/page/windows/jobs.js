// Jobs: how far they are, what they ask, and the reins.

import { askAbout } from '../changes/question.js';
import { element, part } from '../core/element.js';
import { aside, now, order, watch } from '../core/server.js';
import { guarded } from '../core/status.js';
import { titleOf } from '../keys/key_map.js';
import { button, show } from './window.js';

/** @typedef {import('../core/state.js').Job} Job */

/** The line about what is running, above the status line: jobs first, then trees that are read; then what waits. */
export function drawStrip() {
  const strip = part('jobs');
  const { jobs, scans } = now();
  const running = jobs.filter((job) => !job.over);
  const moving = running.filter(({ state }) => state === 'running' || state === 'queued');
  const notes = jobNotes();
  strip.hidden = running.length + scans.length + notes.length === 0;
  const [job] = moving.length ? moving : running.filter(({ question }) => !question);
  const [scan] = scans;
  const more = running.length + scans.length - 1;
  const others = more > 0 ? `${more} more` : '';
  const told = notes.map((text) => (
    element('button', { type: 'button', class: 'care', 'data-action': 'approvals' }, text)));
  if (job) {
    const facts = [job.state === 'paused' ? 'paused' : '', job.bytes, job.rate, left(job), job.waitsBehind, others];
    strip.replaceChildren(...line(job.title, job.share, facts.filter(Boolean).join(' · ')), ...told);
  } else if (scan) {
    const facts = [scan.entries, others].filter(Boolean).join(' · ');
    strip.replaceChildren(...line(scan.title, scan.share, facts), ...told);
  } else strip.replaceChildren(...told);

  /** @param {string} title @param {number | null} share @param {string} facts */
  function line(title, share, facts) {
    const bar = element('progress', { max: 1, 'aria-label': title });
    if (share !== null) bar.value = share;
    return [element('button', { type: 'button', 'data-action': 'jobs' }, title), bar, element('span', {}, facts)];
  }
}

/** What stays told until somebody has looked: questions, what was paused when agents were stopped, failures. */
export function jobNotes() {
  const { jobs } = now();
  const stopped = jobs.filter(({ isStopped }) => isStopped).length;
  return [
    ...jobs.filter(({ asks }) => asks).map(({ asks }) => asks),
    ...(stopped ? [`${stopped} ${stopped === 1 ? 'job' : 'jobs'} of agents paused`] : []),
    ...jobs.filter(({ isSeen }) => !isSeen).map(({ outcome }) => outcome),
  ];
}

/** Every job, in a window that follows them. @param {() => void} [closed] */
export function jobsWindow(closed) {
  const body = element('div', { class: 'joblist' });
  /** @type {Set<string>} */
  const seen = new Set();
  const draw = () => {
    const { jobs, scans } = now();
    const rows = [...scans.map(reading), ...[...jobs].reverse().map(row)];
    body.replaceChildren(...(rows.length ? rows : [element('p', {}, 'Nothing has been done yet.')]));
    for (const { id } of jobs.filter(({ isSeen }) => !isSeen)) {
      if (seen.has(id)) continue;
      seen.add(id);
      guarded(aside('job.seen', { job: id }));
    }
  };
  const unwatch = watch(draw);
  show({ title: titleOf('jobs'), body: [body], class: 'wide', reads: true, closed: () => { unwatch(); closed?.(); } });
  draw();
}

/** @param {import('../core/state.js').Scan} scan */
function reading(scan) {
  const bar = element('progress', { max: 1, 'aria-label': 'how far' });
  if (scan.share !== null) bar.value = scan.share;
  return element('section', { class: 'job' }, element('h3', {}, scan.title), bar, element('p', {}, scan.entries));
}

/** @param {Job} job */
function row(job) {
  const facts = [job.waitsBehind || job.state, job.items, job.bytes, job.rate, left(job), job.current];
  const told = facts.filter(Boolean).join(' · ');
  return element('section', { class: `job ${job.state}` },
    element('h3', {}, job.title),
    job.over ? null : element('progress', { max: 1, value: job.share, 'aria-label': 'how far' }),
    element('p', {}, job.over || job.outcome ? `${job.state}: ${job.outcome}` : told),
    ...job.problems.map((problem) => element('p', { class: 'care' }, problem)),
    job.output ? element('pre', { tabIndex: 0 }, job.output) : null,
    element('div', { class: 'buttons' }, ...reins(job)));
}

/** What can be done with a job now. @param {Job} job */
function reins(job) {
  /** @param {string} text @param {string} command @param {object} [args] */
  const does = (text, command, args = { job: job.id }) => button(text, () => guarded(order(command, args)));
  const { question, operation } = job;
  const buttons = [];
  if (question) buttons.push(button('Answer', () => askAbout(job, question), { class: 'main' }));
  if (job.state === 'running') buttons.push(does('Pause', 'job.pause'));
  if (job.state === 'paused') buttons.push(does('Go on', 'job.resume'));
  if (!job.over && !job.interrupted) {
    buttons.push(does('Cancel', 'job.cancel'), does('Cancel and take back', 'job.rollback'));
  }
  if (job.canRetry) buttons.push(does('Retry what failed', 'job.retry'));
  if (job.interrupted && operation) {
    buttons.push(does('Resume', 'operation.resume', { operation }), does('Leave it', 'operation.leave', { operation }));
  }
  return buttons;
}

/** @param {Job} job */
function left(job) {
  if (job.left === null) return '';
  return job.left < 90 ? `${job.left} s left` : `${Math.round(job.left / 60)} min left`;
}
