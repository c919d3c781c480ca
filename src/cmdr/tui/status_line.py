"""The line below the panes: the entry under the cursor or a message, and what agents and jobs are doing."""

import time

from rich.segment import Segment
from textual.strip import Strip

from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import PERSON
from cmdr.model.job import JobState
from cmdr.model.units import count
from cmdr.tui.appearance import Appearance
from cmdr.tui.busy_line import busy_line
from cmdr.tui.entry_line import entry_line
from cmdr.tui.line_widget import LineWidget
from cmdr.tui.link_targets import LinkTargets
from cmdr.tui.safe_text import fit, printable, width_of

MESSAGE_SECONDS = 6.0
ACTIVITY_SECONDS = 4.0


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
        self._links = LinkTargets(commander, self.redraw)
        self.busy = False
        self.doing = ""
        """What takes long at the moment, where it is known."""

    def tell(self, message: str, *, bad: bool = False) -> None:
        """Show a message for a while."""
        self._message, self._bad = " ".join(printable(message).split("\u240a")), bad
        self._until = time.monotonic() + MESSAGE_SECONDS
        self.refresh()

    def quiet(self) -> None:
        """Take a message away, once it was there long enough to be read."""
        if self._message and time.monotonic() > self._until - MESSAGE_SECONDS + 0.5:
            self._message = ""
            self.refresh()

    @property
    def message(self) -> str:
        """What is told at the moment."""
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
        ink = self.appearance.ink
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
        return [Segment(fit(left, room), ink[role]), *(Segment(text, ink[role]) for text, role in right)]

    def _notes(self) -> list[tuple[str, str]]:
        commander = self._commander
        notes: list[tuple[str, str]] = []
        if commander.policy.agents_stopped:
            notes.append((" agents stopped ", "warning"))
        elif commander.settings.flag("agents.activity") and (told := self._activity()):
            notes.append((f" {told} ", "agent"))
        for job in commander.jobs.running()[:1]:
            done = job.progress
            share = done.bytes_done * 100 // done.bytes_total if done.bytes_total else 0
            more = f" +{len(commander.jobs.running()) - 1}" if len(commander.jobs.running()) > 1 else ""
            asks = job.state is JobState.WAITING
            notes.append((" ? a job asks: Ctrl+J " if asks else f" ▶ {share}%{more} ", "warning" if asks else "title"))
        if commander.warnings.told():
            notes.append((" ! the record: Ctrl+Y ", "warning"))
        if cut_short := len(commander.jobs.interrupted()):
            notes.append((f" {cut_short} interrupted: Ctrl+J ", "warning"))
        waiting = [proposal for proposal in commander.proposals.pending() if proposal.proposed_by != PERSON.id]
        if waiting:
            notes.append((f" {len(waiting)} to approve: Ctrl+Y ", "warning"))
        if missed := len(commander.proposals.missed()):
            notes.append((f" {missed} expired: Ctrl+Y ", "warning"))
        if edits := len(commander.rooms.waiting_reviews()):
            notes.append((f" {edits} to review: Ctrl+Y ", "warning"))
        windows = sum(
            dialog.opened_by.startswith("agent:") and not dialog.proposal for dialog in commander.workspace.dialogs
        )
        if windows:
            notes.append((f" {count(windows, 'window')}: Ctrl+Y ", "agent"))
        return notes

    def _activity(self) -> str:
        recent = self._commander.activity.recent
        if not recent or (recent[-1].result and time.time() - recent[-1].started > ACTIVITY_SECONDS):
            return ""
        seen = recent[-1]
        about = f" {printable(seen.about)}" if seen.about else ""
        return fit(f"{printable(seen.caller)}: {seen.command}{about}", min(40, max(12, self.size.width // 3))).rstrip()
