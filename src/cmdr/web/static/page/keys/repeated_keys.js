// A key that waited, pressed for the person, with what the browser itself does only with keys of its own.

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

/** What takes the keyboard, in the order of the page. */
const REACHED = 'a[href], button, input, select, textarea, [tabindex]';

/** The keys of the person behind those made here. @type {WeakMap<Event, KeyboardEvent>} */
const real = new WeakMap();

/** What the person really pressed, and when. @param {Event} event */
export function reallyPressed(event) {
  return real.get(event) ?? event;
}

/** Whether a key pastes, wherever the keyboard is. @param {KeyboardEvent} event */
export function isPaste({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  return key.toLowerCase() === 'v' && (ctrlKey || metaKey) && !altKey && !shiftKey;
}

/** Press a key where the keyboard is now. @param {KeyboardEvent} event @param {string} pasted */
export function pressAgain(event, pasted) {
  const { key, code, ctrlKey, altKey, metaKey, shiftKey, repeat } = event;
  const at = document.activeElement ?? document.body;
  const again = new KeyboardEvent('keydown', {
    key, code, ctrlKey, altKey, metaKey, shiftKey, repeat, bubbles: true, cancelable: true,
  });
  real.set(again, event);
  if (!at.dispatchEvent(again) || altKey) return;
  if (isField(at) && isPaste(again)) paste(at, pasted);
  else if (isField(at)) write(at, again);
  else if (at instanceof HTMLElement && !ctrlKey && !metaKey) use(at, key);
  if (key === 'Tab' && !ctrlKey) step(shiftKey ? -1 : 1);
}

/** @param {Element} at @returns {at is Field} */
function isField(at) {
  return at instanceof HTMLTextAreaElement || (at instanceof HTMLInputElement && at.type === 'text');
}

/**
 * What a field does with a key; what is typed like this can be taken back.
 * @param {Field} field @param {KeyboardEvent} event
 */
function write(field, { key, ctrlKey, metaKey, shiftKey }) {
  if (ctrlKey || metaKey) {
    if (key === 'a') field.select();
  } else if ([...key].length === 1) document.execCommand('insertText', false, key);
  else if (key === 'Enter' && field instanceof HTMLTextAreaElement) document.execCommand('insertLineBreak');
  else if (key === 'Backspace') document.execCommand('delete');
  else if (key === 'Delete') document.execCommand('forwardDelete');
  else move(field, key, shiftKey);
}

/** Not into a field that wants to be typed into. @param {Field} field @param {string} text */
function paste(field, text) {
  const asked = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
  if (text && field.dispatchEvent(asked)) document.execCommand('insertText', false, text);
}

/** Move the caret of a field. @param {Field} field @param {string} key @param {boolean} isSelecting */
function move(field, key, isSelecting) {
  const { value } = field;
  const [start, end] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
  const isBack = field.selectionDirection === 'backward';
  const [fixed, caret] = isBack ? [end, start] : [start, end];
  // Without Shift an arrow first leaves what is selected.
  const step = isSelecting || start === end;
  const after = value.indexOf('\n', caret);
  /** @type {Record<string, number>} */
  const places = {
    ArrowLeft: step ? Math.max(0, caret - 1) : start, ArrowRight: step ? Math.min(value.length, caret + 1) : end,
    Home: value.lastIndexOf('\n', caret - 1) + 1, End: after < 0 ? value.length : after,
  };
  if (!Object.hasOwn(places, key)) return;
  const to = places[key];
  const from = isSelecting ? fixed : to;
  field.setSelectionRange(Math.min(from, to), Math.max(from, to), to < from ? 'backward' : 'forward');
}

/** What a button and a box do with a key. @param {HTMLElement} at @param {string} key */
function use(at, key) {
  const isButton = at instanceof HTMLButtonElement && (key === 'Enter' || key === ' ');
  if (isButton || (at instanceof HTMLInputElement && key === ' ')) at.click();
}

/** Give the keyboard to what comes next. @param {number} by */
function step(by) {
  const within = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  const all = [...within.querySelectorAll(REACHED)].filter((each) => each instanceof HTMLElement
    && each.tabIndex >= 0 && !each.matches(':disabled') && each.checkVisibility());
  const at = document.activeElement ? all.indexOf(document.activeElement) : -1;
  const next = all[(at + by + all.length) % all.length];
  if (next instanceof HTMLInputElement) next.select();
  if (next instanceof HTMLElement) next.focus();
}
