// Rows dragged onto a folder or into the other pane, and files dropped onto a pane: asked about like a copy by key.

import { chosen } from '../changes/chosen.js';
import { transfer } from '../changes/files.js';
import { below, element } from '../core/element.js';
import { guarded } from '../core/status.js';
import { keysWaitFor } from '../keys/key_order.js';
import { broughtBy, upload } from './browser_files.js';
import { isCovered } from '../windows/window.js';

/** @typedef {import('../panes/pane.js').Pane} Pane */

const TYPE = 'application/x-cmdr-rows';

/** Let rows be dragged between the panes. @param {Pane[]} panes */
export function listenToDrags(panes) {
  /** @type {Pane | null} */
  let from = null;
  let isAlone = false;
  for (const pane of panes) {
    const { rows } = pane.list;
    // The rows are drawn anew when one of them is pressed, so what is dragged is the list that holds them.
    rows.draggable = true;
    rows.addEventListener('dragstart', (event) => {
      const row = pane.here;
      if (!row || !event.dataTransfer || isCovered()) { event.preventDefault(); return; }
      from = pane;
      isAlone = !row.selected;
      event.dataTransfer.setData(TYPE, pane.side);
      event.dataTransfer.effectAllowed = 'copyMove';
      const label = element('div', { class: 'dragged' }, isAlone ? row.name : `${pane.now.selected} items`);
      document.body.append(label);
      event.dataTransfer.setDragImage(label, -12, -12);
      setTimeout(() => label.remove());
    });
    rows.addEventListener('dragend', () => { from = null; mark(null); });
    pane.root.addEventListener('dragover', (event) => {
      if (!from || !target(pane, event)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.dataTransfer) event.dataTransfer.dropEffect = event.shiftKey ? 'move' : 'copy';
      mark(pane, event);
    });
    pane.root.addEventListener('drop', (event) => {
      const to = from && target(pane, event);
      if (!from || !to) return;
      event.preventDefault();
      event.stopPropagation();
      mark(null);
      const command = event.shiftKey ? 'move' : 'copy';
      guarded(keysWaitFor(transfer(to, command, chosen({ side: from.side, isAlone }))));
      from = null;
    });
  }

  /** A folder's row under the mouse, else the folder of the other pane. @param {Pane} pane @param {Event} event */
  function target(pane, event) {
    const row = folderAt(pane, event);
    if (row && !(pane === from && (row.selected || row === pane.here))) return below(pane.now.path, row.name);
    return pane === from ? null : pane.now.path;
  }

  /** @param {Pane | null} pane @param {Event} [event] */
  function mark(pane, event) {
    const row = pane && event ? folderAt(pane, event) : null;
    for (const each of panes) {
      each.root.classList.toggle('dropping', each === pane && !row);
      for (const drawn of each.list.rows.children) {
        drawn.classList.toggle('dropping', Boolean(row) && each === pane && event?.target instanceof Node
          && drawn.contains(event.target));
      }
    }
  }
}

/** @param {Pane} pane @param {Event} event */
function folderAt(pane, event) {
  const place = pane.list.at(event);
  const row = place === null ? null : pane.now.rows[place - pane.list.above - pane.now.start];
  return row?.folder ? row : null;
}

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
