"""The rows of a delta: entries of new listings, what stays of large directories, and which name of a file counts."""

from dataclasses import dataclass

import numpy as np

from cmdr.index.delta.delta import Entry
from cmdr.index.snapshots.columns import FORMAT_FILE, ROW_COLUMNS, Column, Flag
from cmdr.index.snapshots.name_blobs import fold
from cmdr.index.snapshots.names import extension
from cmdr.index.snapshots.segment import Segment
from cmdr.index.snapshots.view import View

_FEW = 20  # names that are looked for one by one
_HARD, _SHARED = int(Flag.HARD), int(Flag.SHARED)
_NAMES = int(Flag.HARD | Flag.SHARED | Flag.ALIAS)
File = tuple[int, int]  # inode, device


@dataclass(frozen=True, eq=False)
class UnchangedRows:
    """Rows of the snapshot, ascending, that stand in the delta from row `first` of it on, behind so many entries."""

    directory: int
    rows: Column
    first: int
    entries_before: int


class DeltaIds(dict[int, int]):
    """The delta's row of an id: written down for entries, found by the snapshot's row for what was kept."""

    def __init__(self, base: View, kept: list[UnchangedRows], entries: dict[int, int]) -> None:
        super().__init__(entries)
        self._base, self._kept = base, kept

    def __bool__(self) -> bool:
        return bool(len(self) or self._kept)

    def get(self, nid: int, default: int | None = None) -> int | None:  # type: ignore[override]  # it has no other form
        found = super().get(nid)
        if found is not None or not self._kept:
            return default if found is None else found
        rows = self._base.stored.column("idrow")
        row = int(rows[nid]) if 0 <= nid < len(rows) else -1
        for kept in self._kept:
            at = int(np.searchsorted(kept.rows, row))
            if at < len(kept.rows) and kept.rows[at] == row:
                return self._base.base_rows + kept.first + at
        return default


def rows_named(segment: Segment, first: int, count: int, names: frozenset[bytes]) -> list[int]:
    """The rows of those names that stand among `count` rows from the first on, ascending."""
    start, end = int(segment.noff[first]), int(segment.noff[first + count])
    blob = b"\0" + bytes(segment.blob[start:end])
    if len(names) > _FEW:
        return [first + at for at, name in enumerate(blob.split(b"\0")[1:-1]) if name in names]
    places = (blob.find(b"\0" + name + b"\0") for name in names)
    offsets = segment.noff[first : first + count]
    return sorted(first + int(np.searchsorted(offsets, start + at)) for at in places if at >= 0)


def children_named(view: View, directory: int, names: frozenset[bytes]) -> list[int]:
    """The rows of those names that stand in a directory of the snapshot, ascending."""
    if len(names) > _FEW:
        rows = view.child_rows(directory)
        return rows_named(view.base, rows.start, len(rows), names)
    found = (view.child(directory, name) for name in names)
    return sorted(row for row in found if row is not None)


def with_unchanged(base: Segment, listed: Segment, kept: list[UnchangedRows]) -> Segment:
    """The delta's rows: entries in their order, and before the entries of a large directory what stays in it."""
    edges = [one.entries_before for one in kept]
    spans = list(zip([0, *edges], [*edges, listed.rows], strict=True))

    stretches = [_stretches(one.rows) for one in kept]

    def mixed(of_kept: list[list[Column]], of_entries: list[Column]) -> Column:
        pieces = [of_entries[0]]
        for some, entries in zip(of_kept, of_entries[1:], strict=True):
            pieces += (*some, entries)
        return np.concatenate(pieces)

    def column(name: str) -> Column:
        if name == "pdir":
            taken = [[np.full(len(one.rows), one.directory, np.uint32)] for one in kept]
        else:
            taken = [[base[name][first:last] for first, last in some] for some in stretches]
        return mixed(taken, [listed[name][first:last] for first, last in spans])

    def blob(names: str, offsets: str) -> tuple[Column, Column]:
        own, own_off = getattr(listed, names), getattr(listed, offsets)
        all_off = getattr(base, offsets)
        all_names = getattr(base, names)
        taken = [[all_names[int(all_off[first]) : int(all_off[last])] for first, last in some] for some in stretches]
        lengths = [[np.diff(all_off[first : last + 1]).astype(np.int64) for first, last in some] for some in stretches]
        sizes = mixed(lengths, [np.diff(own_off[first : last + 1]) for first, last in spans])
        off = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=off[1:])
        return mixed(taken, [own[own_off[first] : own_off[last]] for first, last in spans]), off

    names, noff = blob("names", "noff")
    folded, foff = blob("folded", "foff")
    columns = {name: column(name) for name in listed.columns}
    return Segment(columns, names, noff, folded, foff, listed.owners, listed.extensions, listed.devices)


def _stretches(rows: Column) -> list[tuple[int, int]]:
    """Ascending rows, most of which follow each other, as (first, behind the last)."""
    if not len(rows):
        return []
    apart = np.flatnonzero(np.diff(rows) != 1) + 1
    first, last = rows[np.append(0, apart)], rows[np.append(apart - 1, len(rows) - 1)]
    return list(zip(first.tolist(), (last + 1).tolist(), strict=True))


