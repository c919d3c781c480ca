// What an agent did without a question, because a rule admits it: told as long as nothing newer was done.

import { operate } from '../changes/change.js';
import { element, part } from '../core/element.js';
import { now } from '../core/server.js';
import { guarded } from '../core/status.js';
import { titleOf } from '../keys/key_map.js';
import { keysWaitFor } from '../keys/key_order.js';
import { button } from './window.js';

let drawn = '';

/** Draw the line, or take it away. */
export function drawUnasked() {
  const { unasked } = now();
  const line = part('unasked');
  const text = unasked ? `${unasked.line} · by rule ${unasked.rule}` : '';
  line.hidden = !unasked;
  if (!unasked || text === drawn) { drawn = text; return; }
  drawn = text;
  const { operation } = unasked;
  line.replaceChildren(element('span', { class: 'tag ok' }, 'unasked'), element('span', { class: 'cut' }, text),
    button(titleOf('undo'), () => { guarded(keysWaitFor(operate('undo', { operation }))); }),
    element('button', { type: 'button', 'data-action': 'agents' }, 'All of today'));
}
