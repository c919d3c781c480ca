// The answers to what waits: their keys and buttons, the reason for a no, the word for a risk, the rule behind a yes.

import { followJobs } from '../changes/followed_jobs.js';
import { element } from '../core/element.js';
import { ask, order } from '../core/server.js';
import { tell } from '../core/status.js';
import { button } from './window.js';

/**
 * @typedef {import('./inbox_rows.js').InboxRow} InboxRow
 * @typedef {{rows: InboxRow[], answer: string, forAll?: boolean, reason?: string, word?: string,
 *   until?: string}} Given an answer to rows as they were drawn when it came
 * @typedef {{key: string, answer: string, text: string, class?: string}} AnswerKey
 */

/** In the order of the buttons. No row takes two answers with the same key. @type {AnswerKey[]} */
const KEYS = [
  { key: 'y', answer: 'yes', text: 'Yes, do it', class: 'go' },
  { key: 'R', answer: 'rule', text: 'Yes and make a rule' },
  { key: 'Enter', answer: 'look', text: 'Look at it', class: 'go' },
  { key: 'g', answer: 'go_on', text: 'Go on' },
  { key: 'a', answer: 'again', text: 'Try again' },
  { key: 's', answer: 'skip', text: 'Skip' },
  { key: 'r', answer: 'rename', text: 'Keep both' },
  { key: 'o', answer: 'overwrite', text: 'Overwrite' },
  { key: 'n', answer: 'newer', text: 'Overwrite if older' },
  { key: 'l', answer: 'larger', text: 'Overwrite if smaller' },
  { key: 'b', answer: 'take_back', text: 'Take back what was done' },
  { key: 'l', answer: 'leave', text: 'Leave it as it is' },
  { key: 'y', answer: 'seen', text: 'Seen' },
  { key: 'n', answer: 'close', text: 'Close it' },
  { key: 'n', answer: 'no', text: 'No, leave it', class: 'last' },
];
/** Answers to a job's question; with a capital letter for all that follow. */
const QUESTIONS = new Set(['skip', 'overwrite', 'rename', 'newer', 'larger']);
/** @type {Record<string, string>} */
const UNTIL = { t: 'today', w: 'always' };

/** The answers that all of some rows take. @param {InboxRow[]} rows */
export function answersOf(rows) {
  return KEYS.filter(({ answer }) => rows.every(({ answers }) => answers.includes(answer)));
}

/** The rows that can be answered together with one, itself among them. @param {InboxRow} row @param {InboxRow[]} all */
export function looksLike(row, all) {
  return row.alike ? all.filter(({ alike }) => alike === row.alike) : [row];
}

/**
 * Give an answer; returns the ids of rows that could not be answered.
 * @param {Given} given @returns {Promise<string[]>}
 */
export async function givenBy({ rows, answer, ...more }) {
  if (answer === 'close') {
    for (const { dialog } of rows) {
      const path = dialog?.path ? { path: dialog.path } : {};
      if (dialog) await order('dialog', { action: 'close', type: dialog.type, ...path });
    }
    return [];
  }
  const ids = rows.map(({ id }) => id);
  const question = QUESTIONS.has(answer) ? { question: rows[0].question } : {};
  const { result } = await ask('inbox.answer', {
    ids, digests: rows.map(({ digest }) => digest), answer, ...question, ...more,
  });
  if (result.said) tell(result.said, result.failures.length > 0);
  followJobs(result.jobs);
  return result.failures.map((/** @type {{id: string}} */ { id }) => id);
}

/** The bar below a row. */
export class Answering {
  /**
   * @param {{hears: () => boolean, give: (given: Given) => void, opens: () => void, leaves: () => void}} how `hears`:
   *   whether somebody who saw what is asked gave the answer; `leaves`: nothing is being typed any more
   */
  constructor(how) {
    this.how = how;
    /** @type {InboxRow[]} */
    this.rows = [];
    /** What is being typed or chosen. @type {'' | 'reason' | 'word' | 'rule'} */
    this.mode = '';
    this.isHeard = false;
    this.line = element('div', { class: 'answerline', 'aria-live': 'polite' });
    this.buttons = element('div', { class: 'answers', role: 'group', 'aria-label': 'Answers' });
    this.forAll = element('input', { type: 'checkbox' });
    this.root = element('div', { class: 'decide' }, this.line, this.buttons);
  }

  /** Offer the answers to these rows. @param {InboxRow[]} rows */
  offer(rows) {
    const isSame = rows.length === this.rows.length && rows.every((row, index) => row.id === this.rows[index].id);
    this.rows = rows;
    if (!isSame) this.forAll.checked = false;
    if (!isSame || !this.mode) this.draw();
  }

  draw() {
    const { rows } = this;
    this.keepKeyboard();
    const all = answersOf(rows);
    const many = rows.length > 1 ? ` (${rows.length} marked)` : '';
    const made = all.map((each) => this.answerButton(each, each.answer === 'rule' ? '' : many));
    const because = all.some(({ answer }) => answer === 'no')
      ? labelled('No, because…', 'N', () => this.type('reason'), { class: 'last' }) : null;
    if (because) made.splice(-1, 0, because);
    const asks = all.some(({ answer }) => QUESTIONS.has(answer));
    this.buttons.replaceChildren(...made, asks
      ? element('label', {}, this.forAll, ' the same for all others') : '');
    this.drawLine();
    this.enable(this.isHeard);
  }

