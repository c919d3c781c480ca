"""What the next epoch must remember of the one before it."""

import numpy as np

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.identity import Known
from cmdr.index.snapshots.view import View


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
