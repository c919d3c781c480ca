"""A proposed change to files: an immutable plan that waits for a person's answer."""

from dataclasses import dataclass
from enum import StrEnum

from cmdr.model.plans.plan import Plan


class ProposalState(StrEnum):
    """Where a proposal stands. Only a person moves it on from `pending` to `approved`."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    """Withdrawn by whoever proposed it, or by closing its dialog."""
    EXPIRED = "expired"

    @property
    def is_open(self) -> bool:
        """Whether it still waits for an answer."""
        return self is ProposalState.PENDING


@dataclass(slots=True, eq=False)
class Proposal:
    """What an agent or a person wants done, and what was decided."""

    id: str
    plan: Plan
    proposed_by: str
    reason: str
    """The proposer's own words: shown last, marked as theirs, never trusted."""
    expires_at: float
    state: ProposalState = ProposalState.PENDING
    job: str | None = None
    """The job that carries it out, once approved."""
    since: float = 0.0
    """When it was proposed, in seconds since 1970."""
    said: str = ""
    """The person's words about their no; the proposer gets them."""
    unkept: str = ""
    """Why it would not outlive a restart, where it should; empty when it would, or when it is the person's own."""
    rule: int | None = None
    """The rule that admitted it without asking, if one did."""


def unkept_text(why: str) -> str:
    """What an agent is told about a proposal that waits, but not over a restart."""
    return f"not kept over a restart: {why}"
