"""A folder in a few lines: how much is in it, its biggest and newest, a page of its entries, the way to the next."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from cmdr.commands._text import day_of, size_text
from cmdr.core.errors import CommandError
from cmdr.model.names import from_wire, to_wire
from cmdr.model.panes.entry import Kind
from cmdr.model.panes.listing import UNKNOWN, Columns, Listing
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder, natural_keys
from cmdr.model.shell_session import ShellSession
from cmdr.model.trees.indexes import behind_text
from cmdr.model.units import count, iso_date
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.index.query.queries import IndexQueries


MAX_ENTRIES = 20
"""A folder with at most so many entries is told whole; no page is longer."""
LARGE_FOLDER = 200
"""A bigger folder is asked rather than read through, so that only its first few entries are told."""
SAMPLES = 5

Sort = Literal["name", "size", "modified"]
_INDEX_SORT: dict[Sort, Literal["name", "size", "mtime"]] = {"name": "name", "size": "size", "modified": "mtime"}
_LIVE_SORT: dict[Sort, SortKey] = {"name": SortKey.NAME, "size": SortKey.SIZE, "modified": SortKey.MODIFIED}
_LETTER = {SortKey.NAME: "n", SortKey.SIZE: "s", SortKey.MODIFIED: "m"}
_FORM = re.compile(r"([nsm]-?)([df])(-?[0-9]{1,19})?:(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PageWanted:
    """Which entries to tell, in which order."""

    limit: int | None
    cursor: str | None
    sort: Sort
    order: Direction

    def rows(self, total: int, session: ShellSession) -> int:
        """How many entries of so many."""
        wanted = self.limit if self.limit is not None else session.limit
        if wanted is None:
            wanted = MAX_ENTRIES if total <= LARGE_FOLDER else SAMPLES
        return min(wanted, total)


@dataclass(frozen=True, slots=True)
class Glance:
    """A folder in a few lines."""

    headline: str
    rows: Sequence[str]
    after: int
    """Entries behind the ones told."""
    onward: str
    """Where those are."""
    biggest: Sequence[str] = ()
    newest: Sequence[tuple[str, str]] = ()
    """Each with its day, told once for all of one day."""

    def lines(self) -> list[str]:
        """All of it below its headline."""
        lines = []
        if self.biggest:
            days = groupby(self.newest, lambda one: one[0])
            newest = [f"{day} {', '.join(name for _, name in names)}" for day, names in days]
            lines += [f"biggest: {', '.join(self.biggest)}", f"newest: {'; '.join(newest)}"]
        lines += self.rows
        return [*lines, f"… {self.after} more: {self.onward}"] if self.after else lines


def indexed_glance(
    base_url: str, answers: IndexQueries, path: bytes, session: ShellSession, wanted: PageWanted
) -> Glance:
    """What an index knows of a folder."""
    summary = answers.summary(path, SAMPLES)
    totals, units = summary.totals, session.units
    sort = _INDEX_SORT[wanted.sort]
    told = wanted.rows(summary.children, session)
    page = answers.children(path, told, wanted.cursor, sort, wanted.order is Direction.DESC)
    size = size_text(totals.bytes, units, complete=totals.complete)
    # Elsewhere in the index something may be unknown; of this folder all is told.
    note = behind_text(answers.behind) or ("" if totals.complete else " (partial)")
    onward = f"{base_url}/api/indexes/{answers.indexed.record.id}/tree?parent={summary.node.id}"
    if (wanted.sort, wanted.order) != ("name", Direction.ASC):
        onward += f"&sort={sort}&order={wanted.order}"
    if page.cursor is not None:
        onward += f"&cursor={page.cursor}"
    below = f"{count(totals.files, 'file')}, {count(totals.dirs, 'dir')}, {size}{note}"
    is_crowded = summary.children > MAX_ENTRIES and wanted.cursor is None
    return Glance(
        f"{count(summary.children, 'entry', 'entries')}; below {below}",
        [node.line(units, node.path[: -len(node.name)]) for node in page.nodes],
        page.after,
        onward,
        [f"{quoted_name(to_wire(node.name))} {size_text(node.size, units)}" for node in summary.biggest if is_crowded],
        [(day_of(node), quoted_name(to_wire(node.name))) for node in summary.newest if is_crowded],
    )


def live_glance(columns: Columns, session: ShellSession, wanted: PageWanted) -> Glance:
    """What the disk itself tells of a folder; it must have been read with its facts."""
    listing = Listing.of(columns, SortOrder(_LIVE_SORT[wanted.sort], wanted.order), show_hidden=True)
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
    return Glance(
        f"{sized}; {count(dirs, 'dir')} of unknown size (not indexed)" if dirs else f"{sized} (not indexed)",
        [line(position) for position in range(first, end)],
        max(0, len(listing) - end),
        f"cursor {quoted_name(row_cursor(listing, end - 1))}" if 0 < end < len(listing) else "give a limit",
        [f"{name(row)} {size_text(sizes[row], units)}" for row in biggest],
        [(iso_date(facts.modified_ns[row]), name(row)) for row in newest] if facts else [],
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
