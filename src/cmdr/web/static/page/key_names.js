// What keys are called: by people who write them down, by the browser, and on the page.

/** As the settings spell them; the browser's own names are understood as well. @type {Map<string, string>} */
const NAMES = new Map(Object.entries({
  up: 'ArrowUp', down: 'ArrowDown', left: 'ArrowLeft', right: 'ArrowRight', '↑': 'ArrowUp', '↓': 'ArrowDown',
  '←': 'ArrowLeft', '→': 'ArrowRight', arrowup: 'ArrowUp', arrowdown: 'ArrowDown', arrowleft: 'ArrowLeft',
  arrowright: 'ArrowRight', pageup: 'PageUp', pagedown: 'PageDown', pgup: 'PageUp', pgdn: 'PageDown', home: 'Home',
  end: 'End', insert: 'Insert', ins: 'Insert', delete: 'Delete', del: 'Delete', enter: 'Enter', space: 'Space',
  backspace: 'Backspace', tab: 'Tab', escape: 'Escape', esc: 'Escape', contextmenu: 'ContextMenu', menu: 'ContextMenu',
  plus: '+', minus: '-', asterisk: '*', slash: '/', backslash: '\\', full_stop: '.', comma: ',', underscore: '_',
  question_mark: '?', exclamation_mark: '!', quotation_mark: '"', apostrophe: "'", number_sign: '#', dollar_sign: '$',
  percent_sign: '%', ampersand: '&', left_parenthesis: '(', right_parenthesis: ')', colon: ':', semicolon: ';',
  less_than_sign: '<', equals_sign: '=', greater_than_sign: '>', at: '@', left_square_bracket: '[',
  right_square_bracket: ']', circumflex_accent: '^', grave_accent: '`', left_curly_bracket: '{', vertical_line: '|',
  right_curly_bracket: '}', tilde: '~',
}));
/** @type {Record<string, string>} */
const SPOKEN = {
  ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', PageUp: 'PgUp', PageDown: 'PgDn', Insert: 'Ins',
  Delete: 'Del', ContextMenu: 'Menu', Escape: 'Esc',
};
const MARKS = ['Ctrl', 'Alt', 'Shift'];
/** Keys that are only held while another one is pressed, or are part of one that is still being made. */
const HELD = new Set(['Control', 'Alt', 'Shift', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process', 'Unidentified']);

/** A key as somebody wrote it, in the form this page knows: `ctrl+pgup` is `Ctrl+PageUp`. @param {string} text */
export function normal(text) {
  const key = text.trim();
  const cut = key === '+' || key.endsWith('++') ? key.length - 1 : key.lastIndexOf('+') + 1;
  const last = key.slice(cut);
  const before = key.slice(0, cut).toLowerCase().split('+');
  const name = NAMES.get(last.toLowerCase()) ?? (/^f\d+$/i.test(last) ? last.toUpperCase() : last.toLowerCase());
  return named(name, MARKS.filter((mark) => before.includes(mark.toLowerCase())));
}

/** The key that was pressed, or nothing while it only waits for another. @param {KeyboardEvent} event */
export function pressed(event) {
  if (isHeld(event.key)) return '';
  const name = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const held = [event.ctrlKey || event.metaKey, event.altKey, event.shiftKey];
  return named(name, MARKS.filter((_, index) => held[index]));
}

/** Whether a key means nothing by itself. @param {string} key */
export function isHeld(key) {
  return HELD.has(key);
}

/** A key as the settings keep it, for every face: `Ctrl+PageUp` is `ctrl+pageup`. @param {string} key */
export function kept(key) {
  const name = key.replace(/^(?:Ctrl\+|Alt\+|Shift\+)*/, '');
  const word = [...NAMES].find(([, known]) => known === name)?.[0] ?? name;
  return (key.slice(0, key.length - name.length) + word).toLowerCase();
}

/** A key as it is written for people. @param {string} key */
export function spoken(key) {
  return key.replace(/[A-Za-z]+$/, (last) => SPOKEN[last] ?? (last.length === 1 ? last.toUpperCase() : last));
}

/** @param {string} name @param {string[]} marks */
function named(name, marks) {
  // Where Shift makes the sign, as in `?`, the sign says it all.
  const isSign = name.length === 1 && name.toLowerCase() === name.toUpperCase();
  return [...marks.filter((mark) => mark !== 'Shift' || !isSign), name].join('+');
}
