// Opens all of what waits in a window of its own: every step of a plan, an edit change by change, a job, a viewer.

import { planList } from '../changes/confirm.js';
import { draw } from './dialogs.js';
import { jobsWindow } from './jobs.js';
import { review } from './review.js';

/**
 * @param {import('./inbox_rows.js').InboxRow} row @param {string} digest of what is shown
 * @param {() => void} closed is called when the inbox is in front again
 */
export async function opensFully(row, digest, closed) {
  const { id, kind, dialog } = row;
  if (dialog) await draw(dialog.type, dialog.path ?? '');
  else if (kind === 'edit') await review(id, closed);
  else if (['proposal', 'command', 'trust'].includes(kind)) planList(id, digest, closed);
  else if (['question', 'paused', 'failed', 'interrupted'].includes(kind)) jobsWindow(closed);
}
