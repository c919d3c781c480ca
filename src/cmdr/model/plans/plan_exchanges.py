"""Exchanged names as a person sees them: each file from its old name to its new one.

The engine turns a ring of names by exchanges, of which the later ones begin with what the earlier ones left behind;
what is shown names every file once, with the name it has in the end.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cmdr.model.plans.packed_items import packed, rows_of
from cmdr.model.plans.plan_item import Fingerprint, Kind, Place, PlanItem, Totals
from cmdr.model.plans.steps import StepName


class _Exchange(NamedTuple):
    """Two names in one folder that trade places."""

    first: Place
    second: Place
    at_first: Fingerprint
    at_second: Fingerprint
    protected: str


def told(items: Sequence[PlanItem]) -> Sequence[PlanItem]:
    """The items to show: the very same ones, but for names that trade places. Looks at all of them."""
    if not any(row[0] == StepName.SWAP for row in rows_of(items)):
        return items
    return packed(_unwound(items))


def amount(mark: Fingerprint) -> Totals:
    """What is counted for a file or folder that gets another name."""
    return Totals(0, 1, 0) if mark.kind is Kind.FOLDER else Totals(1, 0, mark.size)


def _unwound(items: Sequence[PlanItem]) -> Iterator[PlanItem]:
    ring: list[_Exchange] = []
    for item in items:
        exchange = _exchange_of(item)
        if ring and (exchange is None or exchange.first != ring[0].first):
            yield from _files(ring)
            ring = []
        if exchange is None:
            yield item
        else:
            ring.append(exchange)
    yield from _files(ring)


def _exchange_of(item: PlanItem) -> _Exchange | None:
    first, second, at_first, at_second = item.source, item.target, item.fingerprint, item.existing
    if item.step is not StepName.SWAP or first is None or second is None or at_first is None or at_second is None:
        return None
    if (first.root, first.folder) != (second.root, second.folder):
        return None  # with a file in the trash: only one of the two names is a person's
    return _Exchange(first, second, at_first, at_second, item.protected)


def _files(ring: Sequence[_Exchange]) -> Iterator[PlanItem]:
    """The files of one ring, each with the name it had and the one it gets."""
    came_from: dict[Place, Place] = {}
    marks: dict[Place, Fingerprint] = {}
    for exchange in ring:
        first, second = exchange.first, exchange.second
        for place, mark in ((first, exchange.at_first), (second, exchange.at_second)):
            came_from.setdefault(place, place)
            marks.setdefault(place, mark)
        came_from[first], came_from[second] = came_from[second], came_from[first]
    goes_to = {before: now for now, before in came_from.items()}
    why = next((exchange.protected for exchange in ring if exchange.protected), "")
    for before, mark in marks.items():
        yield PlanItem(StepName.RENAME, mark.kind, before, goes_to[before], mark, totals=amount(mark), protected=why)
