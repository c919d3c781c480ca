// Files that are dropped on a pane go into its folder.

import { broughtBy } from './dropped.js';
import { guarded } from './status.js';
import { upload } from './upload.js';
import { isCovered } from './window.js';

/** @typedef {import('./pane.js').Pane} Pane */

/** Listen to drops. @param {Pane[]} panes */
export function listenToDrops(panes) {
  /** @param {DragEvent} event */
  const under = (event) => {
    const hasFiles = event.dataTransfer?.types.includes('Files') && !isCovered();
    return panes.find(({ root }) => hasFiles && event.target instanceof Node && root.contains(event.target));
  };
  /** @param {Pane} [pane] */
  const mark = (pane) => { for (const each of panes) each.root.classList.toggle('dropping', each === pane); };

  // Without this the browser would leave the page and show the file.
  addEventListener('dragover', (event) => {
    event.preventDefault();
    const pane = under(event);
    if (event.dataTransfer) event.dataTransfer.dropEffect = pane ? 'copy' : 'none';
    mark(pane);
  });
  addEventListener('dragleave', (event) => { if (!event.relatedTarget) mark(); });
  addEventListener('drop', (event) => {
    event.preventDefault();
    mark();
    const pane = under(event);
    if (!pane || !event.dataTransfer) return;
    const folder = pane.now.path;
    guarded(broughtBy(event.dataTransfer).then((brought) => upload(brought, folder)));
  });
}
