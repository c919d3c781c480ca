"""Rename many: what a pattern and names typed by hand make of the names in a folder, for the table of every face."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cmdr.core.dispatch.parameter import Arguments
from cmdr.core.errors import CommandError
from cmdr.core.panes.name_input import preview_names
from cmdr.model.names import to_wire
from cmdr.model.panes.tab import SelectedEntries, Tab
from cmdr.model.plans.name_fields import NameMark, judge
from cmdr.model.units import count

MAX_NAMES = 5000
"""Names in one table: each of them is judged anew with every letter of the pattern."""
_WHY = {
    NameMark.TWICE: "two files would get this name",
    NameMark.TAKEN: "this name is taken",
    NameMark.IMPOSSIBLE: "no possible name",
}


@dataclass(frozen=True, slots=True)
class Preview:
    """The new names, how each of them stands, and what is said below the table."""

    names: Sequence[bytes]
    marks: Sequence[NameMark]
    note: str
    is_bad: bool


class RenameTable:
    """The names of several selected entries, or of all that a tab shows, and what they become."""

    def __init__(self, tab: Tab) -> None:
        """Take the names as they are now; raises `CommandError` when there are too many."""
        chosen = SelectedEntries.of(tab)
        if chosen is not None and chosen.count > 1:
            self.old = chosen.first_names(MAX_NAMES + 1)
        else:
            self.old = [tab.listing.name(position) for position in range(min(len(tab.listing), MAX_NAMES + 1))]
        if len(self.old) > MAX_NAMES:
            raise CommandError(f"Rename many takes {MAX_NAMES:,} names at most. Select fewer, or filter.")
        self._tab, self._folder = tab, tab.path
        self.shown = self._judged(self.old, "plain text")

    async def preview(self, find: str, replace: str, *, regex: bool, typed: Mapping[int, bytes]) -> Preview:
        """What a pattern makes of the names, with those that were typed by hand in their places."""
        problem = ""
        try:
            names = await preview_names(self._folder, self.old, find, replace, regex=regex)
        except CommandError as error:
            names, problem = list(self.old), str(error)
        for place, name in typed.items():
            names[place] = name
        self.shown = self._judged(names, "regular expression" if regex else "plain text", problem)
        return self.shown

    @property
    def arguments(self) -> Arguments | None:
        """What `rename_many` is told; None while a name clashes and when none would change."""
        pairs = [(old, new) for old, new in zip(self.old, self.shown.names, strict=True) if old != new]
        if not pairs or any(mark.is_bad for mark in self.shown.marks):
            return None
        return {
            "paths": [to_wire(os.path.join(self._folder, old)) for old, _ in pairs],
            "names": [to_wire(new) for _, new in pairs],
        }

    def _judged(self, names: Sequence[bytes], kind: str, problem: str = "") -> Preview:
        columns = self._tab.listing.columns
        marks = judge(self.old, names, lambda name: columns.find(name) is not None)
        bad = next((mark for mark in marks if mark.is_bad), None)
        changed = sum(mark is NameMark.NEW for mark in marks)
        note = problem or (_WHY[bad] if bad else f"{count(changed, 'name')} would change, by {kind}")
        return Preview(names, marks, note, bool(bad or problem))
