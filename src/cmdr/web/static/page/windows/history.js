// What was done to files, and undo for any of it.

import { operate } from '../changes/change.js';
import { element } from '../core/element.js';
import { read } from '../core/server.js';
import { guarded } from '../core/status.js';
import { titleOf, wordOf } from '../keys/key_map.js';
import { keysWaitFor } from '../keys/key_order.js';
import { heads } from './agents.js';
import { button, show } from './window.js';

/**
 * @typedef {{id: number, when: string, verb: string, state: string, failed: number, what: string,
 *   to: string | null, by: string}} Done
 */

/** What was done to files, and undo for any of it. */
export async function history() {
  /** @type {{done: Done[], begins: string[]}} */
  const { done, begins } = await read('/page/history');
  const window = show({
    title: wordOf('history'), class: 'wide', reads: true,
    body: [done.length
      ? element('table', {}, heads('when', 'what', 'by', ''), element('tbody', {}, ...done.map(row)))
      : element('p', {}, begins.length ? 'The history begins here.' : 'Nothing has been changed yet.'),
    ...begins.map((text) => element('p', { class: 'risk' }, text))],
  });

  /** @param {Done} entry */
  function row(entry) {
    const to = entry.to ? ` → ${entry.to}` : '';
    const marks = [entry.state === 'done' ? '' : entry.state, entry.failed ? `${entry.failed} failed` : '']
      .filter(Boolean).join(', ');
    const undo = button(titleOf('undo'), () => {
      window.close();
      guarded(keysWaitFor(operate('undo', { operation: entry.id })));
    }, { 'aria-label': `Undo operation ${entry.id}` });
    return element('tr', { class: entry.state },
      element('td', {}, entry.when),
      element('td', {}, `${entry.verb} ${entry.what}${to}${marks ? ` (${marks})` : ''}`),
      element('td', {}, entry.by),
      element('td', {}, entry.state === 'undone' ? '' : undo));
  }
}
