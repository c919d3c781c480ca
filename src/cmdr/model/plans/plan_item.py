"""One step of a plan on one name: what, from where, to where, and how the file looked when it was planned."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from cmdr.model.plans.attributes import AttributeChange, Traits
from cmdr.model.plans.steps import KINDS, StepName
from cmdr.model.units import count, human_size


class Member(NamedTuple):
    """Where contents lie inside an archive, and what they must be.

    A tuple, because there is one for every file, and it is written down with the plan.
    """

    name: bytes
    """As the archive writes it; for showing only, never a way on the disk."""
    at: int = 0
    """Where it begins: its own header in a zip, its contents in the stream of a tar."""
    size: int = 0
    """Exactly so much is written; an archive that holds more, or less, is damaged."""
    packed: int = 0
    """How much room the contents take in the archive."""
    method: int = 0
    """How a zip has packed them."""
    check: int | None = None
    """Their CRC-32, where the archive tells it."""
    mtime_ns: int | None = None
    link: bytes = b""
    """What a symbolic link says."""

    @property
    def row(self) -> list[object]:
        """As it is written down; text that stands for bytes."""
        return [self.name.decode("latin-1"), *self[1:7], self.link.decode("latin-1")]

    @classmethod
    def of_row(cls, row: list[object]) -> "Member":
        """What was written down."""
        name, *numbers, link = row
        at, size, packed, method, check, mtime_ns = (None if it is None else int(str(it)) for it in numbers)
        return cls(
            str(name).encode("latin-1"),
            at or 0,
            size or 0,
            packed or 0,
            method or 0,
            check,
            mtime_ns,
            str(link).encode("latin-1"),
        )


class Verb(StrEnum):
    """What the person asked for."""

    COPY = "copy"
    MOVE = "move"
    TRASH = "trash"
    DELETE = "delete"
    RENAME = "rename"
    MKDIR = "mkdir"
    MKFILE = "mkfile"
    LINK = "link"
    RESTORE = "restore"
    WRITE = "write"
    ATTRIBUTES = "attributes"
    PACK = "pack"
    UNPACK = "unpack"
    UNDO = "undo"
    RUN = "run"
    """Run a command; see `command_plan`."""
    TRUST = "trust"
    """Trust a folder; see `trust_plan`."""


class Kind(StrEnum):
    """What a name stands for."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    SPECIAL = "special"


class ConflictPolicy(StrEnum):
    """What happens when the target name is taken."""

    ASK = "ask"
    SKIP = "skip"
    OVERWRITE = "overwrite"
    RENAME = "rename"
    NEWER = "newer"
    """Overwrite only what is strictly older."""
    LARGER = "larger"
    """Overwrite only what is strictly smaller."""


class Decision(StrEnum):
    """What the plan says about the target name of one item."""

    LAND = "land"
    """The name is free."""
    REPLACE = "replace"
    """The file that stands there is kept in the trash and replaced."""
    MERGE = "merge"
    """A folder stands there; the children join it."""
    ASK = "ask"
    SKIP = "skip"


class Fingerprint(NamedTuple):
    """Identity and version of a file: the same again means nobody touched it meanwhile.

    This and a place are tuples: there are several for every file, and a frozen class takes twice as long to make.
    """

    dev: int
    ino: int
    size: int
    mtime_ns: int
    kind: Kind
    stamp_ns: int | None = None
    """What nobody can set back: when a file was last changed in any way (ctime), when a folder was made. None where
    that is not known: from a journal of an earlier version, or on a system that does not tell."""

    def matches(self, other: "Fingerprint | None") -> bool:
        """Whether `other` is the same file, unchanged in every way; folders are compared by identity only."""
        if other is None or not self.is_like(other):
            return False
        return self.stamp_ns == other.stamp_ns or self.stamp_ns is None or other.stamp_ns is None

    def is_like(self, other: "Fingerprint | None") -> bool:
        """Whether `other` is the same file with the same size and time; it may have been linked, renamed, or given
        other attributes, and somebody who put the time back may have changed its contents."""
        if other is None or (self.dev, self.ino, self.kind) != (other.dev, other.ino, other.kind):
            return False
        return self.kind is Kind.FOLDER or (self.size, self.mtime_ns) == (other.size, other.mtime_ns)

    def is_same_file(self, other: "Fingerprint | None") -> bool:
        """Whether `other` is the same file, changed or not."""
        return other is not None and (self.dev, self.ino) == (other.dev, other.ino)


