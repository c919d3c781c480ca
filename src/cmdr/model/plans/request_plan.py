"""Plans that are words only: a request that changes no files itself, and the outline of a plan that was decided."""

import hashlib
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

from cmdr.model.plans.plan import Plan, Risk, Verb
from cmdr.model.units import count


@dataclass(frozen=True)
class RequestPlan(Plan):
    """Has no items; tells in its own words what a yes would mean."""

    @cached_property
    @abstractmethod
    def encoded(self) -> bytes:
        """The canonical form: everything that a yes allows."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that a yes allows."""
        return hashlib.sha256(self.encoded).hexdigest()

    @cached_property
    def risk(self) -> Risk:
        """The walls bound it, so a plain yes is enough."""
        return Risk()

    @property
    @abstractmethod
    def title(self) -> str:
        """The request in one line."""

    @property
    @abstractmethod
    def summary(self) -> list[str]:
        """Everything one needs to decide, one fact a line."""


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
