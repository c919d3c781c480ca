// The rows of one pane: only what is seen is drawn, so a million entries scroll like ten.

import { element } from '../core/element.js';
import { windows } from '../core/server.js';

/** @typedef {import('../core/state.js').PaneState} PaneState */
/** @typedef {import('../core/state.js').Side} Side */

const LINE = 24;
const COLUMN = 230;
const MOST = 300;

export class List {
  /**
   * @param {Side} side
   * @param {{more: () => void, clicked: (place: number | null, event: MouseEvent) => void, opened: () => void,
   *   menu: (place: number | null, event: MouseEvent) => void}} hears
   */
  constructor(side, hears) {
    this.side = side;
    this.hears = hears;
    this.top = 0;
    this.lines = 10;
    this.columns = 1;
    this.place = 0;
    /** @type {PaneState | null} */
    this.shown = null;
    this.folder = '';
    this.rows = element('div', {
      class: 'rows', role: 'listbox', id: `${side}-rows`, tabIndex: 0, 'aria-multiselectable': 'true',
      'aria-label': `Files, ${side} pane`,
    });
    this.empty = element('p', { class: 'empty' });
    this.thumb = element('div', { class: 'thumb' });
    this.track = element('div', { class: 'track', 'aria-hidden': 'true' }, this.thumb);
    this.root = element('div', { class: 'list' }, this.rows, this.track, this.empty);
    this.rows.addEventListener('mousedown', (event) => {
      if (event.button !== 0) return;
      const place = this.at(event);
      const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey);
      // The first click draws the rows anew, so a double click is never one of a single row.
      if (event.detail === 2 && isPlain && place === this.place) hears.opened();
      else hears.clicked(place, event);
    });
    this.rows.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      hears.menu(this.at(event), event);
    });
    scrolls(this);
    new ResizeObserver(() => this.measure()).observe(this.rows);
  }

  /** Rows above the entries: the way up. */
  get above() { return this.shown?.hasParent ? 1 : 0; }

  get total() { return (this.shown?.count ?? 0) + this.above; }

  get seen() { return this.lines * this.columns; }

  get page() { return Math.max(1, this.seen - 1); }

  /**
   * Show what the workspace says, with the cursor at `place`.
   * @param {PaneState} pane @param {number} place @param {boolean} follow
   */
  show(pane, place, follow) {
    const folder = `${pane.tab} ${pane.path} ${pane.title}`;
    const isOther = folder !== this.folder;
    if (isOther) { this.folder = folder; this.top = 0; }
    const isMoved = place !== this.place;
    this.shown = pane;
    this.place = place;
    if (follow || isOther || isMoved) this.reveal();
    this.draw();
  }

  /** Scroll as little as it takes to see the cursor. */
  reveal() {
    if (this.place < this.top) this.top = this.place;
    if (this.place >= this.top + this.seen) this.top = this.place - this.seen + 1;
  }

  measure() {
    // A pane that a narrow screen hides keeps its place.
    if (!this.rows.clientHeight) return;
    const lines = Math.max(1, Math.floor(this.rows.clientHeight / LINE));
    const wasSeen = this.place >= this.top && this.place < this.top + this.seen;
    this.lines = lines;
    if (wasSeen) this.reveal();
    this.draw();
  }

  draw() {
    const pane = this.shown;
    if (!pane) return;
    const brief = pane.view === 'brief';
    this.columns = brief ? Math.max(1, Math.floor(this.rows.clientWidth / COLUMN)) : 1;
    this.top = Math.max(0, Math.min(this.top, this.total - this.seen));
    this.rows.classList.toggle('brief', brief);
    this.rows.style.gridTemplateRows = `repeat(${this.lines}, ${LINE}px)`;
    const drawn = [];
    for (let place = this.top; place < Math.min(this.total, this.top + this.seen); place++) {
      const where = { id: `${this.side}-${place}`, place, total: this.total, isHere: place === this.place };
      drawn.push(row(where, place < this.above ? null : pane.rows[place - this.above - pane.start]));
    }
    this.rows.replaceChildren(...drawn);
    const isSeen = this.place >= this.top && this.place < this.top + drawn.length;
    if (isSeen) this.rows.setAttribute('aria-activedescendant', `${this.side}-${this.place}`);
    else this.rows.removeAttribute('aria-activedescendant');
    const nothing = pane.filter ? 'Nothing matches the filter. Esc shows all.' : 'Nothing here.';
    this.empty.textContent = pane.problem ?? nothing;
    this.empty.hidden = pane.count > 0;
    this.drawTrack();
    this.want();
  }

  drawTrack() {
    const share = this.total ? Math.min(1, this.seen / this.total) : 1;
    const high = Math.max(6, share * 100);
    this.track.hidden = share >= 1;
    this.thumb.style.height = `${high}%`;
    const top = this.total > this.seen ? this.top / (this.total - this.seen) : 0;
    this.thumb.style.top = `${top * (100 - high)}%`;
  }

  /** Ask for rows before they are needed. */
  want() {
    const pane = /** @type {PaneState} */ (this.shown);
    const first = Math.max(0, this.top - this.above);
    const window = windows[this.side];
    const count = Math.min(MOST, Math.max(60, this.seen * 3));
    const have = pane.start <= first && first + this.seen <= pane.start + pane.rows.length + this.above;
    const start = Math.max(0, first - Math.floor((count - this.seen) / 2));
    const missing = !have && first < pane.count && pane.rows.length < pane.count;
    if (Math.abs(start - window.start) > this.seen / 2 || window.count !== count || missing) {
      const moved = window.start !== start || window.count !== count;
      windows[this.side] = { start, count };
      if (missing && moved) this.hears.more();
    }
  }

  /** The place under the mouse. @param {Event} event */
  at(event) {
    const hit = event.target instanceof Element ? event.target.closest('[data-place]') : null;
    return hit instanceof HTMLElement ? Number(hit.dataset.place) : null;
  }
}

