// The commander in the browser: draws the workspace, and turns keys and clicks into commands.

import { act } from './actions.js';
import { waitingCount } from './approvals.js';
import { listen, lost } from './changes.js';
import { element, part } from './element.js';
import { drawStrip } from './jobs.js';
import { listenToKeys } from './keyboard.js';
import { BAR } from './keys.js';
import { menuAt } from './menu.js';
import { Pane } from './pane.js';
import { look, now, watch } from './server.js';
import { guarded } from './status.js';
import { dress } from './theme.js';
import { isCovered, whenUncovered } from './window.js';

const MENU = [
  ['find', 'Find'], ['places', 'Places'], ['treemap', 'Space'], ['history', 'History'], ['jobs', 'Jobs'],
  ['agents', 'Agents'], ['settings', 'Settings'], ['palette', 'Commands'],
];
const FADES = 4200;

const hears = { more: () => { guarded(look()); }, act: run, menu: menuAt };
/** @type {Record<import('./picture.js').Side, Pane>} */
const panes = { left: new Pane('left', hears), right: new Pane('right', hears) };
let focused = '';
/** @type {number | undefined} */
let fading;

/** @param {string} action */
function run(action) {
  act(action, panes);
}

/** Give the keyboard to the rows of the pane in focus. */
function focusPane() {
  panes[now().focused].list.rows.focus();
}

function draw() {
  const picture = now();
  const isMoved = picture.focused !== focused;
  focused = picture.focused;
  dress(picture.look);
  panes.left.draw(false);
  panes.right.draw(false);
  if (isMoved && !isCovered()) focusPane();
  drawHeader();
  drawStrip();
}

function drawHeader() {
  const { stopped, activity, look: chosen } = now();
  const waiting = waitingCount();
  const button = part('waiting');
  button.hidden = waiting === 0;
  if (button.textContent !== `${waiting} to answer`) button.textContent = `${waiting} to answer`;
  document.title = waiting ? `(${waiting}) cmdr` : 'cmdr';
  part('activity').textContent = stopped ? 'agents are stopped' : chosen.activity ? activity : '';
  part('stop').textContent = stopped ? 'Let agents call again' : 'Stop agents';
  clearTimeout(fading);
  if (activity) fading = setTimeout(() => { look().catch(() => undefined); }, FADES);
}

async function start() {
  part('keys').append(...BAR.map(({ id, keys, bar }) => element('button', { type: 'button', 'data-action': id },
    element('kbd', {}, keys[0]), ` ${bar}`)));
  part('menu').append(...MENU.map(([id, word]) => element('button', { type: 'button', 'data-action': id }, word)));
  watch(draw);
  whenUncovered(focusPane);
  addEventListener('click', (event) => {
    const hit = event.target instanceof Element ? event.target.closest('[data-action]') : null;
    if (hit instanceof HTMLElement && hit.dataset.action) run(hit.dataset.action);
  });
  addEventListener('cmdr-action', (event) => { if (event instanceof CustomEvent) run(event.detail); });
  try {
    await look();
  } catch (error) {
    lost(error);
    return;
  }
  focusPane();
  listenToKeys(panes, run);
  listen();
}

start();
