// What the person picked or dropped from their own machine, folders with all that is in them.

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
