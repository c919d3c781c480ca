// Brings files from the person's own machine into a folder: they are sent, then copied like any others.

import { element } from './element.js';
import { operate } from './operate.js';
import { send } from './server.js';
import { tell } from './status.js';
import { keep } from './unsaved.js';
import { button, show } from './window.js';

/** @typedef {import('./dropped.js').Brought} Brought */

/** Bytes sent at once: more would be refused. */
const PIECE = 700_000;

/** @param {Brought[]} brought @param {string} folder */
export async function upload(brought, folder) {
  if (!brought.length) return;
  /** @type {{id: string}} */
  const { id } = await send('/page/uploads', {});
  const drop = () => { send(`/page/uploads/${id}/drop`, {}).catch(() => undefined); };
  try {
    if (!await sent(id, brought, folder)) { drop(); tell('Nothing was uploaded.'); return; }
    const { paths } = await send(`/page/uploads/${id}/whole`, {});
    // Those that did not get there are kept, so that they can be tried again.
    await operate('copy', { paths, to: folder.endsWith('/') ? folder : `${folder}/`, onConflict: 'ask' }, {
      sure: true, ended: (job) => { if (!job?.canRetry) drop(); },
    });
  } catch (error) {
    drop();
    throw error;
  }
}

/**
 * Send everything, in a window that shows how far it is; false when the person stops it.
 * @param {string} id @param {Brought[]} brought @param {string} folder
 */
async function sent(id, brought, folder) {
  const all = brought.reduce((sum, { file }) => sum + (file?.size ?? 0), 0);
  let done = 0;
  let isStopped = false;
  const leave = keep(() => !isStopped);
  const bar = element('progress', { max: Math.max(1, all), value: 0, 'aria-label': 'how far' });
  const note = element('p', { class: 'note' });
  const window = show({
    title: `Uploading to ${folder}`, body: [bar, note], reads: true,
    closed: () => { isStopped = true; leave(); },
    buttons: [button('Stop', () => window.close())],
  });
  try {
    for (const [index, { way, file }] of brought.entries()) {
      if (!file) await send(`/page/uploads/${id}`, { way });
      for (let at = 0; file && (at < file.size || at === 0); at += PIECE) {
        if (isStopped) return false;
        note.textContent = `${index + 1} of ${brought.length}: ${way.join('/')}`;
        const data = await base64(file.slice(at, at + PIECE));
        await send(`/page/uploads/${id}`, { way, at, data });
        done += Math.min(PIECE, file.size - at);
        bar.value = done;
      }
    }
    return !isStopped;
  } finally {
    window.close();
  }
}

/** @param {Blob} piece @returns {Promise<string>} */
function base64(piece) {
  return new Promise((answer, failed) => {
    const reader = new FileReader();
    reader.onload = () => answer(String(reader.result).replace(/^[^,]*,?/, ''));
    reader.onerror = () => failed(new Error('The browser cannot read this file.'));
    reader.readAsDataURL(piece);
  });
}
