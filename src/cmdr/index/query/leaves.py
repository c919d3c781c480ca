"""Leaves of a filter that are looked up once for all rows instead of tested: names, sets, duplicates, folders, paths.

Whole paths are put together only for the rows that nothing cheaper has ruled out.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cmdr.index.contents.content_query import ContentReading
from cmdr.index.contents.searching import ContentIndex
from cmdr.index.query import name_search
from cmdr.index.query.globs import matching_glob, parse_glob
from cmdr.index.query.predicates import Rows, member
from cmdr.index.query.regexes import matching_regex, regex_over
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.name_blobs import fold
from cmdr.index.snapshots.segment import Segment
from cmdr.index.snapshots.view import View
from cmdr.model.filters.filter import DuplicateOf, Filter, InSet, Text, Under
from cmdr.model.names import from_wire
from cmdr.model.trees.node import DirState

_STEP = 1 << 15


@dataclass(frozen=True)
class EvaluationContext:
    """What leaves need from outside the columns: where a place is, who is in a set, which files are the same."""

    directory: Callable[[str], int]  # number of a directory by path or node id
    members: Callable[[str], Column]  # rows of a set's members
    duplicates: Callable[[str], Column]  # rows of the files with the same contents
    now_ns: int = field(default_factory=time.time_ns)
    reading: ContentReading | None = None  # how files are read for this caller; without it contents are not searched
    contents: ContentIndex | None = None  # what says which files may match, where there is one


class LookupLeaves:
    """What the leaves of one evaluation found, by leaf."""

    def __init__(self, view: View, context: EvaluationContext, stop: Callable[[], bool]) -> None:
        self.view, self.context, self.stop = view, context, stop
        self.found: dict[tuple[int, Filter], Column] = {}
        self.dir_masks: dict[str, tuple[range, Column | None]] = {}

    def hits(self, leaf: Text | InSet | DuplicateOf, segment: Segment, rows: range, over: bool) -> Column:
        """Rows of the segment that satisfy a leaf, ascending; `over` says that it is the delta."""
        key = (id(segment), leaf)
        if key not in self.found:
            self.found[key] = self._look_up(leaf, segment, rows, over)
        return self.found[key]

    def _look_up(self, leaf: Text | InSet | DuplicateOf, segment: Segment, rows: range, over: bool) -> Column:
        match leaf:
            case Text(_, "contains", value, case):
                return name_search.names_containing(segment, from_wire(value), case, rows, self.stop)
            case Text(_, "exact", value, case):
                return name_search.names_equal(segment, from_wire(value), case, rows, self.stop)
            case Text(_, "glob", value, case):
                return matching_glob(segment, from_wire(value), case, rows, self.stop)
            case Text(_, _, value, case):
                return matching_regex(segment, value, case, rows, self.stop)
            case InSet(set_id):
                return self._local(self.context.members(set_id), over)
            case DuplicateOf(place):
                return self._local(self.context.duplicates(place), over)

    def _local(self, rows: Column, over: bool) -> Column:
        """Global rows as rows of one segment."""
        rows = np.sort(rows)
        edge = self.view.base_rows
        return rows[rows >= edge] - edge if over else rows[rows < edge]

    def under(self, leaf: Under) -> tuple[range, Column | None]:
        """The rows below a place, and for the delta the directories below it."""
        if leaf.place not in self.dir_masks:
            self.dir_masks[leaf.place] = self.view.subtree(self.context.directory(leaf.place))
        return self.dir_masks[leaf.place]

    def empty_dirs(self, over: bool) -> Column:
        """Rows of the directories that have nothing in them."""
        dirs = self.view.dirs
        live = self.view.live_dirs()
        bare = live[(dirs["dcn"][live] == 0) & (dirs["dstate"][live] == int(DirState.LISTED))]
        return self._local(dirs["drow"][bare].astype(np.int64), over)


class PathLeaves:
    """The path leaves of one evaluation; `names` looks up a name leaf in all rows of a segment."""

    def __init__(self, view: View, names: Callable[[Text, Segment], Column], pause: Callable[[int], None]) -> None:
        self.view, self.names, self.pause = view, names, pause
        self.directories: dict[Text, Column] = {}

    def mask(self, leaf: Text, segment: Segment, rows: Rows) -> Column:
        """Which of these rows of a segment have such a path."""
        numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        first = self.view.base_rows if segment is self.view.delta else 0
        if leaf.op == "contains" and b"/" not in from_wire(leaf.value):
            # Some part of the path contains it: the name itself, or a directory above, which is asked once.
            inside = self.containing_dirs(leaf)[segment["pdir"][numbers]]
            return inside | member(rows, self.names(_of_name(leaf), segment))
        out = np.zeros(len(numbers), bool)
        for start in range(0, len(numbers), _STEP):
            paths = self.view.paths(numbers[start : start + _STEP] + first)
            out[start : start + len(paths)] = match_paths(leaf, paths)
            self.pause(0)
        return out

    def containing_dirs(self, leaf: Text) -> Column:
        """Which directories have the text in their path, by number; a parent's number is always smaller."""
        if leaf not in self.directories:
            self.directories[leaf] = self._containing_dirs(leaf)
        return self.directories[leaf]

    def _containing_dirs(self, leaf: Text) -> Column:
        dirs = self.view.dirs
        if match_paths(leaf, [self.view.root])[0]:
            return np.ones(len(dirs["dpar"]), bool)
        out = np.zeros(len(dirs["dpar"]), bool)
        for at, segment in self.view.segments():
            numbers = self.view.directories(self.names(_of_name(leaf), segment) + at)
            out[numbers[numbers >= 0]] = True
        for number in np.flatnonzero(out[: self.view.base_dirs]).tolist():
            out[number : int(dirs["dlast"][number])] = True
        return self.view.with_delta_children(out)


def match_paths(leaf: Text, paths: list[bytes]) -> list[bool]:
    """Which paths satisfy a path leaf."""
    if leaf.op == "regex":
        return regex_over([path.decode("utf-8", "replace") for path in paths], leaf.value, leaf.case)
    wanted = from_wire(leaf.value)
    if not leaf.case:
        wanted, paths = fold(wanted), [fold(path) for path in paths]
    if leaf.op == "contains":
        return [wanted in path for path in paths]
    if leaf.op == "exact":
        return [wanted == path for path in paths]
    verify = parse_glob(wanted).verifier().match
    return [verify(path) is not None for path in paths]


def _of_name(leaf: Text) -> Text:
    return Text("name", "contains", leaf.value, leaf.case)
