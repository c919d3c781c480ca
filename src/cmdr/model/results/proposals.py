"""What the person is shown to decide about a proposal or an edit."""

from dataclasses import dataclass

from cmdr.model.plans.proposal import ProposalState
from cmdr.model.results.result import Data, Result
from cmdr.model.units import count


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
    care: str
    """The same as a sentence, which of many files names those that are protected; or empty."""
    path: str
    replaces: str
    """The old path, where the file gets a new one."""
    amount: str
    patch: str


@dataclass(frozen=True, slots=True)
class EditProposed(Result):
    """An edit of the person's own that waits for their review."""

    kind = "editProposed"
    review: str
    files: int
    places: int
    told: tuple[str, ...] = ()
    """What is not in it, a line each."""

    def text(self) -> str:
        what = f"{count(self.places, 'place')} in {count(self.files, 'file')} to review: {self.review}"
        return "\n".join([what, *self.told])
