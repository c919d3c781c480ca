"""What waits for the person, and what they are shown to decide about it."""

from dataclasses import dataclass

from cmdr.model.plans.proposal import ProposalState
from cmdr.model.results.result import Data


@dataclass(frozen=True, slots=True)
class PendingProposal:
    """A proposal without an answer."""

    id: str
    by: str
    plan: str
    what: str
    digest: str
    reason: str


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """A proposed edit of a text without an answer."""

    id: str
    by: str
    path: str
    changes: str
    digest: str


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A job that asks about a taken name, by its proposal."""

    id: str
    title: str
    taken: str
    about: str


@dataclass(frozen=True, slots=True)
class Interrupted:
    """An operation that was cut short; its id is its number in the history."""

    id: str
    by: str
    title: str
    state: str


@dataclass(frozen=True, slots=True)
class Expired:
    """A proposal that nobody answered in time."""

    id: str
    by: str
    plan: str


@dataclass(frozen=True, slots=True)
class Pending(Data):
    """Everything that waits for the person's answer."""

    kind = "pending"
    proposals: tuple[PendingProposal, ...]
    edits: tuple[PendingEdit, ...]
    questions: tuple[OpenQuestion, ...]
    interrupted: tuple[Interrupted, ...]
    expired: tuple[Expired, ...]
    warnings: tuple[str, ...]


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
