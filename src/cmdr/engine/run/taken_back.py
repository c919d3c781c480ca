"""What earlier attempts of an undo have taken back already, so that another one comes only to what is left."""

from collections.abc import Iterable

from cmdr.engine.journal.records import OperationRecord
from cmdr.engine.steps.registry import step_of
from cmdr.model.plans.plan import Kind, Place, PlanItem
from cmdr.model.plans.steps import KINDS


class TakenBack:
    """Known by where things stood before they were taken back."""

    def __init__(self, attempts: Iterable[OperationRecord] = ()) -> None:
        self._places: set[Place] = set()
        self._folders: set[Place] = set()
        """Folders that went as a whole, with all that was inside."""
        for attempt in attempts:
            for found in attempt.items:
                if found.state.is_done:
                    self._add(attempt.plan.items[found.index])

    def __contains__(self, place: Place) -> bool:
        return place in self._places or (bool(self._folders) and self._is_inside(place))

    def _add(self, item: PlanItem) -> None:
        place = step_of(item).stood_at(item)
        if place is None:
            return
        self._places.add(place)
        if item.kind is Kind.FOLDER and KINDS[item.step].moves_folders:
            self._folders.add(place)

    def _is_inside(self, place: Place) -> bool:
        rel = place.folder
        while rel:
            if Place(place.root, rel) in self._folders:
                return True
            rel = rel.rpartition(b"/")[0]
        return False
