// Which window draws which dialog of the workspace.

import { about } from './about.js';
import { volumes } from './going.js';
import { info } from './info.js';
import { now } from './server.js';
import { settings } from './settings.js';
import { tie } from './tie.js';
import { view } from './viewer.js';

/** @type {Record<string, (path: string) => unknown>} */
const DRAWN = { 'file-viewer': view, info, about, settings, 'volume-picker': pickVolume };

/** Show a dialog that is open. @param {string} type @param {string} path */
export async function draw(type, path) {
  await DRAWN[type]?.(path);
}

async function pickVolume() {
  const closed = tie('volume-picker', '', () => undefined);
  try {
    await volumes(now().focused);
  } finally {
    closed();
  }
}
