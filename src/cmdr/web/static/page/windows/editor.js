// Edits a small text.

import { element } from '../core/element.js';
import { ask, read } from '../core/server.js';
import { guarded, tell } from '../core/status.js';
import { keep } from '../core/unsaved.js';
import { button, show } from './window.js';

/** Edit a file. @param {string} path */
export async function edit(path) {
  let { text, digest } = await read(`/page/text?path=${encodeURIComponent(path)}`);
  let isLeaving = false;
  const area = element('textarea', { value: text, spellcheck: false, 'aria-label': path, oninput: mark });
  // A text area has its own line ends; what it made of the text is what changes are compared with.
  text = area.value;
  const state = element('p', { class: 'note', 'aria-live': 'polite' });
  const window = show({
    title: path, class: 'full', body: [state, area],
    buttons: [button('Save (Ctrl+S)', () => { guarded(save()); }, { class: 'main' }),
      button('Close', () => window.leave())],
    keys: (event) => {
      const saves = event.key === 'F2' || (event.key === 's' && (event.ctrlKey || event.metaKey));
      if (saves) guarded(save());
      return saves;
    },
    refuses, closed: keep(isDirty),
  });
  area.setSelectionRange(0, 0);
  area.focus();
  area.scrollTop = 0;

  function isDirty() { return area.value !== text; }

  function mark() {
    isLeaving = false;
    state.textContent = isDirty() ? '● changed' : '';
  }

  /** The first Esc with changes warns, the second one throws them away. */
  function refuses() {
    if (!isDirty() || isLeaving) return false;
    isLeaving = true;
    state.textContent = '● changed and not saved. Ctrl+S saves; Esc once more throws the changes away.';
    area.focus();
    return true;
  }

  async function save() {
    const saved = area.value;
    let told;
    try {
      told = await ask('text.save', { path, text: saved, digest });
    } catch (error) {
      state.textContent = error instanceof Error ? error.message : String(error);
      return;
    }
    tell(told.answer);
    text = saved;
    digest = told.result.digest;
    mark();
    if (!isDirty()) state.textContent = 'saved';
  }
}
