"""Three-way merge: the file changed while a proposal waited; both changes join, or the conflict is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from cmdr.model.texts.diff import Diff, Hunk, diff_texts

Choice = Literal["mine", "theirs", "both", "base"]
"""How a conflict is settled; `both` is mine, then theirs."""


class ConflictStandsError(ValueError):
    """Raised when a merged text is asked for while a conflict is not settled."""

    def __init__(self, count: int) -> None:
        places = "one place" if count == 1 else f"{count} places"
        super().__init__(f"The file and the proposal changed the same lines in {places}; choose a side there first.")
        self.count = count


@dataclass(frozen=True, slots=True)
class Merged:
    """Lines that need no decision: equal, or changed on one side, or the same on both."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lines that both sides changed differently."""

    base: tuple[str, ...]
    mine: tuple[str, ...]
    theirs: tuple[str, ...]

    def lines(self, choice: Choice) -> tuple[str, ...]:
        """The lines of the chosen side."""
        if choice == "both":
            return (*_ended(self.mine), *self.theirs) if self.theirs else self.mine
        return {"mine": self.mine, "theirs": self.theirs, "base": self.base}[choice]


@dataclass(frozen=True, slots=True)
class Merge:
    """The outcome of merging, piece by piece."""

    pieces: tuple[Merged | Conflict, ...]

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """What is left to decide, in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Conflict))

    def text(self, choices: Mapping[int, Choice] | None = None) -> str:
        """The merged text; raises `ConflictStandsError` unless every conflict, by its number, has a choice."""
        choices = choices or {}
        unsettled = [index for index in range(len(self.conflicts)) if index not in choices]
        if unsettled:
            raise ConflictStandsError(len(unsettled))
        out: list[str] = []
        number = 0
        for piece in self.pieces:
            if isinstance(piece, Conflict):
                out += piece.lines(choices[number])
                number += 1
            else:
                out += piece.lines
        return "".join(out)

    def marked_text(self, *, mine: str = "on disk", theirs: str = "proposed") -> str:
        """The merged text with `<<<<<<<`, `|||||||`, `=======`, `>>>>>>>` around each conflict, for an editor."""
        out: list[str] = []
        for piece in self.pieces:
            if isinstance(piece, Merged):
                out += piece.lines
                continue
            out += [f"<<<<<<< {mine}\n", *_ended(piece.mine), "||||||| before\n", *_ended(piece.base)]
            out += ["=======\n", *_ended(piece.theirs), f">>>>>>> {theirs}\n"]
        return "".join(out)


def merge_texts(base: str, mine: str, theirs: str, *, what: str = "This file") -> Merge:
    """Join the changes from base to mine and from base to theirs. Changes that overlap or touch are a conflict."""
    mine_diff, theirs_diff = diff_texts(base, mine, what=what), diff_texts(base, theirs, what=what)
    pieces: list[Merged | Conflict] = []
    at = 0
    for mine_hunks, theirs_hunks in _groups(mine_diff.hunks, theirs_diff.hunks):
        both = [*mine_hunks, *theirs_hunks]
        start, end = min(hunk.old_start for hunk in both), max(hunk.old_end for hunk in both)
        _add(pieces, tuple(mine_diff.old_lines[at:start]))
        mine_lines = _side(mine_diff, mine_hunks, start, end)
        theirs_lines = _side(theirs_diff, theirs_hunks, start, end)
        if not theirs_hunks or mine_lines == theirs_lines:
            _add(pieces, mine_lines)
        elif not mine_hunks:
            _add(pieces, theirs_lines)
        else:
            pieces.append(Conflict(tuple(mine_diff.old_lines[start:end]), mine_lines, theirs_lines))
        at = end
    _add(pieces, tuple(mine_diff.old_lines[at:]))
    return Merge(tuple(pieces))


def _groups(mine: tuple[Hunk, ...], theirs: tuple[Hunk, ...]) -> list[tuple[list[Hunk], list[Hunk]]]:
    """Hunks of both sides, together where their old lines overlap or touch."""
    out: list[tuple[list[Hunk], list[Hunk]]] = []
    tagged = sorted(
        [(hunk.old_start, hunk.old_end, 0, hunk) for hunk in mine]
        + [(hunk.old_start, hunk.old_end, 1, hunk) for hunk in theirs],
        key=lambda item: item[:3],
    )
    reach = -1
    for start, end, side, hunk in tagged:
        # Touching counts too: two edits on neighbouring lines are often one thought, and a lost final newline only
        # shows at the touching end.
        if start > reach:
            out.append(([], []))
        out[-1][side].append(hunk)
        reach = max(reach, end)
    return out


def _side(diff: Diff, hunks: list[Hunk], start: int, end: int) -> tuple[str, ...]:
    """One side's lines for the old range, its own hunks applied."""
    out: list[str] = []
    at = start
    for hunk in hunks:
        out += diff.old_lines[at : hunk.old_start]
        out += diff.new_lines[hunk.new_start : hunk.new_end]
        at = hunk.old_end
    out += diff.old_lines[at:end]
    return tuple(out)


def _add(pieces: list[Merged | Conflict], lines: tuple[str, ...]) -> None:
    if not lines:
        return
    if pieces and isinstance(pieces[-1], Merged):
        pieces[-1] = Merged(pieces[-1].lines + lines)
    else:
        pieces.append(Merged(lines))


def _ended(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines, the last of them surely ended, so that what follows begins on its own line."""
    if lines and not lines[-1].endswith("\n"):
        return (*lines[:-1], lines[-1] + "\n")
    return lines
