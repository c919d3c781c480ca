"""A plan: every single change an operation would make, fixed before anyone says yes to it.

A plan is immutable and has a digest. What is shown, what is approved and what runs are the same bytes; a plan that
differs in one name, size or conflict decision has another digest. Paths are bytes, split in a root directory that is
opened once and checked by identity, and the way down from it that is walked without following links.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from cmdr.model.plans.packed_items import packed, rows_of
from cmdr.model.plans.plan_exchanges import told
from cmdr.model.plans.plan_facts import SHOWN, Few, PlanFacts
from cmdr.model.plans.plan_item import (
    ConflictPolicy,
    Decision,
    Fingerprint,
    Kind,
    Place,
    PlanItem,
    Root,
    Totals,
    Verb,
)
from cmdr.model.plans.plan_rows import bytes_of, item_of, line_of, rows_in, text_of
from cmdr.model.plans.steps import StepName

__all__ = [
    "GIB",
    "SHOWN",
    "ConflictPolicy",
    "Decision",
    "Fingerprint",
    "Kind",
    "Place",
    "Plan",
    "PlanItem",
    "Risk",
    "Root",
    "StepName",
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
    items: Sequence[PlanItem]
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
    undone: Verb | None = None
    """What that operation did."""
    continues: int | None = None
    """The interrupted operation this one is the rest of."""

    @cached_property
    def told(self) -> Sequence[PlanItem]:
        """The items as they are shown: what runs, with every file of a ring of names from its old name to its new."""
        return told(self.items) if self.verb in (Verb.RENAME, Verb.UNDO) else self.items

    @cached_property
    def _facts(self) -> PlanFacts:
        return PlanFacts.of(self.told)

    @cached_property
    def made_folders(self) -> tuple[PlanItem, ...]:
        """The folders that are missing on the way to the destination and are made first."""
        return tuple(takewhile(lambda item: item.is_missing_folder, self.items))

    @property
    def subject(self) -> PlanItem:
        """The first item that the person asked for: what an operation on one thing is about."""
        if self.verb is Verb.ATTRIBUTES and self.chosen.count:
            # What lies inside a chosen folder comes before it.
            return self.chosen.first[0]
        return self.items[min(len(self.made_folders), len(self.items) - 1)]

    @property
    def totals(self) -> Totals:
        """Files, folders and bytes that are acted on."""
        return self._facts.totals

    @property
    def overwrites(self) -> Sequence[PlanItem]:
        """The items that replace a file."""
        return self._facts.overwrites

    @property
    def protected(self) -> Sequence[PlanItem]:
        """The items in places that programs run or trust."""
        return self._facts.protected

    @property
    def questions(self) -> Sequence[PlanItem]:
        """The items that will ask before they land."""
        return self._facts.questions

    @property
    def biggest(self) -> tuple[PlanItem, ...]:
        """The largest items, largest first."""
        return self._facts.biggest

    @property
    def chosen(self) -> Few:
        """What was named or selected, without what lies inside it."""
        return self._facts.chosen

    @property
    def odd(self) -> tuple[PlanItem, ...]:
        """What is of another kind than most of what was chosen, or from another folder; the first of them."""
        return self._facts.odd

    @property
    def kinds(self) -> tuple[tuple[bytes, int], ...]:
        """How many of each kind were chosen, most first; a kind is an extension."""
        return self._facts.kinds

    @property
    def renamed(self) -> Few:
        """What arrives under another name than it had."""
        return self._facts.renamed

    @property
    def skipped(self) -> tuple[tuple[str, int], ...]:
        """Why some are left alone, and how many of them."""
        return self._facts.skipped

    @property
    def asks_again(self) -> bool:
        """Whether a person who has said yes in a window is asked once more, now that it is known what would happen.

        Who packs is told first what will not be in the archive: it may be all that is left of it some day.
        """
        lacks = self.verb is Verb.PACK and bool(self.skipped)
        return self.risk.is_high or bool(self.overwrites) or lacks

    @property
    def target_folders(self) -> tuple[tuple[bytes, int], ...]:
        """The folders that what was chosen goes to, and how many go there."""
        return self._facts.target_folders

    @property
    def archives(self) -> tuple[bytes, ...]:
        """What is unpacked, the first of them."""
        return self._facts.archives

    @property
    def archive_count(self) -> int:
        """How many archives are unpacked."""
        return self._facts.archive_count

    @property
    def source_folders(self) -> tuple[bytes, ...]:
        """The folders in which files were chosen."""
        return self._facts.source_folders

    @property
    def folder_count(self) -> int:
        """In how many folders files were chosen."""
        return self._facts.folder_count

    def weigh(self, facts: PlanFacts | None = None) -> "Plan":
        """Find out now all that a person is shown, in the thread that made the plan; asked later it is known.

        Facts that were gathered while the items were found need not be found again.
        """
        if facts is not None:
            vars(self)["_facts"] = facts
        _ = self._facts, self.digest
        return self

    @cached_property
    def risk(self) -> Risk:
        """Whether this needs more than a yes."""
        facts, reasons = self._facts, []
        if self.verb is Verb.DELETE and facts.is_final:
            reasons.append("deletes for good")
        # What an undo takes away was brought by the operation, and comes back when the undo is undone.
        if facts.lost_files > 100 and self.verb is not Verb.UNDO:
            reasons.append(f"{facts.lost_files} files deleted or overwritten")
        if facts.lost_bytes > GIB and self.verb is not Verb.UNDO:
            reasons.append(f"{facts.lost_bytes / GIB:.1f} GiB deleted or overwritten")
        if self.protected:
            reasons.append("touches protected places")
        if self.emptied:
            reasons.append("takes more than half of a folder")
        reasons += [f"{what}: {number}" for what, number in facts.exposed]
        return Risk(tuple(reasons))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that will run."""
        state = hashlib.sha256()
        for part in self.parts():
            state.update(part)
        return state.hexdigest()

    @property
    def encoded(self) -> bytes:
        """The canonical form."""
        return b"".join(self.parts())

    def parts(self) -> Iterator[bytes]:
        """The canonical form: one line of JSON for the plan, one for each item; names as Latin-1 stand for bytes."""
        more: list[object] = [self.undone, self.continues]
        while more and more[-1] is None:
            more.pop()
        head = [
            [self.verb, self.policy, text_of(self.destination), self.free_bytes, self.need_bytes, self.undoes, *more],
            [_root_row(root) for root in self.roots],
            [text_of(path) for path in self.emptied],
        ]
        yield json.dumps(head, separators=(",", ":")).encode("ascii")
        number = {root.path: index for index, root in enumerate(self.roots)}
        for row in rows_of(self.items):
            yield b"\n" + line_of(row, number)

    @classmethod
    def decode(cls, encoded: bytes) -> "Plan":
        """The plan a canonical form stands for; contents of new files are not part of it."""
        return cls.read(iter(encoded.split(b"\n")))

    @classmethod
    def read(cls, lines: Iterator[bytes]) -> "Plan":
        """The plan whose canonical form comes line by line."""
        first = next(lines)
        (verb, policy, destination, free, need, undoes, *more), roots, emptied = json.loads(first)
        undone, continues, *_ = [*list(more), None, None]
        paths = [bytes_of(path) for path, *_ in roots]
        return cls(
            Verb(verb),
            packed(item_of(row, paths) for row in rows_in(lines)),
            tuple(Root(path, *identity) for path, (_, *identity) in zip(paths, roots, strict=True)),
            ConflictPolicy(policy),
            None if destination is None else bytes_of(destination),
            free,
            need,
            tuple(bytes_of(path) for path in emptied),
            undoes,
            None if undone is None else Verb(undone),
            continues,
        )

    def only(self, indices: Iterable[int]) -> "Plan":
        """The plan of some of the items, in the same order: what is left, or what failed."""
        wanted = sorted(set(indices))
        return replace(self, items=packed(self.items[index] for index in wanted))


def _root_row(root: Root) -> list[object]:
    row: list[object] = [text_of(root.path), root.dev, root.ino]
    return row if root.birth_ns is None else [*row, root.birth_ns]
