// What actions do in the page, where that is more than the one command that the table names.

import { openArchive, pack, unpack } from '../changes/archives.js';
import { attributes } from '../changes/attributes.js';
import { operate } from '../changes/change.js';
import { copyHere, create, remove, rename, transfer } from '../changes/files.js';
import { renameMany } from '../changes/rename_many.js';
import { below } from './element.js';
import { perform } from './perform.js';
import { aside, now, order, settled } from './server.js';
import { guarded, tell } from './status.js';
import { stopAgents } from './stop.js';
import { actionBy } from '../keys/key_map.js';
import { keysWaitFor } from '../keys/key_order.js';
import { moves } from '../panes/moving.js';
import { goTo, openOther, pin, places, report, sort, step, visited, volumes } from '../panes/navigation.js';
import { toggleQuickView } from '../panes/quick_view.js';
import { compare, mark, markTo, mask, narrow } from '../panes/selecting.js';
import { download, picked, upload } from '../transfer/browser_files.js';
import { copyName, copyPath } from '../transfer/clipboard.js';
import { agents } from '../windows/agents.js';
import { edit } from '../windows/editor.js';
import { find } from '../windows/find.js';
import { help } from '../windows/help.js';
import { history } from '../windows/history.js';
import { inbox } from '../windows/inbox.js';
import { jobsWindow } from '../windows/jobs.js';
import { menuAtCursor } from '../windows/menu.js';
import { palette } from '../windows/palette.js';
import { settings } from '../windows/settings.js';
import { treemap } from '../windows/treemap.js';

/** @typedef {import('../panes/pane.js').Pane} Pane */

/** @typedef {(pane: Pane, other: Pane) => unknown} Deed */

/** @type {Record<string, Deed>} */
export const ACTIONS = {
  copy: (_, other) => transfer(other.now.path, 'copy'),
  move: (_, other) => transfer(other.now.path, 'move'),
  trash: () => remove(false),
  delete: () => remove(true),
  copy_here: copyHere,
  rename,
  bulk_rename: renameMany,
  mkdir: () => create('mkdir', 'mkdir'),
  new_file: () => create('new_file', 'mkfile'),
  view: (pane) => pane.here && (pane.here.folder ? order('open_under_cursor') : perform('file.quickLook')),
  edit: ({ here, now: { path } }) => {
    if (here?.folder) throw new Error(`${here.name} is a folder. Enter goes into it.`);
    return here && edit(below(path, here.name));
  },
  attributes,
  pack,
  unpack,
  info: (pane) => pane.here && perform('file.getInfo'),
  download,
  upload: ({ now: { path } }) => picked().then((brought) => upload(brought, path)),
  copy_path: copyPath,
  copy_name: copyName,
  menu: menuAtCursor,
  other_pane: () => order('switch_pane'),
  open,
  parent,
  visited,
  root: (pane) => order('nav_to_path', { pane: pane.side, path: '/' }),
  home: (pane) => order('nav_to_path', { pane: pane.side, path: '~' }),
  go_to_path: goTo,
  find,
  report,
  treemap: (pane) => treemap(pane.now.path),
  bookmarks: places,
  open_other: openOther,
  same_folder: (pane, other) => order('nav_to_path', { pane: other.side, path: pane.now.path }),
  volume: (pane) => volumes(pane.side),
  left_volume: () => volumes('left'),
  right_volume: () => volumes('right'),
  mark: (pane) => mark(pane, 1),
  mark_stay: (pane) => mark(pane, 0),
  mark_up: (pane) => mark(pane, -1),
  mark_down: (pane) => mark(pane, 1),
  mark_page_up: (pane) => markTo(pane, 'page_up'),
  mark_page_down: (pane) => markTo(pane, 'page_down'),
  mark_first: (pane) => markTo(pane, 'first'),
  mark_last: (pane) => markTo(pane, 'last'),
  select_mask: () => mask('select_mask', 'add'),
  deselect_mask: () => mask('deselect_mask', 'subtract'),
  compare,
  filter: narrow,
  sort,
  view_mode: (pane) => order('set_view_mode', { pane: pane.side, mode: pane.now.view === 'brief' ? 'full' : 'brief' }),
  folder_size: (pane) => { if (pane.here) guarded(aside('folder.size').then(tell)); },
  preview: toggleQuickView,
  next_tab: (pane) => step(pane, 1),
  previous_tab: (pane) => step(pane, -1),
  pin_tab: pin,
  help,
  palette,
  undo: () => operate('undo', {}),
  history,
  jobs: () => jobsWindow(),
  approvals: () => inbox(),
  agents,
  stop_agents: stopAgents,
  settings,
};

/** Enter a folder, view a file, ask about an archive; among scattered entries go where the file is. @type {Deed} */
function open(pane, other) {
  const { here, now: { path, title, count } } = pane;
  if (pane.isOnParent || !count) return parent(pane);
  if (title && here && !here.folder) return order('find.go', { path: below(path, here.name) });
  if (here?.archive) return openArchive(pane, other);
  return perform('open_under_cursor', {}, { quiet: true });
}

/** Up one folder; from scattered entries, back to where they were asked for. @param {Pane} pane */
function parent({ now: { title, tabs } }) {
  const own = tabs.filter(({ agent }) => !agent);
  return order(title && own.length > 1 ? 'tab.close' : 'nav_to_parent');
}

/**
 * Do it, once what was ordered before is done; a word that is no action is a command with a key of the person's own.
 * @param {string} action @param {Record<import('./state.js').Side, Pane>} panes
 */
export function act(action, panes) {
  guarded(keysWaitFor(run()));

  async function run() {
    await settled();
    const { focused } = now();
    if (moves(action, panes[focused])) return;
    await panes[focused].arrived();
    const known = actionBy(action);
    if (Object.hasOwn(ACTIONS, action)) {
      await ACTIONS[action](panes[focused], panes[focused === 'left' ? 'right' : 'left']);
    } else if (known) {
      const told = await order(known.command);
      if (known.tells) tell(told);
    } else await perform(action);
  }
}
