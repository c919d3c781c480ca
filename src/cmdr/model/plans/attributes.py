"""Attributes of files and folders: what they are, what an operation makes of them, what a removed folder had."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from cmdr.model.plans.file_mode import SET_ID, ModeChange, letters_of
from cmdr.model.units import iso_time

# File systems keep times in steps of their own: what comes back may be the wanted time, cut to one of these.
_STEPS_NS = (1, 100, 1_000, 1_000_000, 10_000_000, 1_000_000_000, 2_000_000_000)
_OTHERS_WRITE = 0o002


def is_same_time(wanted: int, kept: int) -> bool:
    """Whether a time that a file system keeps is the one that was wanted."""
    return any(kept == wanted - wanted % step for step in _STEPS_NS)


class Attributes(NamedTuple):
    """What a file has, or gets; a tuple, because there are two for every file."""

    mode: int
    uid: int
    gid: int
    mtime_ns: int
    owner: str = ""
    """Owner and group by name, where they change: for people to read."""


AttributesRow = tuple[int, int, int, int, str]
ChangeRow = tuple[AttributesRow, AttributesRow] | None


class AttributeChange(NamedTuple):
    """What one file or folder has, and what it gets."""

    before: Attributes
    after: Attributes

    @property
    def sets_time(self) -> bool:
        """Whether the time becomes another."""
        return self.before.mtime_ns != self.after.mtime_ns

    @property
    def sets_owner(self) -> bool:
        """Whether owner or group become others."""
        return (self.before.uid, self.before.gid) != (self.after.uid, self.after.gid)

    @property
    def gained(self) -> int:
        """The permissions that it did not have."""
        return self.after.mode & ~self.before.mode

    @property
    def told(self) -> str:
        """What changes, as in `rw-r--r-- → rwxr-xr-x`."""
        return ", ".join(self._parts())

    @property
    def risks(self) -> Iterator[str]:
        """What about it needs more than a yes."""
        if self.gained & SET_ID or (self.sets_owner and self.after.mode & SET_ID):
            yield "set-user-ID or set-group-ID"
        if self.gained & _OTHERS_WRITE:
            yield "writable for everybody"
        if self.before.uid != self.after.uid:
            yield "given to another owner"

    def _parts(self) -> Iterator[str]:
        before, after = self
        if before.mode != after.mode:
            yield f"{letters_of(before.mode)} → {letters_of(after.mode)}"
        if self.sets_owner:
            yield f"owner {before.owner} → {after.owner}"
        if self.sets_time:
            yield f"modified {iso_time(before.mtime_ns)} → {iso_time(after.mtime_ns)}"


@dataclass(frozen=True, slots=True)
class AttributeWish:
    """What somebody wants of the chosen files."""

    mode: ModeChange | None = None
    modified_ns: int | None = None
    uid: int | None = None
    gid: int | None = None
    inside: bool = False
    """Whether what lies in chosen folders is meant as well."""
    umask: int = 0o022
    """What `+x` without a `u`, `g`, `o` or `a` leaves out."""

    def of(self, before: Attributes, *, is_folder: bool) -> Attributes:
        """What a file or folder gets."""
        uid = before.uid if self.uid is None else self.uid
        gid = before.gid if self.gid is None else self.gid
        mode = before.mode
        if (uid, gid) != (before.uid, before.gid) and not is_folder:
            # A program that runs as its owner must not start running as somebody else, unless that is said.
            mode &= ~SET_ID
        if self.mode is not None:
            mode = self.mode.on(mode, is_folder=is_folder, umask=self.umask)
        return Attributes(mode, uid, gid, before.mtime_ns if self.modified_ns is None else self.modified_ns)


@dataclass(frozen=True, slots=True)
class Traits:
    """Permissions, owner, times and extended attributes, access lists among them."""

    mode: int
    uid: int
    gid: int
    atime_ns: int
    mtime_ns: int
    attributes: tuple[tuple[str, bytes], ...] = ()

    @property
    def row(self) -> list[object]:
        """As it is written down; text that stands for bytes."""
        kept = [[name, value.decode("latin-1")] for name, value in self.attributes]
        return [self.mode, self.uid, self.gid, self.atime_ns, self.mtime_ns, kept]

    @classmethod
    def of_row(cls, row: list[object]) -> "Traits":
        """What was written down."""
        *numbers, kept = row
        mode, uid, gid, atime_ns, mtime_ns = (int(str(number)) for number in numbers)
        pairs = kept if isinstance(kept, list) else []
        attributes = tuple((str(name), str(value).encode("latin-1")) for name, value in pairs)
        return cls(mode, uid, gid, atime_ns, mtime_ns, attributes)
