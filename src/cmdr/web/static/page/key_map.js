// Which key does what by now: the usual keys, and the person's own choices over them.

import { normal, pressed, spoken } from './key_names.js';
import { ALL } from './keys.js';

/** @typedef {import('./picture.js').Shortcut} Shortcut */

/** What browsers keep for themselves: a page never hears of them. */
const BROWSERS = new Set(['Ctrl+t', 'Ctrl+w', 'Ctrl+n', 'Ctrl+Shift+t', 'Ctrl+Shift+w', 'Ctrl+Shift+n', 'Ctrl+Tab',
  'Ctrl+Shift+Tab', 'Ctrl+PageUp', 'Ctrl+PageDown', 'F12', 'Alt+F4']);
/** @type {Map<string, string>} */
const USUAL = new Map(ALL.map(({ id, title }) => [id, title]));

/** Key to action, or to the id of a command. @type {Map<string, string>} */
let bound = new Map();
/** @type {Map<string, string[]>} */
let keys = new Map();
/** @type {Map<string, string>} */
let titles = new Map();
/** @type {string[]} */
let problems = [];
let chosen = '';

/** Obey these choices from now on; whether that is anything new. @param {Shortcut[]} own */
export function obey(own) {
  const asked = JSON.stringify(own);
  if (asked === chosen) return false;
  chosen = asked;
  [bound, keys, titles, problems] = [new Map(), new Map(), new Map(USUAL), []];
  // Actions of the terminal alone have no title here, and no place.
  for (const { id, keys: wanted, title } of own) {
    if (!USUAL.has(id) && title) titles.set(id, title);
    if (titles.has(id)) bind(id, wanted);
  }
  for (const { id, title, keys: usual } of ALL) {
    if (keys.has(id)) continue;
    const free = usual.filter((key) => !bound.has(key));
    const [lost] = usual;
    if (!free.length) problems.push(`${title} has no key left: ${spoken(lost)} now does ${nameAt(lost)}`);
    take(id, free);
  }
  return true;
}

/**
 * Own keys replace the usual ones of their action, unless none of them can be used here.
 * @param {string} id @param {string[]} wanted
 */
function bind(id, wanted) {
  const free = [];
  for (const key of wanted.map(normal)) {
    const what = titleOf(id);
    if (BROWSERS.has(key)) problems.push(`${spoken(key)} cannot be used here for ${what}: it belongs to the browser`);
    else if (!bound.has(key)) free.push(key);
    else problems.push(`${spoken(key)} is wanted by ${nameAt(key)} and ${what}; the first gets it`);
  }
  if (free.length || !wanted.length) take(id, free);
}

/** What a key does by now. @param {string} key */
function nameAt(key) {
  return titleOf(bound.get(key) ?? '');
}

/** @param {string} id @param {string[]} free */
function take(id, free) {
  keys.set(id, free);
  for (const key of free) bound.set(key, id);
}

/** What a pressed key does, if anything. @param {KeyboardEvent} event */
export function actionOf(event) {
  return bound.get(pressed(event));
}

/** What a key does. @param {string} key */
export function actionAt(key) {
  return bound.get(key);
}

/** Every key of an action, as it is shown. @param {string} id */
export function keysOf(id) {
  return (keys.get(id) ?? []).map(spoken);
}

/** Words with the key of an action behind them, if it has one. @param {string} words @param {string} id */
export function withKey(words, id) {
  const [first] = keysOf(id);
  return first ? `${words} (${first})` : words;
}

/** What an action or a command is called. @param {string} id */
export function titleOf(id) {
  return titles.get(id) ?? id;
}

/** Commands that the person gave a key. */
export function ownCommands() {
  return [...titles].filter(([id]) => !USUAL.has(id) && keysOf(id).length).map(([id, title]) => ({ id, title }));
}

/** What is wrong with the choices, a line each. */
export function clashes() {
  return problems;
}
