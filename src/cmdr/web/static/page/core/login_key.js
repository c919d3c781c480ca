// The key of this browser's login: kept for this origin alone, where no page of another port can read it.

const NAME = 'cmdr-page';

/** The header that carries it. */
export const HEADER = 'x-cmdr-page';

/** A key that opens nothing any more. @type {string | null} */
let dead = null;

/** The key, or nothing when this browser is not logged in. */
export function key() {
  try {
    const kept = localStorage.getItem(NAME);
    return kept === dead ? null : kept;
  } catch {
    return null;  // the browser keeps nothing for this page
  }
}

/** Keep the key of a new login. @param {string} given */
export function keep(given) {
  localStorage.setItem(NAME, given);
}

/**
 * Use a key no more. It stays where it is: another page may just be putting the key of a new login there, which
 * this one does not see yet and would take away with it.
 * @param {string} old
 */
export function forget(old) {
  dead = old;
}
