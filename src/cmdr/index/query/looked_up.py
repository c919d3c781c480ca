"""Leaves of a filter that are looked up instead of tested: names, sets, duplicates, folders. Each is asked once."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cmdr.index.query import namesearch
from cmdr.index.query.globs import matching_glob
from cmdr.index.query.regexes import matching_regex
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.segment import Segment
from cmdr.index.snapshots.view import View
from cmdr.model.filters.filter import DuplicateOf, Filter, InSet, Text, Under
from cmdr.model.names import from_wire
from cmdr.model.trees.node import DirState


@dataclass(frozen=True)
class Surroundings:
    """What leaves need from outside the columns: where a place is, who is in a set, which files are the same."""

    directory: Callable[[str], int]  # number of a directory by path or node id
    members: Callable[[str], Column]  # rows of a set's members
    duplicates: Callable[[str], Column]  # rows of the files with the same contents
    now_ns: int = field(default_factory=time.time_ns)


class LookedUp:
    """What the leaves of one evaluation found, by leaf."""

    def __init__(self, view: View, around: Surroundings, stop: Callable[[], bool]) -> None:
        self.view, self.around, self.stop = view, around, stop
        self.found: dict[tuple[int, Filter], Column] = {}
        self.dir_masks: dict[str, tuple[range, Column | None]] = {}

    def hits(self, leaf: Text | InSet | DuplicateOf, segment: Segment, rows: range, over: bool) -> Column:
        """Rows of the segment that satisfy a leaf, ascending; `over` says that it is the overlay."""
        key = (id(segment), leaf)
        if key not in self.found:
            self.found[key] = self._look_up(leaf, segment, rows, over)
        return self.found[key]

    def _look_up(self, leaf: Text | InSet | DuplicateOf, segment: Segment, rows: range, over: bool) -> Column:
        match leaf:
            case Text(_, "contains", value, case):
                return namesearch.containing(segment, from_wire(value), case, rows, self.stop)
            case Text(_, "exact", value, case):
                return namesearch.exactly(segment, from_wire(value), case, rows, self.stop)
            case Text(_, "glob", value, case):
                return matching_glob(segment, from_wire(value), case, rows, self.stop)
            case Text(_, _, value, case):
                return matching_regex(segment, value, case, rows, self.stop)
            case InSet(set_id):
                return self._local(self.around.members(set_id), over)
            case DuplicateOf(place):
                return self._local(self.around.duplicates(place), over)

    def _local(self, rows: Column, over: bool) -> Column:
        """Global rows as rows of one segment."""
        rows = np.sort(rows)
        edge = self.view.base_rows
        return rows[rows >= edge] - edge if over else rows[rows < edge]

    def under(self, leaf: Under) -> tuple[range, Column | None]:
        """The rows below a place, and for the overlay the directories below it."""
        if leaf.place not in self.dir_masks:
            self.dir_masks[leaf.place] = self.view.subtree(self.around.directory(leaf.place))
        return self.dir_masks[leaf.place]

    def empty_dirs(self, over: bool) -> Column:
        """Rows of the directories that have nothing in them."""
        dirs = self.view.dirs
        live = self.view.live_dirs()
        bare = live[(dirs["dcn"][live] == 0) & (dirs["dstate"][live] == int(DirState.LISTED))]
        return self._local(dirs["drow"][bare].astype(np.int64), over)
