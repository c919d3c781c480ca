"""The places that a plan touches: whether two plans can be carried out side by side without meeting."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from cmdr.model.plans.plan import Place, Plan, PlanItem
from cmdr.model.plans.steps import KINDS

_Paths = frozenset[bytes]


@dataclass(frozen=True, slots=True)
class TouchedPaths:
    """Real paths. A folder stands for all that is inside."""

    changed: _Paths
    """What is made, replaced, moved, removed or given other attributes."""
    read: _Paths
    """What has to stay as it is until it was read."""
    roots: _Paths
    """The folders it works in; others may work in them too, but not take them away."""

    @classmethod
    def of(cls, plan: Plan) -> "TouchedPaths":
        """Look at every item, and at the way to every root; for a thread, as there may be very many."""
        roots = {root.path: os.path.realpath(root.path) for root in plan.roots}

        def real(place: Place) -> bytes:
            # Two panes may show one folder under two names, through a link.
            root = roots.get(place.root, place.root)
            return os.path.join(root, place.rel) if place.rel else root

        changed: set[bytes] = set()
        read: set[bytes] = set()
        joined = set(roots.values())
        for item in plan.items:
            if not item.is_left_alone:
                changed.update(path for path in map(real, _changed(item)) if not _is_inside(path, changed))
                read.update(path for path in map(real, _read(item)) if not _is_inside(path, read))
                joined.update(map(real, _joined(item)))
        return cls(frozenset(changed), frozenset(read), frozenset(joined))

    def touches(self, other: "TouchedPaths") -> bool:
        """Whether one changes what the other changes, reads or works in."""
        return (
            _meet(self.changed, other.changed)
            or _meet(self.changed, other.read)
            or _meet(self.read, other.changed)
            or any(_is_inside(root, self.changed) for root in other.roots)
            or any(_is_inside(root, other.changed) for root in self.roots)
        )


def _changed(item: PlanItem) -> Iterator[Place]:
    if item.target is not None and not _is_merged(item):
        yield item.target
    if item.source is not None and (item.remove_source or not (KINDS[item.step].only_reads_source or _is_made(item))):
        yield item.source
    if item.info is not None:
        yield item.info


def _read(item: PlanItem) -> Iterator[Place]:
    if item.source is not None and not _is_made(item):
        yield item.source
    if item.twin is not None:
        yield item.twin


def _joined(item: PlanItem) -> Iterator[Place]:
    """Folders of which every single thing that counts is an item of its own: others may use them meanwhile."""
    if item.target is not None and _is_merged(item):
        yield item.target
    if item.source is not None and _is_made(item):
        yield item.source


def _is_made(item: PlanItem) -> bool:
    return KINDS[item.step].makes_folder


def _is_merged(item: PlanItem) -> bool:
    return _is_made(item) and item.existing is not None


def _meet(some: _Paths, others: _Paths) -> bool:
    """Whether a path of one is a path of the other, or lies inside one of it."""
    return any(_is_inside(path, others) for path in some) or any(_is_inside(path, some) for path in others)


def _is_inside(path: bytes, places: "_Paths | set[bytes]") -> bool:
    """Whether a path, or a folder on the way to it, is among some."""
    while path not in places:
        above = path.rpartition(b"/")[0]
        if not above:
            return b"/" in places
        path = above
    return True
