// What a pressed key is called: as cmdr's table has it, so that nothing here needs a list of keys.

const MODIFIERS = ['ctrl', 'alt', 'shift'];
/** Keys that are only held while another one is pressed, or are part of one that is still being made. */
const HELD = new Set(['Control', 'Alt', 'Shift', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process', 'Unidentified']);

/** The key that was pressed, or nothing while it only waits for another. @param {KeyboardEvent} event */
export function pressed(event) {
  if (isHeld(event.key)) return '';
  const name = event.key === ' ' ? 'space' : event.key.replace(/^Arrow/, '').toLowerCase();
  // Where Shift makes the sign, as in `?`, the sign says it all.
  const isSign = event.key.length === 1 && name !== 'space' && name === event.key.toUpperCase();
  const held = [event.ctrlKey || event.metaKey, event.altKey, event.shiftKey && !isSign];
  return [...MODIFIERS.filter((_, index) => held[index]), name].join('+');
}

/** Whether a key means nothing by itself. @param {string} key */
export function isHeld(key) {
  return HELD.has(key);
}
