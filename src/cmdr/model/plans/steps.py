"""The kinds of steps: their names in plans, digests and journals, and what texts and checks must know of each.

What a step does on the disk is in its class in `cmdr.engine.steps`.
"""

from dataclasses import dataclass
from enum import StrEnum


class StepName(StrEnum):
    """What the engine does with one item; these words are part of digests and journals and never change."""

    MAKE = "make"
    """Make a folder, or merge into the one that stands there."""
    COPY = "copy"
    """Copy a file's or symbolic link's contents to a new name."""
    TWIN = "twin"
    """Give a copy made earlier in this operation a second name: the source was a hard link."""
    RENAME = "rename"
    """Give a file or a whole folder another name on the same volume."""
    SWAP = "swap"
    """Exchange two names in one atomic step."""
    TRASH = "trash"
    REMOVE = "remove"
    """Remove for good: a file, a link, or a folder that is empty by then."""
    CREATE = "create"
    """Write a new file from contents carried by the plan."""
    LINK = "link"
    """Make a symbolic link, or a hard link when there is a source."""
    ATTRIBUTES = "attributes"
    """Give a file or folder other permissions, another owner or another time; its name and contents stay."""
    PACK = "pack"
    """Make an archive of all that is added by the items behind it."""
    ADD = "add"
    """Goes into the archive that the plan makes."""
    NOTHING = "nothing"
    """Left alone; `reason` says why."""


@dataclass(frozen=True, slots=True)
class StepKind:
    """One kind of step, as texts and checks see it."""

    undo_text: str = ""
    """What an undo or a restore says of it, with `{place}`, `{target}` and `{change}`; empty: it leaves the file."""
    is_left_alone: bool = False
    makes_folder: bool = False
    removes: bool = False
    """Whether its source is gone afterwards, for good."""
    only_reads_source: bool = False
    """Whether the source stays as it is, unless a move removes it after."""
    brings_contents: bool = False
    """Whether a file with the contents of its source comes into being."""
    is_trashed: bool = False
    makes_link: bool = False
    """Whether its data is where a new symbolic link leads, when it has no source."""
    swaps: bool = False
    """Whether two names change places."""
    moves_folders: bool = False
    """Whether a folder goes as a whole, with all that is inside."""


_PUTS_BACK = "puts back {target}"
KINDS: dict[StepName, StepKind] = {
    StepName.MAKE: StepKind(_PUTS_BACK, makes_folder=True),
    StepName.COPY: StepKind(_PUTS_BACK, only_reads_source=True, brings_contents=True),
    StepName.TWIN: StepKind(_PUTS_BACK, only_reads_source=True, brings_contents=True),
    StepName.RENAME: StepKind(_PUTS_BACK, moves_folders=True),
    StepName.SWAP: StepKind("puts the earlier {target} back", swaps=True),
    StepName.TRASH: StepKind("moves to trash {place}", is_trashed=True, moves_folders=True),
    StepName.REMOVE: StepKind("removes {place}", removes=True),
    StepName.CREATE: StepKind(),
    StepName.LINK: StepKind(makes_link=True),
    StepName.ATTRIBUTES: StepKind("gives {target} its attributes back: {change}"),
    StepName.PACK: StepKind(),
    StepName.ADD: StepKind(only_reads_source=True),
    StepName.NOTHING: StepKind(is_left_alone=True),
}
