// The name of an agent with its colour: the same wherever it is told of, and never used for anything else.

import { element } from '../core/element.js';

const HUES = 6;

/** @param {string} name */
export function agentMark(name) {
  return element('span', { class: 'agent', 'data-hue': String(hue(name)) }, name);
}

/** @param {string} name */
function hue(name) {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return sum % HUES;
}
