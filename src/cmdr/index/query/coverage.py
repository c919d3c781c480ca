"""What an index covers: how well it knows a path, and what it could not look at below a folder."""

from dataclasses import dataclass
from enum import IntEnum

from cmdr.index.contents.content_query import ContentHits
from cmdr.index.errors import NotIndexed
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View
from cmdr.model.trees.node import INCOMPLETE, DirState
from cmdr.model.trees.queries import Explanation
from cmdr.model.units import count

UNLISTED = {
    DirState.DENIED: "could not be opened",
    DirState.UNLISTED: "beyond the depth limit",
    DirState.OTHER_SYSTEM: "on other file systems",
    DirState.CANCELLED: "not reached before the scan was stopped",
    DirState.FAILED: "could not be read",
    DirState.VANISHED: "gone when it was to be read",
}
"""Why the contents of a folder are not known."""


@dataclass(frozen=True, eq=False)
class FilterResult:
    """The rows that satisfy a filter, ascending, and how they were found."""

    rows: Column
    explanation: Explanation
    contents: ContentHits | None = None
    """Where contents matched, when they were asked about."""


def not_covered(view: View, below: int = 0) -> tuple[str, ...]:
    """What the index could not read below a directory, in words; empty when it saw everything it was asked to see."""
    states = view.states_below(below)
    states_found = [state for state in UNLISTED if state is not DirState.VANISHED and states[state]]
    found = [f"{count(states[state], 'folder')} {UNLISTED[state]}" for state in states_found]
    if view.dirs["dmiss"].item(below) > sum(states[state] for state in INCOMPLETE):
        found.append("some entries could be seen by name only")
    return tuple(found)


class Coverage(IntEnum):
    """From nothing to everything, so that the index that knows best can be chosen."""

    NOTHING = 0
    ENTRY = 1  # that it is there; a folder beyond the depth limit, on another file system, or unreadable
    PART = 2  # what is in it, but not all that is below
    ALL = 3


def coverage_of(view: View, path: bytes) -> Coverage:
    """How well a view knows what is at and below a path."""
    try:
        number = view.directory(view.find(path))
    except NotIndexed:
        return Coverage.NOTHING
    if number is None:
        return Coverage.ALL  # nothing can be below it
    if int(view.dirs["dstate"][number]) != DirState.LISTED:
        return Coverage.ENTRY
    return Coverage.PART if int(view.dirs["dmiss"][number]) else Coverage.ALL
