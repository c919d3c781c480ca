"""Writing a patched view as a new epoch, so that the overlay can be forgotten."""

from collections.abc import Iterator

import numpy as np

from cmdr.index.snapshots.assemble import assemble
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.identity import known
from cmdr.index.snapshots.snapshot import SnapshotWriter, StoredColumns, snapshot_name
from cmdr.index.snapshots.source import RowRuns, Source
from cmdr.index.snapshots.view import View, stored_view


def compact(view: View, home: str) -> View:
    """The same tree as `view`, stored whole as the next epoch."""
    writer = SnapshotWriter(home, snapshot_name(view.epoch + 1))
    try:
        facts = assemble(_source(view), writer, known(view, to_match=False)).facts
    except OSError as trouble:
        writer.abandon()
        raise writer.translate(trouble) from trouble
    except BaseException:
        writer.abandon()
        raise
    kept = ("root", "started_ns", "walk_seconds", "cancelled", "options", "problems", "problem_count", "root_born")
    facts |= {name: view.facts[name] for name in kept} | {"epoch": view.epoch + 1}
    return stored_view(StoredColumns(writer.commit(facts)))


def _source(view: View) -> Source:
    """Reads every column where it lies: of the epoch and of the overlay only what stays is taken."""
    live = view.live_dirs()
    dense = np.full(len(view.dirs["dpar"]), -1, np.int64)
    dense[live] = np.arange(len(live))
    segments = [segment for _, segment in view.segments()]

    def column(name: str, runs: RowRuns) -> Column:
        if name == "uid":
            return coded("owner", view.base.owners, runs)
        if name == "device":
            return coded("dev", view.base.devices, runs)
        return runs.gather([segment[name] for segment in segments])

    def coded(name: str, table: Column, runs: RowRuns) -> Column:
        codes = runs.gather([segment[name] for segment in segments])
        return table[np.minimum(codes, len(table) - 1)]

    def names(runs: RowRuns) -> Iterator[Column]:
        for piece, first, last in runs.stretches(tuple(segment.rows for segment in segments)):
            segment = segments[piece]
            yield segment.names[int(segment.noff[first]) : int(segment.noff[last])]

    count = view.dirs["dcn"][live].astype(np.int64)
    return Source(
        1 + int(count.sum()),
        column,
        names,
        view.dirs["drow"][live].astype(np.int64),
        view.dirs["dcs"][live].astype(np.int64),
        count,
        view.dirs["dstate"][live],
        view.dirs["dlisted"][live],
        dense[view.dirs["dpar"][live].astype(np.int64)],
        has_ids=True,
    )
