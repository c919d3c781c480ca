"""What is stored of snapshots that are gone: the totals of every folder, and the files that changed up to the next.

Each is a few columns in one small file: compressed, with a checksum, and replaced as a whole.
"""

import os
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from cmdr.index.errors import Corrupt
from cmdr.index.snapshots.columns import FORMAT_FILE, Column, Flag
from cmdr.index.snapshots.view import View, stored_view

_TOTALS_MAGIC = b"cmdrtot2"
_TYPES = ("<u4", "<u4", "<i8", "<i8")
MAX_CHANGES = 1_000_000
"""Changes that are remembered from one snapshot to the next; beyond that only the biggest."""
_CHANGES_MAGIC = b"cmdrfil1"
_NONE, _UNKNOWN = -1, -2


def _save(path: str, magic: bytes, head: Sequence[int], columns: Sequence[Column]) -> None:
    """Write numbers and columns; whoever reads sees the old file or the new one, and a failure leaves nothing."""
    body = np.array([len(columns[0]), *head], "<i8").tobytes()
    typed = zip(columns, _TYPES, strict=True)
    body += b"".join(np.ascontiguousarray(values, dtype).tobytes() for values, dtype in typed)
    packed = zlib.compress(body, 1)
    try:
        with open(path + ".tmp", "wb") as out:
            out.write(magic + zlib.crc32(packed).to_bytes(4, "little") + packed)
        os.replace(path + ".tmp", path)
    except OSError:
        with suppress(OSError):
            os.unlink(path + ".tmp")
        raise


