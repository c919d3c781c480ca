"""The rows of a diff as any face draws them, side by side or unified, with changed words marked; made on demand."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, NamedTuple, overload

from cmdr.model.texts.diff import Diff
from cmdr.model.texts.text_selection import common_start, line_body, line_ending

Span = tuple[int, int]


_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)


_MAX_WORDS = 300
"""Above this, only what both lines begin and end with is left unmarked: nobody reads such a line word by word."""


_MAX_CHARS = 10_000
"""Characters of a line beyond which the same holds without counting words."""


_MIN_SIMILARITY = 0.25
"""Below this share of common characters, marks inside the lines would be confetti."""


RowKind = Literal["equal", "insert", "delete", "replace", "fold"]


@dataclass(frozen=True, slots=True)
class RowLine:
    """One line of one side."""

    number: int
    """Counted from 1, as people do."""
    text: str
    ending: str
    """`\\n`, `\\r\\n`, or empty where the file has no newline at its end."""


@dataclass(frozen=True, slots=True)
class Row:
    """One drawn row. A side without a line is drawn as a gap."""

    kind: RowKind
    old: RowLine | None
    new: RowLine | None
    hunk: int | None = None
    """The hunk this row belongs to."""
    hidden: int = 0
    """On a fold: how many equal lines it stands for."""


class _Stretch(NamedTuple):
    """Rows of one kind in a row: `first` is the row number, then where each side begins and how long it is."""

    first: int
    rows: int
    kind: RowKind
    old: int
    old_size: int
    new: int
    new_size: int
    hunk: int | None = None


@dataclass(frozen=True, slots=True)
class WordMarks:
    """The changed parts of two lines as half-open character ranges; what is left unmarked is the same in both."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]


class DiffRows(Sequence[Row]):
    """All rows of a diff; any slice of them costs only what is drawn."""

    def __init__(self, diff: Diff, *, unified: bool = False, context: int | None = None) -> None:
        """`context` keeps that many equal lines around each hunk and folds the others; None shows all."""
        self.diff = diff
        self.unified = unified
        self._stretches: list[_Stretch] = []
        self._hunk_rows: list[int] = []
        self._length = 0
        self._build(context)
        self._firsts = [stretch.first for stretch in self._stretches]

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self._row(at) for at in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._row(index % self._length)

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, range(self._length))

    def row_of_hunk(self, hunk: int) -> int:
        """The first row of a hunk, to scroll there."""
        return self._hunk_rows[hunk]

    def marks(self, index: int) -> WordMarks:
        """The changed words of a row, for its own sides only; nothing where a line has no partner."""
        row = self[index]
        if row.hunk is None or row.kind == "equal":
            return WordMarks((), ())
        if not self.unified:
            return word_marks(row.old.text, row.new.text) if row.old and row.new else WordMarks((), ())
        hunk = self.diff.hunks[row.hunk]
        if row.old is not None:
            partner = hunk.new_start + row.old.number - 1 - hunk.old_start
            if partner >= hunk.new_end:
                return WordMarks((), ())
            return WordMarks(word_marks(row.old.text, line_body(self.diff.new_lines[partner])).old, ())
        if row.new is not None:
            partner = hunk.old_start + row.new.number - 1 - hunk.new_start
            if partner < hunk.old_end:
                return WordMarks((), word_marks(line_body(self.diff.old_lines[partner]), row.new.text).new)
        return WordMarks((), ())

    def _build(self, context: int | None) -> None:
        old_at = new_at = 0
        for index, hunk in enumerate(self.diff.hunks):
            self._equal(old_at, new_at, hunk.old_start - old_at, context, after=index > 0, before=True)
            self._hunk_rows.append(self._length)
            self._changed(index)
            old_at, new_at = hunk.old_end, hunk.new_end
        rest = len(self.diff.old_lines) - old_at
        self._equal(old_at, new_at, rest, context, after=bool(self.diff.hunks), before=False)

    def _equal(self, old: int, new: int, size: int, context: int | None, *, after: bool, before: bool) -> None:
        """Equal lines, folded to the context after the last hunk and before the next one."""
        head = context if after and context is not None else 0
        tail = context if before and context is not None else 0
        hidden = size - head - tail
        # A fold of one line would hide a line to show a line.
        if context is None or hidden <= 1:
            self._add("equal", size, old, size, new, size)
            return
        self._add("equal", head, old, head, new, head)
        self._add("fold", 1, old + head, hidden, new + head, hidden)
        self._add("equal", tail, old + size - tail, tail, new + size - tail, tail)

    def _changed(self, index: int) -> None:
        hunk = self.diff.hunks[index]
        if self.unified:
            self._add("delete", hunk.old_size, hunk.old_start, hunk.old_size, hunk.new_start, 0, index)
            self._add("insert", hunk.new_size, hunk.old_end, 0, hunk.new_start, hunk.new_size, index)
            return
        rows = max(hunk.old_size, hunk.new_size)
        self._add(hunk.kind, rows, hunk.old_start, hunk.old_size, hunk.new_start, hunk.new_size, index)

    def _add(
        self, kind: RowKind, rows: int, old: int, old_size: int, new: int, new_size: int, hunk: int | None = None
    ) -> None:
        if rows:
            self._stretches.append(_Stretch(self._length, rows, kind, old, old_size, new, new_size, hunk))
            self._length += rows

    def _row(self, index: int) -> Row:
        stretch = self._stretches[bisect_right(self._firsts, index) - 1]
        if stretch.kind == "fold":
            return Row("fold", None, None, None, stretch.old_size)
        at = index - stretch.first
        old = _line(self.diff.old_lines, stretch.old + at) if at < stretch.old_size else None
        new = _line(self.diff.new_lines, stretch.new + at) if at < stretch.new_size else None
        return Row(stretch.kind, old, new, stretch.hunk)


