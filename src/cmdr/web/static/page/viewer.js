// Looks at a file of any size, and searches in it.

import { Contents } from './contents.js';
import { edit } from './editor.js';
import { below, element } from './element.js';
import { info } from './info.js';
import { order, read } from './server.js';
import { guarded } from './status.js';
import { button, show } from './window.js';

/**
 * Run a command that opens the entry under the cursor, and show what it opened here.
 * @param {import('./pane.js').Pane} pane @param {string} command
 */
export async function opens(pane, command) {
  if (!pane.here) return;
  const path = below(pane.now.path, pane.here.name);
  const told = await order(command);
  /** @param {string} type */
  const closes = (type) => () => { guarded(order('dialog', { action: 'close', type, path })); };
  if (told.startsWith('Opened file viewer')) await view(path, closes('file-viewer'));
  else if (told.startsWith('Opened info')) await info(path, closes('info'));
}

/** View a file. @param {string} path @param {() => void} [closed] */
export async function view(path, closed) {
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
    closed,
  });
  contents.text.focus();
  await guarded(contents.open());

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
    guarded(found(back));
  }

  /** @param {boolean} back */
  async function found(back) {
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
    guarded(edit(path));
  }
}
