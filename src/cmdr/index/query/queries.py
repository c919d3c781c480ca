"""Queries to one index: nodes, listings, filters and their pages, all as frozen results."""

import copy
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Self

import numpy as np

from cmdr.index.contents.content_query import ContentHits, ContentReading
from cmdr.index.delta.catching_up import PATIENCE_S
from cmdr.index.errors import BadHandle, BadQuestion, Gone, NotIndexed
from cmdr.index.query.coverage import FilterResult
from cmdr.index.query.cursor import Scope, make_cursor, read_cursor
from cmdr.index.query.evaluate import evaluate
from cmdr.index.query.leaves import EvaluationContext
from cmdr.index.query.nodes import node, nodes
from cmdr.index.query.ordering import is_natural, page
from cmdr.index.query.sizes import largest_of, total_bytes
from cmdr.index.reports.duplicates import same_as
from cmdr.index.snapshots.columns import FORMAT_DIR, FORMAT_FILE, Column
from cmdr.index.snapshots.rows_view import Rows
from cmdr.index.snapshots.view import View
from cmdr.index.store.handles import node_number
from cmdr.index.tree import IndexedTree
from cmdr.model.filters.filter import And, Content, DuplicateOf, Filter, InSet, Not, Or, Question, SortKey, Time
from cmdr.model.filters.filter_json import to_json
from cmdr.model.filters.filter_text import to_text
from cmdr.model.names import from_wire, printable, to_wire
from cmdr.model.trees.node import Node, Totals
from cmdr.model.trees.queries import Explanation

_MAX_RESULTS = 8
_MAX_RESULT_BYTES = 1 << 26  # bytes; the newest answer is kept whatever its size
MAX_PAGE = 1000
_Path = bytes
_AT_A_GLANCE: tuple[SortKey, SortKey] = ("size", "mtime")


@dataclass(frozen=True)
class KindCounts:
    """How many there are, and how much the files hold by themselves, each counted once."""

    files: int
    dirs: int
    others: int
    file_bytes: int


def count_kinds(view: View, rows: Column) -> KindCounts:
    """Count these rows by their kind."""
    form = view.gather("mode", rows) >> 12
    is_file, dirs = form == FORMAT_FILE, int((form == FORMAT_DIR).sum())
    files = int(is_file.sum())
    return KindCounts(files, dirs, len(rows) - files - dirs, total_bytes(view, rows[is_file]) if files else 0)


