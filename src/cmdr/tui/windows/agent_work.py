"""What one agent did today, turn by turn, and the way back: one operation, a turn, or all since one of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.core.dispatch.parameter import Arguments
from cmdr.model.results.agents import AgentOperation, AgentRow, Agents, AgentTurn, UndoOffer, undoable_words
from cmdr.model.units import count
from cmdr.tui.terminal.safe_text import fit_middle, printable, width_of
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import GracePeriod, Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

LINES = 16
BOX = 96
"""Columns of the whole box."""


def at_clock(moment: float) -> str:
    """A time of the day."""
    return time.strftime("%H:%M", time.localtime(moment))


def summary(row: AgentRow) -> str:
    """What a client did today, in a few words."""
    told = [f"{count(row.operations, 'operation')} today, {undoable_words(row.undoable, row.operations)}"]
    if not row.operations:
        told = ["nothing changed today"]
    told += [count(row.rules, "rule")] if row.rules else []
    told += [f"{row.waiting} waiting for you"] if row.waiting else []
    return " · ".join(told)


class AgentWork(Window[str]):
    """Turns, newest first, each with its operations; keys act on what the cursor is on."""

    DEFAULT_CSS = "AgentWork > .box { width: 96; }"
    hint = "u undo this · U undo all since this · r rules · Esc back"

    def __init__(self, screen: MainScreen, client: str) -> None:
        super().__init__()
        self._screen = screen
        self._client = client
        self._found: list[AgentTurn | AgentOperation] = []
        self._rev = -1
        """The revision at which it was read."""
        self.heading = f"What {client} did today"

    def contents(self) -> list[Widget]:
        self._list = LineList(self.appearance, [[(" …", "dim")]], lines=LINES)
        self._about = LineList(self.appearance, lines=1, cursor=False)
        return [self._list, self._about]

    def opened(self) -> None:
        """Look now and twice a second, where something changed; every single change would be too many."""
        self.set_interval(0.5, self._look)
        self.run_update(self._read)

    def _look(self) -> None:
        if self._screen.commander.events.rev != self._rev and self.up_to_date.is_set():
            self.run_update(self._read)

    async def _read(self) -> None:
        """The journal as it is now; the cursor stays on what it was on."""
        self._rev = self._screen.commander.events.rev
        answer = await self._screen.queue.ask("agents")
        if answer is None or not isinstance(answer.result, Agents):
            return
        row = next((row for row in answer.result.rows if row.client == self._client), None)
        here = self._here
        self._found = []
        for turn in row.turns if row is not None else ():
            self._found += [turn, *turn.operations]
        rows = [_row(each, self._list.size.width) for each in self._found]
        self._list.show(rows or [[(f" {self._client} has changed nothing today.", "dim")]], keep=True)
        if here is not None:
            places = (at for at, each in enumerate(self._found) if _key(each) == _key(here))
            self._list.move(next(places, self._list.cursor) - self._list.cursor)
        self._about.show([[(f" {summary(row)}" if row else "", "title")]])

    @property
    def _here(self) -> AgentTurn | AgentOperation | None:
        return self._found[self._list.cursor] if self._list.cursor < len(self._found) else None

    def pressed(self, event: events.Key) -> bool:
        if self._list.pressed(event):
            return True
        here = self._here
        letter = event.character if event.is_printable else None
        if letter == "r":
            open_rules(self._screen, self._client)
        elif letter in ("u", "U") and here is not None:
            self.run_update(lambda: self._offer(_wish(here, self._client, since=letter == "U")))
        else:
            return False
        return True

    async def _offer(self, wish: Arguments) -> None:
        answer = await self._screen.queue.ask("agents.undoOffer", wish)
        if answer is None:
            self._about.show([[(f" {self._screen.status.message}", "warning")]])
        elif isinstance(answer.result, UndoOffer):
            listed = [each for each in self._found if isinstance(each, AgentOperation)]
            self._screen.terminal.push_screen(UndoQuestion(self._screen, answer.result, listed))


class UndoQuestion(Window[str]):
    """All that would be taken back, in a list; `y` does it, and nothing else."""

    DEFAULT_CSS = "UndoQuestion > .box { width: 96; border: heavy $warning; border-title-color: $warning; }"
    heading = "Take this back?"
    hint = "↑↓ scroll · y takes it back · n and Esc leave it"

    def __init__(self, screen: MainScreen, offer: UndoOffer, known: Sequence[AgentOperation]) -> None:
        super().__init__()
        self._screen = screen
        self._offer = offer
        self._known = {each.operation: each for each in known}
        self._grace_period = GracePeriod(screen.terminal.clock)

    def contents(self) -> list[Widget]:
        rows: list[Row] = [[(f" {self._offer.words}", "title_active")], [("", "file")]]
        rows += [self._row(number) for number in self._offer.operations]
        self._list = LineList(self.appearance, rows, lines=min(LINES, len(rows)), cursor=False)
        self._answers = LineList(self.appearance, lines=1, cursor=False)
        return [self._list, self._answers]

    def opened(self) -> None:
        """Deaf at first."""
        self._grace_period.begin()
        self.set_timer(self._grace_period.left_s, self._tell)
        self._tell()

    def _row(self, number: int) -> Row:
        known = self._known.get(number)
        if known is None:
            return [(f" {number:>6}  ", "dim"), ("an operation before those that were listed", "file")]
        begin = f" {number:>6}  {at_clock(known.at)}  "
        room = min(BOX, self.app.size.width * 96 // 100) - 4 - width_of(begin)
        return [(begin, "dim"), *_what(known, room)]

    def _tell(self) -> None:
        role = "file" if self._grace_period.is_over else "dim"
        self._answers.show([[(" n  No, leave it ", role), ("   y  Yes, take it back ", role)]])

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text never answers."""
        event.stop()

    def pressed(self, event: events.Key) -> bool:
        if self._list.pressed(event):
            return True
        letter = event.character if event.is_printable else None
        if letter in ("y", "n") and self._grace_period.drops():
            self.set_timer(self._grace_period.left_s, self._tell)
        elif letter == "y":
            exactly: Arguments = {"operations": list(self._offer.operations)}
            self._screen.enqueue("agents.undo", exactly, show_answer=True)
            self.dismiss(None)
        elif letter == "n":
            self.dismiss(None)
        else:
            return False
        return True