def _load(path: str, magic: bytes) -> tuple[list[int], list[Column]]:
    """The three numbers and the columns of a file; raises Corrupt when it is missing, damaged or of another kind."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as trouble:
        raise Corrupt(f"{os.path.basename(path)} is not kept any more.") from trouble
    start = len(magic) + 4
    if data[: len(magic)] != magic or zlib.crc32(data[start:]) != int.from_bytes(data[len(magic) : start], "little"):
        raise Corrupt(f"{os.path.basename(path)} is damaged.")
    body = zlib.decompress(data[start:])
    count, *head = np.frombuffer(body, "<i8", 4).tolist()
    at, columns = 8 * 4, []
    for dtype in _TYPES:
        columns.append(np.frombuffer(body, dtype, count, at))
        at += count * np.dtype(dtype).itemsize
    return head, columns


@dataclass(frozen=True, eq=False)
class FolderTotals:
    """By ascending node id: the folder above, bytes and files below. `complete` when all could be read."""

    epoch: int
    taken_ns: int
    complete: bool
    ids: Column
    parents: Column
    bytes: Column
    files: Column


def folder_totals(view: View) -> FolderTotals:
    """The totals of every folder of a view."""
    live = view.live_dirs()
    ids = view.gather("nid", view.dirs["drow"][live])
    above = view.gather("nid", view.dirs["drow"][view.dirs["dpar"][live].astype(np.int64)])
    order = np.argsort(ids, kind="stable")
    complete = not view.facts.get("cancelled") and not int(view.dirs["dmiss"][0])
    columns = (above, view.dirs["dbytes"][live], view.dirs["dfiles"][live])
    return FolderTotals(view.epoch, time.time_ns(), complete, ids[order], *(column[order] for column in columns))


def totals_path(home: str, epoch: int) -> str:
    return os.path.join(home, f"totals-{epoch:08d}")


def totals_epochs(home: str) -> list[int]:
    """The snapshots whose totals are kept, oldest first."""
    names = [name for name in os.listdir(home) if name.startswith("totals-") and name[7:].isdecimal()]
    return sorted(int(name[7:]) for name in names)


def save_totals(home: str, totals: FolderTotals) -> None:
    """Keep totals under the number of their snapshot."""
    head = (totals.epoch, totals.taken_ns, totals.complete)
    columns = (totals.ids, totals.parents, totals.bytes, totals.files)
    _save(totals_path(home, totals.epoch), _TOTALS_MAGIC, head, columns)


def load_totals(home: str, epoch: int) -> FolderTotals:
    """The totals of one snapshot; raises Corrupt when they are not there or damaged."""
    (number, taken, complete), columns = _load(totals_path(home, epoch), _TOTALS_MAGIC)
    return FolderTotals(number, taken, bool(complete), *columns)


@dataclass(frozen=True, eq=False)
class FileChanges:
    """By ascending node id: the folder above, the size before and after; -1 where there was no file."""

    first: int  # the snapshot that is compared with…
    last: int  # …this one
    whole: bool  # False when small changes were left out
    ids: Column
    parents: Column
    before: Column
    after: Column


def unchanged(epoch: int) -> FileChanges:
    """No changes: a snapshot compared with itself."""
    none = np.empty(0, np.int64)
    return FileChanges(epoch, epoch, True, none, none, none, none)


def changes_between(before: View, after: View) -> FileChanges:
    """Compare the files of two snapshots by their ids. Names of one file beyond the first have no size of their own."""
    size_before = np.full(max(before.next_id, after.next_id), _NONE, np.int64)
    for rows in _slices(before):
        size_before[before.gather("nid", rows)] = _sizes(before, rows)
    found = []
    for rows in _slices(after):
        nid, size = after.gather("nid", rows), _sizes(after, rows)
        was = size_before[nid]
        new = (was != size) & (was != _UNKNOWN) & (size != _UNKNOWN)
        found.append((nid[new], _parents(after, rows[new]), was[new], size[new]))
        size_before[nid] = _NONE
    gone = np.flatnonzero(size_before >= 0)
    found.append((gone, _parents(before, before.rows_of(gone)), size_before[gone], np.full(len(gone), _NONE)))
    columns = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return _bounded(FileChanges(before.epoch, after.epoch, True, *(column[order] for column in columns)))


def delta_changes(view: View) -> FileChanges:
    """What the delta of a view changed in its snapshot; looks at nothing else."""
    if view.dead is None or view.delta is None:
        return unchanged(view.epoch)
    old, new = np.flatnonzero(view.dead), np.arange(view.base_rows, view.base_rows + view.delta.rows)
    stored = view
    if view.edited is not None:
        stored = stored_view(view.stored)
        old = np.union1d(old, view.edited)
        new = np.concatenate([view.edited[~view.dead[view.edited]], new])
    old_ids, new_ids = stored.gather("nid", old), view.gather("nid", new)
    ids = np.union1d(old_ids, new_ids)
    parents, before, after = (np.full(len(ids), _NONE, np.int64) for _ in range(3))
    at_old, at_new = np.searchsorted(ids, old_ids), np.searchsorted(ids, new_ids)
    before[at_old], after[at_new] = _sizes(stored, old), _sizes(view, new)
    parents[at_old] = _parents(stored, old)
    parents[at_new] = _parents(view, new)
    differ = (before != after) & (before != _UNKNOWN) & (after != _UNKNOWN)
    return FileChanges(view.epoch, view.epoch, True, ids[differ], parents[differ], before[differ], after[differ])


def joined(earlier: FileChanges, later: FileChanges) -> FileChanges:
    """Two comparisons as one, from the first snapshot of the one to the last of the other."""
    ids = np.union1d(earlier.ids, later.ids)
    old, new = np.searchsorted(ids, earlier.ids), np.searchsorted(ids, later.ids)
    parents, before, after = (np.zeros(len(ids), np.int64) for _ in range(3))
    parents[old], before[old], after[old] = earlier.parents, earlier.before, earlier.after
    only_later = np.ones(len(ids), bool)
    only_later[old] = False
    only_later = only_later[new]
    before[new[only_later]] = later.before[only_later]
    parents[new], after[new] = later.parents, later.after
    kept = before != after
    whole = earlier.whole and later.whole
    return _bounded(FileChanges(earlier.first, later.last, whole, ids[kept], parents[kept], before[kept], after[kept]))


def changes_path(home: str, epoch: int) -> str:
    return os.path.join(home, f"files-{epoch:08d}")


def save_changes(home: str, changes: FileChanges) -> None:
    """Keep changes under the number of the snapshot that they begin with."""
    columns = (changes.ids, changes.parents, changes.before, changes.after)
    head = (changes.first, changes.last, changes.whole)
    _save(changes_path(home, changes.first), _CHANGES_MAGIC, head, columns)


def load_changes(home: str, epoch: int) -> FileChanges:
    """The changes since a snapshot, up to the next one that is remembered; raises Corrupt."""
    (first, last, whole), columns = _load(changes_path(home, epoch), _CHANGES_MAGIC)
    return FileChanges(first, last, bool(whole), *columns)


def _slices(view: View) -> list[Column]:
    """The live rows in portions, so that the memory of a comparison stays near one column."""
    delta = view.delta.rows if view.delta is not None else 0
    step = 1 << 20
    found = []
    for first in range(0, view.base_rows, step):
        rows = np.arange(first, min(first + step, view.base_rows))
        found.append(rows if view.dead is None else rows[~view.dead[first : first + step]])
    return [*found, np.arange(view.base_rows, view.base_rows + delta)] if delta else found


def _sizes(view: View, rows: Column) -> Column:
    """The size that each row adds to its folder; _NONE for what is no file or is counted elsewhere."""
    flags = view.gather("flags", rows)
    counted = ((view.gather("mode", rows) >> 12) == FORMAT_FILE) & ((flags & int(Flag.SHARED | Flag.ALIAS)) == 0)
    sizes = np.where(counted, view.gather("size", rows), _NONE)
    return np.where((flags & int(Flag.UNKNOWN)) != 0, _UNKNOWN, sizes)


def _parents(view: View, rows: Column) -> Column:
    """The ids of the folders that hold these rows."""
    return view.gather("nid", view.dirs["drow"][view.gather("pdir", rows).astype(np.int64)])


def _bounded(changes: FileChanges) -> FileChanges:
    if len(changes.ids) <= MAX_CHANGES:
        return changes
    by = np.abs(changes.after.clip(0) - changes.before.clip(0))
    kept = np.sort(np.argpartition(by, len(by) - MAX_CHANGES)[len(by) - MAX_CHANGES :])
    columns = (changes.ids[kept], changes.parents[kept], changes.before[kept], changes.after[kept])
    return replace(changes, whole=False, ids=columns[0], parents=columns[1], before=columns[2], after=columns[3])
