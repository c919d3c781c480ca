"""Answering a filter over a view: which rows, how they were found, and what could not be looked at.

Text leaves are searched in the whole blob first; everything else runs as masks over slices of rows, cheap leaves
first, and what survives a selective leaf is followed row by row instead of by slice. Memory stays flat and a cancel
is seen between slices.
"""

from collections.abc import Callable

import numpy as np

from cmdr.index.contents.content_query import ContentQuestions
from cmdr.index.errors import BadQuestion, Cancelled
from cmdr.index.query.coverage import FilterResult, not_covered
from cmdr.index.query.leaves import EvaluationContext, LookupLeaves, PathLeaves
from cmdr.index.query.predicates import COST, Rows, mask, member
from cmdr.index.query.regexes import check_regex
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.name_blobs import fold
from cmdr.index.snapshots.segment import Segment
from cmdr.index.snapshots.view import View
from cmdr.model.filters.filter import (
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
    content_leaves,
    normal,
)
from cmdr.model.filters.filter_text import to_text
from cmdr.model.names import from_wire, to_wire
from cmdr.model.trees.queries import Explanation

_SLICE = 1 << 18
_SPARSE = 8  # below one row in eight, go on row by row
_FEW_NAMES = 100_000  # up to so many names are asked one by one
NONE = np.empty(0, np.int64)


def evaluate(
    view: View, wanted: Filter, context: EvaluationContext, below: int = 0, stop: Callable[[], bool] = lambda: False
) -> FilterResult:
    """All rows below directory `below` that satisfy a filter."""
    plain = normal(wanted)
    work = _Evaluation(view, context, stop)
    parts: tuple[Filter, ...] = plain.items if isinstance(plain, And) else (plain,)
    inside = tuple(part for part in parts if content_leaves(part))
    rows = work.run(And(tuple(part for part in parts if part not in inside)) if inside else plain, below)
    steps = tuple(work.steps) or (f"every row below {to_wire(view.directory_path(below))}",)
    missing = not_covered(view, below)
    questions = _about_contents(view, inside, context, work, stop)
    if questions is not None:
        rows = rows[questions.holds(And(inside), rows)]
        steps += tuple(questions.steps)
        missing += questions.hits.coverage.words()
    explanation = Explanation(to_text(plain), steps, work.examined, work.total, not missing, missing)
    return FilterResult(rows, explanation, None if questions is None else questions.hits)


def _about_contents(
    view: View, parts: tuple[Filter, ...], context: EvaluationContext, work: "_Evaluation", stop: Callable[[], bool]
) -> ContentQuestions | None:
    """What answers the questions about contents among these parts of a filter; None when there are none."""
    if not parts:
        return None
    if context.reading is None:
        raise BadQuestion("Contents of files cannot be asked about here; leave `content` out.")
    for leaf in content_leaves(And(parts)):
        if leaf.op == "regex":
            check_regex(leaf.value)
    return ContentQuestions(view, context.reading, context.contents, work.test_rows, stop)


class _Evaluation:
    def __init__(self, view: View, context: EvaluationContext, stop: Callable[[], bool]) -> None:
        self.view, self.context, self.stop = view, context, stop
        self.steps: list[str] = []
        self.examined = self.total = 0
        self.leaves = LookupLeaves(view, context, stop)
        self.paths = PathLeaves(
            view, lambda leaf, part: self.leaves.hits(leaf, part, range(part.rows), part is view.delta), self.pause
        )

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
            kept.append(found + first if first else found)
        return np.concatenate(kept) if len(kept) > 1 else kept[0]

    def segment(self, plain: Filter, segment: Segment, rows: range, over: bool) -> Column:
        parts: list[Filter] = list(plain.items) if isinstance(plain, And) else [plain]
        parts.sort(key=_cost)
        seed, rest = self.seed(parts, segment, rows, over)
        if not over:
            self.steps += [to_text(part) for part in rest]
        if not rest:
            return np.arange(rows.start, rows.stop) if seed is None else seed
        # A name that must not occur is looked for among what is left, when the rest leaves little.
        late = [part for part in rest if _is_name_out(part)] if seed is not None or len(rest) > 1 else []
        masks = [part for part in rest if part not in late]
        found = self.masked(masks, segment, rows, seed, over) if masks or seed is None else seed
        for part in late:
            found = found[self.without(part, segment, found, over)]
        return found

    def masked(self, parts: list[Filter], segment: Segment, rows: range, seed: Column | None, over: bool) -> Column:
        """The rows (of the seed, or of the whole range) that satisfy all parts."""
        kept: list[Column] = []
        if seed is not None:
            for first in range(0, len(seed), _SLICE):
                some = seed[first : first + _SLICE]
                kept.append(some[self.all_of(parts, segment, some, over)])
                self.pause(len(some))
        else:
            for first in range(rows.start, rows.stop, _SLICE):
                piece = slice(first, min(first + _SLICE, rows.stop))
                kept.append(np.flatnonzero(self.all_of(parts, segment, piece, over)) + first)
                self.pause(piece.stop - piece.start)
        return np.concatenate(kept) if kept else NONE

    def without(self, part: Filter, segment: Segment, rows: Column, over: bool) -> Column:
        """Which rows have a name that does not contain a text."""
        leaf = part.item if isinstance(part, Not) else None
        if not isinstance(leaf, Text) or len(rows) > _FEW_NAMES:
            return self.test(part, segment, rows, over)
        wanted = from_wire(leaf.value) if leaf.case else fold(from_wire(leaf.value))
        names = segment.names_of(rows) if leaf.case else segment.folded_of(rows)
        self.pause(len(rows))
        return np.fromiter((wanted not in name for name in names), bool, len(rows))

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
                span = self.leaves.under(part)[0]
                hits = np.arange(max(span.start, rows.start), max(span.start, rows.start, min(span.stop, rows.stop)))
            elif isinstance(part, InSet | DuplicateOf) or (isinstance(part, Text) and part.field == "name"):
                hits = self.leaves.hits(part, segment, rows, over)
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

    def test_rows(self, node: Filter, rows: Column) -> Column:
        """Which of these rows of the view, ascending, satisfy a filter."""
        edge = int(np.searchsorted(rows, self.view.base_rows))
        found = [self.test(node, self.view.base, rows[:edge], False)]
        if self.view.delta is not None and edge < len(rows):
            found.append(self.test(node, self.view.delta, rows[edge:] - self.view.base_rows, True))
        return np.concatenate(found)

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
                return self.paths.mask(node, segment, rows)
            case Text() | InSet() | DuplicateOf():
                return member(rows, self.leaves.hits(node, segment, range(segment.rows), over))
            case Under():
                span, dir_mask = self.leaves.under(node)
                if over and dir_mask is not None:
                    return dir_mask[segment["pdir"][rows]]
                numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
                return np.asarray((numbers >= span.start) & (numbers < span.stop))
            case Ext() | KindIs() | Number() | Time() | Mode() | Owner() | Is():
                empty = self.leaves.empty_dirs(over) if isinstance(node, Is) else NONE
                return np.asarray(mask(node, segment, rows, self.view.dirs["ddepth"], empty, self.context.now_ns))
        raise TypeError(node)


def _is_name_out(part: Filter) -> bool:
    match part:
        case Not(Text("name", "contains")):
            return True
    return False


def _length(rows: Rows) -> int:
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)


def _cost(node: Filter) -> int:
    match node:
        case Not(item):
            return _cost(item)
        case And(items) | Or(items):
            return sum(map(_cost, items))
        case Text("path"):
            return 30
        case Text() | InSet() | DuplicateOf() | Under():
            return 2
    return COST.get(type(node), 3)
