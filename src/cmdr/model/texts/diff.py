"""The diff of two texts: hunks in which their lines differ, found in near linear time."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from typing import Literal

from cmdr.model.texts.text_selection import split_lines

MAX_LINES = 1_000_000
"""Lines of one side: a few megabytes of empty lines would otherwise fill the memory."""


_MAX_GAP_LINES = 400
"""The longest side of a gap that `difflib` looks at."""


Pairs = tuple[list[int], list[int]]
"""Matched lines as two lists of equal length: a tuple for each of 100,000 lines would cost more than finding them."""


Region = tuple[int, int, int, int]


class Decision(Enum):
    """What the person said about one hunk."""

    UNDECIDED = "undecided"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Old lines `[old_start, old_end)` become new lines `[new_start, new_end)`; one of them may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def kind(self) -> Literal["insert", "delete", "replace"]:
        """What the hunk does to the old text."""
        if self.old_start == self.old_end:
            return "insert"
        return "delete" if self.new_start == self.new_end else "replace"

    @property
    def old_size(self) -> int:
        """How many old lines it takes away."""
        return self.old_end - self.old_start

    @property
    def new_size(self) -> int:
        """How many new lines it brings."""
        return self.new_end - self.new_start


def text_with_hunks(
    old_lines: Sequence[str], new_lines: Sequence[str], hunks: Sequence[Hunk], accepted: Collection[int]
) -> str:
    """The text in which the accepted hunks are new and all others old; all gives the new text, none the old one."""
    parts: list[str] = []
    old_at = 0
    for index, hunk in enumerate(hunks):
        parts += old_lines[old_at : hunk.old_start]
        if index in accepted:
            parts += new_lines[hunk.new_start : hunk.new_end]
        else:
            parts += old_lines[hunk.old_start : hunk.old_end]
        old_at = hunk.old_end
    parts += old_lines[old_at:]
    return "".join(parts)


class BinaryContentError(ValueError):
    """Raised for contents that are not text: a person cannot review them line by line."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is binary, so its changes cannot be shown as text.")
        self.what = what


