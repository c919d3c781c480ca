"""An index as Parquet files that any engine reads: one folder for each host and root, the usual way of partitions.

Every predicate of the filter that needs no index has its column: name, path, ext, kind, size, allocated, mtime,
ctime, depth, mode, owner, children (empty), broken and hardlinked. Names and paths are in their printable form.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np

from cmdr.index.answers import Answers
from cmdr.index.columns import KIND_OF_FORMAT, KINDS, Column, Flag
from cmdr.index.errors import Cancelled
from cmdr.index.room import needing_room
from cmdr.index.view import View
from cmdr.model.filter import EVERYTHING
from cmdr.model.names import to_wire

ROWS_A_FILE = 1_000_000


@dataclass(frozen=True)
class Exported:
    """Where an export was written, and how much."""

    folder: str
    rows: int
    files: int
    bytes: int


def export(answers: Answers, root: bytes, to: str, host: str, stop: Callable[[], bool] = lambda: False) -> Exported:
    """Write every entry at and below `root`; an earlier export of the same root is replaced when all is written."""
    place = os.path.join(to, f"host={quote(host, safe='')}", f"root={quote(to_wire(root), safe='')}")
    coming, going = place + ".new", place + ".old"
    for left in (coming, going):
        shutil.rmtree(left, ignore_errors=True)
    found = answers.ask(EVERYTHING, root, stop)
    view = found.view
    rows = np.concatenate([[answers.row(root, view)], found.rows])
    try:
        with needing_room("the export; an earlier one stays"):
            os.makedirs(coming)
            files = _write_all(view, rows, coming, stop)
    except BaseException:
        shutil.rmtree(coming, ignore_errors=True)
        raise
    size = sum(entry.stat().st_size for entry in os.scandir(coming))
    if os.path.isdir(place):
        os.rename(place, going)
    os.rename(coming, place)
    shutil.rmtree(going, ignore_errors=True)
    return Exported(place, len(rows), files, size)


def _write_all(view: View, rows: Column, folder: str, stop: Callable[[], bool]) -> int:
    """The number of files that it took."""
    folders = [to_wire(path) for path in view.directory_paths()]
    firsts = range(0, len(rows), ROWS_A_FILE)
    for number, first in enumerate(firsts):
        if stop():
            raise Cancelled("The export was stopped.")
        _write(view, folders, rows[first : first + ROWS_A_FILE], os.path.join(folder, f"{number:04d}.parquet"))
    return len(firsts)


def _write(view: View, folders: list[str], rows: Column, path: str) -> None:
    import polars as pl  # heavy, and only needed here

    def plain(name: str, dtype: str) -> Column:
        return view.gather(name, rows).astype(dtype)

    above = view.gather("pdir", rows).astype(np.int64)
    flags, mode = view.gather("flags", rows), view.gather("mode", rows)
    unknown = (flags & int(Flag.UNKNOWN)) != 0
    places = view.directories(rows)
    inside = np.where(places >= 0, view.dirs["dcn"][places.clip(0)].astype(np.int64), 0)
    extensions = np.array([to_wire(one) for one in view.base.extensions] or [""], object)
    names = [to_wire(name) for name in view.names(rows)]
    parents = pl.Series([folder.rstrip("/") for folder in folders], dtype=pl.String).gather(above)
    frame = pl.DataFrame(
        {
            "node": plain("nid", "u4"),
            "name": pl.Series(names, dtype=pl.String),
            "ext": pl.Series(extensions[view.gather("ext", rows)].tolist(), dtype=pl.Categorical),
            "kind": pl.Series(np.array(KINDS, object)[KIND_OF_FORMAT[mode >> 12]].tolist(), dtype=pl.Categorical),
            "size": plain("size", "i8"),
            "allocated": plain("allocated", "i8"),
            "mtime": pl.Series(plain("mtime", "i8")).cast(pl.Datetime("ns", "UTC")),
            "ctime": pl.Series(plain("ctime", "i8")).cast(pl.Datetime("ns", "UTC")),
            "mode": plain("mode", "i4") & 0o7777,
            "owner": view.base.owners[view.gather("owner", rows).astype(np.int64)].astype(np.int64),
            "depth": view.dirs["ddepth"][above].astype(np.int32) + 1,
            "children": pl.Series(inside).set(pl.Series(places < 0), None),
            "broken": (flags & int(Flag.BROKEN)) != 0,
            "hardlinked": (flags & int(Flag.HARD)) != 0,
            "shared": (flags & int(Flag.SHARED)) != 0,
        }
    ).with_columns((parents + "/" + pl.col("name")).alias("path"))
    for name in ("size", "allocated", "mtime", "ctime", "mode", "owner"):  # unknown is null, never 0
        frame = frame.with_columns(pl.when(pl.Series(unknown)).then(None).otherwise(pl.col(name)).alias(name))
    if len(rows) and int(rows[0]) == 0:  # the root stands in no folder
        frame[0, "path"], frame[0, "depth"] = to_wire(view.root), 0
    frame.write_parquet(path, compression="zstd", compression_level=1)
