// The rows of a proposed edit in an element: one change is in front, more rows come while one scrolls.

import { element } from '../core/element.js';
import { read } from '../core/server.js';
import { guarded } from '../core/status.js';

/**
 * @typedef {{id: string, path: string, from: string | null, isNew: boolean, title: string, by: string, state: string,
 *   ended: string, digest: string, word: string, protected: string, link: string | null, joined: boolean,
 *   care: string, file: number, files: FileLine[], told: string[],
 *   decisions: string[], hunkRows: number[], conflicts: {mine: string, theirs: string}[], start: number, count: number,
 *   rows: DiffRow[]}} EditState
 */

/**
 * @typedef {{path: string, changes: number, added: number, removed: number, taken: number,
 *   dropped: number}} FileLine
 */

const ROWS = 300;
const NEAR = 400;

export class DiffView {
  /** @param {string} id @param {() => void} drawn is called when something else is to be seen */
  constructor(id, drawn) {
    this.id = id;
    this.drawn = drawn;
    this.unified = matchMedia('(max-width: 900px)').matches;
    this.folded = true;
    this.hunk = 0;
    this.file = 0;
    /** Called when another file is shown and something was changed meanwhile. */
    this.differed = () => {};
    this.rows = element('div', { class: 'diff', tabIndex: 0, role: 'region', 'aria-label': 'Changes' });
    this.rows.addEventListener('scroll', () => {
      const { scrollTop, clientHeight, scrollHeight } = this.rows;
      if (scrollTop + clientHeight > scrollHeight - NEAR) guarded(this.more());
    });
  }

  /** Load the beginning. Nothing is drawn yet. */
  async open() {
    this.edit = await this.load(0, ROWS);
    return this.edit;
  }

  /** @returns {EditState} */
  get known() {
    if (!this.edit) throw new Error('nothing is loaded yet');
    return this.edit;
  }

  /** @param {number} start @param {number} count @returns {Promise<EditState>} */
  load(start, count) {
    const shape = `unified=${this.unified ? 1 : 0}&folded=${this.folded ? 1 : 0}`;
    const how = `rows=${start},${count}&${shape}&file=${this.file}`;
    return read(`/page/edit/${encodeURIComponent(this.id)}?${how}`);
  }

  /** Look again; whether anything is different. @param {() => void} differs is called before that is drawn */
  async renew(differs) {
    const { known, file } = this;
    const fresh = await this.load(0, Math.max(ROWS, known.rows.length));
    if (this.file !== file) return; // another one is shown by now, as it stands now
    const isSame = fresh.digest === known.digest && String(fresh.decisions) === String(known.decisions)
      && JSON.stringify(fresh.files) === JSON.stringify(known.files);
    if (isSame && fresh.conflicts.length === known.conflicts.length) return;
    differs();
    this.edit = fresh;
    this.hunk = Math.min(this.hunk, Math.max(0, fresh.decisions.length - 1));
    this.draw();
  }

  async more() {
    const { known } = this;
    if (known.rows.length >= known.count) return;
    const next = await this.load(known.rows.length, ROWS);
    if (next.digest !== known.digest || next.start !== known.rows.length) return;
    known.rows.push(...next.rows);
    this.rows.append(...next.rows.map((row) => this.line(row)));
    this.mark();
  }

  /** Draw it in another form. @param {() => void} turn */
  async shape(turn) {
    turn();
    await this.open();
    this.draw();
  }

  draw() {
    this.rows.classList.toggle('unified', this.unified);
    this.rows.replaceChildren(...this.known.rows.map((row) => this.line(row)));
    this.mark();
    this.drawn();
  }

  /** @param {DiffRow} row */
  line(row) {
    const state = row.hunk === null ? '' : this.known.decisions[row.hunk];
    return diffRow(row, state, this.unified, (picked) => { this.hunk = picked; this.draw(); });
  }

  mark() {
    for (const drawn of this.rows.children) {
      drawn.classList.toggle('here', drawn instanceof HTMLElement && drawn.dataset.hunk === String(this.hunk));
    }
  }

  /** Show another file of many, at one of its changes; -1 is the last. @param {number} file @param {number} [hunk] */
  async goFile(file, hunk = 0) {
    if (file < 0 || file >= this.known.files.length) return;
    const { digest } = this.known;
    this.file = file;
    const { decisions, digest: now } = await this.open();
    if (now !== digest) this.differed();
    this.rows.scrollTop = 0;
    await this.go(hunk < 0 ? decisions.length - 1 : hunk);
  }

  /** Go to the next change or the one before, on into the next file. @param {number} step */
  step(step) {
    const { decisions, files } = this.known;
    const to = this.hunk + step;
    if (to >= decisions.length && this.file + 1 < files.length) return this.goFile(this.file + 1);
    if (to < 0 && this.file > 0) return this.goFile(this.file - 1, -1);
    return this.go(to);
  }

  /** Bring a change to the front. @param {number} wanted */
  async go(wanted) {
    const { known } = this;
    if (!known.decisions.length) return;
    this.hunk = Math.max(0, Math.min(wanted, known.decisions.length - 1));
    while (known.rows.length <= known.hunkRows[this.hunk] && known.rows.length < known.count) await this.more();
    this.draw();
    this.rows.querySelector(`[data-hunk="${this.hunk}"]`)?.scrollIntoView({ block: 'center' });
  }
}

/**
 * @typedef {{number: number, ending: string, pieces: [string, boolean][]}} Line
 * @typedef {{kind: string, hunk: number | null, hidden: number, old: Line | null, new: Line | null}} DiffRow
 */

/**
 * One row; `state` is what was decided of its change.
 * @param {DiffRow} row @param {string} state @param {boolean} unified @param {(hunk: number) => void} picked
 */
export function diffRow(row, state, unified, picked) {
  if (row.kind === 'fold') return element('div', { class: 'diffrow fold' }, `${row.hidden} equal lines`);
  const { hunk } = row;
  const one = row.old ? side(row.old, 'old') : side(row.new, 'new');
  const sides = unified ? [one] : [side(row.old, 'old'), side(row.new, 'new')];
  return element('div', {
    class: `diffrow ${row.kind} ${state}`, 'data-hunk': hunk ?? undefined,
    onclick: () => { if (hunk !== null) picked(hunk); },
  }, ...sides);
}

/** @param {Line | null} found @param {string} which */
function side(found, which) {
  if (!found) return element('span', { class: 'gap' });
  const text = element('code', {}, ...found.pieces.map(([piece, isMarked]) => (
    isMarked ? element('mark', {}, piece) : piece)));
  if (!found.ending) text.append(element('i', { title: 'no newline at the end' }, ' ⏎?'));
  return element('span', { class: `side ${which}` }, element('b', {}, String(found.number)), text);
}
