"""Which files came, went, grew or shrank from one epoch to another: only those, so that weeks of them stay small."""

import os
from dataclasses import dataclass, replace

import numpy as np

from cmdr.index.snapshots.columns import FORMAT_FILE, Column, Flag
from cmdr.index.snapshots.packed_columns import load_columns, save_columns
from cmdr.index.snapshots.view import View, stored_view

MOST = 1_000_000
"""Changes that are remembered from one epoch to the next; beyond that only the biggest."""
_MAGIC = b"cmdrfil1"
_TYPES = ("<u4", "<u4", "<i8", "<i8")
_NONE, _UNKNOWN = -1, -2


@dataclass(frozen=True, eq=False)
class FileChanges:
    """By ascending node id: the folder above, the size before and after; -1 where there was no file."""

    first: int  # the epoch that is compared with…
    last: int  # …this one
    whole: bool  # False when small changes were left out
    ids: Column
    parents: Column
    before: Column
    after: Column


def unchanged(epoch: int) -> FileChanges:
    """No changes: an epoch compared with itself."""
    none = np.empty(0, np.int64)
    return FileChanges(epoch, epoch, True, none, none, none, none)


def changes_between(before: View, after: View) -> FileChanges:
    """Compare the files of two epochs by their ids. Names of one file beyond the first have no size of their own."""
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


def overlay_changes(view: View) -> FileChanges:
    """What the overlay of a view changed in its epoch; looks at nothing else."""
    if view.dead is None or view.extra is None:
        return unchanged(view.epoch)
    old, new = np.flatnonzero(view.dead), np.arange(view.base_rows, view.base_rows + view.extra.rows)
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
    """Two comparisons as one, from the first epoch of the one to the last of the other."""
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
    """Keep changes under the number of the epoch that they begin with."""
    columns = (changes.ids, changes.parents, changes.before, changes.after)
    head = (changes.first, changes.last, changes.whole)
    save_columns(changes_path(home, changes.first), _MAGIC, head, tuple(zip(columns, _TYPES, strict=True)))


def load_changes(home: str, epoch: int) -> FileChanges:
    """The changes since an epoch, up to the next one that is remembered; raises Corrupt."""
    (first, last, whole), columns = load_columns(changes_path(home, epoch), _MAGIC, 3, _TYPES)
    return FileChanges(first, last, bool(whole), *columns)


def _slices(view: View) -> list[Column]:
    """The live rows in portions, so that the memory of a comparison stays near one column."""
    extra = view.extra.rows if view.extra is not None else 0
    step = 1 << 20
    found = []
    for first in range(0, view.base_rows, step):
        rows = np.arange(first, min(first + step, view.base_rows))
        found.append(rows if view.dead is None else rows[~view.dead[first : first + step]])
    return [*found, np.arange(view.base_rows, view.base_rows + extra)] if extra else found


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
    if len(changes.ids) <= MOST:
        return changes
    by = np.abs(changes.after.clip(0) - changes.before.clip(0))
    kept = np.sort(np.argpartition(by, len(by) - MOST)[len(by) - MOST :])
    columns = (changes.ids[kept], changes.parents[kept], changes.before[kept], changes.after[kept])
    return replace(changes, whole=False, ids=columns[0], parents=columns[1], before=columns[2], after=columns[3])
