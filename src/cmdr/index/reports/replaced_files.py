"""Files that others replaced under their names: whoever saves a file anew writes another one and renames it over it.

When that other one was seen before it got the name, it is another node, and the first one has gone. For the reader it
is one file whose size changed.
"""

import os
from dataclasses import replace

import numpy as np

from cmdr.index.snapshots.file_changes import FileChanges
from cmdr.index.snapshots.view import View

MOST = 100_000
"""Files that went from folders where others came; beyond that they are told apart, because each is looked up."""


def by_name(view: View, files: FileChanges) -> FileChanges:
    """The same changes, with each file that went and the one that came under its name as one."""
    came, went = files.before < 0, files.after < 0
    went_at = np.flatnonzero(went & np.isin(files.parents, files.parents[came]))
    came_at = np.flatnonzero(came & np.isin(files.parents, files.parents[went_at]))
    if not len(went_at) or len(went_at) > MOST:
        return files
    names = view.names(view.rows_of(files.ids[came_at]).astype(np.int64))
    there = dict(zip(zip(files.parents[came_at].tolist(), names, strict=True), came_at.tolist(), strict=True))
    before, kept = files.before.copy(), np.ones(len(files.ids), bool)
    for at in went_at.tolist():
        name = os.path.basename(view.last_path(int(files.ids[at])) or b"")
        successor = there.get((int(files.parents[at]), name))
        if successor is not None:
            before[successor], kept[at] = files.before[at], False
    kept &= before != files.after
    return replace(
        files,
        ids=files.ids[kept],
        parents=files.parents[kept],
        before=before[kept],
        after=files.after[kept],
    )
