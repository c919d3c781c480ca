"""The two lines below the panes: the status line and the bar of function keys."""

import time

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip

from cmdr.core.commander import Commander
from cmdr.model.job import JobState
from cmdr.model.keys import KeyMap
from cmdr.model.names import is_within
from cmdr.model.units import count, human_size
from cmdr.tui.inbox.waiting import in_words, waiting_rows
from cmdr.tui.input.key_map import key_labels, label_cells
from cmdr.tui.panes.frame import entry_line
from cmdr.tui.panes.prefetch import LinkTargetCache
from cmdr.tui.terminal.safe_text import fit, printable, width_of
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.widgets.lines import LineWidget

MESSAGE_S = 6.0
ACTIVITY_S = 4.0
UNASKED_WIDTH = 48
"""Columns of the line about what ran without a question."""
MIN_WORDS = 24
"""Columns that words about what waits need at least."""


class StatusLine(LineWidget):
    """One line, read from the workspace each time it is drawn."""

    DEFAULT_CSS = "StatusLine { height: 1; width: 1fr; }"

    def __init__(self, commander: Commander, appearance: Appearance) -> None:
        super().__init__(appearance, id="status")
        self._commander = commander
        self._message = ""
        self._until = 0.0
        self._bad = False
        self._drawn: Strip | None = None
        self._links = LinkTargetCache(commander, self.redraw)
        self.busy = False
        self.doing = ""
        """What takes long at the moment, where it is known."""

    def show_message(self, message: str, *, bad: bool = False) -> None:
        """Show a message for a while."""
        self._message, self._bad = " ".join(printable(message).split("\u240a")), bad
        self._until = time.monotonic() + MESSAGE_S
        self.refresh()

    def quiet(self) -> None:
        """Take a message away, once it was there long enough to be read."""
        if self._message and time.monotonic() > self._until - MESSAGE_S + 0.5:
            self._message = ""
            self.refresh()

    @property
    def message(self) -> str:
        """The message that is shown at the moment."""
        return self._message if time.monotonic() < self._until else ""

    def redraw(self) -> None:
        """Draw it again, if it tells something else by now: an agent may do the same hundreds of times a second."""
        if self._drawn is None or super().render_line(0) != self._drawn:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line, as it stands on the screen from now on."""
        self._drawn = super().render_line(y)
        return self._drawn

    def line(self, y: int) -> list[Segment]:
        """Left what matters to the person, right what happens beside it."""
        styles = self.appearance.styles
        right = self._notes()
        used = sum(width_of(text) for text, _ in right)
        room = max(10, self.size.width - used)
        message = self.message
        if message:
            left, role = f" {message}", "warning" if self._bad else "selected"
        elif self.busy:
            left, role = f" {busy_line(self._commander, self.doing)}", "agent"
        else:
            tab = self._commander.workspace.pane(self._commander.workspace.focused).tab
            left, role = f" {entry_line(tab, self._links)}", "base"
        return [Segment(fit(left, room), styles[role]), *(Segment(text, styles[role]) for text, role in right)]

    def _notes(self) -> list[tuple[str, str]]:
        commander = self._commander
        notes: list[tuple[str, str]] = []
        if commander.policy.agents_stopped:
            notes.append((" agents stopped ", "warning"))
        elif commander.settings.flag("agents.activity") and (activity := self._activity()):
            notes.append((f" {activity} ", "agent"))
        notes += self._job_notes()
        if (unasked := commander.rules.latest) is not None and not self.message:
            # For as long as it is the newest, so that nobody has to look for what happened without a question.
            notes.append(
                (f" {fit(printable(unasked.told), min(UNASKED_WIDTH, self.size.width // 2)).rstrip()} ", "selected")
            )
        notes += self._waiting_notes()
        windows = sum(
            dialog.opened_by.startswith("agent:") and not dialog.proposal for dialog in commander.workspace.dialogs
        )
        if windows:
            notes.append((f" {count(windows, 'window')}: Ctrl+Y ", "agent"))
        return notes

    def _job_notes(self) -> list[tuple[str, str]]:
        """What runs, or is paused."""
        jobs = self._commander.jobs
        running = jobs.running()
        notes: list[tuple[str, str]] = []
        moving = [job for job in running if not job.is_held]
        paused = [job for job in running if job.state is JobState.PAUSED]
        for job in (moving or paused)[:1]:
            done = job.progress
            share = done.bytes_done * 100 // done.bytes_total if done.bytes_total else 0
            more = f" +{len(running) - 1}" if len(running) > 1 else ""
            notes.append((f" ▶ {share}%{more} " if moving else f" ‖ paused {share}%{more} ", "title"))
        return notes

    def _waiting_notes(self) -> list[tuple[str, str]]:
        """How much waits for the person, with the most urgent in words where there is space for it."""
        rows = waiting_rows(self._commander)
        if not rows:
            return []
        told = f" {len(rows)} {'waits' if len(rows) == 1 else 'wait'}: Ctrl+Y "
        # An answer to the person comes first, and what happens at this moment.
        is_full = bool(self.message or self._activity())
        room = 0 if is_full else min(48, self.size.width // 3)
        if room < MIN_WORDS:
            return [(told, "warning")]
        return [(f" {fit(printable(in_words(self._commander, rows[0])), room).rstrip()} ", "agent"), (told, "warning")]

    def _activity(self) -> str:
        recent = self._commander.activity.recent
        if not recent or (recent[-1].result and time.time() - recent[-1].started > ACTIVITY_S):
            return ""
        seen = recent[-1]
        about = f" {printable(seen.about)}" if seen.about else ""
        return fit(f"{printable(seen.caller)}: {seen.command}{about}", min(40, max(12, self.size.width // 3))).rstrip()


def busy_line(commander: Commander, doing: str = "") -> str:
    """How far a plan or a scan of the shown tree is, or that a folder is being read; each can be given up."""
    if doing:
        return f"{doing}… Esc gives up"
    here = commander.workspace.pane(commander.workspace.focused).tab.path
    for scan in commander.scans():
        if not scan.state.is_over and is_within(here, scan.root):
            share = f", {scan.percent:.0f}%" if scan.percent is not None else ""
            return f"Indexing: {scan.entries:,} entries so far, {human_size(scan.bytes)}{share}… Esc gives up"
    return "Reading… Esc gives up"


class KeyBar(LineWidget):
    """Ten keys, as wide as the screen allows."""

    DEFAULT_CSS = "KeyBar { height: 1; width: 1fr; }"

    class Pressed(Message):
        """A key of the bar was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, keys: KeyMap, appearance: Appearance) -> None:
        super().__init__(appearance, id="keys")
        self._labels = key_labels(keys)

    def show_keys(self, keys: KeyMap) -> None:
        """Show another key map."""
        self._labels = key_labels(keys)
        self.refresh()

    def line(self, y: int) -> list[Segment]:
        return label_cells(self._labels, self.size.width, self.appearance.styles)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        place = event.x // max(1, self.size.width // max(1, len(self._labels)))
        if place < len(self._labels) and self._labels[place].action:
            self.post_message(self.Pressed(self._labels[place].action))
