// Hears of every change, and finds back to cmdr when it was gone for a while.

import { part } from './element.js';
import { begin, isKnown, LoggedOut, look, NoAnswer, PAGE, request } from './server.js';
import { tell } from './status.js';

const SOONEST = 500;
const LATEST = 15_000;
const OUT = 'This page is logged out. Type “cmdr web” in a terminal and open the link that it prints.';
const GONE = 'cmdr does not answer. Start it in a terminal; this page finds it again by itself.';

let delay = SOONEST;
/** @type {AbortController | null} */
let stream = null;
/** @type {number | undefined} */
let timer;
/** Pages of one browser tell each other that somebody logged in. */
const others = new BroadcastChannel('cmdr');

/** Hear of every change from now on. */
export function listen() {
  others.postMessage('here');
  others.onmessage = () => { if (!stream) retry(); };
  addEventListener('pagehide', () => stream?.abort());
  addEventListener('pageshow', (event) => { if (event.persisted) retry(); });
  addEventListener('focus', () => { if (!stream) retry(); });
  connect();
}

/** Say that cmdr cannot be reached, and why. @param {unknown} error */
export function lost(error) {
  notice(error instanceof LoggedOut ? OUT : GONE);
  stream?.abort();
  stream = null;
  clearTimeout(timer);
  timer = setTimeout(retry, delay);
  delay = Math.min(LATEST, delay * 2);
}

function connect() {
  stream?.abort();
  const mine = new AbortController();
  stream = mine;
  hear(mine).then(() => { if (stream === mine) retry(); }, (error) => { if (stream === mine) lost(error); });
}

/** Hear the stream to its end: an EventSource could not send the key. @param {AbortController} mine */
async function hear(mine) {
  const answer = await request(`/page/events?page=${PAGE}`, { signal: mine.signal });
  delay = SOONEST;
  notice('');
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done) return;
    const events = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      if (event.startsWith('event: over')) throw new NoAnswer('cmdr has ended.');
      if (event.startsWith('data: ') && !isKnown(Number(event.slice(6)))) {
        look().catch((error) => { if (stream === mine) lost(error); });
      }
    }
  }
}

/** Whether cmdr is there again, and still knows this page. */
function retry() {
  clearTimeout(timer);
  stream?.abort();
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
