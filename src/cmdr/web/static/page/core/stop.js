// Stops all agents: at once, in every window, past everything that waits its turn.

import { aside } from './server.js';
import { guarded, tell } from './status.js';

export const STOP = 'stop_agents';

/** Ask for nothing, wait for nothing. */
export function stopAgents() {
  return guarded(aside('agents.stop').then((told) => tell(told, true)));
}
