// Files between the panes and the person's own machine: uploads are sent, then copied like any others; downloads.

import { operate } from '../changes/change.js';
import { chosen } from '../changes/chosen.js';
import { element } from '../core/element.js';
import { send } from '../core/server.js';
import { tell } from '../core/status.js';
import { keep } from '../core/unsaved.js';
import { button, show } from '../windows/window.js';

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
      sure: true, whenOver: (job) => { if (!job?.canRetry) drop(); },
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

/** @typedef {{way: string[], file: File | null}} Brought `file` is null for a folder */

/**
 * What lies in a drop. It must be asked at once: the browser forgets it when the event is over.
 * @param {DataTransfer} transfer @returns {Promise<Brought[]>}
 */
export async function broughtBy(transfer) {
  const dropped = [...transfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  /** @type {Brought[]} */
  const found = [];
  for (const each of dropped) {
    if (each instanceof File) found.push({ way: [each.name], file: each });
    else if (each) found.push(...await inside(each, []));
  }
  return found;
}

/** Let the person pick files. @returns {Promise<Brought[]>} */
export function picked() {
  return new Promise((answer) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    input.addEventListener('change', () => answer([...input.files ?? []].map((file) => ({ way: [file.name], file }))));
    input.addEventListener('cancel', () => answer([]));
    input.click();
  });
}

/** @param {FileSystemEntry} entry @param {string[]} above @returns {Promise<Brought[]>} */
async function inside(entry, above) {
  const way = [...above, entry.name];
  if (entry instanceof FileSystemFileEntry) {
    return [{ way, file: await new Promise((done, failed) => { entry.file(done, failed); }) }];
  }
  if (!(entry instanceof FileSystemDirectoryEntry)) return [];
  /** @type {Brought[]} */
  const found = [{ way, file: null }];
  const reader = entry.createReader();
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((done, failed) => { reader.readEntries(done, failed); });
    if (!some.length) return found;
    for (const each of some) found.push(...await inside(each, way));
  }
}

/** Save what is chosen on the machine of the browser. */
export async function download() {
  const what = await chosen();
  if (!what) return;
  const { name, href } = await send(`/page/download/${encodeURIComponent(what.id)}`, {});
  const link = element('a', { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  tell(`The browser saves ${name}`);
}
