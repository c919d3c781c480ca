// The inbox: everything that waits for the person, answered one after the other, each with all of it beside it.

import { element } from '../core/element.js';
import { look as refresh, now, watch } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { Answering, givenBy, looksLike } from './inbox_answers.js';
import { Entry } from './inbox_entry.js';
import { opensFully } from './inbox_opening.js';
import { inboxRow, summaryOf } from './inbox_rows.js';
import { notifyButton } from './notify_button.js';
import { isSame, waitingRows } from './waiting.js';
import { show } from './window.js';

/** @typedef {import('./inbox_rows.js').InboxRow} InboxRow */

/** How long what the person moved to has to stand there before an answer counts. */
const MOVED = 250;
const AGES = 10_000;
const GONE = 'That one waits no longer: it was answered elsewhere, or is over.';

/** @type {Inbox | null} */
let opened = null;

/** Show what waits. @param {string} [id] the one to stand on, if it waits */
export async function inbox(id = '') {
  if (opened) { opened.goTo(id); return; }
  await refresh();
  const rows = await waitingRows();
  if (id && !rows.some((row) => row.id === id)) tell(GONE, true);
  // What only wants to be looked at is: there is nothing to decide.
  if (rows.length === 1 && rows[0].dialog) await opensFully(rows[0], '', () => undefined);
  else if (rows.length) opened = new Inbox(rows, id);
  else if (!id) tell('Nothing waits for your answer.');
}

class Inbox {
  /** @param {InboxRow[]} rows @param {string} id */
  constructor(rows, id) {
    this.rows = rows;
    this.at = rows.some((row) => row.id === id) ? id : rows[0].id;
    /** @type {Set<string>} */
    this.marked = new Set();
    /** Answered here; cmdr has not said so yet. @type {Set<string>} */
    this.given = new Set();
    this.tag = '';
    this.isReading = false;
    this.list = element('div', {
      class: 'waiting', role: 'listbox', tabIndex: 0, 'aria-label': 'Waiting', 'aria-multiselectable': 'true',
      onmousedown: (/** @type {MouseEvent} */ event) => this.clicked(event),
      ondblclick: () => this.openFully(),
    });
    this.summary = element('p', { class: 'dim', 'aria-live': 'polite' });
    this.answering = new Answering({
      hears: () => this.window.hears() && this.entry.isShown(this.here),
      give: (given) => { guarded(this.give(given)); },
      opens: () => this.openFully(),
      leaves: () => this.list.focus(),
    });
    this.entry = new Entry(this.answering.root, () => this.openFully());
    const keys = element('p', { class: 'keyhints' }, ...hint('↑ ↓', 'choose'), ...hint('Space', 'mark'),
      ...hint('A', 'all like it'), ...hint('Enter', 'all of it'), ...hint('Esc', 'later'));
    this.window = show({
      title: 'Inbox', class: 'full inbox', keys: (event) => this.pressed(event),
      body: [element('div', { class: 'inboxhead' }, this.summary, notifyButton()),
        element('div', { class: 'panels' },
          element('section', { class: 'panel', 'aria-label': 'What waits' }, this.list, keys), this.entry.root)],
      heard: (isHeard) => this.answering.enable(isHeard),
      refuses: () => this.answering.cancel(),
      closed: () => { opened = null; unwatch(); clearInterval(ages); },
    });
    const unwatch = watch(() => { guarded(this.follow()); });
    const ages = setInterval(() => this.draw(), AGES);
    this.list.focus();
    this.moved();
    guarded(this.follow());
  }

  /** The row under the cursor. */
  get here() {
    return this.rows.find(({ id }) => id === this.at) ?? this.rows[0];
  }

  /** What an answer is about: what is marked, else the row under the cursor. */
  get meant() {
    const marked = this.rows.filter(({ id }) => this.marked.has(id));
    return marked.length ? marked : [this.here];
  }

  /** Look for what came and went; what stands under the cursor stays there, and what comes goes to the end. */
  async follow() {
    const { tag } = now().inbox;
    if (this.isReading) return;
    this.isReading = true;
    try {
      this.take(await waitingRows());
    } finally {
      this.isReading = false;
    }
    if (now().inbox.tag !== tag && opened === this) await this.follow();
  }

  /** @param {InboxRow[]} found */
  take(found) {
    if (opened !== this) return;
    const before = this.here;
    const place = this.rows.indexOf(before);
    for (const id of this.given) if (!found.some((row) => row.id === id)) this.given.delete(id);
    const waiting = new Map(found.filter(({ id }) => !this.given.has(id)).map((row) => [row.id, row]));
    const kept = this.rows.flatMap(({ id }) => waiting.get(id) ?? []);
    const known = new Set(kept.map(({ id }) => id));
    this.rows = [...kept, ...[...waiting.values()].filter(({ id }) => !known.has(id))];
    this.marked = new Set([...this.marked].filter((id) => waiting.has(id)));
    if (!this.rows.length) { this.over(waiting.has(before.id) ? '' : GONE); return; }
    if (!waiting.has(before.id)) {
      this.at = this.rows[Math.min(place, this.rows.length - 1)].id;
      this.changed(GONE);
    } else if (!isSame(before, this.here)) this.changed('It changed meanwhile: look again.');
    this.draw();
  }

