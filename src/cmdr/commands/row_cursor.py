"""Where a page of a folder that no index knows has ended: the last entry and what it was sorted by.

The folder is read anew for every page. The next one begins behind the place where that entry stood, whatever came or
went meanwhile, and whatever became of the entry itself.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass

from cmdr.core.errors import CommandError
from cmdr.model.names import from_wire, to_wire
from cmdr.model.panes.listing import UNKNOWN, Listing
from cmdr.model.panes.sorting import Direction, SortKey, natural_keys

_LETTER = {SortKey.NAME: "n", SortKey.SIZE: "s", SortKey.MODIFIED: "m"}
_FORM = re.compile(r"([nsm]-?)([df])(-?[0-9]{1,19})?:(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RowPlace:
    """One entry as it stood in a listing; the value is None where it is sorted by name, or nothing is known."""

    is_folder: bool
    value: int | None
    name: bytes

    @classmethod
    def at(cls, listing: Listing, position: int) -> "RowPlace":
        """The entry at a position."""
        row = listing.order[position]
        is_folder, by, facts = row < listing.columns.folder_count, listing.sort.by, listing.columns.facts
        value = None
        if facts is not None and (by is SortKey.MODIFIED or (by is SortKey.SIZE and not is_folder)):
            value = (facts.sizes if by is SortKey.SIZE else facts.modified_ns)[row]
        return cls(is_folder, None if value == UNKNOWN else value, listing.columns.name(row))

    def is_before(self, other: "RowPlace", *, by_name: bool, descending: bool) -> bool:
        """Whether it comes before another one: folders first, unknown values last, equal ones by name."""
        if self.is_folder != other.is_folder:
            return self.is_folder
        if self.value != other.value:
            if self.value is None or other.value is None:
                return other.value is None
            return self.value > other.value if descending else self.value < other.value
        mine, theirs = zip(natural_keys([self.name, other.name]), (self.name, other.name), strict=True)
        return mine > theirs if by_name and descending else mine < theirs


def row_cursor(listing: Listing, position: int) -> str:
    """The cursor behind the entry at a position."""
    last = RowPlace.at(listing, position)
    value = "" if last.value is None else last.value
    return f"{_order(listing)}{'d' if last.is_folder else 'f'}{value}:{to_wire(last.name)}"


def row_behind(listing: Listing, cursor: str) -> int:
    """The position of the first entry behind a cursor."""
    found = _FORM.fullmatch(cursor)
    if found is None or found[1] != _order(listing):
        raise CommandError("This cursor belongs to another listing; start again without it.")
    last = RowPlace(found[2] == "d", None if found[3] is None else int(found[3]), from_wire(found[4]))
    by_name, descending = listing.sort.by is SortKey.NAME, listing.sort.direction is Direction.DESC

    def comes_behind(position: int) -> bool:
        return last.is_before(RowPlace.at(listing, position), by_name=by_name, descending=descending)

    return bisect_left(range(len(listing)), True, key=comes_behind)


def _order(listing: Listing) -> str:
    """The order of a listing in one or two letters."""
    return _LETTER[listing.sort.by] + ("-" if listing.sort.direction is Direction.DESC else "")
