// The key of this browser's login: kept for this origin alone, where no page of another port can read it.

const NAME = 'cmdr-page';

/** The header that carries it. */
export const HEADER = 'x-cmdr-page';

/** The key, or nothing when this browser is not logged in. */
export function key() {
  try {
    return localStorage.getItem(NAME);
  } catch {
    return null;  // the browser keeps nothing for this page
  }
}

/** Keep the key of a new login. @param {string} given */
export function keep(given) {
  localStorage.setItem(NAME, given);
}

/** Forget a key that opens nothing any more, unless there is a newer one. @param {string} old */
export function forget(old) {
  if (key() === old) localStorage.removeItem(NAME);
}
