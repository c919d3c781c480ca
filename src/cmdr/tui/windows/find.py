"""Find below a folder: type, and the index answers with every letter."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget
from textual.widgets import Input

from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.model.job import ScanJob
from cmdr.model.names import from_wire, is_within, to_wire
from cmdr.model.panes.sorting import natural_keys
from cmdr.model.results.trees import FindAnswer, FoundEntry
from cmdr.model.trees.indexes import behind_text
from cmdr.model.units import DATE_WIDTHS, count, date, human_size, short_size
from cmdr.tui.input.key_forwarding import edits_text, forward_key
from cmdr.tui.panes.frame import abbreviate_home
from cmdr.tui.terminal.safe_text import fit, printable
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.widgets.text_fields import LineInput
from cmdr.tui.windows.window import FULL_HEIGHT, Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

_SIZE = 6
_HELP = "part of a name, or a filter"
_EXAMPLES = "Filters: ext:md,txt  size>=1M  older:30d  *.log  and several of them"


class Find(Window[str]):
    """Every letter asks anew and drops the question before; a tree nobody indexed is indexed first, visibly."""

    heading = "Find"
    hint = "Enter goes there · Ctrl+L shows all in the pane · Esc closes"
    DEFAULT_CSS = "Find > .box { width: 96%; height: 90%; }"

    def __init__(self, screen: MainScreen) -> None:
        super().__init__()
        self._screen = screen
        self._root = screen.tab.path
        self._hits: FindAnswer | None = None
        self._rows: list[FoundEntry] = []
        self._problem = ""
        self._pending = False
        self._version = 0
        self._asked = ""

    def contents(self) -> list[Widget]:
        """The line, the list, one line of news."""
        self._input = LineInput("", placeholder=_HELP)
        self._list = LineList(self.appearance, [], lines=FULL_HEIGHT)
        self._note = LineList(self.appearance, [], lines=1, cursor=False)
        return [self._input, self._list, self._note]

    def opened(self) -> None:
        self.set_focus(self._input)
        self.follow(self._index_changed)

    def on_input_changed(self, message: Input.Changed) -> None:
        message.stop()
        if self._asked != self._text:
            self._ask(keep=False)

    def waits_for(self, event: events.Key | events.Paste) -> asyncio.Event | None:
        """What decides waits for the answer to all that was typed; going on to type does not."""
        if edits_text(event):
            return None
        if self._asked != self._text:  # the news of the last letter is still on its way
            self._ask(keep=False)
        return self.up_to_date

    def cancels_waiting(self, event: events.Key | events.Paste) -> bool:
        """A tree may take long to be read for the first time; who goes on to type means something else."""
        return super().cancels_waiting(event) or edits_text(event)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self._go()

    def on_line_list_chosen(self, message: LineList.Chosen) -> None:
        self._go()

    def pressed(self, event: events.Key) -> bool:
        if event.key == "ctrl+l":
            self._show_all()
        elif self._list.pressed(event):
            pass
        elif event.is_printable or event.key in ("enter", "backspace"):
            # The line stops these itself, so this one was typed while the window was still opening.
            forward_key(self._input, event)
        else:
            return False
        return True

    @property
    def _text(self) -> str:
        return self._input.value.strip()

    def _ask(self, *, keep: bool) -> None:
        self._pending, self._asked = bool(self._text), self._text
        self._version = self._screen.commander.index_version
        # The new question ends the one under way.
        text = self._text
        self.run_update(lambda: self._answer(text, keep=keep))

    async def _answer(self, text: str, *, keep: bool) -> None:
        hits, problem = None, ""
        if text:
            self._tell()
            try:
                answer = await self._screen.commander.ask(
                    PERSON, "find.run", {"root": to_wire(self._root), "text": text}
                )
                if isinstance(answer.result, FindAnswer):
                    hits = answer.result
            except (CommandError, UnknownCommand) as error:
                problem = str(error)
        self._hits, self._problem, self._pending = hits, problem, False
        self._rows = likeliest_first(hits.rows, text) if hits is not None else []
        self._show(keep=keep)

    def _go(self) -> None:
        if self._rows:
            path = os.path.join(to_wire(self._root), self._rows[self._list.cursor].path)
            self.dismiss(None)
            self._screen.enqueue("find.go", {"path": path})

    def _show_all(self) -> None:
        if self._hits is not None and self._hits.count:
            self.dismiss(None)
            summary = f"{count(self._hits.count, 'entry', 'entries')} found, in a tab of their own."
            arguments = {"root": to_wire(self._root), "text": self._text}
            self._screen.enqueue("find.open", {**arguments}, done=lambda _: self._screen.show_message(summary))

    def _index_changed(self) -> None:
        """Something changed: how far a scan is, or what an index knows."""
        if self._hits is not None and not self._pending and self._version != self._screen.commander.index_version:
            self._ask(keep=True)
        self._tell()

    def _show(self, *, keep: bool) -> None:
        self._list.show([self._row(hit) for hit in self._rows], keep=keep)
        self._tell()

    def _row(self, hit: FoundEntry) -> Row:
        row = self.appearance.row
        width = self._list.size.width or 72
        when_width = DATE_WIDTHS[row.dates][0] if width >= 58 else 0
        size = "?" if hit.size is None else short_size(hit.size)
        when = "" if hit.modified_ns is None else date(hit.modified_ns, row.dates, when_width, time.time())
        name = fit(printable(hit.path), max(8, width - _SIZE - when_width - 5), keep_end=True)
        dated = f"  {when[:when_width]:>{when_width}} " if when_width else " "
        return [(f" {name} ", "folder" if hit.kind == "dir" else "file"), (f"{size:>{_SIZE}}", "file"), (dated, "dim")]

    def _tell(self) -> None:
        """The frame and the line of news."""
        hits = self._hits
        below = abbreviate_home(self._root, self.appearance.home)
        found = "" if hits is None else f": {hits.count:,} found, {human_size(hits.bytes)}"
        found += f", {hits.directions}" if hits is not None and hits.directions else ""
        late = "" if hits is None else behind_text(hits.behind)
        self.title_box(f"Find{found} below {below}{late}", self.hint)
        note, role = "", "dim"
        scan = self._scan()
        if self._pending and scan is not None:
            note = f"Not indexed yet: reading, {scan.entries:,} entries so far, {human_size(scan.bytes)}"
            note += f", {scan.percent:.0f}%" if scan.percent is not None else ""
        elif self._pending:
            note = "Looking…"
        elif self._problem:
            note, role = self._problem, "warning"
        elif hits is None:
            note = _EXAMPLES
        elif len(self._rows) < hits.count:
            note = f"The first {len(self._rows):,} are listed; Ctrl+L shows all."
        elif not hits.complete:
            note = "Some folders could not be read; there may be more."
        self._note.show([[(f" {note}", role)]])

    def _scan(self) -> ScanJob | None:
        """The scan that the question waits for."""
        running = (scan for scan in self._screen.commander.scans() if not scan.state.is_over)
        return next((scan for scan in running if is_within(self._root, scan.root)), None)


def likeliest_first(rows: Sequence[FoundEntry], asked: str) -> list[FoundEntry]:
    """Names that begin with what was typed, then the others; each by name, as in a pane."""
    start = asked.casefold()
    names = [row.path.rpartition("/")[2] for row in rows]
    keys = natural_keys([from_wire(name) for name in names])
    order = sorted(
        range(len(rows)), key=lambda at: (not names[at].casefold().startswith(start), keys[at], rows[at].path)
    )
    return [rows[at] for at in order]
