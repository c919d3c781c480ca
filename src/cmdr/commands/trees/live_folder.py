"""A folder that no index knows, read from the disk each time: a page of it, and the way to the next, by name.

A cursor holds the last entry that was told, as it stood in the order: whatever comes and goes meanwhile, the next page
begins right behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from urllib.parse import quote

from cmdr.commands._text import size_text
from cmdr.commands.trees.folder_glance import MAX_ENTRIES, SAMPLES, PageWanted, Sort
from cmdr.core.errors import CommandError
from cmdr.model.names import from_wire, to_wire
from cmdr.model.panes.entry import Kind
from cmdr.model.panes.listing import UNKNOWN, Columns, Listing
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder, natural_keys
from cmdr.model.results.folders import FolderGlance, FolderPage, ListedEntry
from cmdr.model.shell_session import ShellSession
from cmdr.model.units import count, iso_date
from cmdr.model.yaml_text import quoted_name

_SORT: dict[Sort, SortKey] = {"name": SortKey.NAME, "size": SortKey.SIZE, "modified": SortKey.MODIFIED}
_LETTER = {SortKey.NAME: "n", SortKey.SIZE: "s", SortKey.MODIFIED: "m"}
_FORM = re.compile(r"([nsm]-?)([df])(-?[0-9]{1,19})?:(.+)", re.DOTALL)
_KINDS = {Kind.FOLDER: "dir", Kind.FILE: "file", Kind.LINK: "link"}


def live_glance(
    base_url: str, path: bytes, columns: Columns, session: ShellSession, wanted: PageWanted
) -> FolderGlance:
    """What the disk itself tells of a folder; it must have been read with its facts."""
    listing = _ordered(columns, wanted.sort, wanted.order)
    facts = columns.facts
    files = range(columns.folder_count, len(columns))
    sizes = facts.sizes if facts else ()
    known = sum(sizes[row] for row in files if sizes[row] >= 0)
    units = session.units
    first = 0 if wanted.cursor is None else row_behind(listing, wanted.cursor)
    end = min(first + wanted.rows(len(listing), session), len(listing))

    def name(row: int) -> str:
        return quoted_name(to_wire(columns.name(row)))

    def line(position: int) -> str:
        entry, row = listing.entry(position), listing.order[position]
        return f"{entry.kind} {name(row)} {'?' if entry.is_folder else size_text(sizes[row], units)}"

    biggest: list[int] = []
    newest: list[int] = []
    if len(listing) > MAX_ENTRIES and facts is not None and wanted.cursor is None:
        biggest = sorted(files, key=lambda row: -sizes[row])[:SAMPLES]
        newest = sorted(files, key=lambda row: -facts.modified_ns[row])[:SAMPLES]
    dirs = columns.kinds[: columns.folder_count].count(Kind.FOLDER.value.encode())
    sized = f"{count(len(listing) - dirs, 'file')}, {size_text(known, units)}"
    onward = None
    if end < len(listing):
        onward = address_of(base_url, path)
        onward += "" if wanted.is_by_name else f"&sort={wanted.sort}&order={wanted.order}"
        onward += f"&cursor={quote(row_cursor(listing, end - 1), safe='/:')}" if end else ""
    return FolderGlance(
        path,
        session.id,
        None,
        None,
        f"{sized}; {count(dirs, 'dir')} of unknown size (not indexed)" if dirs else f"{sized} (not indexed)",
        tuple(_listed(base_url, path, listing, position) for position in range(first, end)),
        tuple(line(position) for position in range(first, end)),
        max(0, len(listing) - end),
        onward,
        tuple(f"{name(row)} {size_text(sizes[row], units)}" for row in biggest),
        tuple((iso_date(facts.modified_ns[row]), name(row)) for row in newest) if facts else (),
    )


def live_page(
    base_url: str, path: bytes, columns: Columns, sort: Sort, order: Direction, limit: int, cursor: str | None
) -> FolderPage:
    """Some entries of a folder as programs want them; it must have been read with its facts."""
    listing = _ordered(columns, sort, order)
    first = 0 if cursor is None else row_behind(listing, cursor)
    end = min(first + limit, len(listing))
    following = None
    if end < len(listing) and end > first:
        asked = f"limit={limit}&sort={sort}&order={order}&cursor={quote(row_cursor(listing, end - 1), safe='/:')}"
        following = f"{address_of(base_url, path)}&{asked}"
    entries = tuple(_listed(base_url, path, listing, position) for position in range(first, end))
    return FolderPage(path, len(listing), entries, following)


def address_of(base_url: str, path: bytes) -> str:
    """Where REST lists a folder that may be in no index."""
    return f"{base_url}/api/folders?path={quote(to_wire(path), safe='/:')}"


def _ordered(columns: Columns, sort: Sort, order: Direction) -> Listing:
    return Listing.of(columns, SortOrder(_SORT[sort], order), show_hidden=True)


def _listed(base_url: str, above: bytes, listing: Listing, position: int) -> ListedEntry:
    entry, facts, row = listing.entry(position), listing.columns.facts, listing.order[position]
    size, modified = (facts.sizes[row], facts.modified_ns[row]) if facts else (UNKNOWN, UNKNOWN)
    return ListedEntry(
        None,
        entry.name,
        _KINDS.get(entry.kind, "other"),
        None if entry.is_folder or size == UNKNOWN else size,
        None,
        None if modified == UNKNOWN else modified,
        address_of(base_url, above.rstrip(b"/") + b"/" + entry.name) if entry.kind is Kind.FOLDER else None,
    )


@dataclass(frozen=True, slots=True)
class RowPlace:
    """One entry as it stood in a listing; the value is None where it is sorted by name, or nothing is known."""

    is_folder: bool
    value: int | None
    name: bytes

    @classmethod
    def at(cls, listing: Listing, position: int) -> RowPlace:
        """The entry at a position."""
        row = listing.order[position]
        is_folder, by, facts = row < listing.columns.folder_count, listing.sort.by, listing.columns.facts
        value = None
        if facts is not None and (by is SortKey.MODIFIED or (by is SortKey.SIZE and not is_folder)):
            value = (facts.sizes if by is SortKey.SIZE else facts.modified_ns)[row]
        return cls(is_folder, None if value == UNKNOWN else value, listing.columns.name(row))

    def is_before(self, other: RowPlace, *, by_name: bool, descending: bool) -> bool:
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
