"""How far an index's answers can be trusted, and why."""

from cmdr.index.query.explanation import not_covered
from cmdr.index.snapshots.view import View
from cmdr.model.trees.indexes import Freshness
from cmdr.model.units import iso_date


def freshness_of(view: View, checked_ns: int | None, dirty: str | None, current: str) -> Freshness:
    """What a view is worth that nobody scans anew; `dirty` says why it is behind, `current` what keeps it up."""
    if view.facts.get("cancelled"):
        return Freshness("partial", "the last scan was stopped before its end", checked_ns)
    if dirty is not None:
        return Freshness("stale", dirty, checked_ns)
    if int(view.dirs["dmiss"][0]):
        return Freshness("partial", "; ".join(not_covered(view)) or "some entries could not be read", checked_ns)
    walked = iso_date(int(view.facts["started_ns"]))
    return Freshness("fresh", current or f"checked; edits inside files are known up to {walked}", checked_ns)
