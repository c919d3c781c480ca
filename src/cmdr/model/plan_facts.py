"""What a person is told about a plan, gathered in one look at its items: there may be half a million."""

import heapq
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cmdr.model.odd_ones import OddOnes
from cmdr.model.packed_items import PackedItems
from cmdr.model.plan_item import Decision, PlanItem, Step, Totals

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

    @classmethod
    def of(cls, items: Iterable[PlanItem]) -> "PlanFacts":
        """The facts about some items."""
        files = folders = size = lost_files = lost_bytes = 0
        overwrites, protected, questions = PackedItems(), PackedItems(), PackedItems()
        folders_of: set[bytes] = set()
        chosen, renamed, odd = _Gathered(), _Gathered(), OddOnes()
        largest: list[tuple[int, int, PlanItem]] = []
        is_final = False
        for index, item in enumerate(items):
            totals = item.totals
            source, target = item.source, item.target
            if source is not None and b"/" not in source.rel:
                folder = os.path.dirname(source.path)
                folders_of.add(folder)
                if item.existing is None or item.step is not Step.REMOVE:
                    chosen.add(item)
                    odd.add(item, folder)
            if source is not None and target is not None and source.rel != target.rel and source.name != target.name:
                renamed.add(item)
            if item.decision is Decision.ASK:
                questions.append(item)
            if item.is_overwrite:
                overwrites.append(item)
            if item.is_final or item.is_overwrite or item.step is Step.TRASH:
                is_final = is_final or item.is_final
                lost_files += max(1, totals.files)
                lost_bytes += item.existing.size if item.is_overwrite and item.existing else totals.bytes
            if item.step is Step.NOTHING or item.decision is Decision.SKIP:
                continue
            files, folders, size = files + totals.files, folders + totals.folders, size + totals.bytes
            if item.protected:
                protected.append(item)
            rank = (totals.bytes, -index, item)
            if len(largest) < SHOWN:
                heapq.heappush(largest, rank)
            elif rank[:2] > largest[0][:2]:
                heapq.heapreplace(largest, rank)
        return cls(
            Totals(files, folders, size),
            overwrites.done(),
            protected.done(),
            questions.done(),
            tuple(item for _, _, item in sorted(largest, key=lambda rank: rank[:2], reverse=True)),
            tuple(sorted(folders_of)[:SHOWN]),
            len(folders_of),
            chosen.few,
            odd.found(),
            odd.kinds(),
            renamed.few,
            is_final,
            lost_files,
            lost_bytes,
        )
