"""Many exports asked as one: the trees of all hosts whose Parquet files stand in one folder.

The same filters as everywhere, compiled for DuckDB, which runs in this process and reads nothing but those files.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

from cmdr.index.errors import BadQuestion, NoSuchFleet
from cmdr.index.fleets.export_files import ExportFile, LeftOut, connected, damaged, exports_in, left_out_at
from cmdr.model.filters.filter import Filter, Question
from cmdr.model.names import printable

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")

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
    """All exports in a folder that can be read, while it is open. Ask from one thread.

    One that turns out to be damaged while it is asked is left out, and the question asked again without it.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.exports: list[ExportFile] = []
        self.left_out: list[LeftOut] = []
        """What no answer holds so far; it may grow with every question."""

    def __enter__(self) -> Self:
        with ExitStack() as undone:
            self._spilling = undone.enter_context(tempfile.TemporaryDirectory(prefix="cmdr-fleet-"))
            held = undone.enter_context(ExitStack())
            self.exports, self.left_out = exports_in(self.folder, self._connect, held)
            self._engine = self._connect()
            undone.callback(self._close_engine)
            self._view()
            self._open = undone.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def ask(self, question: Question) -> tuple[FleetTotals, Iterator[Hit]]:
        """How much satisfies a question, and what, both of the very same exports."""
        return self._consistently(lambda: (self.totals(question.filter), self.find(question)))

    def find(self, question: Question) -> Iterator[Hit]:
        """What satisfies a question, in its order and as many as it says."""
        from cmdr.index.fleets.ibis_query import answer, table

        return (Hit(*row) for row in self._asked(answer(table(), question)))

    def totals(self, wanted: Filter) -> FleetTotals:
        """How much satisfies a filter."""
        return self._consistently(lambda: self._totals(wanted))

    def _totals(self, wanted: Filter) -> FleetTotals:
        from cmdr.index.fleets.ibis_query import kept, table

        found = kept(table(), wanted)
        files = found.filter(found["kind"] == "file")
        # A file with several names, or in several exports of one host, holds its bytes once.
        once = files.group_by("host", "device", "inode").aggregate(held=files["size"].max())
        ((entries, hosts),) = self._asked(found.aggregate(entries=found.count(), hosts=found["host"].nunique()))
        ((held,),) = self._asked(once.aggregate(bytes=once["held"].sum()))
        return FleetTotals(entries, hosts, int(held or 0))

    def trees(self) -> list[ExportedTree]:
        """Every root of every host, the biggest first."""
        from cmdr.index.fleets.ibis_query import table

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
        import duckdb

        from cmdr.index.fleets.ibis_query import to_sql

        text = to_sql(question, "duckdb")
        while True:
            try:
                found = self._engine.cursor().execute(text)
                # Answers are in order, so with the first row all files have been read.
                return _rows(found, found.fetchmany(_AT_ONCE))
            except duckdb.Error as trouble:
                if not self._leave_out_damaged():
                    raise _query_error(trouble) from trouble

    def _consistently(self, work: Callable[[], T]) -> T:
        """The answer to several questions, none of which lost an export on the way."""
        while True:
            known = len(self.left_out)
            answer = work()
            if len(self.left_out) == known:
                return answer

    def _leave_out_damaged(self) -> bool:
        """Whether a question failed because of some exports, which are now left out."""
        found = {export.path: why for export, why in damaged(self.exports, self._connect)}
        if found:
            self.left_out += [left_out_at(os.path.dirname(path), why) for path, why in found.items()]
            self.exports = [export for export in self.exports if export.path not in found]
            self._close_engine()
            self._engine = self._connect()
            self._view()
        return bool(found)

    def _close_engine(self) -> None:
        self._engine.close()

    def _connect(self) -> "duckdb.DuckDBPyConnection":
        return connected(temp_directory=self._spilling, preserve_insertion_order=False)

    def _view(self) -> None:
        """Make the table `entries` of all exports; raises `NoSuchFleet` when none is left."""
        import duckdb

        if not self.exports:
            first = "; ".join(map(str, self.left_out[:3]))
            raise NoSuchFleet(f"None of the exports in {printable(self.folder, 200)} can be asked: {first}.")
        paths = [export.held for export in self.exports]
        try:
            self._engine.read_parquet(paths, hive_partitioning=False).create_view("entries")
        except duckdb.Error as trouble:
            raise _query_error(trouble) from trouble


def sql(question: Question, dialect: str) -> str:
    """A question for another engine, where the exports are the table `entries`."""
    connected().close()  # a kind word when something is missing
    from cmdr.index.fleets.ibis_query import dialect_sql

    return dialect_sql(dialect, question)


def _rows(found: "duckdb.DuckDBPyConnection", rows: list[Any]) -> Iterator[tuple[Any, ...]]:
    import duckdb

    try:
        while rows:
            yield from rows
            rows = found.fetchmany(_AT_ONCE)
    except duckdb.Error as trouble:
        raise _query_error(trouble) from trouble


def _query_error(trouble: Exception) -> BadQuestion:
    first = str(trouble).splitlines()[0] if str(trouble) else type(trouble).__name__
    return BadQuestion(f"DuckDB could not answer: {printable(first, 300)}")
