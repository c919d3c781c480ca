// Which key does what. Keys that browsers keep for themselves (Ctrl+T, Ctrl+W, Ctrl+N) are left to them.

/** @typedef {{id: string, title: string, keys: string[], bar?: string}} Action */

/** @param {string} id @param {string} title @param {string} keys @param {string} [bar] @returns {Action} */
const a = (id, title, keys, bar) => ({ id, title, keys: keys.split(' '), bar });

/** @type {[string, Action[]][]} */
export const SECTIONS = [
  ['Files', [
    a('rename', 'Rename; several by pattern', 'F2 Shift+F6', 'Rename'),
    a('view', 'View', 'F3', 'View'),
    a('edit', 'Edit', 'F4', 'Edit'),
    a('new_file', 'New file', 'Shift+F4'),
    a('copy', 'Copy', 'F5', 'Copy'),
    a('move', 'Move', 'F6', 'Move'),
    a('mkdir', 'New folder', 'F7', 'New folder'),
    a('trash', 'Move to the trash', 'F8 Delete', 'Trash'),
    a('delete', 'Delete for good', 'Shift+F8 Shift+Delete'),
    a('info', 'Info', 'Alt+i'),
    a('copy_path', 'Copy the path to the clipboard', 'Alt+c'),
    a('copy_name', 'Copy the name to the clipboard', 'Alt+n'),
    a('menu', 'What can be done with it', 'ContextMenu Shift+F10'),
  ]],
  ['Go', [
    a('other_pane', 'Other pane', 'Tab Shift+Tab'),
    a('open', 'Open', 'Enter'),
    a('parent', 'Up one folder', 'Backspace Ctrl+ArrowUp'),
    a('back', 'Back', 'Alt+ArrowLeft'),
    a('forward', 'Forward', 'Alt+ArrowRight'),
    a('root', 'Root folder', 'Ctrl+_'),
    a('home', 'Home folder', 'Alt+h'),
    a('go_to_path', 'Go to path', 'Ctrl+g'),
    a('find', 'Find', 'Ctrl+f Alt+F7'),
    a('report', 'Report on this folder', 'Alt+l'),
    a('treemap', 'What fills this folder', 'Alt+u'),
    a('places', 'Bookmarks and frequent folders', 'Ctrl+\\ Ctrl+d'),
    a('bookmark_here', 'Bookmark this folder', 'Alt+b'),
    a('same_folder', 'This folder in the other pane', 'Ctrl+o'),
    a('swap', 'Swap panes', 'Ctrl+u'),
    a('volume', 'Volumes', 'Ctrl+v'),
    a('left_volume', 'Volumes, left pane', 'Alt+F1'),
    a('right_volume', 'Volumes, right pane', 'Alt+F2'),
    a('refresh', 'Read again', 'Ctrl+r'),
  ]],
  ['Select', [
    a('mark', 'Select and go down', 'Insert'),
    a('mark_stay', 'Select', 'Space'),
    a('mark_up', 'Select upwards', 'Shift+ArrowUp'),
    a('mark_down', 'Select downwards', 'Shift+ArrowDown'),
    a('select_mask', 'Select by mask', '+'),
    a('deselect_mask', 'Deselect by mask', '-'),
    a('invert', 'Invert the selection', '*'),
    a('select_all', 'Select all', 'Ctrl+a'),
    a('select_none', 'Select nothing', 'Ctrl+Shift+a Alt+-'),
    a('compare', 'Compare the panes', 'Alt+d'),
  ]],
  ['View', [
    a('filter', 'Filter', '/'),
    a('sort', 'Sort', 'Ctrl+s'),
    a('view_mode', 'Brief or full', 'Ctrl+b'),
    a('hidden', 'Hidden files', 'Alt+.'),
    a('preview', 'Quick view in the other pane', 'Ctrl+x'),
  ]],
  ['Tabs', [
    a('new_tab', 'New tab', 'Alt+t'),
    a('close_tab', 'Close tab', 'Alt+w'),
    a('next_tab', 'Next tab', 'Alt+PageDown'),
    a('previous_tab', 'Previous tab', 'Alt+PageUp'),
    a('pin_tab', 'Pin tab', 'Alt+p'),
    a('reopen_tab', 'Reopen closed tab', 'Alt+Shift+t'),
  ]],
  ['Work', [
    a('help', 'Keys', 'F1', 'Keys'),
    a('palette', 'All commands', 'F9 Ctrl+p', 'Commands'),
    a('undo', 'Undo', 'Ctrl+z'),
    a('history', 'History and undo', 'Ctrl+Shift+z Alt+z'),
    a('jobs', 'Jobs', 'Ctrl+j'),
    a('approvals', 'What agents propose', 'Ctrl+y'),
    a('agents', 'Agents', 'Alt+a'),
    a('mention', 'Mention to the coding agent', 'Alt+m'),
    a('stop_agents', 'Stop all agents', 'Ctrl+k'),
    a('settings', 'Settings', 'Alt+s'),
  ]],
];

const ALL = SECTIONS.flatMap(([, actions]) => actions);
/** @type {Map<string, string>} */
const BOUND = new Map(ALL.flatMap(({ id, keys }) => keys.map((key) => /** @type {[string, string]} */ ([key, id]))));
/** @type {Record<string, string>} */
const SPOKEN = {
  ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', PageUp: 'PgUp', PageDown: 'PgDn', Insert: 'Ins',
  Delete: 'Del', ContextMenu: 'Menu',
};

/** The function keys, for the bar. */
export const BAR = ALL.filter(({ bar }) => bar).sort(
  (one, other) => Number(one.keys[0].slice(1)) - Number(other.keys[0].slice(1)));

/** The action of a key, if it has one. @param {KeyboardEvent} event */
export function actionOf(event) {
  const name = event.key === ' ' ? 'Space' : event.key;
  const letter = name.length === 1 ? name.toLowerCase() : name;
  const isShifted = event.shiftKey && letter !== '_' && (name.length > 1 || event.ctrlKey || event.altKey);
  const marks = [(event.ctrlKey || event.metaKey) && 'Ctrl', event.altKey && 'Alt', isShifted && 'Shift'];
  return BOUND.get([...marks.filter(Boolean), letter].join('+'));
}

/** A key as it is written for people. @param {string} key */
export function spoken(key) {
  return key.replace(/[A-Za-z]+$/, (last) => SPOKEN[last] ?? (last.length === 1 ? last.toUpperCase() : last));
}
