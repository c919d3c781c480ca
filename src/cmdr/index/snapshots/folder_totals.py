"""The totals of every folder at one epoch, kept when the epoch itself is long gone."""

import os
import time
from dataclasses import dataclass

import numpy as np

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.packed_columns import load_columns, save_columns
from cmdr.index.snapshots.view import View

_MAGIC = b"cmdrtot2"
_TYPES = ("<u4", "<u4", "<i8", "<i8")


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
    """The epochs whose totals are kept, oldest first."""
    names = [name for name in os.listdir(home) if name.startswith("totals-") and name[7:].isdecimal()]
    return sorted(int(name[7:]) for name in names)


def save_totals(home: str, totals: FolderTotals) -> None:
    """Keep totals under the number of their epoch."""
    head = (totals.epoch, totals.taken_ns, totals.complete)
    columns = (totals.ids, totals.parents, totals.bytes, totals.files)
    save_columns(totals_path(home, totals.epoch), _MAGIC, head, tuple(zip(columns, _TYPES, strict=True)))


def load_totals(home: str, epoch: int) -> FolderTotals:
    """The totals of one epoch; raises Corrupt when they are not there or damaged."""
    (number, taken, complete), columns = load_columns(totals_path(home, epoch), _MAGIC, 3, _TYPES)
    return FolderTotals(number, taken, bool(complete), *columns)
