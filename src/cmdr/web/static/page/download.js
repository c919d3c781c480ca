// Takes what is chosen out of the pane: one file as it is, anything else as one zip.

import { chosen } from './chosen.js';
import { element } from './element.js';
import { send } from './server.js';
import { tell } from './status.js';

/** Save what is chosen on the machine of the browser. */
export async function download() {
  const what = await chosen();
  if (!what) return;
  const { name, href } = await send(`/page/download/${encodeURIComponent(what.id)}`, {});
  const link = element('a', { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  tell(`The browser saves ${name}`);
}
