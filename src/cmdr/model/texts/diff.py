"""The difference between two texts: their lines, and the hunks in which they differ."""

from collections.abc import Collection
from dataclasses import dataclass

from cmdr.model.texts.hunk import Hunk, chosen_text
from cmdr.model.texts.line_matching import unmatched_regions
from cmdr.model.texts.lines import split_lines

LINE_LIMIT = 1_000_000
"""Lines of one side: a few megabytes of empty lines would otherwise fill the memory."""


class BinaryContentError(ValueError):
    """Raised for contents that are not text: a person cannot review them line by line."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is binary, so its changes cannot be shown as text.")
        self.what = what


class TooManyLinesError(ValueError):
    """Raised for texts with more lines than a diff can be shown of."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} has more than {LINE_LIMIT:,} lines, too many to show as a diff.")
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
        return chosen_text(self.old_lines, self.new_lines, self.hunks, accepted)


def diff_texts(old: str, new: str, *, what: str = "This file") -> Diff:
    """Compare two texts; near linear in their size. Raises `BinaryContentError` or `TooManyLinesError`."""
    if "\0" in old or "\0" in new:
        raise BinaryContentError(what)
    if max(old.count("\n"), new.count("\n")) > LINE_LIMIT:
        raise TooManyLinesError(what)
    return diff_lines(split_lines(old), split_lines(new))


def diff_lines(old_lines: list[str], new_lines: list[str]) -> Diff:
    """Compare two lists of lines, each with its end."""
    hunks = tuple(Hunk(*region) for region in unmatched_regions(old_lines, new_lines))
    return Diff(old_lines, new_lines, hunks)
