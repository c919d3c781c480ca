"""Which files of a view are indexed, and what that will cost: each once, whatever names it has, and nothing private."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cmdr.index.errors import DiskFull
from cmdr.index.snapshots.columns import FORMAT_FILE, Column, Flag
from cmdr.index.snapshots.view import View
from cmdr.model.contents import MAX_FILE_BYTES
from cmdr.model.units import human_size

_HARD, _ALIAS = np.uint8(Flag.HARD), np.uint8(Flag.ALIAS)
INDEX_SHARE = 0.15
"""Of the text, at most so much is the index."""
_ROOM_BESIDE_BYTES = 16 << 20
_SAMPLE_FILES, _LARGEST_FILES = 1000, 500
_SNIFFED_BYTES = 1 << 13
_BYTES_PER_SECOND = 100e6  # of text, by one worker
_FILES_PER_SECOND = 100_000.0


@dataclass(frozen=True, eq=False)
class FilesToIndex:
    """Rows, ascending, and of files with several names the ids of the further ones with that of the first."""

    rows: Column
    links: Column

    def with_rows(self, more: Column) -> "FilesToIndex":
        """These and some more rows."""
        return FilesToIndex(np.union1d(self.rows, more), self.links)


def files_to_index(view: View, is_private: Callable[[bytes], bool], rows: Column | None = None) -> FilesToIndex:
    """Of these rows, or of all, the files that are indexed; asks `is_private` about paths, a folder's once for all."""
    rows = view.live_rows() if rows is None else rows
    flags = view.gather("flags", rows)
    chosen = (view.gather("mode", rows) >> 12 == FORMAT_FILE) & (view.gather("size", rows) > 0)
    rows = rows[chosen & ((flags & _ALIAS) == 0)]
    rows, links = _each_once(view, rows)
    return FilesToIndex(_public(view, rows, is_private), links)


def _each_once(view: View, rows: Column) -> tuple[Column, Column]:
    hard = np.flatnonzero((view.gather("flags", rows) & _HARD) != 0)
    if not len(hard):
        return rows, np.empty((0, 2), np.uint32)
    names = rows[hard]
    identity = np.stack([view.gather("dev", names).astype(np.uint64), view.gather("ino", names)], axis=1)
    _, first, which = np.unique(identity, axis=0, return_index=True, return_inverse=True)
    mains = names[first[which.reshape(-1)]]
    further = mains != names
    ids = (view.gather("nid", names[further]), view.gather("nid", mains[further]))
    return np.delete(rows, hard[further]), np.stack(ids, axis=1).astype(np.uint32)


def _public(view: View, rows: Column, is_private: Callable[[bytes], bool]) -> Column:
    numbers, folder_of = np.unique(view.gather("pdir", rows), return_inverse=True)
    folders = view.paths_of_directories(numbers)
    shut = np.array([is_private(one) for one in folders], bool)
    if not len(rows):
        return rows
    folder_of = folder_of.reshape(-1)
    above = [one if one.endswith(b"/") else one + b"/" for one in folders]
    names = view.packed_names(rows).tolist()
    is_open = ~shut[folder_of]
    for at in np.flatnonzero(is_open).tolist():
        is_open[at] = not is_private(above[folder_of[at]] + names[at])
    return np.asarray(rows[is_open])


@dataclass(frozen=True)
class ContentEstimate:
    """What an index of contents will take, about."""

    files: int
    text_bytes: int
    seconds: float

    @property
    def index_bytes(self) -> int:
        return int(self.text_bytes * INDEX_SHARE)


def estimate(view: View, wanted: FilesToIndex, workers: int | None = None) -> ContentEstimate:
    """Look at the beginnings of some of the files, evenly chosen, to tell how much of all is text."""
    sizes = view.gather("size", wanted.rows)
    rows, sizes = wanted.rows[sizes <= MAX_FILE_BYTES], sizes[sizes <= MAX_FILE_BYTES]
    if not len(rows):
        return ContentEstimate(0, 0, 0.0)
    order = np.argsort(sizes)
    some, large = order[:-_LARGEST_FILES], order[-_LARGEST_FILES:]  # few large files can be most of the bytes
    chosen = some[np.linspace(0, len(some) - 1, min(len(some), _SAMPLE_FILES)).astype(np.int64)]
    sampled = float(sizes[chosen].sum())
    text = _text_bytes(view, rows, sizes, large)
    if sampled:
        text += int(float(sizes[some].sum()) / sampled * _text_bytes(view, rows, sizes, chosen))
    cores = workers or os.cpu_count() or 1
    return ContentEstimate(len(rows), text, text / _BYTES_PER_SECOND / cores + len(rows) / _FILES_PER_SECOND / cores)


def _text_bytes(view: View, rows: Column, sizes: Column, places: Column) -> int:
    is_text = np.array([_looks_like_text(path) for path in view.paths(rows[places])], bool)
    return int(sizes[places][is_text].sum())


def check_room(folder: str, expected: ContentEstimate) -> None:
    """Raises DiskFull when an index of that size would not fit."""
    facts = os.statvfs(folder)
    free, needed = facts.f_bavail * facts.f_frsize, expected.index_bytes + _ROOM_BESIDE_BYTES
    if free < needed:
        raise DiskFull(
            f"The index of contents needs about {human_size(needed)}, and {human_size(free)} are free where indexes "
            "are kept; make room, or index a smaller folder."
        )


def _looks_like_text(path: bytes) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return b"\0" not in os.read(fd, _SNIFFED_BYTES)
    except OSError:
        return False
    finally:
        os.close(fd)
