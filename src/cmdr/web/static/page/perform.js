// Runs any command and shows what comes of it: the dialog it opened, the change it planned, or what it says.

import { draw } from './drawn.js';
import { decided } from './operate.js';
import { order } from './server.js';
import { tell } from './status.js';

/**
 * @param {string} command @param {object} [args] @param {{quiet?: boolean}} [how] `quiet`: what it says is seen anyway
 */
export async function perform(command, args = {}, { quiet = false } = {}) {
  const told = await order(command, args);
  const opened = /^Opened (file viewer|info|about|settings|volume picker)(?: for (.*))?/.exec(told);
  if (opened) await draw(opened[1].replace(' ', '-'), opened[2] ?? '');
  else if (!await decided(told) && !quiet) tell(told);
}
