"""What the inbox shows: everything that waits, in an order that nothing which arrives or goes can upset."""

from collections.abc import Collection, Sequence

from cmdr.model.results.inbox import InboxRow
from cmdr.tui.inbox.waiting import Entry


class InboxEntries:
    """The rows on the screen, which of them are marked, and which were answered here and have not gone yet."""

    def __init__(self) -> None:
        self.shown: list[Entry] = []
        self.marked: set[str] = set()
        self._given: set[str] = set()
        self._order: dict[str, int] = {}
        """In which place each was first drawn: what arrives goes to the end, and moves nothing that is looked at."""

    def renew(self, waiting: Sequence[Entry]) -> None:
        """What waits now. Known rows keep their order; the mark of one that has changed is gone."""
        found = {entry.id: entry for entry in waiting}
        self._given &= found.keys()
        for id in found:
            self._order.setdefault(id, len(self._order))
        before = {entry.id: entry.row.digest for entry in self.shown}
        self.shown = sorted(
            (entry for id, entry in found.items() if id not in self._given), key=lambda entry: self._order[entry.id]
        )
        same = {entry.id for entry in self.shown if before.get(entry.id, entry.row.digest) == entry.row.digest}
        self.marked &= same

    def place_of(self, id: str) -> int | None:
        """Where a row stands; None when it is not there."""
        return next((at for at, entry in enumerate(self.shown) if entry.id == id), None)

    def chosen(self, here: Entry) -> list[InboxRow]:
        """The marked rows, or the one under the cursor when none is marked."""
        return [entry.row for entry in self.shown if entry.id in self.marked] or [here.row]

    def rows(self) -> list[InboxRow]:
        """The rows of the inbox itself, without agents' windows."""
        return [entry.row for entry in self.shown if entry.dialog is None]

    def answered(self, rows: Collection[InboxRow]) -> None:
        """These were answered here: they are not shown while that takes effect."""
        self._given |= {row.id for row in rows}
        self.marked -= self._given

    def back(self, ids: Collection[str]) -> None:
        """These could not be answered after all."""
        self._given -= set(ids)
