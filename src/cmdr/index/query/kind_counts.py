"""How many entries of each kind were found, and a few of each: folders must not hide among files or behind them."""

from dataclasses import dataclass

import numpy as np

from cmdr.index.query.held_bytes import held_bytes
from cmdr.index.query.largest import largest_of
from cmdr.index.query.ordering import page
from cmdr.index.snapshots.columns import FORMAT_DIR, FORMAT_FILE, Column
from cmdr.index.snapshots.view import View


@dataclass(frozen=True)
class KindCounts:
    """How many there are, and how much the files hold by themselves, each counted once."""

    files: int
    dirs: int
    others: int
    file_bytes: int


def kinds_of(view: View, rows: Column) -> KindCounts:
    """Count these rows by their kind."""
    form = view.gather("mode", rows) >> 12
    is_file, dirs = form == FORMAT_FILE, int((form == FORMAT_DIR).sum())
    files = int(is_file.sum())
    return KindCounts(files, dirs, len(rows) - files - dirs, held_bytes(view, rows[is_file]) if files else 0)


def biggest_of_each(view: View, rows: Column, count: int) -> Column:
    """The biggest files among these rows, then the biggest folders, then others: all of them where there is room, and
    up to half of the room for folders where there is not."""
    form = view.gather("mode", rows) >> 12
    dirs, others = rows[form == FORMAT_DIR], rows[(form != FORMAT_DIR) & (form != FORMAT_FILE)]
    files = largest_of(view, rows, count)
    if len(rows) <= count:  # further names of a file that is among them count as well
        rest = rows[(form == FORMAT_FILE) & ~np.isin(rows, files)]
        files = np.concatenate([files, rest])
    room = max(count - len(files), min(len(dirs), count // 2))
    kept = page(view, dirs, "size", True, room, None).rows if len(dirs) and room else dirs[:0]
    found = np.concatenate([files[: count - len(kept)], kept])
    return np.concatenate([found, others[: count - len(found)]])
