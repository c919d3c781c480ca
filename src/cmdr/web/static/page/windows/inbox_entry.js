// All of one thing that waits: its plan, its diff or its job, with the agent's own words last, in a frame.

import { element } from '../core/element.js';
import { read } from '../core/server.js';
import { agentWords } from './agent_words.js';
import { diffRow } from './diff_view.js';
import { age, expiry, who } from './inbox_rows.js';
import { button } from './window.js';

/**
 * @typedef {import('./inbox_rows.js').InboxRow} InboxRow
 * @typedef {{row: InboxRow, plan?: import('../changes/change.js').Proposal,
 *   edit?: import('./diff_view.js').EditState, job?: import('../core/state.js').Job}} Found
 */

/** @type {Record<string, string>} */
const ABOUT = {
  proposal: 'proposes a change', edit: 'proposes an edit', command: 'wants to run a program',
  trust: 'wants to be trusted', question: 'This name is taken, or holds something else', paused: 'was paused',
  failed: 'failed in part', interrupted: 'was cut short', ended: 'ended without an answer',
  suspended: 'does not hold for now', warning: 'is wrong with the record', look: 'opened a window',
};

export class Entry {
  /** @param {HTMLElement} answers @param {() => void} opens all of it */
  constructor(answers, opens) {
    this.opens = opens;
    /** @type {Found | null} */
    this.found = null;
    this.wanted = '';
    this.head = element('header', {});
    this.body = element('div', { class: 'entrybody', tabIndex: 0, role: 'region', 'aria-label': 'All of it' });
    this.root = element('section', { class: 'panel entry', 'aria-label': 'What it is' }, this.head, this.body, answers);
  }

  /** The digest of what is shown. */
  get digest() {
    return this.found?.row.digest ?? '';
  }

  /** Whether this very row is drawn. @param {InboxRow} row */
  isShown(row) {
    return this.found?.row.id === row.id && this.found.row.digest === row.digest
      && this.found.row.question === row.question;
  }

  /** Draw all of a row as soon as it is known. @param {InboxRow} row @param {() => void} drawn before it is seen */
  async show(row, drawn) {
    if (this.isShown(row)) return;
    this.wanted = row.id;
    this.found = null;
    this.draw(row, {});
    if (row.kind === 'look') { this.found = { row }; return; }
    const found = await read(`/page/inbox/entry?id=${encodeURIComponent(row.id)}`);
    if (this.wanted !== row.id) return;
    drawn();
    this.found = found;
    this.draw(found.row, found);
    this.body.scrollTop = 0;
  }

  /** @param {number} pages */
  scroll(pages) {
    this.body.scrollBy({ top: pages * this.body.clientHeight * 0.9 });
  }

  /** @param {InboxRow} row @param {Partial<Found>} found */
  draw(row, { plan, edit, job }) {
    const told = [row.since ? `${age(row.since)} ago` : '', expiry(row),
      row.digest && `${edit ? 'edit' : 'plan'} ${row.digest.slice(0, 7)}`];
    this.head.replaceChildren(
      element('h3', { class: 'deed' }, plan?.title ?? row.what),
      element('p', { class: 'dim' }, who(row), ` ${ABOUT[row.kind] ?? ''}`,
        ...told.filter(Boolean).map((text) => ` · ${text}`)));
    const steps = plan?.steps ?? 0;
    this.body.replaceChildren(
      ...(plan ? [] : row.risk.map((text) => element('p', { class: 'risk' }, `▲ ${text}`))),
      ...(plan ? [] : [[row.amount, row.detail].filter(Boolean).join(' · ')].filter(Boolean)
        .map((text) => element('p', {}, text))),
      ...(plan ? [element('ul', { class: 'facts', 'aria-label': 'What will happen' },
        ...riskFirst(plan.facts).map(({ text, tone }) => element('li', { class: tone }, text)))] : []),
      ...(edit ? [element('div', { class: 'diff unified' },
        ...edit.rows.map((each) => diffRow(each, '', true, () => undefined)))] : []),
      ...(job ? aboutJob(job) : []),
      ...(steps > 1 || edit ? [element('p', {},
        button(edit ? 'Review it change by change' : `List all ${steps}`, this.opens))] : []),
      ...agentWords(row.kind === 'edit' ? 'the agent calls it:' : `${row.by} says:`, row.reason));
  }
}

/** What needs care stands where the eye begins. @param {import('../changes/change.js').Fact[]} facts */
function riskFirst(facts) {
  const isRisk = (/** @type {import('../changes/change.js').Fact} */ { tone }) => tone === 'risk';
  return [...facts.filter(isRisk), ...facts.filter((fact) => !isRisk(fact))];
}

/** @param {import('../core/state.js').Job} job */
function aboutJob({ question, problems, output }) {
  const pairs = !question ? [] : question.folder === null
    ? [['there', `${question.there} (${question.thereFacts})`], ['new', `${question.new} (${question.newFacts})`]]
    : [['folder', question.folder], ['shown', question.newFacts], ['now', question.thereFacts]];
  return [
    ...(pairs.length ? [element('dl', { class: 'pairs' },
      ...pairs.flatMap(([what, text]) => [element('dt', {}, what), element('dd', {}, text)]))] : []),
    ...problems.map((problem) => element('p', { class: 'care' }, problem)),
    ...(output ? [element('pre', {}, output)] : []),
  ];
}