class TooManyLinesError(ValueError):
    """Raised for texts with more lines than a diff can be shown of."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} has more than {MAX_LINES:,} lines, too many to show as a diff.")
        self.what = what


@dataclass(frozen=True, slots=True)
class Diff:
    """Two texts as lines with their ends, and what differs between them."""

    old_lines: list[str]
    new_lines: list[str]
    hunks: tuple[Hunk, ...]

    @property
    def added(self) -> int:
        """How many lines come."""
        return sum(hunk.new_size for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """How many lines go."""
        return sum(hunk.old_size for hunk in self.hunks)

    def text_with(self, accepted: Collection[int]) -> str:
        """The text with these hunks taken and all others left as they were."""
        return text_with_hunks(self.old_lines, self.new_lines, self.hunks, accepted)


def diff_texts(old: str, new: str, *, what: str = "This file") -> Diff:
    """Compare two texts; near linear in their size. Raises `BinaryContentError` or `TooManyLinesError`."""
    if "\0" in old or "\0" in new:
        raise BinaryContentError(what)
    if max(old.count("\n"), new.count("\n")) > MAX_LINES:
        raise TooManyLinesError(what)
    return diff_lines(split_lines(old), split_lines(new))


def diff_lines(old_lines: list[str], new_lines: list[str]) -> Diff:
    """Compare two lists of lines, each with its end."""
    hunks = tuple(Hunk(*region) for region in unmatched_regions(old_lines, new_lines))
    return Diff(old_lines, new_lines, hunks)


@dataclass(slots=True)
class _Budget:
    """What one comparison may still spend; real edits use a small part of it, hostile texts all."""

    scanned: int
    """Lines that the search for unique ones may read: texts can be built so that each round finds only one."""
    difflib: int = 3_000_000
    """Steps of `difflib`: well below a second."""


def unmatched_regions(old: Sequence[str], new: Sequence[str]) -> list[Region]:
    """The regions `(old_start, old_end, new_start, new_end)` that differ, in order, none touching the next."""
    budget = _Budget(scanned=30 * (len(old) + len(new)))
    out: list[Region] = []
    # A stack of open regions, next one last: recursion depth must not depend on the texts.
    stack: list[Region] = [(0, len(old), 0, len(new))]
    while stack:
        region = _trimmed(old, new, stack.pop())
        old_start, old_end, new_start, new_end = region
        if old_start == old_end or new_start == new_end:
            _append(out, region)
            continue
        pairs = _unique_pairs(old, new, region, budget)
        if pairs[0]:
            stack.extend(reversed(list(_between(pairs, region))))
            continue
        for left in _between(_gap_pairs(old, new, region, budget), region):
            _append(out, _trimmed(old, new, left))
    return out


def _append(out: list[Region], region: Region) -> None:
    """Adds a region that is not empty, joined with the one before when no equal line stands between them."""
    if region[0] == region[1] and region[2] == region[3]:
        return
    if out and out[-1][1] == region[0] and out[-1][3] == region[2]:
        before = out[-1]
        out[-1] = (before[0], region[1], before[2], region[3])
    else:
        out.append(region)


def _trimmed(old: Sequence[str], new: Sequence[str], region: Region) -> Region:
    """The region without the equal lines at both of its ends."""
    old_start, old_end, new_start, new_end = region
    while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
        old_start += 1
        new_start += 1
    while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end -= 1
        new_end -= 1
    return old_start, old_end, new_start, new_end


def _unique_pairs(old: Sequence[str], new: Sequence[str], region: Region, budget: _Budget) -> Pairs:
    """The longest ordered run of lines that stand exactly once on each side."""
    old_start, old_end, new_start, new_end = region
    budget.scanned -= old_end - old_start + new_end - new_start
    if budget.scanned < 0:
        return [], []
    in_old = _positions_of_unique(old, old_start, old_end)
    in_new = _positions_of_unique(new, new_start, new_end)
    shared = list(filter(in_new.__contains__, in_old))
    return _longest_ordered(list(map(in_old.__getitem__, shared)), list(map(in_new.__getitem__, shared)))


def _positions_of_unique(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """Where each line that stands once in the range stands, in order."""
    part = lines[start:end]
    positions = dict(zip(part, range(start, end), strict=True))
    if len(positions) < len(part):
        for line, count in Counter(part).items():
            if count > 1:
                del positions[line]
    return positions


def _longest_ordered(olds: list[int], news: list[int]) -> Pairs:
    """The longest part of pairs (rising on the old side) that rises on the new side too."""
    if news == sorted(news):  # nothing moved: the usual case
        return olds, news
    tails: list[int] = []
    tail_index: list[int] = []
    before: list[int] = []
    for index, new_at in enumerate(news):
        place = bisect_left(tails, new_at) if tails and new_at <= tails[-1] else len(tails)
        before.append(tail_index[place - 1] if place else -1)
        if place == len(tails):
            tails.append(new_at)
            tail_index.append(index)
        else:
            tails[place] = new_at
            tail_index[place] = index
    kept: list[int] = []
    index = tail_index[-1]
    while index >= 0:
        kept.append(index)
        index = before[index]
    kept.reverse()
    return [olds[index] for index in kept], [news[index] for index in kept]


def _between(pairs: Pairs, region: Region) -> Iterator[Region]:
    """The regions before, between and after matched pairs that are not empty on both sides."""
    old_at, old_end, new_at, new_end = region
    for old_line, new_line in zip(*pairs, strict=True):
        if old_line != old_at or new_line != new_at:
            yield old_at, old_line, new_at, new_line
        old_at, new_at = old_line + 1, new_line + 1
    if old_at != old_end or new_at != new_end:
        yield old_at, old_end, new_at, new_end


def _gap_pairs(old: Sequence[str], new: Sequence[str], region: Region, budget: _Budget) -> Pairs:
    """Matched lines in a region without unique ones."""
    old_start, old_end, new_start, new_end = region
    old_part, new_part = old[old_start:old_end], new[new_start:new_end]
    new_counts = Counter(new_part)
    cells = sum(count * new_counts[line] for line, count in Counter(old_part).items() if line in new_counts)
    if not cells:
        return [], []
    shorter, longer = sorted((len(old_part), len(new_part)))
    cost = cells * shorter
    if longer > _MAX_GAP_LINES or cost > budget.difflib:
        return _pairs_by_occurrence(old_part, new_part, old_start, new_start)
    budget.difflib -= cost
    olds: list[int] = []
    news: list[int] = []
    for a, b, size in SequenceMatcher(None, old_part, new_part, autojunk=False).get_matching_blocks():
        olds += range(old_start + a, old_start + a + size)
        news += range(new_start + b, new_start + b + size)
    return olds, news


def _pairs_by_occurrence(old: Sequence[str], new: Sequence[str], old_start: int, new_start: int) -> Pairs:
    """The n-th of each repeated line with its n-th on the other side: not the best match, but always a quick one."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for index in range(len(new) - 1, -1, -1):
        places[new[index]].append(new_start + index)
    olds: list[int] = []
    news: list[int] = []
    for index, line in enumerate(old):
        waiting = places.get(line)
        if waiting:
            olds.append(old_start + index)
            news.append(waiting.pop())
    return _longest_ordered(olds, news)
