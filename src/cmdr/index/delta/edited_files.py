"""Files of a large directory that were edited while no name came or went: their rows stay where they are."""

from cmdr.index.delta.edited_rows import EditedRows
from cmdr.index.delta.kept_rows import children_named
from cmdr.index.delta.overlay_rows import device_codes, owner_codes
from cmdr.index.delta.patch import Entry, Listing
from cmdr.index.snapshots.columns import Flag
from cmdr.index.snapshots.view import View

_FACTS = ("size", "allocated", "mtime", "ctime", "born", "ino", "mode", "flags")
_COUNTED_ELSEWHERE = int(Flag.HARD | Flag.SHARED | Flag.FOLLOWED | Flag.ALIAS)


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
