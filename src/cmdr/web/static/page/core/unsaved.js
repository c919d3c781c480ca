// Asks before the browser leaves a page on which something would be lost.

/** @type {Set<() => boolean>} */
const kept = new Set();

/** Ask as long as something is to be lost; returns what ends that. @param {() => boolean} isDirty */
export function keep(isDirty) {
  kept.add(isDirty);
  return () => { kept.delete(isDirty); };
}

addEventListener('beforeunload', (event) => {
  if ([...kept].some((isDirty) => isDirty())) event.preventDefault();
});
