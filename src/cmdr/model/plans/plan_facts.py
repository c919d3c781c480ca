"""What a person is told about a plan, gathered in one look at its items: there may be half a million."""

import heapq
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cmdr.model.plans.packed_items import PackedItems
from cmdr.model.plans.plan_item import Decision, Kind, Place, PlanItem, Totals
from cmdr.model.plans.steps import KINDS

MAX_OUTLIERS = 10
"""How many of them are named at most."""
MAX_GROUPS = 1024
"""Kinds and folders that are counted apart, those that come first; memory stays bounded where all are different."""
_RARE = 4
"""A group is odd when it holds at most a fourth of all."""
FOLDERS = b"/"
"""The kind of all folders; no extension holds this letter."""


class _Groups:
    """How many there are of each group, with the first few of each."""

    def __init__(self) -> None:
        self.sizes: dict[bytes, int] = {}
        self._first: dict[bytes, list[tuple[int, PlanItem]]] = {}

    def add(self, group: bytes, index: int, item: PlanItem) -> None:
        size = self.sizes.get(group)
        if size is None:
            if len(self.sizes) >= MAX_GROUPS:
                return
            self.sizes[group] = 1
            self._first[group] = [(index, item)]
            return
        self.sizes[group] = size + 1
        if size < MAX_OUTLIERS:
            self._first[group].append((index, item))

    def rare(self, total: int) -> list[tuple[int, int, PlanItem]]:
        """The first of each odd group, as size of the group, place in the plan, item."""
        return [
            (size, index, item)
            for group, size in self.sizes.items()
            if size * _RARE <= total
            for index, item in self._first[group]
        ]


class Outliers:
    """Gathers what was chosen, one by one."""

    def __init__(self) -> None:
        self._kinds, self._folders = _Groups(), _Groups()
        self._total = 0

    def add(self, item: PlanItem, folder: bytes) -> None:
        """One more that was chosen."""
        self._kinds.add(kind_of(item), self._total, item)
        self._folders.add(folder, self._total, item)
        self._total += 1

    def found(self) -> tuple[PlanItem, ...]:
        """The odd ones, from the rarest on; empty where all are alike, or where there are too few to say."""
        rare = sorted([*self._kinds.rare(self._total), *self._folders.rare(self._total)], key=lambda each: each[:2])
        return tuple({index: item for _, index, item in rare}.values())[:MAX_OUTLIERS]

    def kinds(self) -> tuple[tuple[bytes, int], ...]:
        """How many there are of each kind, most first."""
        return tuple(sorted(self._kinds.sizes.items(), key=lambda each: (-each[1], each[0])))


def kind_of(item: PlanItem) -> bytes:
    """What a person takes it for by its name: the extension in small letters, or that it is a folder."""
    if item.kind is Kind.FOLDER:
        return FOLDERS
    stem, _, extension = item.place.rel.rpartition(b".")
    return extension.lower() if stem and not stem.endswith(b"/") else b""


# Looking a member up in its class takes a call; there are several for every item.
_ASK, _REPLACE, _SKIP = Decision.ASK, Decision.REPLACE, Decision.SKIP
SHOWN = 10
"""How many items or folders a person is shown by name."""


@dataclass(frozen=True, slots=True)
class Few:
    """The first few of some items, and how many there are."""

    first: tuple[PlanItem, ...] = ()
    count: int = 0

    @property
    def left_out(self) -> int:
        """How many are not among the first."""
        return self.count - len(self.first)


class _Gathered:
    """Items as they are found, of which only the first are kept."""

    def __init__(self) -> None:
        self._first: list[PlanItem] = []
        self._count = 0

    def add(self, item: PlanItem) -> None:
        self._count += 1
        if self._count <= SHOWN:
            self._first.append(item)

    @property
    def few(self) -> Few:
        return Few(tuple(self._first), self._count)


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """How much a plan touches, and what in it needs a person's eye."""

    totals: Totals
    """Files, folders and bytes that are acted on."""
    overwrites: Sequence[PlanItem]
    protected: Sequence[PlanItem]
    questions: Sequence[PlanItem]
    biggest: tuple[PlanItem, ...]
    source_folders: tuple[bytes, ...]
    """The folders in which files were chosen, the first of them."""
    folder_count: int
    """How many such folders there are."""
    chosen: Few
    """What was named or selected, without what lies inside it."""
    odd: tuple[PlanItem, ...]
    """The first of those that are of another kind than most of what was chosen, or from another folder."""
    kinds: tuple[tuple[bytes, int], ...]
    """How many of each kind were chosen, most first; a kind is an extension."""
    renamed: Few
    """What arrives under another name than it had."""
    is_final: bool
    """Whether an item destroys the last copy it knows of."""
    lost_files: int
    """Files that are deleted, trashed or overwritten."""
    lost_bytes: int
    skipped: tuple[tuple[str, int], ...]
    """Why some are left alone, and how many of them."""
    target_folders: tuple[tuple[bytes, int], ...]
    """The folders that what was chosen goes to, and how many go there."""
    exposed: tuple[tuple[str, int], ...]
    """What new attributes expose, and how many of them do."""
    archives: tuple[bytes, ...]
    """What is unpacked, the first of them."""
    archive_count: int

    @classmethod
    def of(cls, items: Iterable[PlanItem]) -> "PlanFacts":
        """The facts about some items."""
        gathering = FactsCollector()
        for item in items:
            gathering.add(item)
        return gathering.facts()


