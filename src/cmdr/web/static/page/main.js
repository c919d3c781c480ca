// The commander in the browser: draws the workspace, and turns keys and clicks into commands.

import { act } from './actions.js';
import { waitingCount } from './approvals.js';
import { listen, lost } from './changes.js';
import { listenToDrags } from './dragging.js';
import { listenToDrops } from './dropping.js';
import { element, part } from './element.js';
import { drawStrip } from './jobs.js';
import { listenToKeys } from './keyboard.js';
import { listenInOrder } from './key_order.js';
import {
  actionAt, actionTable, followActions, readActions, titleWithKey, upToDate, watchActions, wordOf,
} from './key_map.js';
import { menuAt } from './menu.js';
import { Pane } from './pane.js';
import { look, now, watch } from './server.js';
import { guarded } from './status.js';
import { dress } from './theme.js';
import { isCovered, whenUncovered } from './window.js';

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
  const { count } = now().expired;
  const told = [waiting && `${waiting} to answer`, count && `${count} expired`].filter(Boolean).join(' · ');
  button.hidden = !told;
  if (button.textContent !== told) button.textContent = told;
  document.title = waiting + count ? `(${waiting + count}) cmdr` : 'cmdr';
  part('activity').textContent = stopped ? 'agents are stopped' : chosen.activity ? activity : '';
  part('stop').textContent = stopped ? 'Let agents call again' : 'Stop agents';
  clearTimeout(fading);
  if (activity) fading = setTimeout(() => { look().catch(() => undefined); }, FADES);
}

/** The function keys below and the words above, as the keys are by now. */
function drawKeys() {
  const bound = [...Array(10).keys()].flatMap((number) => {
    const action = actionAt(`f${number + 1}`);
    return action ? [{ action, key: `F${number + 1}` }] : [];
  });
  part('keys').replaceChildren(...bound.map(({ action, key }) => element('button', {
    type: 'button', 'data-action': action,
  }, element('kbd', {}, key), ` ${wordOf(action)}`)));
  part('menu').replaceChildren(...actionTable().topBar.map((id) => element('button', {
    type: 'button', 'data-action': id, title: titleWithKey(id),
  }, wordOf(id))));
  part('swap').textContent = wordOf('other_pane');
  for (const id of ['stop', 'waiting', 'swap']) part(id).title = titleWithKey(part(id).dataset.action ?? '');
}

/** Say why there is nothing to see, until there is. @param {unknown} error @returns {Promise<void>} */
function firstPicture(error) {
  lost(error);
  return new Promise((done) => {
    const unwatch = watch(() => { unwatch(); done(); });
  });
}

async function start() {
  watch(draw);
  watchActions(drawKeys);
  whenUncovered(focusPane);
  addEventListener('click', (event) => {
    const hit = event.target instanceof Element ? event.target.closest('[data-action]') : null;
    if (hit instanceof HTMLElement && hit.dataset.action) run(hit.dataset.action);
  });
  addEventListener('mouseup', (event) => {
    const action = { 3: 'back', 4: 'forward' }[event.button];
    if (!action) return;
    event.preventDefault();
    if (!isCovered()) run(action);
  });
  addEventListener('cmdr-action', (event) => { if (event instanceof CustomEvent) run(event.detail); });
  // What keys do is known before there is anything to press them for.
  await readActions().then(look).catch(firstPicture);
  followActions();
  await upToDate();
  focusPane();
  listenInOrder();
  listenToKeys(panes, run);
  listenToDrops([panes.left, panes.right]);
  listenToDrags([panes.left, panes.right]);
  listen();
}

start();
