// Looks at a file of any size, and searches in it.

import { element } from '../core/element.js';
import { read } from '../core/server.js';
import { guarded } from '../core/status.js';
import { keysWaitFor, keysWaitInside } from '../keys/key_order.js';
import { Contents } from './contents.js';
import { tie } from './dialog_link.js';
import { edit } from './editor.js';
import { button, show } from './window.js';

/** View a file. @param {string} path */
export function view(path) {
  const contents = new Contents(path);
  let line = -1;
  const note = element('span', { class: 'note', 'aria-live': 'polite' });
  const wanted = element('input', {
    type: 'text', placeholder: 'search (/)', 'aria-label': 'Search in this file', spellcheck: false,
    autocomplete: 'off',
    oninput: () => { line = -1; note.textContent = ''; },
  });
  const window = show({
    title: path, class: 'full',
    body: [element('div', { class: 'searchbar' }, contents.about, note, wanted), contents.text],
    buttons: [button('Next (n)', () => seek(false)), button('Previous (p)', () => seek(true)),
      button('Edit (F4)', edits), button('Close', () => window.close())],
    keys: pressed,
    closed: () => closed(),
  });
  const closed = tie('file-viewer', path, () => window.close());
  contents.text.focus();
  const opened = guarded(contents.open());

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const isTyping = event.target === wanted;
    /** @type {Record<string, () => void>} */
    const does = {
      F3: () => window.close(), F4: edits, F7: () => wanted.focus(),
      ...(isTyping ? { Enter: () => seek(event.shiftKey) } : {
        '/': () => wanted.focus(), n: () => seek(false), p: () => seek(true), q: () => window.close(),
        Home: () => { guarded(contents.from(0)); },
      }),
    };
    if (event.ctrlKey && event.key === 'f') { wanted.focus(); return true; }
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(does, event.key)) return false;
    does[event.key]();
    return true;
  }

  /** @param {boolean} back */
  function seek(back) {
    if (!wanted.value) { wanted.focus(); return; }
    guarded(keysWaitInside(found(back)));
  }

  /** @param {boolean} back */
  async function found(back) {
    await opened;
    const from = line < 0 ? contents.top - (back ? 0 : 1) : line;
    const asked = `path=${encodeURIComponent(path)}&text=${encodeURIComponent(wanted.value)}`;
    const { line: hit } = await read(`/page/find?${asked}&line=${from}&back=${back ? 1 : 0}`);
    if (hit === null) { note.textContent = 'not found any more'; return; }
    line = hit;
    note.textContent = `line ${(hit + 1).toLocaleString()}`;
    await contents.go(hit);
  }

  function edits() {
    window.close();
    guarded(keysWaitFor(edit(path)));
  }
}