class FactsCollector:
    """Looks at the items of a plan one by one, as they are found: looking again at very many would take as long."""

    def __init__(self) -> None:
        self._index = self._files = self._folders = self._bytes = self._lost_files = self._lost_bytes = 0
        self._overwrites, self._protected, self._questions = PackedItems(), PackedItems(), PackedItems()
        self._folders_of: dict[bytes, bytes] = {}
        """The folders in which files were chosen, by the root of a place."""
        self._chosen, self._renamed, self._odd = _Gathered(), _Gathered(), Outliers()
        self._largest: list[tuple[int, int, PlanItem]] = []
        self._is_final = False
        self._skipped: dict[str, int] = {}
        self._goals: dict[tuple[bytes, bytes], int] = {}
        """How many go to each folder, by root and way down."""
        self._exposed: dict[str, int] = {}
        self._archives: dict[Place, None] = {}

    def add(self, item: PlanItem) -> None:
        """One more item."""
        source, target, totals, kind, decision = item.source, item.target, item.totals, KINDS[item.step], item.decision
        if source is not None and item.is_unpacked:
            self._archives[source] = None
        elif source is not None:
            if b"/" not in source.rel:
                self._add_chosen(item, source)
            if target is not None and source.rel != target.rel and source.name != target.name:
                self._renamed.add(item)
        if decision is _ASK:
            self._questions.append(item)
        is_overwrite, is_final = decision is _REPLACE, kind.removes and item.is_final
        if is_overwrite:
            self._overwrites.append(item)
        if is_final or is_overwrite or kind.is_trashed:
            self._is_final = self._is_final or is_final
            self._lost_files += totals.files or 1
            self._lost_bytes += item.existing.size if is_overwrite and item.existing else totals.bytes
        if not kind.is_left_alone and decision is not _SKIP:
            self._files += totals.files
            self._folders += totals.folders
            self._bytes += totals.bytes
            if item.protected:
                self._protected.append(item)
            self._rank(item, totals.bytes)
            if item.change is not None:
                for risk in item.change.risks:
                    self._exposed[risk] = self._exposed.get(risk, 0) + 1
        else:
            self._skipped[item.reason] = self._skipped.get(item.reason, 0) + 1
        self._index += 1

    def _add_chosen(self, item: PlanItem, source: Place) -> None:
        folder = self._folders_of.get(source.root)
        if folder is None:
            folder = self._folders_of[source.root] = os.path.dirname(source.path)
        if item.existing is None or not KINDS[item.step].removes:
            self._chosen.add(item)
            self._odd.add(item, folder)
            if item.target is not None:
                goal = item.target.root, item.target.folder
                self._goals[goal] = self._goals.get(goal, 0) + 1

    def _rank(self, item: PlanItem, size: int) -> None:
        largest = self._largest
        if len(largest) < SHOWN:
            heapq.heappush(largest, (size, -self._index, item))
        elif size > largest[0][0]:
            # Of two equally large ones the first counts, and that is there already.
            heapq.heapreplace(largest, (size, -self._index, item))

    def facts(self) -> PlanFacts:
        """All that was gathered."""
        largest = sorted(self._largest, key=lambda rank: rank[:2], reverse=True)
        folders = set(self._folders_of.values())
        return PlanFacts(
            Totals(self._files, self._folders, self._bytes),
            self._overwrites.done(),
            self._protected.done(),
            self._questions.done(),
            tuple(item for _, _, item in largest),
            tuple(sorted(folders)[:SHOWN]),
            len(folders),
            self._chosen.few,
            self._odd.found(),
            self._odd.kinds(),
            self._renamed.few,
            self._is_final,
            self._lost_files,
            self._lost_bytes,
            tuple(self._skipped.items()),
            tuple(sorted((_path(*goal), number) for goal, number in self._goals.items())),
            tuple(self._exposed.items()),
            tuple(place.path for place in list(self._archives)[:SHOWN]),
            len(self._archives),
        )


def _path(root: bytes, folder: bytes) -> bytes:
    return root.rstrip(b"/") + b"/" + folder if folder else root


class PlanDraft(PackedItems):
    """Packed items whose facts are known when the last one has come."""

    def __init__(self) -> None:
        super().__init__()
        self._gathering = FactsCollector()

    def append(self, item: PlanItem) -> None:
        """Add an item at the end."""
        super().append(item)
        self._gathering.add(item)

    @property
    def facts(self) -> PlanFacts:
        """What there is to tell about all of them."""
        return self._gathering.facts()
