"""From a folder to a committed snapshot: walk, put in order, write, swap.

What only building needs is loaded while the walkers walk already.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from cmdr.index.errors import Cancelled, RootMissing
from cmdr.index.scan.walk import Progress, ScanResult, walk
from cmdr.model.names import to_wire
from cmdr.model.trees.indexes import WalkOptions

if TYPE_CHECKING:
    from cmdr.index.snapshots.view import View


def scan(
    root: bytes,
    home: str,
    options: WalkOptions | None = None,
    before: "View | None" = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    first_id: int = 0,
) -> "View":
    """Read the whole tree and swap in a new snapshot under `home`; on any error the old snapshot stays as it is.

    A cancel keeps what was read, unless a complete snapshot would be lost for it: then it raises Cancelled.
    """
    options = options or WalkOptions()
    os.makedirs(home, exist_ok=True)
    scratch = tempfile.mkdtemp(prefix="scratch-", dir=home)
    walked: list[Progress] = []

    def report(now: Progress) -> None:
        walked[:] = [now]
        if progress is not None:
            progress(now)

    try:
        expected = before.facts["rows"] if before is not None and not before.facts.get("cancelled") else None
        result = walk(root, options, scratch, report, cancelled, expected, meanwhile=_load)
        _check_root(result)
        if result.cancelled and before is not None and not before.facts.get("cancelled"):
            raise Cancelled("The scan was stopped; the complete epoch before it is kept.")
        if walked:
            report(replace(walked[-1], phase="building", seconds=result.seconds))
        from cmdr.index.scan.build import build

        return build(result, home, options, before, first_id)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _load() -> None:
    from cmdr.index.scan import build  # noqa: F401


def _check_root(result: ScanResult) -> None:
    """A root that went away during the walk must not become an empty snapshot."""
    try:
        now = os.stat(result.root)
    except OSError as trouble:
        raise RootMissing(f"{to_wire(result.root)} went away during the scan; the old epoch is kept.") from trouble
    if (now.st_dev, now.st_ino) != (result.root_facts.st_dev, result.root_facts.st_ino):
        raise RootMissing(f"{to_wire(result.root)} was replaced during the scan; the old epoch is kept.")
