"""Writing a view with its delta as a new snapshot, so that the delta is empty again."""

from collections.abc import Iterator

import numpy as np

from cmdr.index.snapshots.assemble import write_snapshot
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.identity import previous_nodes
from cmdr.index.snapshots.source import RowRuns, Source
from cmdr.index.snapshots.view import View, stored_view


def compact(view: View, home: str) -> View:
    """The same tree as `view`, stored whole as the next snapshot."""
    kept = ("root", "started_ns", "walk_seconds", "cancelled", "options", "problems", "problem_count", "root_born")
    about = {name: view.facts[name] for name in kept}
    return stored_view(write_snapshot(_source(view), previous_nodes(view, to_match=False), home, view.epoch + 1, about))


def _source(view: View) -> Source:
    """Reads every column where it lies: of the snapshot and of the delta only what stays is taken."""
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
