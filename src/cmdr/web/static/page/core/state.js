// The types of the workspace's state: everything that cmdr sends to the page.

/**
 * @typedef {'left' | 'right'} Side
 * @typedef {{name: string, kind: string, folder: boolean, archive: boolean, size: string, date: string,
 *   selected: boolean, fresh: boolean}} Row
 * @typedef {{id: string, name: string, pinned: boolean, agent: string}} Tab `agent` is whose it is, if not the person's
 * @typedef {{path: string, title: string, tabs: Tab[], tab: string, sort: string, order: string, view: string,
 *   filter: string, count: number, cursor: number, onParent: boolean, hasParent: boolean, selected: number,
 *   totals: string, free: string, problem: string | null, start: number, rows: Row[], byItself: boolean,
 *   letsAgentsIn: boolean}} PaneState `byItself` when an agent's tab came to the front because the person rests
 * @typedef {{id: string, answers: Record<string, string>, folder: string | null, there: string, thereFacts: string,
 *   new: string, newFacts: string}} Question `answers` by their keys; a `folder` holds something else
 *   than was shown
 * @typedef {{id: string, title: string, state: string, over: boolean, interrupted: boolean, share: number,
 *   items: string, bytes: string, rate: string, left: number | null, current: string, question: Question | null,
 *   outcome: string, problems: string[], operation: number | null, canRetry: boolean, output: string, asks: string,
 *   waitsBehind: string, isStopped: boolean, isSeen: boolean}} Job
 * @typedef {{id: string, title: string, share: number | null, entries: string}} Scan
 * @typedef {{id: string, title: string, what: string, by: string, mine: boolean}} Waiting
 * @typedef {{id: string, path: string, by: string, changes: string}} Edit
 * @typedef {{id: string, type: string, mine: boolean, by: string, path: string | null}} Dialog
 * @typedef {{answers: number, sees: number, tag: string, last: {id: string, since: number,
 *   line: string} | null}} Waits how much has to be answered and how much to be seen; `tag` changes with every row
 * @typedef {{name: string, keyBar: boolean, colours: boolean, activity: boolean, search: boolean,
 *   parentRow: boolean, wrap: boolean, notify: string}} Theme
 * @typedef {{rev: number, focused: Side, hidden: boolean, panes: Record<Side, PaneState>,
 *   dialogs: Dialog[], proposals: Waiting[], edits: Edit[], jobs: Job[],
 *   scans: Scan[],
 *   inbox: Waits, unasked: {operation: number, line: string, rule: number} | null,
 *   stopped: boolean, activity: string, theme: Theme, actions: string}} State
 */

export {};
