// What waits calls the person: in the head of the page, in its title, on its icon, and through the browser.

import { part } from '../core/element.js';
import { now } from '../core/server.js';
import { guarded } from '../core/status.js';
import { inbox } from './inbox.js';
import { waitingCount } from './waiting.js';

const ICON = '/static/page/icon.svg';
const WAITING = '/static/page/icon-waiting.svg';
const ADDRESS = /^#\/inbox\/([\w-]{1,80})$/;

/** When the newest of what was waiting came; null before anything is known. @type {number | null} */
let newest = null;

/** Draw how much waits, and call the person when something came. */
export function drawCalls() {
  const { answers, sees } = waitingCount();
  const button = part('waiting');
  const told = [answers && `${answers} to answer`, sees && `${sees} to see`].filter(Boolean).join(' · ');
  button.hidden = !told;
  if (button.textContent !== told) button.textContent = told;
  const all = answers + sees;
  document.title = all ? `(${all}) cmdr` : 'cmdr';
  const icon = document.querySelector('link[rel="icon"]');
  const wanted = all ? WAITING : ICON;
  if (icon instanceof HTMLLinkElement && icon.getAttribute('href') !== wanted) icon.setAttribute('href', wanted);
  badge(all);
  call(all);
}

/** On the icon of the page where it is installed. @param {number} all */
function badge(all) {
  const { setAppBadge } = /** @type {{setAppBadge?: (count: number) => Promise<void>}} */ (navigator);
  setAppBadge?.call(navigator, all).catch(() => undefined);
}

/** @param {number} all */
function call(all) {
  const { inbox: { last }, theme: { notify } } = now();
  const isNew = newest !== null && last !== null && last.since > newest;
  newest = Math.max(newest ?? 0, last?.since ?? 0);
  const isAway = document.hidden || !document.hasFocus();
  if (!isNew || notify === 'never' || (notify === 'when away' && !isAway)) return;
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
  // One of them for all pages of this browser; the next one takes its place.
  const called = new Notification(all === 1 ? 'cmdr: 1 waits for you' : `cmdr: ${all} wait for you`, {
    body: last.line, tag: 'cmdr-inbox', icon: ICON,
  });
  called.addEventListener('click', () => {
    focus();
    called.close();
    guarded(inbox(last.id));
  });
}

/** Open the inbox where the address says so: it only shows, and is forgotten at once. */
export function listenToAddress() {
  addEventListener('hashchange', opens);
  opens();

  function opens() {
    const wanted = ADDRESS.exec(location.hash);
    if (!wanted) return;
    history.replaceState(null, '', location.pathname);
    guarded(inbox(wanted[1]));
  }
}
