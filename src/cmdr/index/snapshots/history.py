"""What is remembered of snapshots that are gone: folder totals of some moments, and the files that changed in between.

From one remembered moment to the next there is one file of changes; the last one reaches to the snapshot in use. When
there are too many moments, one that lies close between two others is dropped and its changes join those before it.
"""

import os
import time
from contextlib import suppress

from cmdr.index.errors import Corrupt
from cmdr.index.snapshots.history_files import (
    FileChanges,
    FolderTotals,
    changes_between,
    changes_path,
    delta_changes,
    folder_totals,
    joined,
    load_changes,
    load_totals,
    save_changes,
    save_totals,
    totals_epochs,
    totals_path,
    unchanged,
)
from cmdr.index.snapshots.view import View

MAX_TOTALS = 30
_DAY = 86_400.0


def remember(home: str, before: View | None, after: View, *, always: bool = True) -> None:
    """Keep what growth is told from, when `after` takes the place of `before`; both still stand on the disk.

    Without room on the disk the snapshot counts all the same: only its growth cannot be told.
    """
    with suppress(OSError):
        if before is not None:
            _forget_after(home, before.epoch)
        kept = totals_epochs(home)
        if before is not None and kept:
            _extend_changes(home, kept[-1], before, after)
        if always or not kept or time.time() - remembered_at(home, kept[-1]) > _DAY:
            save_totals(home, folder_totals(after))
            _drop_surplus(home)


def changes_since(home: str, epoch: int, view: View) -> FileChanges | None:
    """The files that changed since a remembered snapshot; None when a link of the chain is missing."""
    found = unchanged(epoch)
    while found.last != view.epoch:
        try:
            link = load_changes(home, found.last)
        except Corrupt:
            return None
        if not found.last < link.last <= view.epoch:
            return None
        found = joined(found, link)
    return joined(found, delta_changes(view))


def nearest_totals(home: str, epochs: list[int], when: float) -> FolderTotals | None:
    """Of these snapshots the totals nearest to a moment, in seconds since 1970; damaged ones are passed over."""
    for epoch in sorted(epochs, key=lambda epoch: abs(remembered_at(home, epoch) - when)):
        with suppress(Corrupt):
            return load_totals(home, epoch)
    return None


def remembered_at(home: str, epoch: int) -> float:
    """When a snapshot was remembered, in seconds since 1970; long ago when it is not any more."""
    try:
        return os.path.getmtime(totals_path(home, epoch))
    except OSError:
        return 0.0


def _forget_after(home: str, epoch: int) -> None:
    """Forget snapshots that were remembered and never came into use: their numbers are given again.

    What changed since the moment before them is lost with them; growth is then told by folders alone.
    """
    kept = totals_epochs(home)
    gone = [totals_path(home, late) for late in kept if late > epoch]
    for start in kept:
        with suppress(Corrupt):
            if load_changes(home, start).last > epoch:
                gone.append(changes_path(home, start))
    for path in gone:
        with suppress(FileNotFoundError):
            os.unlink(path)


def _extend_changes(home: str, start: int, before: View, after: View) -> None:
    new = changes_between(before, after)
    if start == before.epoch:
        save_changes(home, new)
        return
    try:
        so_far = load_changes(home, start)
    except Corrupt:
        return
    if so_far.last == before.epoch:
        save_changes(home, joined(so_far, new))


def _drop_surplus(home: str) -> None:
    epochs = totals_epochs(home)
    while len(epochs) > MAX_TOTALS:
        moments = [remembered_at(home, epoch) for epoch in epochs]
        gaps = [moments[at + 1] - moments[at - 1] for at in range(1, len(epochs) - 1)]
        at = gaps.index(min(gaps)) + 1
        with suppress(Corrupt):
            save_changes(home, joined(load_changes(home, epochs[at - 1]), load_changes(home, epochs[at])))
        for path in (totals_path(home, epochs[at]), changes_path(home, epochs[at])):
            with suppress(FileNotFoundError):
                os.unlink(path)
        del epochs[at]
