"""What is left of a decided plan: its words and its digest, without the steps, of which there may be many."""

from dataclasses import dataclass

from cmdr.model.plans.plan import Plan, Verb
from cmdr.model.units import count

_SHORT = 64
"""Steps of a plan that is kept as it is."""


@dataclass(frozen=True)
class PlanOutline(Plan):
    """Told like the plan it was made of; nothing of it can be run."""

    title: str = ""
    steps: int = 0

    @property
    def summary(self) -> list[str]:
        """What can still be said, one fact a line."""
        return [self.title, f"its {count(self.steps, 'step')} are no longer kept"]


def outline_of(plan: Plan, title: str) -> Plan:
    """A plan without its steps; one that is short, or of which the name that it makes is asked later, as it is."""
    if len(plan.items) <= _SHORT or plan.verb in (Verb.MKDIR, Verb.MKFILE):
        return plan
    outline = PlanOutline(plan.verb, (), destination=plan.destination, title=title, steps=len(plan.items))
    vars(outline)["digest"] = plan.digest
    return outline
