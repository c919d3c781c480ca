"""Filters on whole paths. Paths are put together only for the rows that nothing cheaper has ruled out."""

from collections.abc import Callable

import numpy as np

from cmdr.index.query.globs import parse_glob
from cmdr.index.query.predicates import Rows, member
from cmdr.index.query.regexes import regex_over
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.folding import fold
from cmdr.index.snapshots.segment import Segment
from cmdr.index.snapshots.view import View
from cmdr.model.filters.filter import Text
from cmdr.model.names import from_wire

_STEP = 1 << 15


class PathLeaves:
    """The path leaves of one evaluation; `names` looks up a name leaf in all rows of a segment."""

    def __init__(self, view: View, names: Callable[[Text, Segment], Column], pause: Callable[[int], None]) -> None:
        self.view, self.names, self.pause = view, names, pause
        self.directories: dict[Text, Column] = {}

    def mask(self, leaf: Text, segment: Segment, rows: Rows) -> Column:
        """Which of these rows of a segment have such a path."""
        numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        first = self.view.base_rows if segment is self.view.extra else 0
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
        for number in range(self.view.base_dirs, len(out)):
            out[number] |= out[int(dirs["dpar"][number])]
        return out


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
