// Talks to cmdr: states of the workspace come from it, orders go to it, one after the other.

import { forget, HEADER, key } from './login_key.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Side} Side */

/** Something cmdr says no to, in its own words. */
class Refused extends Error {}

/** The login is over: only a new link from cmdr helps. */
export class LoggedOut extends Error {}

/** Nobody answers at all. */
export class NoAnswer extends Error {}

const PATIENCE = 100;
/** What this page calls itself, so that cmdr knows what it leaves behind. */
export const PAGE = crypto.randomUUID();

/** The rows that are looked at. @type {Record<Side, {start: number, count: number}>} */
export const windows = { left: { start: 0, count: 100 }, right: { start: 0, count: 100 } };

/** @type {State | null} */
let state = null;
/** @type {Promise<unknown>} */
let last = Promise.resolve();
let waiting = 0;
let asked = 0;
let taken = 0;
let begun = 0;
/** @type {Promise<void> | null} */
let looking = null;
let isStale = false;
/** @type {Set<(state: State) => void>} */
const watchers = new Set();

/** The newest state; there is one before anything is drawn. */
export function now() {
  if (state === null) throw new Error('nothing is known yet');
  return state;
}

/** Whether the state is of this revision. @param {number} rev */
export function isKnown(rev) {
  return state !== null && state.rev === rev && !state.activity;
}

/** How often this page has begun anew with cmdr. */
export function runs() {
  return begun;
}

/** Call this with every new state; returns what ends that. @param {(state: State) => void} watcher */
export function watch(watcher) {
  watchers.add(watcher);
  return () => { watchers.delete(watcher); };
}

/** Ask for anything. @param {string} path @param {RequestInit} [how] @returns {Promise<any>} */
export async function read(path, how = {}) {
  const answer = await request(path, how);
  return answer.json().catch(() => { throw new Refused(`cmdr answered with status ${answer.status}.`); });
}

/**
 * Ask with the key of this browser's login; what cmdr says no to is thrown.
 * @param {string} path @param {RequestInit} how
 */
export async function request(path, how) {
  const mine = key();
  if (!mine) throw new LoggedOut('This browser is not logged in.');
  let answer;
  try {
    answer = await fetch(path, { ...how, headers: { accept: 'application/json', ...how.headers, [HEADER]: mine } });
  } catch {
    throw new NoAnswer('cmdr does not answer.');
  }
  if (answer.status === 401) {
    forget(mine);
    throw new LoggedOut('This page is logged out.');
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({ error: `cmdr answered with status ${answer.status}.` }));
  throw new Refused(told.error);
}

/** Send something. @param {string} path @param {object} body @returns {Promise<any>} */
export function send(path, body) {
  return read(path, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
}

/** Ask for a new state; while one is on its way, the next is asked for after it. @returns {Promise<void>} */
export function look() {
  if (looking) { isStale = true; return looking; }
  const mine = lookUntilNew().finally(() => { if (looking === mine) looking = null; });
  looking = mine;
  return mine;
}

/** What fails is told to whoever asked: a page that silently missed a change would show it no more. */
async function lookUntilNew() {
  const began = begun;
  do {
    isStale = false;
    const number = ++asked;
    const found = await read(`/page/state?${where()}`);
    if (began !== begun) return;
    take(found, number);
  } while (isStale);
}

/** Forget what is known of a cmdr that has ended: the next one counts anew. */
export function begin() {
  begun++;
  taken = 0;
  looking = null;
  isStale = false;
  if (state) state = { ...state, rev: -1 };
}

/**
 * Run a command behind those before it; the state that comes with its answer is shown first.
 * @param {string} name @param {object} [args] @param {string} [chosen] what was chosen for it
 */
export function order(name, args = {}, chosen = '') {
  return orderThen(() => [name, args], chosen);
}

/**
 * The same, with the command's result: its kind and its fields, as model/results/ has them.
 * @param {string} name @param {object} [args] @returns {Promise<{answer: string, result: any}>}
 */
export function ask(name, args = {}) {
  return inTurn(() => post('/page/command', { name, arguments: args }));
}

/**
 * The same for a command that is made when its turn comes; null drops it.
 * @param {() => [string, object] | null} make @param {string} [chosen]
 * @returns {Promise<string>}
 */
export function orderThen(make, chosen = '') {
  return inTurn(async () => {
    const made = make();
    return made === null ? '' : aside(...made, chosen);
  });
}

/** Do something behind all that was ordered before. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
export function inTurn(work) {
  waiting++;
  const mine = last.then(work).finally(() => { waiting--; });
  last = mine.catch(() => undefined);
  return mine;
}

/** Run a command that nothing else waits for. @param {string} name @param {object} [args] @param {string} [chosen] */
export async function aside(name, args = {}, chosen = '') {
  return (await post('/page/command', { name, arguments: args, chosen })).answer;
}

/** The same for its result. @param {string} name @param {object} [args] */
export async function asideResult(name, args = {}) {
  return (await post('/page/command', { name, arguments: args })).result;
}

/** Send something whose answer brings the state after it. @param {string} path @param {object} body */
export async function post(path, body) {
  const number = ++asked;
  const told = await send(`${path}?${where()}`, { ...body, page: PAGE });
  take(told.state, number);
  return told;
}

/** Wait until everything ordered so far is done, or slow: the next key then acts on what the person saw. */
export function settled() {
  return Promise.race([last, new Promise((done) => { setTimeout(done, PATIENCE); })]);
}

/** Give up waiting for what was ordered; whether there was anything. */
export function letGo() {
  if (!waiting) return false;
  last = Promise.resolve();
  return true;
}

function where() {
  const { left, right } = windows;
  return `left=${left.start},${left.count}&right=${right.start},${right.count}`;
}

/** Of two states that overtake each other the newer one stays. @param {State} found @param {number} number */
function take(found, number) {
  if (state !== null && (found.rev < state.rev || (found.rev === state.rev && number < taken))) return;
  state = found;
  taken = number;
  for (const watcher of [...watchers]) watcher(found);
}