def open_rules(screen: MainScreen, client: str = "") -> None:
    """The rules, those of a client alone when one is named."""
    from cmdr.tui.windows.rules import RulesWindow

    screen.terminal.push_screen(RulesWindow(screen, client))


def _key(each: AgentTurn | AgentOperation) -> str | int:
    return each.id if isinstance(each, AgentTurn) else each.operation


def _wish(each: AgentTurn | AgentOperation, client: str, *, since: bool) -> Arguments:
    """What is to be undone: the turn, the operation, or all of the client since it began."""
    if since:
        return {"client": client, "since": each.began if isinstance(each, AgentTurn) else each.at}
    return {"turn": each.id} if isinstance(each, AgentTurn) else {"operations": [each.operation]}


def _row(each: AgentTurn | AgentOperation, width: int) -> Row:
    if isinstance(each, AgentTurn):
        return [(f" {at_clock(each.began)}–{at_clock(each.ended)}  ", "title"), (each.told, "title_active")]
    by = f" · unasked, by rule {each.rule}" if each.rule is not None else ""
    end = ("" if each.state == "done" else f"  {each.state}") + by
    begin = f"   {each.operation:>5}  {at_clock(each.at)}  "
    return [(begin, "dim"), *_what(each, width - width_of(begin) - width_of(end)), (end, "agent")]


def _what(each: AgentOperation, width: int) -> Row:
    text = printable(each.what)
    return [(fit_middle(text, width) if width_of(text) > width else text, "file" if each.can_undo else "dim")]
