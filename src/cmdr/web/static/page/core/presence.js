// Tells cmdr that somebody is at this page, so that no tab of an agent comes forward under their fingers.

import { now, PAGE, read } from './server.js';

/** How often cmdr is told at most, and how long after the last key or click it hears how things stand. */
const INTERVAL = 500;

let isBusy = () => false;
let isDragging = false;
let toldBusy = false;
/** @type {number | undefined} */
let timer;

/**
 * Listen to keys and clicks, before anybody acts on them.
 * @param {() => boolean} busy whether something is half done here: a search, a window
 */
export function listenToPerson(busy) {
  isBusy = busy;
  addEventListener('keydown', (event) => { if (event.isTrusted) heard(true); }, true);
  addEventListener('pointerdown', () => heard(false), true);
  addEventListener('dragstart', () => { isDragging = true; heard(false); }, true);
  addEventListener('dragend', () => { isDragging = false; heard(false); }, true);
}

/** @param {boolean} byKey */
function heard(byKey) {
  const isBroughtBack = byKey && Object.values(now().panes).some(({ byItself }) => byItself);
  if (isBroughtBack || timer === undefined) tell(byKey);
  clearTimeout(timer);
  timer = setTimeout(after, INTERVAL);
}

/** What the last key or click has led to; a search that nobody goes on with ends by itself. */
function after() {
  const busy = isDragging || isBusy();
  timer = undefined;
  if (busy !== toldBusy) tell(false);
  if (busy) timer = setTimeout(after, 2 * INTERVAL);
}

/** @param {boolean} byKey */
function tell(byKey) {
  toldBusy = isDragging || isBusy();
  read('/page/presence', {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ page: PAGE, byKey, busy: toldBusy }),
  }).catch(() => undefined);
}
