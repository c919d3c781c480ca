"""Files of a large directory that were edited while no name came or went: their rows stay where they are.

Their columns are mapped once more, privately: the pages with these rows become copies in memory, all others stay on
the disk, and the stored snapshot stays as it was.
"""

import copy

import numpy as np

from cmdr.index.delta.delta import Entry, Listing
from cmdr.index.delta.delta_rows import children_named, device_codes, owner_codes
from cmdr.index.snapshots.columns import Column, Flag
from cmdr.index.snapshots.segment import Segment
from cmdr.index.snapshots.view import View

_FACTS = ("size", "allocated", "mtime", "ctime", "born", "ino", "mode", "flags")
_COUNTED_ELSEWHERE = int(Flag.HARD | Flag.SHARED | Flag.FOLLOWED | Flag.ALIAS)


class EditedRows:
    """New values of single rows, column by column."""

    def __init__(self, base: View) -> None:
        self._base = base
        self._values: dict[str, dict[int, int]] = {}

    def put(self, row: int, column: str, value: int) -> None:
        """From now on this row has another value."""
        self._values.setdefault(column, {})[row] = value

    @property
    def rows(self) -> Column:
        """Every row of which something changed, ascending."""
        found: set[int] = set()
        return np.array(sorted(found.union(*self._values.values())), np.int64)

    def segment(self) -> Segment:
        """The snapshot's rows with the new values."""
        base = self._base.base
        if not self._values:
            return base
        for case in (True, False):  # what is searched in all names is made once, for the snapshot and for this
            base.names_by(case)
        edited = copy.copy(base)
        edited.__dict__.pop("has_unknown", None)
        edited.columns = dict(base.columns)
        for name, values in self._values.items():
            column = edited.columns[name] = self._base.stored.changeable(name)
            column[np.fromiter(values, np.int64, len(values))] = np.fromiter(values.values(), object, len(values))
        return edited


def edit_files(base: View, directory: int, listing: Listing, edits: EditedRows) -> bool:
    """Note the new facts of the files in a listing; False, and nothing noted, when more than those changed."""
    names = listing.instead_of
    if names is None or directory >= base.base_dirs or len(listing.entries) != len(names):
        return False
    entries = {entry.name: entry for entry in listing.entries}
    if entries.keys() != names:
        return False
    found = [(row, entries[base.name(row)]) for row in children_named(base, directory, names)]
    if len(found) != len(names) or not all(_is_edit(base, row, entry) for row, entry in found):
        return False
    edited = [entry for _, entry in found]
    codes = zip(owner_codes(base.base, edited), device_codes(base.base, edited), strict=True)
    for (row, entry), (owner, device) in zip(found, codes, strict=True):
        for name in _FACTS:
            edits.put(row, name, getattr(entry, name))
        edits.put(row, "owner", owner)
        edits.put(row, "dev", device)
    return True


def _is_edit(base: View, row: int, entry: Entry) -> bool:
    mode, flags = base.value("mode", row), base.value("flags", row)
    same = entry.nid == base.id_of(row) and entry.mode >> 12 == mode >> 12 and not entry.is_dir
    return same and not (flags | entry.flags) & _COUNTED_ELSEWHERE
