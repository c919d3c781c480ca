"""From a folder to a committed epoch: walk, put in order, write, swap."""

import os
import shutil
import tempfile
from collections.abc import Callable

import numpy as np

from cmdr.index.assemble import assemble
from cmdr.index.columns import Column
from cmdr.index.epoch import EpochWriter, StoredColumns
from cmdr.index.errors import Cancelled, RootMissing
from cmdr.index.identity import Known
from cmdr.index.source import harvested
from cmdr.index.view import View, stored_view
from cmdr.index.walk import Harvest, Progress, WalkOptions, walk
from cmdr.model.names import to_wire


def scan(
    root: bytes,
    home: str,
    options: WalkOptions | None = None,
    before: View | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    first_id: int = 0,
) -> View:
    """Read the whole tree and swap in a new epoch under `home`; on any error the old epoch stays as it is.

    A cancel keeps what was read, unless a complete epoch would be lost for it: then it raises Cancelled.
    """
    options = options or WalkOptions()
    os.makedirs(home, exist_ok=True)
    scratch = tempfile.mkdtemp(prefix="scratch-", dir=home)
    try:
        expected = before.facts["rows"] if before is not None and not before.facts.get("cancelled") else None
        harvest = walk(root, options, scratch, progress, cancelled, expected)
        _check_root(harvest)
        if harvest.cancelled and before is not None and not before.facts.get("cancelled"):
            raise Cancelled("The scan was stopped; the complete epoch before it is kept.")
        if progress is not None:
            found = sum(part.rows for part in harvest.parts)
            progress(Progress("building", found, 0, 0, harvest.seconds, expected))
        writer = EpochWriter(home, epoch_name(before.epoch + 1 if before is not None else 1))
        try:
            facts = assemble(harvested(harvest), writer, known(before, first_id)).facts
        except OSError as trouble:
            writer.abandon()
            raise writer.translate(trouble) from trouble
        except BaseException:
            writer.abandon()
            raise
        facts |= {
            "root": root.hex(),
            "epoch": before.epoch + 1 if before is not None else 1,
            "started_ns": harvest.started_ns,
            "walk_seconds": round(harvest.seconds, 3),
            "cancelled": harvest.cancelled,
            "options": [options.depth_limit, options.follow_symlinks, options.cross_file_systems],
            "problems": [[path.hex(), code] for path, code in harvest.problems[:1000]],
            "problem_count": len(harvest.problems),
            "root_born": _identity(harvest.root_facts),
        }
        return stored_view(StoredColumns(writer.commit(facts)))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def epoch_name(number: int) -> str:
    """The folder of an epoch; names sort as numbers do."""
    return f"epoch-{number:08d}"


def known(before: View | None, first_id: int = 0, *, to_match: bool = True) -> Known:
    """What the next epoch must remember of this one; ids below `first_id` were given out already.

    Rows that have their ids need no columns `to_match` them by.
    """
    if before is None:
        return Known(first_id)
    # Without an overlay every row is alive, and the stored columns are read where they lie: no copies of them.
    whole = before.dead is None
    rows = np.empty(0, np.int64) if whole else live_rows(before)

    def column(name: str) -> Column:
        return before.base[name] if whole else before.gather(name, rows)

    matched = ("ino", "born", "mode", "flags", "pdir", "mtime", "size") if to_match else ()
    columns = {name: column(name) for name in matched}
    if to_match:
        columns["device"] = before.base.devices[np.minimum(column("dev"), len(before.base.devices) - 1)]
    dir_row: Column = before.dirs["drow"].astype(np.int64)
    if not whole:
        place = np.empty(before.base_rows + (before.extra.rows if before.extra else 0), np.int64)
        place[rows] = np.arange(len(rows))
        dir_row = place[dir_row]
    ids = before.stored.column("gone_id").tolist()
    offsets = before.stored.column("gone_off").tolist()
    paths = before.stored.column("gone_path").tobytes()
    gone = {one: paths[offsets[i] : offsets[i + 1]] for i, one in enumerate(ids)} | before.extra_gone
    return Known(
        max(first_id, before.next_id),
        column("nid"),
        columns,
        dir_row,
        lambda row: before.name(row if whole else int(rows[row])),
        lambda row: before.path(row if whole else int(rows[row])),
        gone,
    )


def live_rows(view: View) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """All rows that exist in a view, the root first."""
    if view.dead is None:
        return np.arange(view.base_rows)
    extra = view.extra.rows if view.extra is not None else 0
    return np.concatenate([np.flatnonzero(~view.dead), np.arange(view.base_rows, view.base_rows + extra)])


def _check_root(harvest: Harvest) -> None:
    """A root that went away during the walk must not become an empty epoch."""
    try:
        now = os.stat(harvest.root)
    except OSError as trouble:
        raise RootMissing(f"{to_wire(harvest.root)} went away during the scan; the old epoch is kept.") from trouble
    if (now.st_dev, now.st_ino) != (harvest.root_facts.st_dev, harvest.root_facts.st_ino):
        raise RootMissing(f"{to_wire(harvest.root)} was replaced during the scan; the old epoch is kept.")


def _identity(facts: os.stat_result) -> list[int]:
    return [facts.st_dev, facts.st_ino]
