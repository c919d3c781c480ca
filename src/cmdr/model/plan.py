"""A plan: every single change an operation would make, fixed before anyone says yes to it.

A plan is immutable and has a digest. What is shown, what is approved and what runs are the same bytes; a plan that
differs in one name, size or conflict decision has another digest. Paths are bytes, split in a root directory that is
opened once and checked by identity, and the way down from it that is walked without following links.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from cmdr.model.plan_item import (
    ConflictPolicy,
    Decision,
    Fingerprint,
    Kind,
    Place,
    PlanItem,
    Root,
    Step,
    Totals,
    Verb,
)

__all__ = [
    "GIB",
    "ConflictPolicy",
    "Decision",
    "Fingerprint",
    "Kind",
    "Place",
    "Plan",
    "PlanItem",
    "Risk",
    "Root",
    "Step",
    "Totals",
    "Verb",
]

GIB = 1 << 30


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
