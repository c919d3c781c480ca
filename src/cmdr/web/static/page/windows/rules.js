// The rules: what the person has said yes to beforehand, how much of it is left in this hour, and why one rests.

import { element } from '../core/element.js';
import { asideResult } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { agentMark } from './agent_mark.js';
import { button, show } from './window.js';

/**
 * @typedef {{number: number, client: string, words: string, files: number, filesLeft: number, holds: boolean,
 *   suspended: string, problem: string, line: number}} RuleRow
 * @typedef {{rows: RuleRow[], settings: string, trouble: string}} Rules
 */

const ALWAYS_ASKED = 'Always asked, whatever the rules say: deleting for good, protected and private places, anything '
  + 'outside a rule’s folders, permissions that open something up, commands, undoing your own work.';

/** The rules as a part of a window. @param {Rules} rules @param {() => Promise<void>} draw them anew */
export function rulesPanel({ rows, settings, trouble }, draw) {
  return element('section', { class: 'panel', 'aria-label': 'Rules' },
    element('header', {}, element('h3', {}, 'Rules')),
    element('div', { class: 'scrolled', tabIndex: 0, role: 'region', 'aria-label': 'Every rule' },
      trouble ? element('p', { class: 'risk' }, trouble) : null,
      ...(rows.length ? rows.map((row) => rule(row, draw)) : [element('p', { class: 'nothing' },
        'No rule yet. “Yes and make a rule” in the inbox makes one.')])),
    element('p', { class: 'keyhints' }, ALWAYS_ASKED, settings ? ` They are kept in ${settings}.` : ''));
}

/** @param {RuleRow} row @param {() => Promise<void>} draw */
function rule(row, draw) {
  const { number, client, words, files, filesLeft, holds, suspended, problem, line } = row;
  const used = files - filesLeft;
  const spent = `${used} of ${files} files this hour`;
  const state = suspended ? 'suspended' : holds ? 'holds' : 'does not hold';
  return element('section', { class: 'client' },
    element('p', { class: 'split' }, element('span', {}, number ? `${number} ` : '', client ? agentMark(client) : ''),
      element('span', { class: `tag ${holds ? 'ok' : 'warn'}` }, state)),
    element('p', {}, words || `Line ${line} of the settings`),
    files ? element('progress', { max: files, value: used, 'aria-label': spent }) : null,
    files ? element('p', { class: 'dim' }, spent) : null,
    ...[suspended, problem].filter(Boolean).map((text) => element('p', { class: 'care' }, text)),
    number ? element('div', { class: 'buttons' },
      suspended ? does('Allow again', 'rules.allow', number, draw) : does('Suspend', 'rules.suspend', number, draw),
      button('Remove…', () => askRemove(row, draw), { 'data-key': `remove ${number}` })) : null);
}

/** @param {string} text @param {string} command @param {number} number @param {() => Promise<void>} draw */
function does(text, command, number, draw) {
  return button(text, () => guarded(change(command, number, draw)), { 'data-key': `${command} ${number}` });
}

/** @param {string} command @param {number} number @param {() => Promise<void>} draw */
async function change(command, number, draw) {
  const { said } = await asideResult(command, { rule: number });
  tell(said);
  await draw();
}

/** @param {RuleRow} row @param {() => Promise<void>} draw */
function askRemove({ number, words }, draw) {
  const no = button('No, keep it', () => window.close(), { class: 'main' });
  const window = show({
    title: `Remove rule ${number}`, class: 'confirm', body: [element('p', {}, words)],
    buttons: [no, button('Yes, remove it', () => {
      if (!window.hears()) return;
      window.close();
      guarded(change('rules.remove', number, draw));
    })],
  });
  no.focus();
}
