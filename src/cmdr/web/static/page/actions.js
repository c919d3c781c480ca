// What the keys and buttons do.

import { agents } from './agents.js';
import { approvals } from './approvals.js';
import { copyName, copyPath } from './clipboard.js';
import { edit } from './editor.js';
import { below } from './element.js';
import { create, remove, rename, transfer } from './files.js';
import { find } from './find.js';
import { goTo, pin, places, report, sort, step, volumes } from './going.js';
import { help } from './help.js';
import { history } from './history.js';
import { info } from './info.js';
import { jobsWindow } from './jobs.js';
import { menuAtCursor } from './menu.js';
import { operate } from './operate.js';
import { palette } from './palette.js';
import { toggleQuickView } from './quick.js';
import { compare, mark, mask, narrow } from './selecting.js';
import { now, order, settled } from './server.js';
import { settings } from './settings.js';
import { guarded, tell } from './status.js';
import { treemap } from './treemap.js';
import { opens } from './viewer.js';

/** @typedef {import('./pane.js').Pane} Pane */

/** @type {Record<string, (pane: Pane, other: Pane) => unknown>} */
const ACTIONS = {
  copy: (_, other) => transfer(other, 'Copy', 'copy'),
  move: (_, other) => transfer(other, 'Move', 'move'),
  trash: () => remove(false),
  delete: () => remove(true),
  rename,
  mkdir: () => create('New folder', 'mkdir'),
  new_file: () => create('New file', 'mkfile'),
  view: (pane) => pane.here && (pane.here.folder ? order('open_under_cursor') : opens(pane, 'file.quickLook')),
  edit: (pane) => pane.here && !pane.here.folder && edit(below(pane.now.path, pane.here.name)),
  info: (pane) => pane.here && info(below(pane.now.path, pane.here.name)),
  copy_path: copyPath,
  copy_name: copyName,
  menu: menuAtCursor,
  other_pane: () => order('switch_pane'),
  open: (pane) => (pane.now.onParent || !pane.now.count ? order('nav_to_parent') : opens(pane, 'open_under_cursor')),
  parent: () => order('nav_to_parent'),
  back: () => order('nav_back'),
  forward: () => order('nav_forward'),
  root: (pane) => order('nav_to_path', { pane: pane.side, path: '/' }),
  home: (pane) => order('nav_to_path', { pane: pane.side, path: '~' }),
  go_to_path: goTo,
  find,
  report,
  treemap: (pane) => treemap(pane.now.path),
  places,
  bookmark_here: () => order('bookmark.add').then(tell),
  same_folder: (pane, other) => order('nav_to_path', { pane: other.side, path: pane.now.path }),
  swap: () => order('swap_panes'),
  volume: (pane) => volumes(pane.side),
  left_volume: () => volumes('left'),
  right_volume: () => volumes('right'),
  refresh: () => order('refresh'),
  mark: (pane) => mark(pane, 1),
  mark_stay: (pane) => mark(pane, 0),
  mark_up: (pane) => mark(pane, -1),
  mark_down: (pane) => mark(pane, 1),
  select_mask: () => mask('Select', 'add'),
  deselect_mask: () => mask('Deselect', 'subtract'),
  invert: () => order('selection.invert'),
  select_all: () => order('selection.all'),
  select_none: () => order('selection.none'),
  compare,
  filter: narrow,
  sort,
  view_mode: (pane) => order('set_view_mode', { pane: pane.side, mode: pane.now.view === 'brief' ? 'full' : 'brief' }),
  hidden: () => order('toggle_hidden'),
  preview: toggleQuickView,
  new_tab: () => order('tab.new'),
  close_tab: () => order('tab.close'),
  next_tab: (pane) => step(pane, 1),
  previous_tab: (pane) => step(pane, -1),
  pin_tab: pin,
  reopen_tab: () => order('tab.reopen'),
  help,
  palette,
  undo: () => operate('undo', {}),
  history,
  jobs: jobsWindow,
  approvals,
  agents,
  mention: () => order('mention').then(tell),
  stop_agents: () => order(now().stopped ? 'agents.allow' : 'agents.stop').then(tell),
  settings,
};

/**
 * Do it, once what was ordered before is done.
 * @param {string} action @param {Record<import('./picture.js').Side, Pane>} panes
 */
export function act(action, panes) {
  guarded(settled().then(() => {
    const { focused } = now();
    return ACTIONS[action](panes[focused], panes[focused === 'left' ? 'right' : 'left']);
  }));
}
