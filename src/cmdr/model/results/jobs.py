"""Long work: how it stands, what came of it, and that it is still waited for."""

from collections.abc import Mapping
from dataclasses import dataclass

from cmdr.model.job import Job, JobState, ScanJob
from cmdr.model.plans.proposal import ProposalState
from cmdr.model.results.result import Data, Result


@dataclass(frozen=True, slots=True)
class StillWaiting(Result):
    """Nothing has come of it yet; ask again."""

    kind = "stillWaiting"
    what: str
    behind: int | None = None
    """The operation that an approved one waits behind, once its number is known."""

    def text(self) -> str:
        return f"still waiting for {self.what}. Await it again."


@dataclass(frozen=True, slots=True)
class StateMoved(Result):
    """The state is newer than the caller's."""

    kind = "stateMoved"
    rev: int

    def text(self) -> str:
        return f"rev: {self.rev}"


@dataclass(frozen=True, slots=True)
class ProposalEnded(Result):
    """Rejected, withdrawn or expired; or carried out so long ago that its job is forgotten."""

    kind = "proposalEnded"
    proposal: str
    state: ProposalState
    title: str
    said: str = ""
    """The person's own words about their no."""

    def text(self) -> str:
        if self.state is not ProposalState.APPROVED:
            words = f': "{self.said}"' if self.said else ""
            return f"Proposal {self.state}{words}. Nothing was changed."
        done = f'Approved. "{self.title}" has been over for a while'
        return f'{done}; the history has what came of it: command {{"id": "history"}}.'


@dataclass(frozen=True, slots=True)
class JobEnded(Result):
    """What came of a job."""

    kind = "jobEnded"
    job: str
    state: JobState
    outcome: str
    problems: tuple[str, ...]
    operation: int | None
    can_undo: bool
    output: str
    named: str = ""
    """The new folder or file; the person may have named it otherwise than was proposed."""

    @classmethod
    def of(cls, job: Job, named: str = "") -> "JobEnded":
        """A job that is over, as it stands."""
        return cls(job.id, job.state, job.outcome, job.problems, job.operation, job.can_undo, job.output, named)

    @property
    def failed(self) -> bool:
        return self.state is JobState.FAILED

    def text(self) -> str:
        told = [f"Approved. {self.outcome}", *self.problems]
        if self.operation:
            told.append(f"operation: {self.operation} ({'undo takes it back' if self.can_undo else 'nothing to undo'})")
        if self.output:
            told.append(self.output)
        if self.named:
            told.append(f"named: {self.named}")
        return "\n".join(told)


@dataclass(frozen=True, slots=True)
class JobFollowed(Data):
    """A job that asks something or is over, or that was watched for long enough."""

    kind = "jobFollowed"
    state: JobState
    over: bool
    done: bool
    outcome: str
    operation: int | None
    question: Mapping[str, str] | None
    """A taken name (`id, there, new`), or a folder that holds more than was shown (`id, folder, shown, now`)."""
    waits_behind: str = ""
    """What it waits behind while that stands still, as in “waits behind operation 5 (copy 1 file), which asks you”."""


@dataclass(frozen=True, slots=True)
class OperationStatus(Data):
    """How far a change to files has come."""

    kind = "operationStatus"
    job: str
    title: str
    state: JobState
    items_done: int
    items_total: int
    bytes_done: int
    bytes_total: int
    seconds_left: float | None
    outcome: str
    problems: tuple[str, ...]

    @classmethod
    def of(cls, job: Job) -> "OperationStatus":
        """A job, as it stands now."""
        far = job.progress
        return cls(
            job.id, job.title, job.state, far.items_done, far.items_total, far.bytes_done, far.bytes_total,
            far.seconds_left, job.outcome, job.problems,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScanStatus(Data):
    """How far the reading of a tree has come."""

    kind = "scanStatus"
    job: str
    index: str
    state: JobState
    started: float
    entries: int
    folders: int
    bytes: int
    rate: float
    percent: float | None
    seconds_left: float | None
    problem: str

    @classmethod
    def of(cls, scan: ScanJob) -> "ScanStatus":
        """A scan, as it stands now."""
        return cls(
            scan.id, scan.index, scan.state, scan.started, scan.entries, scan.folders, scan.bytes, scan.rate,
            scan.percent, scan.seconds_left, scan.problem,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class NotAnsweredYet(Result):
    """Shown to the person, who has not answered while the call could wait."""

    kind = "notAnsweredYet"
    proposal: str

    def text(self) -> str:
        return f"Shown to the person, who has not answered yet.\nproposal: {self.proposal} (await it)"


@dataclass(frozen=True, slots=True)
class RunEnded(Result):
    """A command or code that ran; that it ended with an error of its own is an answer, that it never began is not."""

    kind = "runEnded"
    job: str
    state: JobState
    outcome: str
    output: str = ""

    @property
    def failed(self) -> bool:
        return self.state is JobState.FAILED

    def text(self) -> str:
        return f"{self.outcome}\n{self.output}" if self.output else self.outcome
