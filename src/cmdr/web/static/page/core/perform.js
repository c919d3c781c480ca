// Runs any command and shows what comes of it: the dialog it opened, the change it planned, or what it says.

import { decided } from '../changes/change.js';
import { ask } from './server.js';
import { tell } from './status.js';
import { draw } from '../windows/dialogs.js';

/**
 * @param {string} command @param {object} [args] @param {{quiet?: boolean}} [how] `quiet`: what it says is seen anyway
 */
export async function perform(command, args = {}, { quiet = false } = {}) {
  const answer = await ask(command, args);
  const { result } = answer;
  if (result.kind === 'opened') await draw(result.type, result.path ?? '');
  else if (!await decided(answer) && !quiet) tell(answer.text);
}