  /** Something else stands there, and not because the person wanted it. @param {string} why */
  changed(why) {
    this.answering.cancel();
    this.window.deafen();
    tell(why, true);
    this.moved(false);
  }

  /** Nothing waits any more. @param {string} why */
  over(why) {
    this.window.close();
    if (why && !this.isAnswered) tell(why, true);
  }

  /** Show what the cursor is on by now. @param {boolean} [isWanted] whether the person went there */
  moved(isWanted = true) {
    if (isWanted) this.window.deafen(MOVED);
    this.draw();
    guarded(this.entry.show(this.here, () => this.window.deafen(isWanted ? MOVED : undefined)));
    this.answering.offer(this.meant);
  }

  draw() {
    const { rows, marked, at } = this;
    this.summary.textContent = summaryOf(rows);
    this.list.replaceChildren(...rows.map((row) => (
      inboxRow(row, { isHere: row.id === at, isMarked: marked.has(row.id) }))));
    const here = this.list.children[rows.indexOf(this.here)];
    this.list.setAttribute('aria-activedescendant', here.id);
    here.scrollIntoView({ block: 'nearest' });
  }

  /** Stand on a row. @param {string} id */
  goTo(id) {
    if (!id || id === this.at) return;
    if (!this.rows.some((row) => row.id === id)) { tell(GONE, true); return; }
    this.answering.cancel();
    this.at = id;
    this.moved();
  }

  /** @param {number} by */
  step(by) {
    const to = Math.max(0, Math.min(this.rows.length - 1, this.rows.indexOf(this.here) + by));
    this.goTo(this.rows[to].id);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const hit = event.target instanceof Element ? event.target.closest('[data-id]') : null;
    if (!(hit instanceof HTMLElement) || !hit.dataset.id || event.button !== 0) return;
    event.preventDefault();
    this.list.focus();
    const isMark = event.target instanceof Element && event.target.closest('.mark');
    this.goTo(hit.dataset.id);
    if (isMark || event.ctrlKey || event.metaKey) this.mark([this.here], false);
  }

  /**
   * Mark rows, or take their marks away; what takes a word is answered alone.
   * @param {InboxRow[]} rows @param {boolean} steps to the next one
   */
  mark(rows, steps) {
    const ids = rows.filter(({ word, answers }) => !word && answers.length).map(({ id }) => id);
    if (!ids.length) { tell('This is answered alone.'); return; }
    const isAll = ids.every((id) => this.marked.has(id));
    for (const id of ids) if (isAll) this.marked.delete(id); else this.marked.add(id);
    const next = this.rows[this.rows.indexOf(this.here) + 1];
    if (steps && next) this.at = next.id;
    this.moved();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { key } = event;
    const isMarked = event.ctrlKey || event.altKey || event.metaKey;
    const onButton = event.target instanceof HTMLButtonElement && (key === 'Enter' || key === ' ');
    if (isMarked || onButton) return false;
    if (this.answering.takes(event, this.meant)) return true;
    if (event.target instanceof HTMLInputElement) return false;
    /** @type {Record<string, () => void>} */
    const does = {
      ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1), Home: () => this.step(-this.rows.length),
      End: () => this.step(this.rows.length), PageDown: () => this.entry.scroll(1),
      PageUp: () => this.entry.scroll(-1), Enter: () => this.openFully(), F3: () => this.openFully(),
      ' ': () => this.mark([this.here], true), A: () => this.mark(looksLike(this.here, this.rows), false),
    };
    if (Object.hasOwn(does, key)) does[key]();
    return Object.hasOwn(does, key);
  }

  openFully() {
    this.answering.cancel();
    guarded(opensFully(this.here, this.entry.digest, () => this.window.deafen()));
  }

  /**
   * Answer; the next row stands there at once, and the one that could not be answered comes back.
   * @param {import('./inbox_answers.js').Given} given
   */
  async give(given) {
    const ids = given.rows.map(({ id }) => id);
    const place = this.rows.indexOf(this.here);
    const left = this.rows.filter(({ id }) => !ids.includes(id));
    const behind = this.rows.slice(place).find(({ id }) => !ids.includes(id)) ?? left.at(-1);
    for (const id of ids) { this.given.add(id); this.marked.delete(id); }
    const sent = givenBy(given);
    this.isAnswered = true;
    if (behind) {
      this.rows = left;
      this.at = behind.id;
      this.window.deafen();
      this.moved(false);
    } else this.window.close();
    const failed = await sent.catch((error) => { tell(error.message, true); return ids; });
    for (const id of failed) this.given.delete(id);
    if (failed.length && opened === this) await this.follow();
  }
}

/** @param {string} key @param {string} text */
function hint(key, text) {
  return [element('kbd', {}, key), ` ${text} `];
}
