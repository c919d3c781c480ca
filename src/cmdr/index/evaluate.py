"""Answering a filter over a view: which rows, how they were found, and what could not be looked at.

Text leaves are searched in the whole blob first; everything else runs as masks over slices of rows, cheap leaves
first, and what survives a selective leaf is followed row by row instead of by slice. Memory stays flat and a cancel
is seen between slices.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cmdr.index import namesearch
from cmdr.index.columns import Column, DirState
from cmdr.index.errors import Cancelled
from cmdr.index.folding import fold
from cmdr.index.globs import matching_glob, parse_glob
from cmdr.index.predicates import COST, Rows, mask, member
from cmdr.index.regexes import matching_regex, regex_over
from cmdr.index.segment import Segment
from cmdr.index.view import View
from cmdr.model.filter import (
    And,
    DuplicateOf,
    Ext,
    Filter,
    InSet,
    Is,
    KindIs,
    Mode,
    Not,
    Number,
    Or,
    Owner,
    Text,
    Time,
    Under,
    normal,
)
from cmdr.model.filter_text import to_text
from cmdr.model.names import from_wire, to_wire

_SLICE = 1 << 18
_SPARSE = 8  # below one row in eight, go on row by row
NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Surroundings:
    """What leaves need from outside the columns: where a place is, who is in a set, which files are the same."""

    directory: Callable[[str], int]  # number of a directory by path or node id
    members: Callable[[str], Column]  # rows of a set's members
    duplicates: Callable[[str], Column]  # rows of the files with the same contents
    now_ns: int = field(default_factory=time.time_ns)


@dataclass(frozen=True)
class Explanation:
    """How an answer came about."""

    normal_form: str
    steps: tuple[str, ...]
    rows_examined: int
    rows_total: int
    complete: bool
    not_covered: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Found:
    """The rows that satisfy a filter, ascending, and how they were found."""

    rows: Column
    explanation: Explanation


def evaluate(
    view: View, wanted: Filter, around: Surroundings, below: int = 0, stop: Callable[[], bool] = lambda: False
) -> Found:
    """All rows below directory `below` that satisfy a filter."""
    plain = normal(wanted)
    work = _Evaluation(view, around, stop)
    rows = work.run(plain, below)
    steps = tuple(work.steps) or (f"every row below {to_wire(view.directory_path(below))}",)
    missing = not_covered(view)
    explanation = Explanation(to_text(plain), steps, work.examined, work.total, not missing, missing)
    return Found(rows, explanation)


def not_covered(view: View) -> tuple[str, ...]:
    """What the index could not read, in words; empty when it saw everything it was asked to see."""
    states = np.bincount(view.dirs["dstate"][view.live_dirs()], minlength=7)
    words = {
        DirState.DENIED: "folders could not be opened",
        DirState.UNLISTED: "folders lie beyond the depth limit",
        DirState.OTHER_SYSTEM: "folders are on other file systems",
        DirState.CANCELLED: "folders were not reached before the scan was stopped",
        DirState.FAILED: "folders could not be read",
    }
    found = [f"{int(states[state]):,} {text}" for state, text in words.items() if states[state]]
    if view.base.has_unknown:
        found.append("some entries could be seen by name only")
    return tuple(found)


class _Evaluation:
    def __init__(self, view: View, around: Surroundings, stop: Callable[[], bool]) -> None:
        self.view, self.around, self.stop = view, around, stop
        self.steps: list[str] = []
        self.examined = self.total = 0
        self.hits: dict[tuple[int, Filter], Column] = {}
        self.dir_masks: dict[str, tuple[range, Column | None]] = {}
        self.path_dirs: dict[Text, Column] = {}

    def run(self, plain: Filter, below: int) -> Column:
        base_rows, dir_mask = self.view.subtree(below)
        kept: list[Column] = []
        for first, segment in self.view.segments():
            over = first > 0
            rows = range(segment.rows) if over else range(max(1, base_rows.start), max(1, base_rows.stop))
            self.total += len(rows)
            found = self.segment(plain, segment, rows, over)
            if over and dir_mask is not None:
                found = found[dir_mask[segment["pdir"][found]]]
            elif not over and self.view.dead is not None:
                found = found[~self.view.dead[found]]
            kept.append(found + first)
        return np.concatenate(kept) if len(kept) > 1 else kept[0]

    def segment(self, plain: Filter, segment: Segment, rows: range, over: bool) -> Column:
        parts: list[Filter] = list(plain.items) if isinstance(plain, And) else [plain]
        parts.sort(key=_cost)
        seed, rest = self.seed(parts, segment, rows, over)
        if not over:
            self.steps += [to_text(part) for part in rest]
        kept: list[Column] = []
        if seed is not None:
            for first in range(0, len(seed), _SLICE):
                some = seed[first : first + _SLICE]
                kept.append(some[self.all_of(rest, segment, some, over)] if rest else some)
                self.pause(len(some) if rest else 0)
        elif not rest:
            return np.arange(rows.start, rows.stop)
        else:
            for first in range(rows.start, rows.stop, _SLICE):
                piece = slice(first, min(first + _SLICE, rows.stop))
                kept.append(np.flatnonzero(self.all_of(rest, segment, piece, over)) + first)
                self.pause(piece.stop - piece.start)
        return np.concatenate(kept) if kept else NONE

    def pause(self, examined: int) -> None:
        self.examined += examined
        if self.stop():
            raise Cancelled("The search was stopped.")

    def seed(
        self, parts: list[Filter], segment: Segment, rows: range, over: bool
    ) -> tuple[Column | None, list[Filter]]:
        """Rows to start from, when a part of an `and` can be looked up instead of tested; the parts left to test."""
        best: Column | None = None
        rest: list[Filter] = []
        for part in parts:
            if isinstance(part, Under) and not over:
                span = self.under(part)[0]
                hits = np.arange(max(span.start, rows.start), max(span.start, rows.start, min(span.stop, rows.stop)))
            elif isinstance(part, InSet | DuplicateOf) or (isinstance(part, Text) and part.field == "name"):
                hits = self.looked_up(part, segment, rows, over)
                self.examined += len(rows)
            else:
                rest.append(part)
                continue
            if not over:
                self.steps.append(f"look up {to_text(part)}: {len(hits):,}")
            best = hits if best is None else best[member(best, hits)]
        return best, rest

    def all_of(self, parts: list[Filter] | tuple[Filter, ...], segment: Segment, rows: Rows, over: bool) -> Column:
        """An `and`: each part only sees what the parts before it left, once that is little enough."""
        out: Column | None = None
        for number, part in enumerate(parts):
            if out is not None and number:
                left = np.flatnonzero(out)
                if len(left) * _SPARSE < len(out):
                    absolute = left + rows.start if isinstance(rows, slice) else rows[left]
                    out[left] = self.all_of(parts[number:], segment, absolute, over) if len(left) else False
                    return out
            found = self.test(part, segment, rows, over)
            out = found if out is None else out & found
        return np.ones(_length(rows), bool) if out is None else out

    def test(self, node: Filter, segment: Segment, rows: Rows, over: bool) -> Column:
        match node:
            case And(items):
                return self.all_of(sorted(items, key=_cost), segment, rows, over)
            case Or(items):
                out = np.zeros(_length(rows), bool)
                for item in items:
                    out |= self.test(item, segment, rows, over)
                return out
            case Not(item):
                return ~self.test(item, segment, rows, over)
            case Text("path"):
                return self.path(node, segment, rows)
            case Text() | InSet() | DuplicateOf():
                return member(rows, self.looked_up(node, segment, range(segment.rows), over))
            case Under():
                span, dir_mask = self.under(node)
                if over and dir_mask is not None:
                    return dir_mask[segment["pdir"][rows]]
                numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
                return np.asarray((numbers >= span.start) & (numbers < span.stop))
            case Ext() | KindIs() | Number() | Time() | Mode() | Owner() | Is():
                empty = self.empty_dirs(over) if isinstance(node, Is) else NONE
                return np.asarray(mask(node, segment, rows, self.view.dirs["ddepth"], empty, self.around.now_ns))
        raise TypeError(node)

    # -- leaves that are looked up --------------------------------------------------------------------------------
    def looked_up(self, leaf: Text | InSet | DuplicateOf, segment: Segment, rows: range, over: bool) -> Column:
        key = (id(segment), leaf)
        if key not in self.hits:
            self.hits[key] = self.look_up(leaf, segment, rows, over)
        return self.hits[key]

    def look_up(self, leaf: Text | InSet | DuplicateOf, segment: Segment, rows: range, over: bool) -> Column:
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
                return self.local(self.around.members(set_id), over)
            case DuplicateOf(place):
                return self.local(self.around.duplicates(place), over)

    def local(self, rows: Column, over: bool) -> Column:
        """Global rows as rows of one segment."""
        rows = np.sort(rows)
        edge = self.view.base_rows
        return rows[rows >= edge] - edge if over else rows[rows < edge]

    def under(self, leaf: Under) -> tuple[range, Column | None]:
        if leaf.place not in self.dir_masks:
            self.dir_masks[leaf.place] = self.view.subtree(self.around.directory(leaf.place))
        return self.dir_masks[leaf.place]

    def empty_dirs(self, over: bool) -> Column:
        dirs = self.view.dirs
        live = self.view.live_dirs()
        bare = live[(dirs["dcn"][live] == 0) & (dirs["dstate"][live] == int(DirState.LISTED))]
        return self.local(dirs["drow"][bare].astype(np.int64), over)

    # -- paths ------------------------------------------------------------------------------------------------------
    def path(self, leaf: Text, segment: Segment, rows: Rows) -> Column:
        """Paths are put together only for the rows that nothing cheaper has ruled out."""
        numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        first = self.view.base_rows if segment is self.view.extra else 0
        if leaf.op == "contains" and b"/" not in from_wire(leaf.value):
            # Some part of the path contains it: the name itself, or a directory above, which is asked once.
            inside = self.containing_dirs(leaf)[segment["pdir"][numbers]]
            name = Text("name", "contains", leaf.value, leaf.case)
            return inside | member(rows, self.looked_up(name, segment, range(segment.rows), first > 0))
        out = np.zeros(len(numbers), bool)
        for start in range(0, len(numbers), 1 << 15):
            paths = self.view.paths(numbers[start : start + (1 << 15)] + first)
            out[start : start + len(paths)] = match_paths(leaf, paths)
            self.pause(0)
        return out

    def containing_dirs(self, leaf: Text) -> Column:
        """Which directories have the text in their path, by number; a parent's number is always smaller."""
        if leaf not in self.path_dirs:
            dirs = self.view.dirs
            out = np.zeros(len(dirs["dpar"]), bool)
            hits = match_paths(leaf, [self.view.root])[0]
            if hits:
                out[:] = True
            else:
                own = Text("name", "contains", leaf.value, leaf.case)
                for at, segment in self.view.segments():
                    rows = self.looked_up(own, segment, range(segment.rows), at > 0) + at
                    numbers = self.view.directories(rows)
                    out[numbers[numbers >= 0]] = True
                for number in np.flatnonzero(out[: self.view.base_dirs]).tolist():
                    out[number : int(dirs["dlast"][number])] = True
                for number in range(self.view.base_dirs, len(out)):
                    out[number] |= out[int(dirs["dpar"][number])]
            self.path_dirs[leaf] = out
        return self.path_dirs[leaf]


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


def _length(rows: Rows) -> int:
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)


def _cost(node: Filter) -> int:
    match node:
        case Not(item):
            return _cost(item)
        case And(items) | Or(items):
            return 4 + max((_cost(item) for item in items), default=0)
        case Text("path"):
            return 30
        case Text() | InSet() | DuplicateOf() | Under():
            return 2
    return COST.get(type(node), 3)
