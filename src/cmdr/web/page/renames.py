"""Rename many in the page: the tables that are open, and what a pattern or a typed name makes of them."""

import secrets
from collections.abc import Mapping

from cmdr.core.dispatch.parameter import Arguments, Json
from cmdr.core.errors import CommandError
from cmdr.core.flow.rename_table import RenameTable
from cmdr.model.names import from_wire, to_wire
from cmdr.model.panes.tab import Tab

MAX_TABLES = 8


class RenameTables:
    """The tables opened last, each under a handle that only the page knows."""

    def __init__(self) -> None:
        self._tables: dict[str, RenameTable] = {}

    def open(self, tab: Tab) -> dict[str, Json]:
        """A table of what is selected in a tab, or of all it shows; without a handle when there is nothing."""
        table = RenameTable(tab)
        id = secrets.token_urlsafe(16) if table.old else ""
        if id:
            self._tables[id] = table
        while len(self._tables) > MAX_TABLES:
            del self._tables[next(iter(self._tables))]
        return {"id": id, **_json(table)}

    async def preview(self, id: str, sent: Mapping[str, Json]) -> dict[str, Json]:
        """The table after a letter of the pattern, or a name typed by hand."""
        find, replace, typed = sent.get("find"), sent.get("replace"), sent.get("typed")
        if not isinstance(find, str) or not isinstance(replace, str) or not isinstance(typed, dict):
            raise CommandError("A pattern has two texts, and names that were typed.")
        table = self._get(id)
        places = {str(place): place for place in range(len(table.old))}
        names = {places[at]: from_wire(name) for at, name in typed.items() if at in places and isinstance(name, str)}
        await table.preview(find, replace, regex=sent.get("regex") is True, typed=names)
        return _json(table)

    def arguments(self, id: str) -> Arguments:
        """What `rename_many` is told of a table."""
        arguments = self._get(id).arguments
        if arguments is None:
            raise CommandError("No name would change, or one of them clashes.")
        return arguments

    def _get(self, id: str) -> RenameTable:
        table = self._tables.get(id)
        if table is None:
            raise CommandError("This table was opened too long ago. Open it again.")
        return table


def _json(table: RenameTable) -> dict[str, Json]:
    shown = table.shown
    rows: list[Json] = [
        [to_wire(old), to_wire(new), mark.value]
        for old, new, mark in zip(table.old, shown.names, shown.marks, strict=True)
    ]
    return {"rows": rows, "note": shown.note, "isBad": shown.is_bad, "isReady": table.arguments is not None}
