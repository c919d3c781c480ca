// Permissions and time of the chosen files: boxes to tick, a number that follows them, and the other way round.

import { operate } from './change.js';
import { chosen } from './chosen.js';
import { element } from '../core/element.js';
import { send } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { keysWaitFor, keysWaitInside } from '../keys/key_order.js';
import { button, show } from '../windows/window.js';

/**
 * @typedef {{every: number, some: number, ticked: Record<string, boolean>, states: Record<string, boolean | null>,
 *   octal: string, letters: string, wish: string}} Boxes what they show is decided by cmdr, for every face alike
 * @typedef {{people: string[], rights: string[], special: string[], bits: number[][], modifiedHint: string,
 *   boxes: Boxes}} Attributes
 */

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Nothing happens before Enter; what is not touched stays as it is in each file. */
export async function attributes() {
  const what = await chosen();
  if (!what) return;
  /** @type {Attributes} */
  const { people, rights, special, bits, modifiedHint, boxes: known } = await send('/page/attributes',
    { chosen: what.id });
  let boxes = known;
  let problem = '';
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  const names = [...people.map((who) => rights.map((right) => `${who} ${right}`)), special];
  const grid = bits.map((row, at) => row.map((bit, place) => element('input', {
    type: 'checkbox', 'aria-label': names[at][place], onchange: () => change({ toggle: bit }),
  })));
  const octal = element('input', {
    type: 'text', maxLength: 4, placeholder: 'they differ', spellcheck: false, autocomplete: 'off',
    oninput: () => change({ octal: octal.value }),
  });
  const modified = element('input', {
    type: 'text', placeholder: modifiedHint, spellcheck: false, autocomplete: 'off',
  });
  const into = element('input', { type: 'checkbox' });
  const letters = element('p', { class: 'letters', 'aria-live': 'polite' });
  const window = show({
    title: `Attributes of ${what.what}`, class: 'attributes',
    body: [
      element('table', {},
        element('thead', {}, element('tr', {}, element('td', {}), ...rights.map((right) => (
          element('th', { scope: 'col' }, right))))),
        element('tbody', {}, ...people.map((who, at) => element('tr', {}, element('th', { scope: 'row' }, who),
          ...grid[at].map((box) => element('td', {}, box)))))),
      element('div', { class: 'special' }, ...special.map((name, place) => (
        element('label', {}, grid[people.length][place], ` ${name}`)))),
      letters,
      element('label', { class: 'setting' }, element('span', {}, 'Octal'), octal),
      element('label', { class: 'setting' }, element('span', {}, 'Modified'), modified),
      element('label', {}, into, ' also what is inside folders'),
    ],
    buttons: [button('Cancel', () => window.close()), button('Change', apply, { class: 'main' })],
    keys: (event) => {
      if (event.key === 'Enter' && event.target instanceof HTMLInputElement) { apply(); return true; }
      return move(event);
    },
  });
  draw();
  grid[0][0].focus();

  /** Tick a box or take a number, one after the other. @param {{toggle: number} | {octal: string}} wanted */
  function change(wanted) {
    last = guarded(keysWaitInside(last.then(async () => {
      ({ boxes, problem } = await send('/page/attributes/ticked', { ...wanted, boxes }));
    }))).then(draw);
  }

  function draw() {
    for (const [at, row] of bits.entries()) {
      for (const [place, bit] of row.entries()) {
        const state = boxes.states[bit];
        grid[at][place].checked = state === true;
        grid[at][place].indeterminate = state === null;
      }
    }
    letters.textContent = boxes.letters;
    if (document.activeElement !== octal) octal.value = boxes.octal;
  }

  /** Arrows go from box to box. @param {KeyboardEvent} event */
  function move({ key, target }) {
    const at = grid.findIndex((row) => row.some((box) => box === target));
    if (at < 0 || !Object.hasOwn(STEPS, key)) return false;
    const place = grid[at].findIndex((box) => box === target);
    const [down, right] = STEPS[key];
    grid[at + down]?.[place + right]?.focus();
    return true;
  }

  function apply() {
    guarded(keysWaitFor(last.then(async () => {
      if (octal.value.trim() && problem) { tell(problem, true); return; }
      const [mode, time] = [boxes.wish, modified.value.trim()];
      window.close();
      if (!what || !(mode || time)) return;
      const wish = { ...(mode ? { mode } : {}), ...(time ? { modified: time } : {}), into: into.checked };
      await operate('attributes', wish, { sure: true, chosen: what.id });
    })));
  }
}
