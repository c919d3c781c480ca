// The table of actions, as cmdr serves it: what there is, what each is called, and which key does what by now.

import { now, read, watch } from '../core/server.js';
import { guarded } from '../core/status.js';
import { pressed } from './key_names.js';

/**
 * @typedef {{id: string, title: string, word: string, keys: string[], isOwn: boolean,
 *   risk: 'none' | 'changes' | 'destroys', appliesTo: 'nothing' | 'file' | 'entry' | 'selection' | 'folder',
 *   command: string, tells: boolean}} Action
 * @typedef {{id: string, title: string, keys: string[]}} OwnCommand a command that the person gave a key
 * @typedef {{tag: string, sections: {name: string, actions: Action[]}[], commands: OwnCommand[],
 *   bound: Record<string, string>, problems: string[], entryMenu: string[][], folderMenu: string[][],
 *   topBar: string[]}} Table
 */

/** @type {Table} */
let table = {
  tag: '', sections: [], commands: [], bound: {}, problems: [], entryMenu: [], folderMenu: [], topBar: [],
};
/** @type {Map<string, Action>} */
let actions = new Map();
/** @type {Set<() => void>} */
const watchers = new Set();
/** @type {Promise<void> | null} */
let asking = null;

/** Read the table; those who watch it are told. */
export function readActions() {
  asking ??= read('/page/actions').then((found) => {
    table = found;
    actions = new Map(allActions().map((action) => [action.id, action]));
    for (const watcher of [...watchers]) watcher();
  }).finally(() => { asking = null; });
  return asking;
}

/** Read the table again whenever the person's own keys have changed, wherever that was. */
export function followActions() {
  watch(({ actions: tag }) => { if (tag !== table.tag) guarded(upToDate()); });
}

/** Wait for the table that belongs to the newest state. */
export async function upToDate() {
  await asking;
  if (now().actions !== table.tag) await readActions();
}

/** Call this with every new table; returns what ends that. @param {() => void} watcher */
export function watchActions(watcher) {
  watchers.add(watcher);
  return () => { watchers.delete(watcher); };
}

/** Everything but what it is made of. */
export function actionTable() {
  return table;
}

/** Every action. */
export function allActions() {
  return table.sections.flatMap((section) => section.actions);
}

/** An action, if that is one. @param {string} id */
export function actionBy(id) {
  return actions.get(id);
}

/** What a pressed key does, if anything. @param {KeyboardEvent} event */
export function actionOf(event) {
  return actionAt(pressed(event));
}

/** What a key does. @param {string} key */
export function actionAt(key) {
  return Object.hasOwn(table.bound, key) ? table.bound[key] : undefined;
}

/** Every key of an action or a command, as it is shown. @param {string} id */
export function keysOf(id) {
  return (actions.get(id) ?? table.commands.find((command) => command.id === id))?.keys ?? [];
}

/** What an action or a command is called. @param {string} id */
export function titleOf(id) {
  return (actions.get(id) ?? table.commands.find((command) => command.id === id))?.title ?? id;
}

/** A short word for an action, or the title of a command with a key. @param {string} id */
export function wordOf(id) {
  return actions.get(id)?.word || titleOf(id);
}

/** The title of an action with its key behind it, if it has one. @param {string} id */
export function titleWithKey(id) {
  const [first] = keysOf(id);
  return first ? `${titleOf(id)} (${first})` : titleOf(id);
}
