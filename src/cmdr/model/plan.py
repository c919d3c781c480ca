"""A plan: every single change an operation would make, fixed before anyone says yes to it.

A plan is immutable and has a digest. What is shown, what is approved and what runs are the same bytes; a plan that
differs in one name, size or conflict decision has another digest. Paths are bytes, split in a root directory that is
opened once and checked by identity, and the way down from it that is walked without following links.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

GIB = 1 << 30


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
    UNDO = "undo"
    RUN = "run"
    """Run a command; see `command_plan`."""


class Step(StrEnum):
    """What the engine does with one item."""

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
    NOTHING = "nothing"
    """Left alone; `reason` says why."""


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


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Identity and version of a file: the same again means nobody touched it meanwhile."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    kind: Kind

    def matches(self, other: "Fingerprint | None") -> bool:
        """Whether `other` is the same file, unchanged; folders are compared by identity only."""
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


@dataclass(frozen=True, slots=True)
class Place:
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


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One step on one name."""

    step: Step
    kind: Kind
    source: Place | None = None
    target: Place | None = None
    fingerprint: Fingerprint | None = None
    """The source as it was planned."""
    existing: Fingerprint | None = None
    """What stood at the target when it was planned; for `remove`, the copy that must still be there."""
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

    @property
    def place(self) -> Place:
        """Where a person would look for this item: its source, else its target."""
        found = self.source or self.target
        if found is None:
            raise ValueError("a plan item has a source or a target")
        return found

    @property
    def is_overwrite(self) -> bool:
        """Whether a file that stands at the target is replaced."""
        return self.decision is Decision.REPLACE

    @property
    def is_final(self) -> bool:
        """Whether this item destroys the last copy it knows of."""
        return self.step is Step.REMOVE and self.existing is None and self.kind is not Kind.FOLDER


@dataclass(frozen=True, slots=True)
class Risk:
    """Whether a plan needs a typed word, and why."""

    reasons: tuple[str, ...] = ()

    @property
    def is_high(self) -> bool:
        """Whether a plain yes is not enough."""
        return bool(self.reasons)


