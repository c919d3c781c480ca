"""A whole plan as a list to read before one decides: one line for each step, any page of it, however long it is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cmdr.model.plans.plan import Decision, Kind, Plan, PlanItem, Verb
from cmdr.model.plans.plan_text import goes_to, name_of, undo_line
from cmdr.model.plans.request_plan import RequestPlan
from cmdr.model.plans.steps import KINDS
from cmdr.model.units import human_size

LOOKED_AT = 4096
"""Steps between two questions whether the search is still wanted."""


@dataclass(frozen=True, slots=True)
class PlanPage:
    """Some lines of the list, and how many there are in all."""

    start: int
    total: int
    lines: tuple[str, ...]


def length_of(plan: Plan) -> int:
    """How many lines the whole list has."""
    return len(plan.summary) if isinstance(plan, RequestPlan) else len(plan.told)


def page_of(plan: Plan, start: int, count: int) -> PlanPage:
    """Some lines from the middle; costs what these lines cost, however many there are."""
    total = length_of(plan)
    first = max(0, min(start, total))
    stop = min(total, first + max(0, count))
    if isinstance(plan, RequestPlan):
        return PlanPage(first, total, tuple(plan.summary[first:stop]))
    return PlanPage(first, total, tuple(line_of(item, plan) for item in plan.told[first:stop]))


def lines_at(plan: Plan, places: Iterable[int]) -> list[str]:
    """The lines at some places, as a search found them."""
    if isinstance(plan, RequestPlan):
        return [plan.summary[place] for place in places]
    return [line_of(plan.told[place], plan) for place in places]


def places_of(plan: Plan, text: str, is_wanted: Callable[[], bool] = lambda: True) -> list[int]:
    """Where a text stands in the list, whatever its case; looks at every line, so run it beside the loop."""
    sought = text.casefold()
    lines = plan.summary if isinstance(plan, RequestPlan) else (line_of(item, plan) for item in plan.told)
    found = []
    for place, line in enumerate(lines):
        if not place % LOOKED_AT and not is_wanted():
            return []
        if sought in line.casefold():
            found.append(place)
    return found


def line_of(item: PlanItem, plan: Plan) -> str:
    """One step in one printable line: what, where, and what is special about it."""
    if plan.verb in (Verb.UNDO, Verb.RESTORE):
        return undo_line(item)
    size = human_size(item.totals.bytes) if item.totals.bytes else ""
    name = name_of(item) + ("/" if item.kind is Kind.FOLDER else "")
    notes = "; ".join(_notes(item))
    return f"{size:>10}  {name}{goes_to(plan, item)}" + (f" ({notes})" if notes else "")


def _notes(item: PlanItem) -> Iterable[str]:
    if item.is_left_alone:
        yield f"left alone: {item.reason}" if item.reason else "left alone"
    elif item.decision is Decision.REPLACE:
        yield "replaces what is there"
    elif item.decision is Decision.ASK:
        yield "name taken: you will be asked"
    elif item.is_missing_folder:
        yield "created: it is missing"
    elif KINDS[item.step].removes and item.existing is not None:
        yield "removed once its copy is safe"
    if item.protected:
        yield f"protected: {item.protected}"
