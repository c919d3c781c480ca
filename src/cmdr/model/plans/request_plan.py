"""A request that changes no files itself, shown and approved as plans are: a command, code, trust in a folder."""

import hashlib
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

from cmdr.model.plans.plan import Plan, Risk


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
