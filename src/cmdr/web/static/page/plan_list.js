// All that a proposed change would do, step by step: some lines at once, more when they are asked for.

import { element } from './element.js';
import { asideResult } from './server.js';
import { guarded } from './status.js';
import { button, show } from './window.js';

const AT_ONCE = 500;

/**
 * Show every step of a proposal.
 * @param {string} id @param {string} digest of the plan that is asked about @param {() => void} closed
 */
export function planList(id, digest, closed) {
  const lines = element('ol', { class: 'steps', tabIndex: 0, 'aria-label': 'Every step' });
  const more = button('Show more', () => { guarded(load()); }, { class: 'main' });
  const window = show({ title: 'The whole plan', class: 'wide', body: [lines], buttons: [more], closed });
  lines.focus();
  guarded(load());

  async function load() {
    more.disabled = true;
    let left = 0;
    const wanted = lines.childElementCount + AT_ONCE;
    do {
      const start = lines.childElementCount;
      const page = await asideResult('proposal.items', { proposal: id, start, count: wanted - start });
      if (page.digest !== digest) { window.close(); return; }
      lines.append(...page.lines.map((/** @type {string} */ line) => element('li', {}, line)));
      left = page.lines.length ? page.total - lines.childElementCount : 0;
    } while (left && lines.childElementCount < wanted);
    more.textContent = left ? `Show more (${left} left)` : `All ${lines.childElementCount} are shown`;
    more.disabled = left === 0;
  }
}