/**
 * @param {{id: string, place: number, total: number, isHere: boolean}} where
 * @param {import('../core/state.js').Row | null | undefined} found null is the way up, undefined a row not known yet
 */
function row(where, found) {
  const given = {
    id: where.id, role: 'option', 'data-place': where.place, 'aria-posinset': where.place + 1,
    'aria-setsize': where.total, 'aria-selected': String(Boolean(found?.selected)),
  };
  const classes = ['row', where.isHere ? 'cursor' : ''];
  if (found === null) return drawn(given, [...classes, 'folder', 'up'], '..', 'up', '');
  if (found === undefined) return drawn(given, classes, '…', '', '');
  classes.push(`kind-${found.kind}`, found.folder ? 'folder' : '', found.selected ? 'selected' : '');
  if (found.fresh) classes.push('fresh');
  const made = drawn({ ...given, title: found.name }, classes, found.name, found.size, found.date);
  if (found.fresh) made.append(element('span', { class: 'unseen' }, 'new, an agent was at work'));
  return made;
}

/** @param {object} given @param {string[]} classes @param {string} name @param {string} size @param {string} date */
function drawn(given, classes, name, size, date) {
  return element('div', { ...given, class: classes.filter(Boolean).join(' ') },
    element('span', { class: 'name' }, name), element('span', { class: 'size' }, size),
    element('span', { class: 'date' }, date));
}

/**
 * Let a list be scrolled. The list itself decides how far it goes.
 * @param {{rows: HTMLElement, track: HTMLElement, top: number, total: number, seen: number, draw: () => void}} list
 */
function scrolls(list) {
  /** @param {number} top */
  const go = (top) => {
    list.top = Math.max(0, Math.round(top));
    list.draw();
  };
  list.rows.addEventListener('wheel', (event) => {
    if (event.ctrlKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? event.deltaY : event.deltaY / LINE;
    go(list.top + (Math.abs(lines) < 1 ? Math.sign(lines) : lines));
  }, { passive: false });
  drags(list.rows, (by) => go(list.top - by / LINE));
  list.track.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    list.track.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ moved) => {
      const box = list.track.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (moved.clientY - box.top) / box.height));
      go(share * Math.max(0, list.total - list.seen));
    };
    move(event);
    list.track.addEventListener('pointermove', move);
    const end = () => list.track.removeEventListener('pointermove', move);
    list.track.addEventListener('pointerup', end, { once: true });
    list.track.addEventListener('pointercancel', end, { once: true });
  });
}

/** A finger pulls the rows. @param {HTMLElement} rows @param {(by: number) => void} pulled */
function drags(rows, pulled) {
  let last = 0;
  rows.addEventListener('touchstart', (event) => { last = event.touches[0].clientY; }, { passive: true });
  rows.addEventListener('touchmove', (event) => {
    const by = event.touches[0].clientY - last;
    if (Math.abs(by) < LINE) return;
    last = event.touches[0].clientY;
    pulled(by);
  }, { passive: true });
}
