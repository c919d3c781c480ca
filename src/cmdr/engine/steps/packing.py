"""What goes into an archive that is being made, and what became of that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cmdr.model.plans.plan import PlanItem, Step


@dataclass(slots=True)
class Packing:
    """Shared by the archive and by what is added to it."""

    _items: Sequence[PlanItem] = ()
    count: int = 0
    """How much goes in."""
    is_wanted: bool = False
    """Whether this run is to make an archive; one that only finishes another's books is not."""
    left_out: dict[int, str] = field(default_factory=dict)
    """What could not be added, by its number in the plan, and why."""
    is_made: bool = False
    problem: Exception | None = None
    """Why the archive was not made."""

    def begin(self, items: Sequence[PlanItem]) -> None:
        """Look at what is planned."""
        self._items = items
        for item in items:
            self.count += item.step is Step.ADD
            self.is_wanted = self.is_wanted or item.step is Step.PACK

    def added(self) -> Iterator[tuple[int, PlanItem]]:
        """All that goes in, in the order of the plan."""
        return ((index, item) for index, item in enumerate(self._items) if item.step is Step.ADD)
