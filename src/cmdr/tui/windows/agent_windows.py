"""Windows that agents open come to the front by themselves, but never under the fingers of somebody who types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.screen import Screen

from cmdr.model.results.inbox import InboxKind
from cmdr.tui.inbox.waiting import BLOCKING, waiting_rows, waiting_windows
from cmdr.tui.windows.window import CLOSE_KEYS, GracePeriod

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp

IDLE_S = 5.0
"""Seconds without a key after which the person is taken to be doing nothing."""
TYPING_S = 1.0
"""Seconds after a key in which the person is taken to be typing: nothing comes to the front then, whatever was set."""
_AFTER_S = {"at once": TYPING_S, "when idle": IDLE_S}


class AgentWindows:
    """Shows what agents opened once, when nobody types; what was closed without an answer waits in the inbox."""

    def __init__(self, terminal: TerminalApp) -> None:
        self._terminal = terminal
        self._shown: set[str] = set()
        """What came to the front already, or was there before."""
        self._grace_period = GracePeriod(terminal.clock)
        self._deaf: Screen[object] | None = None
        """The window that came by itself: keys of the first moment were meant for something else."""

    def look(self) -> None:
        """See whether there is something to show; it comes when the person has been idle for a moment."""
        seconds = _AFTER_S.get(self._terminal.commander.settings.text("agents.windows"))
        new = self._new()
        if seconds is None or not new or not self._is_free:
            self._terminal.presence.cancel("windows")
        else:
            self._terminal.presence.when_idle("windows", seconds, self._show)

    def drops(self, front: Screen[object], event: events.Key | events.Paste) -> bool:
        """Whether a key came too early for a window that nobody asked for; what closes it always counts."""
        if front is not self._deaf or (isinstance(event, events.Key) and event.key in CLOSE_KEYS):
            return False
        return self._grace_period.drops()

    @property
    def _is_free(self) -> bool:
        """Whether nothing is typed: the panes are in front, and no search, filter or slow command is under way."""
        terminal, main = self._terminal, self._terminal.main
        searching = bool(main.quick_search.search) or main.quick_search.filtering is not None
        is_in_front = bool(terminal.screen_stack) and terminal.screen is main
        return (
            is_in_front and not searching and not main.queue.busy and not terminal.commander.desktop.terminal_suspended
        )

    def _new(self) -> set[str]:
        """What agents opened and nobody has seen, by its id."""
        waiting = {row.id for row in waiting_rows(self._terminal.commander) if row.kind in BLOCKING}
        waiting |= {dialog.id for dialog in waiting_windows(self._terminal)}
        self._shown &= waiting
        return waiting - self._shown

    def _show(self) -> None:
        """Put it in front: a window as it is, what has to be decided in the inbox, a single edit as a review."""
        from cmdr.tui.inbox.inbox import InboxWindow
        from cmdr.tui.review.screen import open_review, pending_reviews

        new = self._new()
        if not new or not self._is_free:
            return
        terminal = self._terminal
        rows = waiting_rows(terminal.commander)
        if any(row.id in new for row in rows):
            self._shown |= {row.id for row in rows}
            edits = pending_reviews(terminal.main)
            if len(rows) == 1 and rows[0].kind is InboxKind.EDIT and edits:
                open_review(terminal.main, edits[0])
            else:
                terminal.push_screen(InboxWindow(terminal.main))
        else:
            for dialog in waiting_windows(terminal):
                self._shown.add(dialog.id)
                terminal.windows.open_window(dialog)
        self._deaf = terminal.screen
        self._grace_period = GracePeriod(terminal.clock)
        self._deaf.call_after_refresh(self._grace_period.begin)
