"""Fresh names: those that changed and are not on the disk yet.

A change must not build on one: a name that was just given up, or a new folder for an original. An outage could lose the
first change, keep the second, and leave a file without any name.
"""

from cmdr.files.engine.workbench import Work
from cmdr.model.plans.plan import Place


class FreshNames:
    """What has landed since the disk was last waited for."""

    def __init__(self) -> None:
        self._landed: list[Work] = []
        self._names: set[Place] = set()
        self._gathered = 0
        """How many of what landed have their names in the set; it is seldom asked for, so they are gathered then."""

    def add(self, work: Work) -> None:
        """Something has landed."""
        self._landed.append(work)

    def clear(self) -> None:
        """All of it is on the disk."""
        self._landed.clear()
        self._names.clear()
        self._gathered = 0

    def are_used_by(self, work: Work) -> bool:
        """Whether a change builds on one of them."""
        if not self._landed:
            return False
        names = _names(work)
        if work.lands_alone and work.goal is not None:
            names += _folders_above(work.goal)
        for landed in self._landed[self._gathered :]:
            self._names.update(_names(landed))
        self._gathered = len(self._landed)
        return not self._names.isdisjoint(names)


def _names(work: Work) -> list[Place]:
    return [place for place in (work.item.source, work.item.target, work.goal) if place is not None]


def _folders_above(place: Place) -> list[Place]:
    parts = place.rel.split(b"/")
    return [Place(place.root, b"/".join(parts[:depth])) for depth in range(1, len(parts))]
