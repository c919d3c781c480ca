"""Folders that an undo takes away as a whole: those in which there is nothing but what the operation had brought.

A copy of half a million files goes to the trash by one rename, and comes back by one. What others have put into such a
folder meanwhile keeps it where it is; then only what is ours goes, one by one.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from cmdr.engine.errors import ITEM_ERRORS
from cmdr.engine.fs.folder_digest import digest_of
from cmdr.engine.fs.folders import Folders
from cmdr.engine.steps.remove import Remove
from cmdr.engine.steps.trash import Trash
from cmdr.model.plans.packed_items import PackedItems
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem, Totals

_NONE = Totals()


@dataclass(slots=True)
class _Inside:
    """What of a folder is ours and goes."""

    items: PackedItems = field(default_factory=PackedItems)
    """How it goes, if the folder stays."""
    count: int = 0
    """How many names of the folder it is."""
    totals: Totals = _NONE
    names: dict[bytes, str] = field(default_factory=dict)
    """The digests of the folders among them."""
    has_files: bool = False


class WholeFolders:
    """Gathered while an operation is looked at from its end: what is inside a folder comes before the folder."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._open: dict[tuple[bytes, bytes], _Inside] = {}
        self._apart = PackedItems()
        """What goes by itself, because its folder stays."""

    def add(self, item: PlanItem) -> None:
        """A file that goes to the trash."""
        inside = self._above(item.place)
        inside.items.append(item)
        inside.count += 1
        inside.totals += item.totals
        inside.has_files = True

    def close(self, place: Place, here: Fingerprint, totals: Totals) -> None:
        """A folder that the operation had made; all that it brought into it is known by now."""
        inside = self._open.pop((place.root, place.rel), None) or _Inside()
        emptied = PlanItem(Remove.name, Kind.FOLDER, place, fingerprint=here, totals=totals)
        names = self._listed(place)
        if names is None or len(names) != inside.count:
            for item in inside.items:
                self._apart.append(item)
            self._apart.append(emptied)
            return
        digest = digest_of(names, inside.names)
        above, whole = self._above(place), totals + inside.totals
        above.count += 1
        above.totals += whole
        above.names[place.name] = digest
        if inside.has_files:
            above.has_files = True
            above.items.append(PlanItem(Trash.name, Kind.FOLDER, place, fingerprint=here, totals=whole, names=digest))
            return
        for item in inside.items:
            above.items.append(item)
        above.items.append(emptied)

    def items(self) -> Iterator[PlanItem]:
        """All that goes, in no order."""
        yield from self._apart
        for inside in self._open.values():
            yield from inside.items

    def _above(self, place: Place) -> _Inside:
        key = place.root, place.folder
        inside = self._open.get(key)
        if inside is None:
            inside = self._open[key] = _Inside()
        return inside

    def _listed(self, place: Place) -> list[bytes] | None:
        try:
            return [os.fsencode(name) for name in os.listdir(self._folders.open(place.root, place.rel))]
        except ITEM_ERRORS:
            return None
