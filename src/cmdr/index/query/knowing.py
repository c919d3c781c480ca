"""How well an index knows a path; only one that has listed a folder may say what is in it."""

from enum import IntEnum

from cmdr.index.errors import NotIndexed
from cmdr.index.snapshots.view import View
from cmdr.model.trees.node import DirState


class Knowing(IntEnum):
    """From nothing to everything, so that the index that knows best can be chosen."""

    NOTHING = 0
    ENTRY = 1  # that it is there; a folder beyond the depth limit, on another file system, or unreadable
    PART = 2  # what is in it, but not all that is below
    ALL = 3


def knowing(view: View, path: bytes) -> Knowing:
    """How well a view knows what is at and below a path."""
    try:
        number = view.directory(view.find(path))
    except NotIndexed:
        return Knowing.NOTHING
    if number is None:
        return Knowing.ALL  # nothing can be below it
    if int(view.dirs["dstate"][number]) != DirState.LISTED:
        return Knowing.ENTRY
    return Knowing.PART if int(view.dirs["dmiss"][number]) else Knowing.ALL