@dataclass(frozen=True, slots=True)
class Root:
    """A directory the operation may work in, bound by identity."""

    path: bytes
    dev: int
    ino: int
    birth_ns: int | None = None
    """When the directory was made, where the system tells: its number may be given again once it is gone."""

    def is_at(self, dev: int, ino: int, birth_ns: int | None) -> bool:
        """Whether a directory with this identity is the one that is meant."""
        return (self.dev, self.ino) == (dev, ino) and (self.birth_ns == birth_ns or None in (self.birth_ns, birth_ns))


class Place(NamedTuple):
    """A name: the root directory it lies under and the way down."""

    root: bytes
    rel: bytes

    @property
    def path(self) -> bytes:
        """The absolute path, for showing and for the journal."""
        return self.root.rstrip(b"/") + b"/" + self.rel

    @property
    def name(self) -> bytes:
        """The last component."""
        return self.rel.rpartition(b"/")[2]

    @property
    def folder(self) -> bytes:
        """The way from the root to the directory that holds the name; empty for the root itself."""
        return self.rel.rpartition(b"/")[0]

    def renamed(self, name: bytes) -> "Place":
        """Another name in the same directory."""
        return Place(self.root, self.folder + b"/" + name if self.folder else name)


@dataclass(frozen=True, slots=True)
class Totals:
    """How much there is."""

    files: int = 0
    folders: int = 0
    bytes: int = 0

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(self.files + other.files, self.folders + other.folders, self.bytes + other.bytes)

    @property
    def told(self) -> str:
        """In words, as in `2 folders, 31 files, 4.5 MiB`."""
        parts = [
            count(self.folders, "folder") if self.folders else "",
            count(self.files, "file") if self.files or not self.folders else "",
            human_size(self.bytes) if self.bytes else "",
        ]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One step on one name."""

    step: StepName
    kind: Kind
    source: Place | None = None
    target: Place | None = None
    fingerprint: Fingerprint | None = None
    """The source as it was planned."""
    existing: Fingerprint | None = None
    """What stood at the target when it was planned; for `remove`, the copy that must still be there;
    for `attributes`, the file as an earlier run of the operation left it."""
    decision: Decision = Decision.LAND
    reason: str = ""
    totals: Totals = Totals()
    """What moves with this item: the file itself, or all that a folder holds."""
    remove_source: bool = False
    """A move that has to copy: the source goes when the copy is safe and the source unchanged."""
    twin: Place | None = None
    """Target of the item whose copy this one is a second name of."""
    info: Place | None = None
    """The trash's note about the source, removed once the source has left the trash."""
    data: bytes | None = field(default=None, repr=False)
    """Contents of a new file, or what a new symbolic link says."""
    data_digest: str = ""
    mode: int | None = None
    """Permissions of a new file, when not the usual ones."""
    protected: str = ""
    """Why writing here needs a person's eye; empty for ordinary places."""
    traits: Traits | None = None
    """What a folder had before it was removed, which it gets again."""
    twin_mark: Fingerprint | None = None
    """The copy that this one is a second name of, when an earlier run of the operation made it."""
    change: AttributeChange | None = None
    """For `attributes`: what it has, and what it gets."""
    member: Member | None = None
    """What of the source is meant, when the source is an archive; for `remove`, what the copy was made from."""
    names: str = ""
    """A digest of all names inside a folder that goes as a whole, so that what came later is noticed."""

    @property
    def place(self) -> Place:
        """Where a person would look for this item: its source, else its target. Nothing can be seen in an archive."""
        found = (self.target or self.source) if self.is_unpacked else (self.source or self.target)
        if found is None:
            raise ValueError("a plan item has a source or a target")
        return found

    @property
    def is_unpacked(self) -> bool:
        """Whether it comes out of an archive."""
        return self.member is not None and not KINDS[self.step].removes

    @property
    def is_left_alone(self) -> bool:
        """Whether it stays as it is: for a reason of its own, or because its target's name is taken."""
        return self.decision is Decision.SKIP or KINDS[self.step].is_left_alone

    @property
    def arriving(self) -> Fingerprint | None:
        """What a taken name is compared with: the source, or the member of it that is meant."""
        mark, member = self.fingerprint, self.member
        if mark is None or member is None:
            return mark
        return mark._replace(size=member.size, mtime_ns=member.mtime_ns or 0)

    @property
    def is_missing_folder(self) -> bool:
        """Whether it makes a folder that is missing on the way to where others land."""
        is_joined = self.decision is Decision.MERGE and self.source is None and self.existing is None
        return is_joined and KINDS[self.step].makes_folder

    @property
    def is_final(self) -> bool:
        """Whether this item destroys the last copy it knows of."""
        return KINDS[self.step].removes and self.existing is None and self.kind is not Kind.FOLDER
