// The commander in the browser: draws the workspace, and turns keys and clicks into commands.

import { act } from './core/actions.js';
import { element, part } from './core/element.js';
import { listen, lost } from './core/events.js';
import { listenToPerson } from './core/presence.js';
import { look, now, watch } from './core/server.js';
import { guarded } from './core/status.js';
import { STOP, stopAgents } from './core/stop.js';
import {
  actionAt, actionTable, followActions, readActions, titleWithKey, upToDate, watchActions, wordOf,
} from './keys/key_map.js';
import { listenInOrder } from './keys/key_order.js';
import { listenForStop, listenToKeys } from './keys/keyboard.js';
import { Pane } from './panes/pane.js';
import { listenToDrags, listenToDrops } from './transfer/drag_and_drop.js';
import { drawCalls, listenToAddress } from './windows/calls.js';
import { drawStrip } from './windows/jobs.js';
import { menuAt } from './windows/menu.js';
import { drawUnasked } from './windows/unasked.js';
import { isCovered, whenUncovered } from './windows/window.js';

const FADES = 4200;

const hears = { more: () => { guarded(look()); }, act: run, menu: menuAt };
/** @type {Record<import('./core/state.js').Side, Pane>} */
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
  const state = now();
  const isMoved = state.focused !== focused;
  focused = state.focused;
  applyTheme(state.theme);
  panes.left.draw(false);
  panes.right.draw(false);
  if (isMoved && !isCovered()) focusPane();
  drawHeader();
  drawStrip();
  drawUnasked();
}

/**
 * Light or dark, as the settings say; the browser decides where they leave it open.
 * @param {import('./core/state.js').Theme} theme
 */
function applyTheme(theme) {
  const root = document.documentElement;
  root.dataset.theme = ['light', 'dark', 'classic'].includes(theme.name) ? theme.name : 'auto';
  document.body.classList.toggle('barless', !theme.keyBar);
  document.body.classList.toggle('plain', !theme.colours);
  document.body.classList.toggle('wraps', theme.wrap);
}

function drawHeader() {
  const { stopped, activity, theme } = now();
  drawCalls();
  part('activity').textContent = stopped ? 'agents are stopped' : theme.activity ? activity : '';
  // Allowing them again is done in their window, on purpose.
  part('stop').textContent = stopped ? 'Agents are stopped' : 'Stop agents';
  part('stop').dataset.action = stopped ? 'agents' : STOP;
  part('stop').title = titleWithKey(part('stop').dataset.action ?? '');
  document.body.classList.toggle('stopped', stopped);
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
function firstState(error) {
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
    if (!(hit instanceof HTMLElement) || !hit.dataset.action) return;
    if (hit.dataset.action === STOP) stopAgents(); else run(hit.dataset.action);
  });
  addEventListener('mouseup', (event) => {
    const action = { 3: 'back', 4: 'forward' }[event.button];
    if (!action) return;
    event.preventDefault();
    if (!isCovered()) run(action);
  });
  addEventListener('cmdr-action', (event) => { if (event instanceof CustomEvent) run(event.detail); });
  // What keys do is known before there is anything to press them for.
  await readActions().then(look).catch(firstState);
  followActions();
  await upToDate();
  focusPane();
  listenForStop();
  listenToPerson(() => isCovered() || Boolean(panes.left.note || panes.right.note));
  listenInOrder();
  listenToKeys(panes, run);
  listenToDrops([panes.left, panes.right]);
  listenToDrags([panes.left, panes.right]);
  listenToAddress();
  listen();
}

start();