def _line(lines: list[str], index: int) -> RowLine:
    line = lines[index]
    return RowLine(index + 1, line_body(line), line_ending(line))


def word_marks(old: str, new: str) -> WordMarks:
    """Mark what differs between two lines given without their ends."""
    if old == new:
        return WordMarks((), ())
    if max(len(old), len(new)) > _MAX_CHARS:
        return _between_common_ends(old, new)
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    if max(len(old_words), len(new_words)) > _MAX_WORDS:
        return _between_common_ends(old, new)
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    blocks = matcher.get_matching_blocks()
    same = sum(
        len(word) for block in blocks for word in old_words[block.a : block.a + block.size] if not word.isspace()
    )
    letters = max(_letters(old), _letters(new))
    if letters and same < _MIN_SIMILARITY * letters:
        return WordMarks(_spans([(0, len(old))]), _spans([(0, len(new))]))
    old_ends, new_ends = _word_ends(old_words), _word_ends(new_words)
    changes = [op[1:] for op in matcher.get_opcodes() if op[0] != "equal"]
    return WordMarks(
        _spans([(old_ends[a], old_ends[b]) for a, b, _, _ in changes]),
        _spans([(new_ends[a], new_ends[b]) for _, _, a, b in changes]),
    )


def _letters(line: str) -> int:
    return sum(len(part) for part in line.split())


def _word_ends(words: list[str]) -> list[int]:
    """Where each word begins, and where the last one ends."""
    out = [0]
    for word in words:
        out.append(out[-1] + len(word))
    return out


def _spans(spans: list[Span]) -> tuple[Span, ...]:
    return tuple(span for span in spans if span[0] < span[1])


def _between_common_ends(old: str, new: str) -> WordMarks:
    start = common_start(old, new)
    tail = common_start(old[start:][::-1], new[start:][::-1])
    return WordMarks(_spans([(start, len(old) - tail)]), _spans([(start, len(new) - tail)]))
