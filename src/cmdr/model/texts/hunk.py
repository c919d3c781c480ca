"""One change inside a diff, and the text that follows from accepting some changes and rejecting others."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal


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


def chosen_text(
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
