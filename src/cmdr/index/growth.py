"""What grew between two epochs: the totals of every directory, kept small for each epoch, and their comparison."""

import os
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cmdr.index.columns import Column
from cmdr.index.errors import Corrupt
from cmdr.index.view import View

WEEK = 7 * 86_400.0
KEEP = 30
_MAGIC = b"cmdrtot1"
Change = Literal["added", "removed", "grown", "shrunk"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The totals of all directories at one epoch, by ascending node id. `own` leaves out what is in subdirectories."""

    epoch: int
    taken_ns: int
    complete: bool
    ids: Column
    bytes: Column
    own: Column
    files: Column


@dataclass(frozen=True)
class Growth:
    """How one directory changed."""

    nid: int
    change: Change
    before: int
    after: int
    files_before: int
    files_after: int

    @property
    def delta(self) -> int:
        return self.after - self.before


def take_snapshot(view: View) -> Snapshot:
    """The totals of every directory of a view."""
    live = view.live_dirs()
    ids = view.gather("nid", view.dirs["drow"][live])
    order = np.argsort(ids, kind="stable")
    below = np.zeros(len(view.dirs["dpar"]), np.int64)
    inner = live[live > 0]
    np.add.at(below, view.dirs["dpar"][inner].astype(np.int64), view.dirs["dbytes"][inner])
    own = (view.dirs["dbytes"] - below)[live]
    complete = not view.facts.get("cancelled") and not int(view.dirs["dmiss"][0])
    taken = int(view.facts["started_ns"])
    columns = (view.dirs["dbytes"][live], own, view.dirs["dfiles"][live])
    return Snapshot(view.epoch, taken, complete, ids[order], *(column[order] for column in columns))


def compare(before: Snapshot, after: Snapshot) -> list[Growth]:
    """Every directory whose total changed, the biggest change first."""
    ids = np.union1d(before.ids, after.ids)

    def spread(snapshot: Snapshot, values: Column) -> tuple[Column, Column]:
        out = np.zeros(len(ids), np.int64)
        there = np.zeros(len(ids), bool)
        at = np.searchsorted(ids, snapshot.ids)
        out[at], there[at] = values, True
        return out, there

    bytes_before, was = spread(before, before.bytes)
    bytes_after, is_ = spread(after, after.bytes)
    files_before, _ = spread(before, before.files)
    files_after, _ = spread(after, after.files)
    changed = np.flatnonzero((bytes_before != bytes_after) | (was != is_))
    changed = changed[np.argsort(-np.abs(bytes_after[changed] - bytes_before[changed]), kind="stable")]
    found = []
    for at in changed.tolist():
        first, last = int(bytes_before[at]), int(bytes_after[at])
        change: Change = "added" if not was[at] else "removed" if not is_[at] else "grown" if last > first else "shrunk"
        found.append(Growth(int(ids[at]), change, first, last, int(files_before[at]), int(files_after[at])))
    return found


def _name(epoch: int) -> str:
    return f"totals-{epoch:08d}"


def save_snapshot(home: str, snapshot: Snapshot) -> None:
    """Keep a snapshot; the oldest ones beyond KEEP are dropped."""
    head = np.array([snapshot.epoch, snapshot.taken_ns, snapshot.complete, len(snapshot.ids)], np.int64).tobytes()
    columns = (
        snapshot.ids.astype("<u4"),
        snapshot.bytes.astype("<i8"),
        snapshot.own.astype("<i8"),
        snapshot.files.astype("<i8"),
    )
    body = head + b"".join(column.tobytes() for column in columns)
    path = os.path.join(home, _name(snapshot.epoch))
    with open(path + ".tmp", "wb") as out:
        out.write(_MAGIC + zlib.crc32(body).to_bytes(4, "little") + body)
    os.replace(path + ".tmp", path)
    for epoch in snapshot_epochs(home)[:-KEEP]:
        os.unlink(os.path.join(home, _name(epoch)))


def snapshot_epochs(home: str) -> list[int]:
    """The epochs whose totals are kept, oldest first."""
    names = [name for name in os.listdir(home) if name.startswith("totals-") and name[7:].isdecimal()]
    return sorted(int(name[7:]) for name in names)


def usual_start(home: str, epochs: Sequence[int]) -> int:
    """Where growth is measured from when nobody says: the oldest epoch of the last week, else the newest there is.

    The newest of several would tell too little: an index that follows the disk makes new epochs by itself.
    """
    week_ago = time.time() - WEEK
    recent = [epoch for epoch in epochs if os.path.getmtime(os.path.join(home, _name(epoch))) >= week_ago]
    return recent[0] if recent else epochs[-1]


def load_snapshot(home: str, epoch: int) -> Snapshot:
    """The totals of one epoch; a damaged file is not believed."""
    try:
        with open(os.path.join(home, _name(epoch)), "rb") as file:
            data = file.read()
    except OSError as trouble:
        raise Corrupt(f"The totals of epoch {epoch} are not kept any more.") from trouble
    body = data[12:]
    if data[:8] != _MAGIC or zlib.crc32(body) != int.from_bytes(data[8:12], "little"):
        raise Corrupt(f"The totals of epoch {epoch} are damaged.")
    number, taken, complete, count = np.frombuffer(body, np.int64, 4).tolist()
    at, columns = 32, []
    for dtype, width in (("<u4", 4), ("<i8", 8), ("<i8", 8), ("<i8", 8)):
        columns.append(np.frombuffer(body, dtype, count, at))
        at += count * width
    return Snapshot(number, taken, bool(complete), *columns)
