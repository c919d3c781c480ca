// Quick view: the file under the cursor, shown in the place of the other pane.

import { below, element } from '../core/element.js';
import { now, watch } from '../core/server.js';
import { Contents } from '../windows/contents.js';

const REST = 80;

/** @typedef {import('./pane.js').Pane} Pane */

/** @type {QuickView | null} */
let shown = null;

class QuickView {
  /** @param {Pane[]} panes */
  constructor(panes) {
    this.panes = panes;
    this.path = '';
    /** @type {number | undefined} */
    this.timer = undefined;
    this.title = element('h2', {});
    this.body = element('div', { class: 'quickbody' });
    this.root = element('aside', { class: 'quick', 'aria-label': 'Quick view' }, this.title, this.body);
    this.unwatch = watch(() => this.draw());
    this.draw();
  }

  /** Stand where the other pane is, and follow the cursor a moment after it rests. */
  draw() {
    const pane = this.panes.find(({ side }) => side === now().focused);
    const other = this.panes.find(({ side }) => side !== now().focused);
    if (other && this.root.parentElement !== other.root) other.root.append(this.root);
    for (const each of this.panes) each.root.classList.toggle('covered', each === other);
    const here = pane?.here;
    const path = pane && here && !here.folder ? below(pane.now.path, here.name) : '';
    if (path === this.path) return;
    this.path = path;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.load(path); }, REST);
  }

  /** @param {string} path */
  async load(path) {
    const contents = new Contents(path);
    this.title.textContent = path.slice(path.lastIndexOf('/') + 1) || 'Quick view';
    this.body.replaceChildren(path ? contents.about : element('p', { class: 'hint' }, 'Put the cursor on a file.'));
    if (!path) return;
    try {
      await contents.open();
      if (this.path === path) this.body.replaceChildren(contents.about, contents.text);
    } catch (error) {
      contents.about.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  end() {
    clearTimeout(this.timer);
    this.unwatch();
    this.root.remove();
    for (const each of this.panes) each.root.classList.remove('covered');
  }
}

/**
 * Show the file under the cursor in place of the other pane, or the pane again.
 * @param {Pane} pane @param {Pane} other
 */
export function toggleQuickView(pane, other) {
  if (shown) { shown.end(); shown = null; } else shown = new QuickView([pane, other]);
}
