// Takes the key of a login out of the page that brought it, and goes on to the commander.

import { part } from './core/element.js';
import { keep } from './core/login_key.js';

const given = document.querySelector('meta[name="cmdr-page"]');

try {
  keep(given instanceof HTMLMetaElement ? given.content : '');
  // A link may lead to one thing that waits; nothing else of an address is followed.
  location.replace(/^#\/inbox\/[\w-]{1,80}$/.test(location.hash) ? `/${location.hash}` : '/');
} catch {
  part('told').textContent = 'This browser keeps no data for this page, so it cannot be logged in. '
    + 'Allow site data for this address, then type “cmdr web” in a terminal again.';
}
