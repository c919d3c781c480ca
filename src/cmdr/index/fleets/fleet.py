"""Many exports asked as one: the trees of all hosts whose Parquet files stand in one folder.

The same filters as everywhere, compiled for DuckDB, which runs in this process and reads nothing but those files.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Self

from cmdr.index.errors import BadQuestion
from cmdr.index.fleets.fleet_files import connected, exports_in
from cmdr.model.filters.filter import Filter, Question
from cmdr.model.names import printable

_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Hit:
    """One entry that was found; a folder's size is all that is below it."""

    host: str
    root: str
    path: str
    kind: str
    size: int | None
    mtime_ns: int | None


@dataclass(frozen=True, slots=True)
class FleetTotals:
    """How much was found: entries, and the bytes of the files among them, each counted once."""

    entries: int
    hosts: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ExportedTree:
    """One root of one host: what is below it, and when it was exported."""

    host: str
    root: str
    files: int
    folders: int
    bytes: int
    exported_ns: int


class Fleet:
    """All exports in a folder, while it is open. Ask from one thread."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __enter__(self) -> Self:
        with ExitStack() as undone:
            spilling = undone.enter_context(tempfile.TemporaryDirectory(prefix="cmdr-fleet-"))
            held = undone.enter_context(ExitStack())
            self._engine = connected(temp_directory=spilling, preserve_insertion_order=False)
            undone.callback(self._engine.close)
            self.exports = exports_in(self.folder, self._engine, held)
            paths = [export.held for export in self.exports]
            with _told_kindly():
                self._engine.read_parquet(paths, hive_partitioning=False).create_view("entries")
            self._open = undone.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def find(self, question: Question) -> Iterator[Hit]:
        """What satisfies a question, in its order and as many as it says."""
        from cmdr.index.fleets.fleet_question import answer, table

        return (Hit(*row) for row in self._asked(answer(table(), question)))

    def totals(self, wanted: Filter) -> FleetTotals:
        """How much satisfies a filter."""
        from cmdr.index.fleets.fleet_question import kept, table

        found = kept(table(), wanted)
        files = found.filter(found["kind"] == "file")
        # A file with several names, or in several exports of one host, holds its bytes once.
        once = files.group_by("host", "device", "inode").aggregate(held=files["size"].max())
        ((entries, hosts),) = self._asked(found.aggregate(entries=found.count(), hosts=found["host"].nunique()))
        ((held,),) = self._asked(once.aggregate(bytes=once["held"].sum()))
        return FleetTotals(entries, hosts, int(held or 0))

    def trees(self) -> list[ExportedTree]:
        """Every root of every host, the biggest first."""
        from cmdr.index.fleets.fleet_question import table

        rows = table()
        roots = rows.filter(rows["path"] == rows["root"])
        when = {(export.host, export.root): export.exported_ns for export in self.exports}
        trees = []
        for host, root, *counted in self._asked(roots.select("host", "root", "tree_files", "tree_dirs", "tree_size")):
            files, folders, size = (value or 0 for value in counted)
            trees.append(ExportedTree(host, root, files, folders, size, when.get((host, root), 0)))
        return sorted(trees, key=lambda tree: (-tree.bytes, tree.host, tree.root))

    def _asked(self, question: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of an ibis expression. ibis only compiles it: to ask, it would need two more libraries."""
        from cmdr.index.fleets.fleet_question import to_sql

        with _told_kindly():
            found = self._engine.cursor().execute(to_sql(question, "duckdb"))
            while rows := found.fetchmany(_AT_ONCE):
                yield from rows


def sql(question: Question, dialect: str) -> str:
    """A question for another engine, where the exports are the table `entries`."""
    connected().close()  # a kind word when something is missing
    from cmdr.index.fleets.fleet_question import said_to

    return said_to(dialect, question)


@contextmanager
def _told_kindly() -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as trouble:
        first = str(trouble).splitlines()[0] if str(trouble) else type(trouble).__name__
        raise BadQuestion(f"DuckDB could not answer: {printable(first, 300)}") from trouble
