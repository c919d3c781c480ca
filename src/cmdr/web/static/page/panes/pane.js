// One pane: its tabs, its path, its rows, and what they add up to.

import { element, part } from '../core/element.js';
import { look, now, order, orderThen } from '../core/server.js';
import { guarded } from '../core/status.js';
import { titleOf, titleWithKey } from '../keys/key_map.js';
import { keysWaitFor } from '../keys/key_order.js';
import { List } from './list.js';

/** @typedef {import('../core/state.js').Side} Side */
/** @typedef {import('../core/state.js').PaneState} PaneState */
/** @typedef {{more: () => void, act: (action: string) => void,
 *   menu: (pane: Pane, place: number | null, event: MouseEvent) => void}} Hears */

/** How often to ask: a state that is on its way already may still be of the rows before. */
const LOOKS = 3;
const HEADS = [['name', 'Name'], ['ext', 'Ext'], ['size', 'Size'], ['modified', 'Modified']];

export class Pane {
  /** @param {Side} side @param {Hears} hears */
  constructor(side, hears) {
    this.side = side;
    /** The place the cursor is on its way to. @type {number | null} */
    this.wanted = null;
    this.moving = 0;
    /** From where to where Shift and a click selected last. @type {{from: number, to: number} | null} */
    this.reach = null;
    /** What stands in the foot instead of the totals. */
    this.note = '';
    this.root = /** @type {HTMLElement} */ (document.getElementById(side));
    this.tabs = element('div', { class: 'tabs', role: 'toolbar', 'aria-label': `Tabs, ${side} pane` });
    /** @param {string} action @param {string} text @param {string} [name] */
    const does = (action, text, name = 'small') => element('button', {
      type: 'button', class: name, 'data-does': action, onclick: () => this.focused(() => hears.act(action)),
    }, text);
    this.path = does('go_to_path', '', 'path');
    /** What can be done with a click; each is called as its action is. */
    this.buttons = [this.path, does('parent', '↑'), does('volume', '▾'), does('new_tab', '+')];
    this.heads = element('div', { class: 'heads', role: 'toolbar', 'aria-label': `Sort, ${side} pane` });
    /** Whose tabs lie behind, where no line of tabs shows them. */
    this.agents = element('span', { class: 'agents' });
    this.foot = element('p', { class: 'totals' });
    this.free = element('p', { class: 'free' });
    this.list = new List(side, {
      more: hears.more,
      clicked: (place, event) => this.clicked(place, event),
      opened: () => hears.act('open'),
      menu: (place, event) => hears.menu(this, place, event),
    });
    this.root.append(this.tabs,
      element('div', { class: 'bar' }, this.path, this.agents, ...this.buttons.slice(1)),
      this.heads, this.list.root, element('div', { class: 'foot' }, this.foot, this.free));
  }

  /** @returns {PaneState} */
  get now() { return now().panes[this.side]; }

  /** Where the cursor stands, the way up counted as a row. */
  get place() {
    const { cursor, onParent, count, hasParent } = this.now;
    return this.wanted ?? (onParent || !count ? 0 : cursor + (hasParent ? 1 : 0));
  }

  /** Whether the cursor is on the way up, as it is drawn. */
  get isOnParent() { return this.place < this.list.above; }

  /** The row under the cursor as it is drawn, or null on the way up and in an empty folder. */
  get here() {
    const { rows, start } = this.now;
    return rows[this.place - this.list.above - start] ?? null;
  }

  /** Wait until the row under the cursor is known; a long way from what was seen it has yet to come. */
  async arrived() {
    for (let tries = 0; tries < LOOKS && !this.here && !this.isOnParent && this.now.count; tries++) await look();
  }

  /** @param {boolean} follow */
  draw(follow) {
    const pane = this.now;
    this.root.classList.toggle('active', now().focused === this.side);
    this.drawTabs(pane);
    const path = pane.title ? `${pane.path}: ${pane.title}` : pane.path;
    this.path.replaceChildren(element('bdi', {}, path));
    for (const button of this.buttons) {
      const id = button.dataset.does ?? '';
      const what = button === this.path ? `${path}, ` : '';
      button.title = titleWithKey(id);
      button.setAttribute('aria-label', `${what}${titleOf(id)}, ${this.side} pane`);
    }
    this.heads.classList.toggle('brief', pane.view === 'brief');
    this.heads.replaceChildren(...HEADS.map(([by, name]) => element('button', {
      type: 'button', class: `head ${by}`, 'aria-pressed': String(pane.sort === by), onclick: () => this.sort(by),
    }, pane.sort === by ? `${name} ${pane.order === 'asc' ? '↑' : '↓'}` : name)));
    const told = pane.filter ? `Filter: ${pane.filter} · ${pane.totals}` : pane.totals;
    this.foot.replaceChildren(this.note || told);
    this.foot.classList.toggle('some', pane.selected > 0);
    this.free.replaceChildren(pane.free);
    this.list.show(pane, this.place, follow);
    // A name that is too long for its row stands here in full.
    const row = this.here;
    if (now().focused === this.side) part('here').textContent = row ? inFull(row) : '';
  }

