"""A folder in a few lines, from an index: how much is in it, its biggest and newest, a page of its entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from cmdr.commands._text import day_of, size_text
from cmdr.model.names import to_wire
from cmdr.model.panes.sorting import Direction
from cmdr.model.results.folders import FolderGlance, ListedEntry
from cmdr.model.shell_session import ShellSession
from cmdr.model.trees.indexes import behind_text
from cmdr.model.units import count
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.index.query.queries import IndexQueries
    from cmdr.model.trees.node import Node


MAX_ENTRIES = 20
"""A folder with at most so many entries is told whole; no page is longer."""
LARGE_FOLDER = 200
"""A bigger folder is asked rather than read through, so that only its first few entries are told."""
SAMPLES = 5

Sort = Literal["name", "size", "modified"]
_INDEX_SORT: dict[Sort, Literal["name", "size", "mtime"]] = {"name": "name", "size": "size", "modified": "mtime"}


@dataclass(frozen=True, slots=True)
class PageWanted:
    """Which entries to tell, in which order."""

    limit: int | None
    cursor: str | None
    sort: Sort
    order: Direction

    @property
    def is_by_name(self) -> bool:
        """Whether the order is the usual one, which no link needs to name."""
        return (self.sort, self.order) == ("name", Direction.ASC)

    def rows(self, total: int, session: ShellSession) -> int:
        """How many entries of so many."""
        wanted = self.limit if self.limit is not None else session.limit
        if wanted is None:
            wanted = MAX_ENTRIES if total <= LARGE_FOLDER else SAMPLES
        return min(wanted, total)


def indexed_glance(
    base_url: str, answers: IndexQueries, path: bytes, session: ShellSession, wanted: PageWanted
) -> FolderGlance:
    """What an index knows of a folder."""
    summary = answers.summary(path, SAMPLES)
    totals, units = summary.totals, session.units
    sort = _INDEX_SORT[wanted.sort]
    told = wanted.rows(summary.children, session)
    page = answers.children(path, told, wanted.cursor, sort, wanted.order is Direction.DESC)
    size = size_text(totals.bytes, units, complete=totals.complete)
    # Elsewhere in the index something may be unknown; of this folder all is told.
    note = behind_text(answers.behind) or ("" if totals.complete else " (partial)")
    index = f"{base_url}/api/indexes/{answers.indexed.record.id}"
    onward = None
    if page.after:
        # Within an index the number of a node is enough, and every character of a link is read by somebody.
        onward = f"{index}/tree?parent={summary.node.short_id[1:]}"
        onward += "" if wanted.is_by_name else f"&sort={sort}&order={wanted.order}"
        onward += "" if page.cursor is None else f"&cursor={page.cursor}"
    below = f"{count(totals.files, 'file')}, {count(totals.dirs, 'dir')}, {size}{note}"
    is_crowded = summary.children > MAX_ENTRIES and wanted.cursor is None
    return FolderGlance(
        path,
        session.id,
        answers.indexed.record.id,
        index,
        f"{count(summary.children, 'entry', 'entries')}; below {below}",
        tuple(_listed(node, f"{index}/nodes/{node.id}") for node in page.nodes),
        tuple(node.row(units, node.path[: -len(node.name)]) for node in page.nodes),
        page.after,
        onward,
        tuple(
            f"{quoted_name(to_wire(node.name))} {size_text(node.size, units)}" for node in summary.biggest if is_crowded
        ),
        tuple((day_of(node), quoted_name(to_wire(node.name))) for node in summary.newest if is_crowded),
    )


def _listed(node: Node, link: str) -> ListedEntry:
    files = None if node.totals is None else node.totals.files
    return ListedEntry(node.id, node.name, node.kind, node.size, files, node.mtime_ns, link)
