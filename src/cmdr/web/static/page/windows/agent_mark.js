// The name of an agent with its colour: the same wherever it is told of, and never used for anything else.

import { element } from '../core/element.js';

const HUES = 6;

/** Who has which colour. @type {Map<string, number>} */
const hues = new Map([['claude', 0], ['codex', 1], ['gemini', 2]]);

/** @param {string} name */
export function agentMark(name) {
  return element('span', { class: 'agent', 'data-hue': String(hue(name)) }, name);
}

/** The next free one, while there is one. @param {string} name */
function hue(name) {
  const known = hues.get(name) ?? (hues.size < HUES ? hues.size : hues.size % HUES);
  if (hues.size < 100) hues.set(name, known);
  return known;
}