@dataclass(frozen=True)
class Plan:
    """Everything one operation would do."""

    verb: Verb
    items: tuple[PlanItem, ...]
    roots: tuple[Root, ...] = ()
    policy: ConflictPolicy = ConflictPolicy.ASK
    destination: bytes | None = None
    free_bytes: int | None = None
    """Room on the destination's volume when it was planned."""
    need_bytes: int = 0
    """Room the copies take there."""
    emptied: tuple[bytes, ...] = ()
    """Folders that would lose more than half of what they hold."""
    undoes: int | None = None
    """The operation this one takes back."""

    @cached_property
    def totals(self) -> Totals:
        """Files, folders and bytes that are acted on."""
        total = Totals()
        for item in self.acting:
            total += item.totals
        return total

    @cached_property
    def acting(self) -> tuple[PlanItem, ...]:
        """The items that change something."""
        return tuple(i for i in self.items if i.step is not Step.NOTHING and i.decision is not Decision.SKIP)

    @cached_property
    def overwrites(self) -> tuple[PlanItem, ...]:
        """The items that replace a file."""
        return tuple(item for item in self.items if item.is_overwrite)

    @cached_property
    def protected(self) -> tuple[PlanItem, ...]:
        """The items in places that programs run or trust."""
        return tuple(item for item in self.acting if item.protected)

    @cached_property
    def questions(self) -> tuple[PlanItem, ...]:
        """The items that will ask before they land."""
        return tuple(item for item in self.items if item.decision is Decision.ASK)

    def biggest(self, count: int = 10) -> tuple[PlanItem, ...]:
        """The largest items, largest first."""
        return tuple(sorted(self.acting, key=lambda item: -item.totals.bytes)[:count])

    @cached_property
    def risk(self) -> Risk:
        """Whether this needs more than a yes."""
        reasons = []
        final = [item for item in self.items if item.is_final]
        if final and self.verb is Verb.DELETE:
            reasons.append("deletes for good")
        gone = [*final, *self.overwrites, *(item for item in self.items if item.step is Step.TRASH)]
        files = sum(max(1, item.totals.files) for item in gone)
        size = sum(item.existing.size if item.is_overwrite and item.existing else item.totals.bytes for item in gone)
        if files > 100:
            reasons.append(f"{files} files deleted or overwritten")
        if size > GIB:
            reasons.append(f"{size / GIB:.1f} GiB deleted or overwritten")
        if self.protected:
            reasons.append("touches protected places")
        if self.emptied:
            reasons.append("takes more than half of a folder")
        return Risk(tuple(reasons))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that will run."""
        return hashlib.sha256(self.encoded).hexdigest()

    @cached_property
    def encoded(self) -> bytes:
        """The canonical form: one line of JSON for the plan, one for each item; names as Latin-1 stand for bytes."""
        head = [
            [self.verb, self.policy, _text(self.destination), self.free_bytes, self.need_bytes, self.undoes],
            [[_text(root.path), root.dev, root.ino] for root in self.roots],
            [_text(path) for path in self.emptied],
        ]
        number = {root.path: index for index, root in enumerate(self.roots)}
        encode = json.JSONEncoder(separators=(",", ":")).encode
        lines = [encode(head), *(encode(_item_row(item, number)) for item in self.items)]
        return "\n".join(lines).encode("ascii")

    @classmethod
    def decode(cls, encoded: bytes) -> "Plan":
        """The plan a canonical form stands for; contents of new files are not part of it."""
        first, *rest = encoded.split(b"\n")
        (verb, policy, destination, free, need, undoes), roots, emptied = json.loads(first)
        paths = [_bytes(path) for path, _, _ in roots]
        return cls(
            Verb(verb),
            tuple(_item(json.loads(line), paths) for line in rest),
            tuple(Root(path, dev, ino) for path, (_, dev, ino) in zip(paths, roots, strict=True)),
            ConflictPolicy(policy),
            None if destination is None else _bytes(destination),
            free,
            need,
            tuple(_bytes(path) for path in emptied),
            undoes,
        )

    def only(self, indices: Iterable[int]) -> "Plan":
        """The plan of some of the items, in the same order: what is left, or what failed."""
        wanted = sorted(set(indices))
        return replace(self, items=tuple(self.items[index] for index in wanted))


def _text(path: bytes | None) -> str | None:
    return None if path is None else path.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def _print_row(found: Fingerprint | None) -> list[object] | None:
    return None if found is None else [found.dev, found.ino, found.size, found.mtime_ns, found.kind]


def _print(row: list[int]) -> Fingerprint:
    dev, ino, size, mtime_ns, kind = row
    return Fingerprint(dev, ino, size, mtime_ns, Kind(str(kind)))


def _place_row(place: Place | None, number: Mapping[bytes, int]) -> list[object] | None:
    return None if place is None else [number[place.root], _text(place.rel)]


def _item_row(item: PlanItem, number: Mapping[bytes, int]) -> list[object]:
    digest = item.data_digest if item.data is None else hashlib.sha256(item.data).hexdigest()
    return [
        item.step,
        item.kind,
        *(_place_row(place, number) for place in (item.source, item.target, item.twin, item.info)),
        _print_row(item.fingerprint),
        _print_row(item.existing),
        item.decision,
        item.reason,
        [item.totals.files, item.totals.folders, item.totals.bytes],
        item.remove_source,
        digest,
        item.mode,
        item.protected,
    ]


def _item(row: list[object], roots: list[bytes]) -> PlanItem:
    step, kind, source, target, twin, info, found, existing, decision, reason, totals, remove, digest, mode, prot = row

    def place(at: object) -> Place | None:
        return Place(roots[at[0]], _bytes(at[1])) if isinstance(at, list) else None

    def mark(at: object) -> Fingerprint | None:
        return _print(at) if isinstance(at, list) else None

    return PlanItem(
        Step(str(step)),
        Kind(str(kind)),
        place(source),
        place(target),
        mark(found),
        mark(existing),
        Decision(str(decision)),
        str(reason),
        Totals(*totals) if isinstance(totals, list) else Totals(),
        bool(remove),
        place(twin),
        place(info),
        None,
        str(digest),
        mode if isinstance(mode, int) else None,
        str(prot),
    )
