// Ties a window to a dialog of the workspace.

import { now, order, runs, watch } from '../core/server.js';
import { guarded } from '../core/status.js';

/**
 * From now on the window closes when its dialog is closed anywhere. What is returned is for when the window closes: it
 * closes the dialog. After cmdr was gone for a while the dialog may be too; the person goes on reading all the same.
 * @param {string} type @param {string} path @param {() => void} close
 */
export function tie(type, path, close) {
  const isThere = () => now().dialogs.some((dialog) => dialog.type === type && (dialog.path ?? '') === path);
  let run = runs();
  let wasThere = isThere();
  const unwatch = watch(() => {
    if (run !== runs()) { run = runs(); wasThere = false; }
    if (isThere()) wasThere = true;
    else if (wasThere) close();
  });
  return () => {
    unwatch();
    if (isThere()) guarded(order('dialog', { action: 'close', type, ...(path ? { path } : {}) }));
  };
}
