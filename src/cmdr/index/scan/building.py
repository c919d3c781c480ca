"""From what a walk brought home to a committed epoch."""

from typing import Any

import numpy.ma  # noqa: F401 - `np.unique` wants it: loaded here, it is there before the walk ends

from cmdr.index.scan.harvest import Harvest
from cmdr.index.scan.harvested import harvested
from cmdr.index.snapshots.assemble import assemble
from cmdr.index.snapshots.epoch import EpochWriter, StoredColumns, epoch_name
from cmdr.index.snapshots.known_before import known
from cmdr.index.snapshots.view import View, stored_view
from cmdr.model.trees.indexes import WalkOptions


def build(harvest: Harvest, home: str, options: WalkOptions, before: View | None, first_id: int) -> View:
    """Write the next epoch under `home`; on any error the one before stays as it is."""
    number = before.epoch + 1 if before is not None else 1
    writer = EpochWriter(home, epoch_name(number))
    try:
        facts = assemble(harvested(harvest), writer, known(before, first_id)).facts
    except OSError as trouble:
        writer.abandon()
        raise writer.translate(trouble) from trouble
    except BaseException:
        writer.abandon()
        raise
    return stored_view(StoredColumns(writer.commit(facts | {"epoch": number} | _about(harvest, options))))


def _about(harvest: Harvest, options: WalkOptions) -> dict[str, Any]:
    """What the manifest says about the walk itself."""
    return {
        "root": harvest.root.hex(),
        "started_ns": harvest.started_ns,
        "walk_seconds": round(harvest.seconds, 3),
        "cancelled": harvest.cancelled,
        "options": [options.depth_limit, options.follow_symlinks, options.cross_file_systems],
        "problems": [[path.hex(), code] for path, code in harvest.problems[:1000]],
        "problem_count": len(harvest.problems),
        "root_born": [harvest.root_facts.st_dev, harvest.root_facts.st_ino],
    }
