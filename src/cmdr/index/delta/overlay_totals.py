"""Totals again for the directories that changed and for those above them, and for no others."""

from collections.abc import Iterable

import numpy as np

from cmdr.index.snapshots.columns import FORMAT_DIR, FORMAT_FILE, Flag
from cmdr.index.snapshots.view import View
from cmdr.model.trees.node import INCOMPLETE, DirState

NO_TIME = -(1 << 63)
_SHARED, _UNKNOWN = np.uint8(Flag.SHARED), np.uint8(Flag.UNKNOWN)


def roll_up(view: View, changed: Iterable[int]) -> None:
    """Count what lies below these directories and below everything above them, the deepest first."""
    above: set[int] = set()
    for one in changed:
        number = one
        while number not in above:
            above.add(number)
            number = int(view.dirs["dpar"][number])
    for number in sorted(above, key=lambda one: -int(view.dirs["ddepth"][one])):
        _total(view, number)


def _total(view: View, number: int) -> None:
    dirs, rows = view.dirs, view.child_rows(number)
    form, flags = view.gather("mode", rows) >> 12, view.gather("flags", rows)
    counted = (flags & _SHARED) == 0
    _, below = view.directories_among(rows)
    is_dir = int(np.count_nonzero(form == FORMAT_DIR))
    dirs["dfiles"][number] = len(rows) - is_dir + int(dirs["dfiles"][below].sum())
    dirs["ddirs"][number] = is_dir + int(dirs["ddirs"][below].sum())
    bytes_here = int(view.gather("size", rows).sum(where=counted & (form == FORMAT_FILE)))
    dirs["dbytes"][number] = bytes_here + int(dirs["dbytes"][below].sum())
    dirs["dalloc"][number] = int(view.gather("allocated", rows).sum(where=counted)) + int(dirs["dalloc"][below].sum())
    newest = [int(times.max()) for times in (view.gather("mtime", rows), dirs["dnewest"][below]) if len(times)]
    dirs["dnewest"][number] = max(newest, default=NO_TIME)
    unread = int(DirState(int(dirs["dstate"][number])) in INCOMPLETE)
    dirs["dmiss"][number] = unread + int(np.count_nonzero(flags & _UNKNOWN)) + int(dirs["dmiss"][below].sum())
