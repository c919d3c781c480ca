// Runs any command and shows what comes of it: the dialog it opened, the change it planned, or what it says.

import { begin, carry } from '../changes/change.js';
import { draw } from '../windows/dialogs.js';

/**
 * @param {string} command @param {object} [args] @param {{quiet?: boolean}} [how] `quiet`: what it says is seen anyway
 */
export async function perform(command, args = {}, { quiet = false } = {}) {
  const { change, result } = await begin(command, args);
  if (result.kind === 'opened') await draw(result.type, result.path ?? '');
  else if (change.kind !== 'ended' || !quiet) await carry(change);
}
