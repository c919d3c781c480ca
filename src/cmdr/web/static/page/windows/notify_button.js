// Asks the browser to be allowed to call the person, from a button alone.

import { tell } from '../core/status.js';
import { button } from './window.js';

/** A button, while the browser has neither said yes nor no. */
export function notifyButton() {
  const made = button('Notify me when something waits', async () => {
    const answer = await Notification.requestPermission();
    made.hidden = answer !== 'default';
    tell(answer === 'granted' ? 'The browser will call you.' : 'The browser will not call you.', answer === 'denied');
  }, { hidden: !('Notification' in globalThis) || Notification.permission !== 'default' });
  return made;
}