  /** @param {AnswerKey} each @param {string} many */
  answerButton({ key, answer, text, class: look }, many) {
    return labelled(text + many, key, () => this.choose(answer, this.forAll.checked), { class: look ?? '' });
  }

  /** What is typed or chosen before the answer is given, or what a rule would say. */
  drawLine() {
    const [row] = this.rows;
    const { mode } = this;
    const words = row.rule && this.rows.length === 1 ? [element('p', { class: 'rulewords' },
      element('strong', {}, 'The next like this: '), row.rule)] : [];
    if (mode === 'rule') {
      this.line.replaceChildren(...words, element('div', { class: 'answers' },
        labelled('Today', 't', () => this.makeRule('today'), { class: 'go' }),
        labelled('Always', 'w', () => this.makeRule('always')),
        labelled('No rule', 'Esc', () => this.cancel())));
    } else if (mode) this.line.replaceChildren(this.field(mode));
    else if (!answersOf(this.rows).length) this.line.replaceChildren('What is marked takes no answer in common.');
    else this.line.replaceChildren(...words);
  }

  /** @param {'reason' | 'word'} mode */
  field(mode) {
    const { word } = this.rows[0];
    const isWord = mode === 'word';
    const name = isWord ? `Type ${word} to do it` : 'Why not';
    const refuse = (/** @type {Event} */ event) => { if (isWord) event.preventDefault(); };
    this.input = element('input', {
      type: 'text', autocomplete: 'off', spellcheck: false, 'aria-label': name, maxLength: isWord ? 40 : 500,
      placeholder: isWord ? `type “${word}” and Enter to do it` : 'why not? Enter says no with these words',
      onpaste: refuse, ondrop: refuse,
    });
    return this.input;
  }

  /** Whether answers count by now. @param {boolean} isHeard */
  enable(isHeard) {
    this.isHeard = isHeard;
    if (!isHeard) this.keepKeyboard();
    for (const each of this.root.querySelectorAll('button')) each.disabled = !isHeard;
  }

  /** A button that goes, or takes nothing for a while, would take the keyboard with it. */
  keepKeyboard() {
    const { activeElement } = document;
    if (activeElement instanceof HTMLButtonElement && this.root.contains(activeElement)) this.how.leaves();
  }

  /** Whether a key is an answer, or part of one. @param {KeyboardEvent} event @param {InboxRow[]} rows */
  takes(event, rows) {
    const { key } = event;
    if (event.target === this.input && this.mode) {
      if (key === 'Enter' && !event.isComposing) this.submit();
      return key === 'Enter';
    }
    if (this.mode === 'rule') {
      if (Object.hasOwn(UNTIL, key)) this.makeRule(UNTIL[key]);
      return true;
    }
    const all = answersOf(rows);
    const asks = all.some(({ answer }) => QUESTIONS.has(answer));
    const plain = all.find((each) => each.key === key && key !== 'Enter');
    const forAll = asks && all.find((each) => each.key.toUpperCase() === key && QUESTIONS.has(each.answer));
    if (plain) this.choose(plain.answer, this.forAll.checked);
    else if (forAll) this.choose(forAll.answer, true);
    else if (key === 'N' && all.some(({ answer }) => answer === 'no')) this.type('reason');
    else return false;
    return true;
  }

  /** @param {string} answer @param {boolean} forAll */
  choose(answer, forAll) {
    const { rows } = this;
    if (answer === 'look') { this.how.opens(); return; }
    if (!this.how.hears()) return;
    if (answer === 'rule') {
      if (rows.length > 1) { tell('A rule is made from one of them: Space takes marks away.'); return; }
      this.mode = 'rule';
      this.drawLine();
    } else if (answer === 'yes' && rows[0].word) this.type('word');
    else this.how.give({ rows, answer, ...(QUESTIONS.has(answer) && { forAll }) });
  }

  /** @param {'reason' | 'word'} mode */
  type(mode) {
    if (!this.how.hears()) return;
    this.mode = mode;
    this.drawLine();
    this.input?.focus();
  }

  submit() {
    const { rows, input, mode } = this;
    const typed = input?.value.trim() ?? '';
    if (!this.how.hears()) return;
    if (mode === 'word' && typed.toLowerCase() !== rows[0].word) {
      if (input) input.value = '';
      tell(`Only “${rows[0].word}” does it.`);
      return;
    }
    this.cancel();
    this.how.give(mode === 'word' ? { rows, answer: 'yes', word: typed } : { rows, answer: 'no', reason: typed });
  }

  /** @param {string} until */
  makeRule(until) {
    if (!this.how.hears()) return;
    const { rows } = this;
    this.cancel();
    this.how.give({ rows, answer: 'rule', until });
  }

  /** Give up what is being typed or chosen; whether there was anything. */
  cancel() {
    if (!this.mode) return false;
    this.mode = '';
    this.input = undefined;
    this.drawLine();
    this.enable(this.isHeard);
    this.how.leaves();
    return true;
  }
}

/** @param {string} text @param {string} key @param {() => void} pressed @param {Record<string, any>} [more] */
function labelled(text, key, pressed, more = {}) {
  const made = button(`${text} `, pressed, more);
  made.append(element('kbd', { 'aria-hidden': 'true' }, key));
  return made;
}
