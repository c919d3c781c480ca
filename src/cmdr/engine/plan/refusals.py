"""Why a plan is refused, as types; the text says what happened, why, and what to do next."""

from collections.abc import Sequence
from typing import NamedTuple

from cmdr.model.names import to_wire


class PlanRefused(Exception):
    """Nothing was changed, because this could not be planned safely."""


class NotThere(PlanRefused):
    """A source does not exist."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"{to_wire(path)} does not exist. Check the path, or refresh the pane.")
        self.path = path


class ChangedSince(PlanRefused):
    """A source is not the file that was chosen."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"{to_wire(path)} has changed since it was chosen. Look at it again, then repeat.")
        self.path = path


class NotAFolder(PlanRefused):
    """The destination is not a directory."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"{to_wire(path)} is not a folder, so nothing can be put into it. Choose a folder.")
        self.path = path


class InsideItself(PlanRefused):
    """A folder was to be put into itself."""

    def __init__(self, source: bytes, destination: bytes) -> None:
        super().__init__(
            f"{to_wire(destination)} lies inside {to_wire(source)}: a folder cannot be put into itself. "
            "Choose another destination."
        )


class Clash(NamedTuple):
    """Two sources that would land on one name."""

    first: bytes
    second: bytes
    target: bytes


class SameTarget(PlanRefused):
    """Some sources would land on one name: the first pairs, and how many there are."""

    SHOWN = 5

    def __init__(self, clashes: Sequence[Clash], count: int, advice: str) -> None:
        told = [
            f"{to_wire(each.first)} and {to_wire(each.second)} would both become {to_wire(each.target)}"
            for each in clashes[: self.SHOWN]
        ]
        more = [f"and {count - len(told)} more pairs"] if count > len(told) else []
        super().__init__(f"{'; '.join([*told, *more])}. {advice}")


class RenamedInside(PlanRefused):
    """A file was to be renamed in a folder that is renamed as well."""

    def __init__(self, path: bytes) -> None:
        super().__init__(
            f"{to_wire(path)} lies inside a folder that gets another name as well. Rename what is inside first."
        )


class BadPattern(PlanRefused):
    """A pattern for names that means nothing, or not for every file."""


class TargetTaken(PlanRefused):
    """A new name is in use."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"{to_wire(path)} exists already. Choose another name.")
        self.path = path


class BadName(PlanRefused):
    """A name no file can have."""

    def __init__(self, name: bytes) -> None:
        super().__init__(
            f"'{to_wire(name)}' cannot be a file name: it is empty, '.' or '..', too long, or has '/' or a zero byte. "
            "Choose another name."
        )


class TopFolder(PlanRefused):
    """The top of the file system was chosen."""

    def __init__(self) -> None:
        super().__init__("/ is the top of the file system and stays as it is. Choose something in it.")


class TooMany(PlanRefused):
    """More than one plan may hold."""

    def __init__(self, limit: int, what: str) -> None:
        super().__init__(f"This is more than {limit:,} {what}, the most one operation may hold. Do it in parts.")


class NotEnoughSpace(PlanRefused):
    """The copies would not fit."""

    def __init__(self, path: bytes, need: int, free: int) -> None:
        super().__init__(
            f"{to_wire(path)} has {free:,} bytes free, but {need:,} are needed. Make room or choose another volume."
        )
        self.need, self.free = need, free


class NoTrash(PlanRefused):
    """A file that cannot go to a trash, because its volume has none."""

    def __init__(self, path: bytes, why: str) -> None:
        super().__init__(
            f"{to_wire(path)} cannot go to a trash: {why}. Move it to another volume, or delete it for good."
        )
        self.path = path


class NothingKept(PlanRefused):
    """A file that cannot be replaced, because there is no trash that would keep it."""

    def __init__(self, path: bytes, why: str) -> None:
        super().__init__(
            f"{to_wire(path)} would be replaced, but no trash can keep the old file: {why}. "
            "Skip or rename what is there, or choose another destination."
        )
        self.path = path


class NotInTrash(PlanRefused):
    """A file to restore that the trash does not know."""

    def __init__(self, path: bytes) -> None:
        super().__init__(
            f"{to_wire(path)} is not in a trash that tells where its files came from. Move it to where it belongs."
        )


class NotUnpacked(PlanRefused):
    """Something that cannot be unpacked."""

    def __init__(self, path: bytes, why: str) -> None:
        super().__init__(f"{to_wire(path)} cannot be unpacked: {why}. Nothing was changed.")
        self.path = path


class NotAnArchiveName(PlanRefused):
    """A name that does not say what kind of archive is wanted."""

    def __init__(self, name: bytes) -> None:
        super().__init__(
            f"{to_wire(name)} does not say what kind of archive it should be. Let the name end in .zip or .tar.gz."
        )


class Unreadable(PlanRefused):
    """Something could not be looked at."""

    def __init__(self, path: bytes, why: str) -> None:
        super().__init__(f"{to_wire(path)} could not be read: {why}. Check the permissions or the disk.")


class NotForAgents(PlanRefused):
    """A change that no agent may even propose."""

    def __init__(self, path: bytes, why: str) -> None:
        super().__init__(f"{to_wire(path)}: {why}. Ask the person to do it.")
        self.path = path


class NothingToDo(PlanRefused):
    """There is nothing that could be done."""

    def __init__(self, why: str) -> None:
        super().__init__(why)


class NotTakenBack(NothingToDo):
    """An operation that cannot be undone, and the first thing that stands in the way."""

    def __init__(self, operation: int, why: str, path: bytes | None = None, more: int = 0) -> None:
        others = f" (and {more} more)" if more else ""
        what = "" if path is None else f"{to_wire(path)}{others}: "
        super().__init__(f"Operation {operation} cannot be undone: {what}{why}.")
        self.path = path
