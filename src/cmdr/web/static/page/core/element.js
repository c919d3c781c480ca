// Makes elements. Text is always text: no name of a file can become markup.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [given] properties, `class`, `role`, `data-…` and `aria-…` attributes, `on…` handlers
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'class' || name === 'role' || name.includes('-')) made.setAttribute(name, String(value));
    else Reflect.set(made, name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/**
 * A shape of a drawing.
 * @param {string} tag @param {Record<string, string | number>} given @param {...Child} children
 */
export function shape(tag, given, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, String(value));
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** A part of the page that is always there. @param {string} id */
export function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** A path and a name below it. @param {string} folder @param {string} name */
export function below(folder, name) {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
