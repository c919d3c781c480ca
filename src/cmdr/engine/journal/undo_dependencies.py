"""Which later operation must be taken back first: the newest one that changed the same file."""

from cmdr.engine.journal.journal import Journal
from cmdr.model.names import is_within
from cmdr.model.plans.plan import PlanItem

FAR_BACK = 50
"""Operations that are looked through."""
MOST_ITEMS = 10_000
"""Items of one that is looked into; a larger one would take longer than the hint is worth."""


def undone_first(journal: Journal, number: int, path: bytes) -> int | None:
    """The newest operation after `number` that changed a path and still stands, or None."""
    for entry in journal.history(FAR_BACK):
        if entry.id <= number:
            break
        stands = entry.undone_by is None and entry.undoes is None and entry.done > 0
        if stands and entry.total <= MOST_ITEMS:
            items = journal.operation(entry.id).plan.items
            if any(_changes(item, path) for item in items):
                return entry.id
    return None


def _changes(item: PlanItem, path: bytes) -> bool:
    places = [place.path for place in (item.source, item.target) if place is not None]
    return any(is_within(path, place) for place in places)
