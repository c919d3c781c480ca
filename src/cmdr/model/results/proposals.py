"""What the person is shown to decide about a proposal or an edit."""

from dataclasses import dataclass

from cmdr.model.plans.proposal import ProposalState
from cmdr.model.results.result import Data


@dataclass(frozen=True, slots=True)
class ProposalShown(Data):
    """Everything one needs to know to decide about a proposal."""

    kind = "proposalShown"
    state: ProposalState
    by: str
    digest: str
    word: str | None
    """What has to be typed to approve it, where it is risky."""
    plan: tuple[str, ...]
    steps: int
    reason: str
    job: str | None


@dataclass(frozen=True, slots=True)
class ProposalItems(Data):
    """Some lines of everything a proposal would do, and the digest of the plan they belong to."""

    kind = "proposalItems"
    digest: str
    start: int
    total: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReviewShown(Data):
    """Everything one needs to know to decide about an edit, as a patch."""

    kind = "reviewShown"
    by: str
    title: str
    digest: str
    word: str
    """What has to be typed to accept it, where the file is protected."""
    protected: str
    path: str
    replaces: str
    """The old path, where the file gets a new one."""
    amount: str
    patch: str