  /** @param {PaneState} pane */
  drawTabs(pane) {
    const front = pane.tabs.find(({ id }) => id === pane.tab);
    // Tabs of agents alone are told beside the path: rows must not move when an agent opens one.
    const behind = front?.agent ? [] : pane.tabs.filter(({ agent }) => agent);
    this.tabs.hidden = pane.tabs.length - behind.length < 2 && !front?.agent;
    const told = pane.letsAgentsIn ? 'agents let in' : pane.byItself ? 'any key: yours' : '';
    this.agents.replaceChildren(...(this.tabs.hidden ? behind : []).map(({ id, name, agent }) => element('button', {
      type: 'button', class: 'small of-agent', title: `${agent}: ${name}`,
      onclick: () => guarded(order('activate_tab', { pane: this.side, tab: id })),
    }, `▸${agent}`)), told);
    const isFront = (/** @type {import('../core/state.js').Tab} */ tab) => tab.id === pane.tab;
    this.tabs.replaceChildren(...pane.tabs.map((tab) => element('span', {
      class: ['tab', isFront(tab) && 'front', tab.agent && 'of-agent'].filter(Boolean).join(' '),
    },
      element('button', {
        type: 'button', 'aria-pressed': String(isFront(tab)), title: tab.name,
        onclick: () => guarded(order('activate_tab', { pane: this.side, tab: tab.id })),
      }, labelOf(tab)),
      isFront(tab) ? element('button', {
        type: 'button', class: 'small', 'aria-label': `Close tab ${tab.name}`,
        onclick: () => this.focused(() => guarded(order('tab.close'))),
      }, '✕') : null)));
  }

  /** @param {string} by */
  sort(by) {
    const { sort, order: direction } = this.now;
    const turned = sort === by && direction === 'asc' ? 'desc' : 'asc';
    return guarded(keysWaitFor(order('sort', { pane: this.side, by, order: turned })));
  }

  /** Put the cursor somewhere, at once on the page and behind it in the workspace. @param {number} place */
  move(place) {
    const total = this.list.total;
    if (!total) return;
    this.wanted = Math.max(0, Math.min(place, total - 1));
    this.draw(true);
    if (this.moving > 1) return;
    this.moving++;
    const sent = orderThen(() => this.step()).catch(() => '');
    guarded(sent.finally(() => {
      this.moving--;
      if (!this.moving) this.wanted = null;
      this.draw(false);
    }));
  }

  /**
   * Where the cursor has to go by now: keys that came meanwhile need no order of their own.
   * @returns {[string, object]}
   */
  step() {
    const to = (this.wanted ?? this.place) - this.list.above;
    const pane = this.side;
    return to < 0 ? ['cursor.up_row', { pane }] : ['move_cursor', { pane, to }];
  }

  /** @param {() => void} [then] */
  focused(then) {
    if (now().focused === this.side) then?.();
    else guarded(keysWaitFor(order('switch_pane').then(() => then?.())));
  }

  /**
   * A click alone leaves the cursor there and nothing selected; beside the rows it only clears the selection.
   * @param {number | null} place @param {MouseEvent} event
   */
  clicked(place, event) {
    const toggles = event.ctrlKey || event.metaKey;
    const to = place ?? this.place;
    const { above } = this.list;
    const isHeld = Boolean(this.now.rows[to - above - this.now.start]?.selected);
    // Whoever goes on with Shift selects from where they began.
    const from = this.reach?.to === this.place ? this.reach.from : this.place;
    this.reach = null;
    this.focused(() => {
      if (event.shiftKey && place !== null) {
        const first = Math.max(0, Math.min(from, to) - above);
        const count = Math.max(from, to) - above - first + 1;
        const mode = toggles ? 'add' : 'replace';
        if (count > 0) guarded(order('select', { pane: this.side, start: first, count, mode }));
        this.reach = { from, to };
      } else if (toggles && to >= above && place !== null) {
        guarded(order('selection.toggle', { pane: this.side, index: to - above }));
      } else if (!toggles && !event.shiftKey) {
        // What is selected may be about to be dragged away.
        if (isHeld && place !== null) this.clearsAfter();
        else this.clear();
      }
      if (place !== null) this.move(to);
    });
  }

  /** Select nothing, once it is known what is selected by then. */
  clear() {
    guarded(orderThen(() => (this.now.selected ? ['selection.none', { pane: this.side }] : null)));
  }

  /** Select nothing when the button of the mouse is let go, unless something was dragged with it. */
  clearsAfter() {
    const over = new AbortController();
    addEventListener('mouseup', () => { over.abort(); this.clear(); }, { signal: over.signal });
    addEventListener('dragstart', () => over.abort(), { signal: over.signal });
  }
}

/** A tab's name, and whose it is. @param {import('../core/state.js').Tab} tab */
function labelOf({ agent, name, pinned }) {
  if (agent) return `▸${agent}${now().stopped ? ', stopped:' : ''} ${name}`;
  return pinned ? `◆ ${name}` : name;
}

/** The entry under the cursor in a line. @param {import('../core/state.js').Row} row */
function inFull({ name, folder, size, date }) {
  return [folder ? `${name}/` : name, size, date].filter(Boolean).join('  ');
}