def bytes_of(blob: Column, offsets: Column, rows: Column) -> Column:
    """The names of ascending rows, most of which follow each other."""
    pieces = [blob[int(offsets[first]) : int(offsets[last])] for first, last in _stretches(rows)]
    return np.concatenate(pieces) if pieces else blob[:0]


def rows_of_entries(base: Segment, entries: list[Entry], parents: list[int], flags: list[int]) -> Segment:
    """A segment that uses the snapshot's tables; what they did not have is added behind."""
    noff = np.zeros(len(entries) + 1, np.int64)
    np.cumsum([len(one.name) + 1 for one in entries], out=noff[1:])
    folded = [fold(one.name) for one in entries]
    foff = np.zeros(len(entries) + 1, np.int64)
    np.cumsum([len(one) + 1 for one in folded], out=foff[1:])
    values = {
        "pdir": parents,
        "owner": owner_codes(base, entries),
        "dev": device_codes(base, entries),
        "ext": [_extension_code(base, one) for one in entries],
        "flags": flags,
    }
    columns = {
        name: np.array(values[name] if name in values else [getattr(one, name) for one in entries], dtype)
        for name, dtype in ROW_COLUMNS.items()
    }
    return Segment(
        columns,
        np.frombuffer(b"".join(one.name + b"\0" for one in entries), np.uint8),
        noff,
        np.frombuffer(b"".join(one + b"\0" for one in folded), np.uint8),
        foff,
        base.owners,
        base.extensions,
        base.devices,
    )


def owner_codes(base: Segment, entries: list[Entry]) -> list[int]:
    return _codes(base, "owners", [one.uid for one in entries], 65535)


def device_codes(base: Segment, entries: list[Entry]) -> list[int]:
    return _codes(base, "devices", [one.device for one in entries], 255)


def _codes(base: Segment, table: str, values: list[int], most: int) -> list[int]:
    """Codes of values; new ones are added behind the snapshot's, whose codes stay what they are."""
    known = {int(one): code for code, one in enumerate(getattr(base, table).tolist())}
    fresh = [one for one in dict.fromkeys(values) if one not in known]
    if fresh:
        column = getattr(base, table)
        setattr(base, table, np.concatenate([column, np.array(fresh, column.dtype)]))
        known |= {one: len(column) + at for at, one in enumerate(fresh)}
    return [min(known[one], most) for one in values]


def _extension_code(base: Segment, entry: Entry) -> int:
    if entry.mode >> 12 != FORMAT_FILE:
        return 0
    ext = extension(entry.name)
    if ext not in base.extension_code:
        if len(base.extensions) >= 65_000:
            return 0
        base.extensions.append(ext)
        base.extension_code[ext] = len(base.extensions) - 1
    return base.extension_code[ext]


def count_once(base: Segment, dead: Column, entries: list[Entry]) -> tuple[list[int], list[int]]:
    """The flags of all entries, and the rows of the snapshot that count now in place of one that is dead.

    The snapshot's name counts if it is left, else the first of the entries, else another one of the snapshot's.
    """
    flags = [one.flags & ~_SHARED for one in entries]
    many = [at for at, one in enumerate(entries) if one.flags & _HARD]
    stored = base["flags"]
    gone = np.flatnonzero(dead)
    lost = gone[(stored[gone] & _NAMES) == _HARD]
    if not many and not len(lost):
        return flags, []
    counted = np.flatnonzero((stored & _NAMES) == _HARD)
    seen = set(_files(base, counted[~dead[counted]]))
    for at in many:
        file = entries[at].ino, entries[at].device
        if file in seen:
            flags[at] |= _SHARED
        seen.add(file)
    without = set(_files(base, lost)) - seen
    if not without:
        return flags, []
    shared = np.flatnonzero((stored & _NAMES) == (_HARD | _SHARED))
    shared = shared[~dead[shared]]
    now_counted: list[int] = []
    for row, file in zip(shared.tolist(), _files(base, shared), strict=True):
        if file in without:
            without.remove(file)
            now_counted.append(row)
    return flags, now_counted


def known_alone(view: View, inodes: set[int]) -> Column:
    """The rows with one of these inodes that are not known to have another name."""
    rows = linked(view, inodes)
    return np.asarray(rows[(view.gather("flags", rows) & _HARD) == 0])


def linked(view: View, inodes: set[int]) -> Column:
    """All rows with one of these inodes."""
    wanted = np.array(sorted(inodes), np.uint64)
    found: list[Column] = [np.empty(0, np.int64)]
    for first, segment in view.segments() if inodes else []:
        inode = segment["ino"]
        at = wanted.searchsorted(inode).clip(0, len(wanted) - 1)
        rows = np.flatnonzero(wanted[at] == inode)
        if not first and view.dead is not None:
            rows = rows[~view.dead[rows]]
        found.append(rows + first)
    return np.concatenate(found)


def _files(base: Segment, rows: Column) -> list[File]:
    devices = base.devices[np.minimum(base["dev"][rows], len(base.devices) - 1)]
    return list(zip(base["ino"][rows].tolist(), devices.tolist(), strict=True))
