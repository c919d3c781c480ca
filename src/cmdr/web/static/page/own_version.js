// The person's own version of what an agent proposes.

import { element } from './element.js';
import { read } from './server.js';
import { keep } from './unsaved.js';
import { button, show } from './window.js';

/**
 * Let the person change the proposed text; `take` says whether the change was taken.
 * @param {string} id @param {string} path @param {(text: string) => Promise<boolean>} take
 */
export async function ownVersion(id, path, take) {
  const { text } = await read(`/page/edit/${encodeURIComponent(id)}/proposed`);
  const area = element('textarea', { value: text, spellcheck: false, 'aria-label': 'The proposed text' });
  const given = area.value;
  let isLeaving = false;
  const note = element('p', { class: 'note', 'aria-live': 'polite' });
  const taken = async () => { if (await take(area.value)) window.close(); };
  const window = show({
    title: `Your own version of ${path}`, class: 'full', body: [note, area], closed: keep(() => area.value !== given),
    buttons: [button('Take this text', taken, { class: 'main' }), button('Cancel', () => window.leave())],
    refuses: () => {
      if (area.value === given || isLeaving) return false;
      isLeaving = true;
      note.textContent = '● changed and not taken. Esc once more throws the changes away.';
      area.focus();
      return true;
    },
  });
  area.addEventListener('input', () => { isLeaving = false; note.textContent = ''; });
  area.focus();
}
