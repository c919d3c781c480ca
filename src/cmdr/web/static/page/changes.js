// Hears of every change, and finds back to cmdr when it was gone for a while.

import { part } from './element.js';
import { begin, isKnown, LoggedOut, look, PAGE } from './server.js';
import { tell } from './status.js';

const SOONEST = 500;
const LATEST = 15_000;
const OUT = 'This page is logged out. Type “cmdr web” in a terminal and open the link that it prints.';
const GONE = 'cmdr does not answer. Start it in a terminal; this page finds it again by itself.';

let delay = SOONEST;
/** @type {EventSource | null} */
let stream = null;
/** @type {number | undefined} */
let timer;
/** Pages of one browser tell each other that somebody logged in. */
const others = new BroadcastChannel('cmdr');

/** Hear of every change from now on. */
export function listen() {
  others.postMessage('here');
  others.onmessage = () => { if (!stream) retry(); };
  addEventListener('pagehide', () => stream?.close());
  addEventListener('pageshow', (event) => { if (event.persisted) retry(); });
  addEventListener('focus', () => { if (!stream) retry(); });
  connect();
}

/** Say that cmdr cannot be reached, and why. @param {unknown} error */
export function lost(error) {
  notice(error instanceof LoggedOut ? OUT : GONE);
  stream?.close();
  stream = null;
  clearTimeout(timer);
  timer = setTimeout(retry, delay);
  delay = Math.min(LATEST, delay * 2);
}

function connect() {
  const mine = new EventSource(`/page/changes?page=${PAGE}`);
  stream = mine;
  mine.onopen = () => { delay = SOONEST; notice(''); };
  mine.onerror = () => { if (stream === mine) retry(); };
  mine.onmessage = (event) => {
    if (!isKnown(Number(event.data))) look().catch((error) => { if (stream === mine) lost(error); });
  };
  mine.addEventListener('over', () => { if (stream === mine) lost(null); });
}

/** Whether cmdr is there again, and still knows this page. */
function retry() {
  clearTimeout(timer);
  stream?.close();
  stream = null;
  begin();
  look().then(connect, lost);
}

/** @param {string} text */
function notice(text) {
  const shown = part('notice');
  const was = shown.hidden;
  document.body.classList.toggle('alone', text !== '');
  shown.hidden = text === '';
  if (shown.textContent !== text) shown.textContent = text;
  if (!was && text === '') tell('cmdr is back.');
  if (was && text) tell(text, true);  // a window may cover the notice
}
