"""The rules: what the person has said yes to beforehand, how much of each is left, and how to let one rest or go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.widget import Widget

from cmdr.model.agent_text import wrapped
from cmdr.model.results.rules import RuleList, RuleRow
from cmdr.model.units import human_size
from cmdr.tui.widgets.lines import LineList, Row
from cmdr.tui.windows.window import GracePeriod, Window

if TYPE_CHECKING:
    from cmdr.tui.main_screen import MainScreen

LINES = 8


class RulesWindow(Window[str]):
    """A list above, the rule under the cursor in full below."""

    DEFAULT_CSS = "RulesWindow > .box { width: 96; }"
    hint = "s suspend · a allow again · Del remove · Esc back"

    def __init__(self, screen: MainScreen, client: str = "") -> None:
        super().__init__()
        self._screen = screen
        self._client = client
        self._rules: list[RuleRow] = []
        self._grace_period = GracePeriod(screen.terminal.clock)
        self._note = ""
        self.heading = f"Rules of {client}" if client else "Rules"

    def contents(self) -> list[Widget]:
        self._list = LineList(self.appearance, [[(" …", "dim")]], lines=LINES)
        self._details = LineList(self.appearance, lines=LINES, cursor=False)
        return [self._list, self._details]

    def opened(self) -> None:
        self._grace_period.begin()
        self.follow(lambda: self.run_update(self._read))

    async def _read(self) -> None:
        """The rules as the settings have them now; the cursor stays on its rule."""
        answer = await self._screen.queue.ask("rules.list")
        if answer is None or not isinstance(answer.result, RuleList):
            return
        here = self._here
        self._rules = [row for row in answer.result.rows if not self._client or row.client == self._client]
        self._note = self._note or answer.result.trouble
        rows = [_row(rule) for rule in self._rules]
        none = f" No rule holds for {self._client}." if self._client else " There are no rules."
        self._list.show(rows or [[(f"{none} R in the inbox makes one.", "dim")]], keep=True)
        if here is not None:
            places = (at for at, rule in enumerate(self._rules) if rule.number == here.number)
            self._list.move(next(places, self._list.cursor) - self._list.cursor)
        self._show()

    @property
    def _here(self) -> RuleRow | None:
        return self._rules[self._list.cursor] if self._list.cursor < len(self._rules) else None

    def pressed(self, event: events.Key) -> bool:
        if self._list.pressed(event):
            self._note = ""
            self._show()
            return True
        command = {"s": "rules.suspend", "a": "rules.allow", "delete": "rules.remove"}.get(event.key)
        here = self._here
        if command is None or here is None:
            return False
        if command == "rules.allow" and self._grace_period.drops():
            return True  # nothing is let go on by a key that was meant for another window
        if not here.number:
            self._tell("This entry has no number: mend it in the settings.")
            return True
        self._screen.enqueue(command, {"rule": here.number}, done=self._tell)
        return True

    def _tell(self, note: str) -> None:
        self._note = note
        self._show()

    def _show(self) -> None:
        here, width = self._here, max(20, self._details.size.width or 90)
        rows: list[Row] = [[("", "file")]]
        if here is not None:
            rows += [[(f" {line}", "file")] for line in wrapped(here.words, width - 2)]
            left = f"left in this hour: {here.files_left:,} of {here.files:,} files, {human_size(here.bytes_left)} of "
            left += f"{human_size(here.bytes)}, {here.operations_left} of {here.operations} operations"
            rows += [[(f" {line}", "dim")] for line in wrapped(left, width - 2)]
            why = f"suspended: {here.suspended}" if here.suspended else here.problem
            rows += [[(f" {line} ", "warning")] for line in wrapped(why, width - 2)] if why else []
        if self._note:
            rows.append([(f" {self._note}", "selected")])
        self._details.show(rows)


def _row(rule: RuleRow) -> Row:
    state = "holds" if rule.holds else "suspended" if rule.suspended else "does not hold"
    return [
        (f" {rule.number:>3}  ", "dim"),
        (f"{state:<14}", "selected" if rule.holds else "warning"),
        (rule.words, "file"),
    ]
