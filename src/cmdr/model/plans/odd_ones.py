"""The odd ones out among what was chosen: of another kind than most, or from another folder.

Sixty pictures and one program are told apart at a glance only when the program is named; it is named first.
"""

from cmdr.model.plans.plan_item import Kind, PlanItem

KEPT = 10
"""How many of them are named at most."""
MOST_GROUPS = 1024
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
            if len(self.sizes) >= MOST_GROUPS:
                return
            self.sizes[group] = 1
            self._first[group] = [(index, item)]
            return
        self.sizes[group] = size + 1
        if size < KEPT:
            self._first[group].append((index, item))

    def rare(self, total: int) -> list[tuple[int, int, PlanItem]]:
        """The first of each odd group, as size of the group, place in the plan, item."""
        return [
            (size, index, item)
            for group, size in self.sizes.items()
            if size * _RARE <= total
            for index, item in self._first[group]
        ]


class OddOnes:
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
        return tuple({index: item for _, index, item in rare}.values())[:KEPT]

    def kinds(self) -> tuple[tuple[bytes, int], ...]:
        """How many there are of each kind, most first."""
        return tuple(sorted(self._kinds.sizes.items(), key=lambda each: (-each[1], each[0])))


def kind_of(item: PlanItem) -> bytes:
    """What a person takes it for by its name: the extension in small letters, or that it is a folder."""
    if item.kind is Kind.FOLDER:
        return FOLDERS
    stem, _, extension = item.place.rel.rpartition(b".")
    return extension.lower() if stem and not stem.endswith(b"/") else b""