def biggest_of_each(view: View, rows: Column, count: int) -> Column:
    """The biggest files among these rows, then the biggest folders, then others: all of them where there is room, and
    up to half of the room for folders where there is not."""
    form = view.gather("mode", rows) >> 12
    dirs, others = rows[form == FORMAT_DIR], rows[(form != FORMAT_DIR) & (form != FORMAT_FILE)]
    files = largest_of(view, rows, count)
    if len(rows) <= count:  # further names of a file that is among them count as well
        rest = rows[(form == FORMAT_FILE) & ~np.isin(rows, files)]
        files = np.concatenate([files, rest])
    slots = max(count - len(files), min(len(dirs), count // 2))
    kept = page(view, dirs, "size", True, slots, None).rows if len(dirs) and slots else dirs[:0]
    found = np.concatenate([files[: count - len(kept)], kept])
    return np.concatenate([found, others[: count - len(found)]])


class ResultCache:
    """Some answers by their questions; the one that was asked for longest ago goes first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, FilterResult] = OrderedDict()
        self._lock = Lock()

    def put(self, question: Hashable, found: FilterResult) -> None:
        """Keep an answer."""
        with self._lock:
            self._kept[question] = found
            self._kept.move_to_end(question)
            slots = _MAX_RESULT_BYTES
            for number, one in enumerate(reversed(list(self._kept)), 1):
                slots -= self._kept[one].rows.nbytes
                if number > _MAX_RESULTS or (number > 1 and slots < 0):
                    del self._kept[one]

    def get(self, question: Hashable) -> FilterResult | None:
        """An answer that was kept, or None."""
        with self._lock:
            if question in self._kept:
                self._kept.move_to_end(question)
            return self._kept.get(question)

    def clear(self) -> None:
        """Forget them all."""
        with self._lock:
            self._kept.clear()


@dataclass(frozen=True)
class Page:
    """Some nodes of a longer list; `cursor` leads to the next ones."""

    nodes: tuple[Node, ...]
    total: int
    cursor: str | None
    after: int  # how many come behind these


@dataclass(frozen=True)
class Summary:
    """A directory at a glance: what is directly in it and below it, its biggest and its newest."""

    node: Node
    totals: Totals
    children: int
    biggest: tuple[Node, ...]
    newest: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class QueryResult:
    """What a filter found: how many, how much, and (as rows of one view) which."""

    count: int
    bytes: int
    view: View
    rows: Column
    explanation: Explanation
    wanted: Filter
    below: _Path
    behind: int = 0
    """Folders that are not known as they are; 0 when the answer is true as of the call."""
    contents: ContentHits | None = None
    """Where contents matched, when they were asked about."""

    def kinds(self) -> KindCounts:
        """How many of what was found are files, folders and others."""
        return count_kinds(self.view, self.rows)


class IndexQueries:
    """Everything that can be asked of one index."""

    def __init__(self, indexed: IndexedTree, members: Callable[[View, str], Column]) -> None:
        self.indexed, self._members = indexed, members
        self._found = ResultCache()
        self._view: View | None = None
        self.behind = 0
        """How many folders of what was asked for are not known as they are; 0 when the answers are true as of the call
        of `as_of`."""

    @property
    def view(self) -> View:
        return self._view or self.indexed.view

    def as_of(self, moment: int | None, place: str | bytes | None = None, patience_s: float = PATIENCE_S) -> Self:
        """The same index with its answers about a place (or all of it) as of a moment, by default of now.

        All answers of what is returned come from one view, and `behind` says whether they are true.
        """
        indexed = self.indexed
        moment = indexed.begin_moment() if moment is None else moment
        now = indexed.as_of(moment, self._path(place), patience_s)
        known = copy.copy(self)
        known._view, known.behind = now.view, now.behind
        return known

    def _path(self, place: str | bytes | None) -> bytes:
        """Where a place is, as far as it is known; the root when it is not."""
        if place is None:
            return self.indexed.record.root
        if isinstance(place, str) and not place.startswith("/"):
            try:
                view = self.indexed.view
                return view.path(self.row(place, view))
            except (BadHandle, Gone):
                return self.indexed.record.root
        return os.path.normpath(from_wire(place) if isinstance(place, str) else place)

    @property
    def tag(self) -> int:
        return self.indexed.record.tag

    # -- places ---------------------------------------------------------------------------------------------------
    def row(self, place: str | bytes, view: View | None = None) -> int:
        """The row of a node id (text from n_ on) or of an absolute path (bytes, or text from / on)."""
        view = view or self.view
        if isinstance(place, str) and not place.startswith("/"):
            try:
                return view.row_of(node_number(self.tag, place))
            except KeyError as unknown:
                raise BadHandle(f"{place[:40]!r} is not a node id of this index.") from unknown
        path = from_wire(place) if isinstance(place, str) else place
        return view.find(os.path.normpath(path))

    def node(self, place: str | bytes) -> Node:
        """Everything the index knows about one node; raises Gone with the last path when it has vanished."""
        view = self.view
        return node(view, self.tag, self.row(place, view))

    def directory(self, place: str | bytes, view: View | None = None) -> int:
        """The number of a directory in the view."""
        view = view or self.view
        number = view.directory(self.row(place, view))
        if number is None:
            raise BadQuestion(f"{place if isinstance(place, str) else to_wire(place)} is not a folder.")
        return number

    # -- listings -------------------------------------------------------------------------------------------------
    def children(
        self,
        place: str | bytes,
        limit: int = 50,
        cursor: str | None = None,
        sort: SortKey = "name",
        descending: bool = False,
    ) -> Page:
        """The direct children of a directory, a page at a time."""
        view = self.view
        number = self.directory(place, view)
        question = f"children\0{view.id_of(view.dirs['drow'].item(number))}\0{sort}\0{descending}"
        above = view.directory_path(number)
        return self._page(view, view.child_rows(number), question, sort, descending, limit, cursor, above)

    def summary(self, place: str | bytes, count: int = 5) -> Summary:
        """One directory in one answer: totals, the biggest and the newest of its own entries."""
        view = self.view
        number = self.directory(place, view)
        rows = view.child_rows(number)
        own = node(view, self.tag, view.dirs["drow"].item(number))
        biggest, newest = (
            nodes(view, self.tag, page(view, rows, key, True, count, None).rows, own.path) for key in _AT_A_GLANCE
        )
        return Summary(own, view.totals(number), len(rows), biggest, newest)

    # -- questions ------------------------------------------------------------------------------------------------
    def ask(
        self,
        wanted: Filter,
        below: str | bytes | None = None,
        stop: Callable[[], bool] = lambda: False,
        reading: ContentReading | None = None,
    ) -> QueryResult:
        """Which nodes satisfy a filter, in the whole index or below a folder; contents are read as `reading` says."""
        view = self.view
        number = 0 if below is None else self.directory(below, view)
        found = self._evaluate(view, wanted, number, stop, reading)
        rows, place = found.rows, view.directory_path(number)
        totals = (len(rows), total_bytes(view, rows))
        return QueryResult(*totals, view, rows, found.explanation, wanted, place, self.behind, found.contents)

    def page(
        self,
        question: Question,
        below: str | bytes | None = None,
        limit: int = 50,
        cursor: str | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Page:
        """The nodes that satisfy a question, a page at a time and in its order."""
        view = self.view
        number = 0 if below is None else self.directory(below, view)
        rows = self._evaluate(view, question.filter, number, stop).rows
        name = f"query\0{to_text(question.filter)}\0{number}\0{question.sort}\0{question.descending}"
        return self._page(view, rows, name, question.sort, question.descending, limit, cursor)

    def first(self, answer: QueryResult, count: int) -> tuple[Node, ...]:
        """The first entries of an answer, in the order of the tree."""
        rows = page(answer.view, answer.rows, "tree", False, count, None).rows
        return nodes(answer.view, self.tag, rows)

    def biggest(self, answer: QueryResult, count: int) -> tuple[Node, ...]:
        """The biggest files of an answer, and the biggest folders when there are any."""
        return nodes(answer.view, self.tag, biggest_of_each(answer.view, answer.rows, count))

    def _page(
        self,
        view: View,
        rows: Rows,
        question: str,
        sort: SortKey,
        descending: bool,
        limit: int,
        cursor: str | None,
        above: bytes | None = None,
    ) -> Page:
        limit = max(0, min(limit, MAX_PAGE))
        if sort == "name" and is_natural(rows):
            question += "\0natural"
        scope = Scope(self.indexed.record.id, view.epoch, question)
        secret = self.indexed.catalogue.secret
        behind = None if cursor is None else read_cursor(secret, scope, cursor)
        found = page(view, rows, sort, descending, limit, behind)
        onward = None if found.place is None else make_cursor(secret, scope, *found.place)
        return Page(nodes(view, self.tag, found.rows, above), len(rows), onward, found.after)

    def _evaluate(
        self,
        view: View,
        wanted: Filter,
        below: int,
        stop: Callable[[], bool],
        reading: ContentReading | None = None,
    ) -> FilterResult:
        key = (view.epoch, view.revision, repr(to_json(wanted)), below)
        lasting = not _moves_with_time(wanted)
        if lasting and (kept := self._found.get(key)) is not None:
            return kept
        context = EvaluationContext(
            lambda place: self._place(place, view),
            lambda set_id: self._members(view, set_id),
            lambda place: same_as(view, self.row(place, view), stop),
            reading=reading,
            contents=self.indexed.contents,
        )
        found = evaluate(view, wanted, context, below, stop)
        if lasting:
            self._found.put(key, found)
        return found

    def _place(self, place: str, view: View) -> int:
        try:
            return self.directory(place, view)
        except (NotIndexed, BadHandle, Gone) as trouble:
            raise BadQuestion(f"Nothing can be below {printable(place, 200)}: {trouble}") from trouble


def _moves_with_time(wanted: Filter) -> bool:
    """Whether the answer depends on now, or on a set or file contents that may change under the same view."""
    match wanted:
        case And(items) | Or(items):
            return any(_moves_with_time(item) for item in items)
        case Not(item):
            return _moves_with_time(item)
    return isinstance(wanted, Time | InSet | DuplicateOf | Content)
