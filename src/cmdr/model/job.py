"""A job, or a scan: work that takes a while, as everybody sees it."""

import time
from dataclasses import dataclass, field
from enum import StrEnum


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    WAITING = "waiting"
    """It asked something and needs an answer; other jobs go on."""
    DONE = "done"
    FAILED = "failed"
    """It ended, and some items could not be carried out."""
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


@dataclass(slots=True)
class Progress:
    """How far a job has come, and how fast."""

    items_done: int = 0
    items_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    current: str = ""
    rate: float = 0.0
    """Bytes a second, smoothed."""

    @property
    def seconds_left(self) -> float | None:
        """An honest estimate, or None while there is nothing to base it on."""
        if self.rate <= 0 or self.bytes_done <= 0:
            return None
        return max(0.0, (self.bytes_total - self.bytes_done) / self.rate)


@dataclass(slots=True, eq=False)
class Question:
    """A taken name, and what stands there, or a folder that holds something else than was shown; an answer must carry
    this id."""

    id: str
    source: bytes
    target: bytes
    source_size: int = 0
    target_size: int = 0
    source_modified_ns: int = 0
    target_modified_ns: int = 0
    shown: str = ""
    """What a folder that goes as a whole was shown to hold."""
    inside: str = ""
    """What it holds now; empty where a name is taken."""

    @property
    def about(self) -> str:
        """What is the matter with the target, behind its name."""
        return "holds something else than was shown" if self.inside else "is taken"


@dataclass(slots=True, eq=False)
class Job:
    """One operation under way, waiting for its turn, or over."""

    id: str
    title: str
    started_by: str
    devices: frozenset[int]
    state: JobState = JobState.QUEUED
    progress: Progress = field(default_factory=Progress)
    question: Question | None = None
    operation: int | None = None
    """Its number in the journal, once it has begun."""
    can_undo: bool = False
    """Whether it did something that could be taken back."""
    outcome: str = ""
    """What came of it, in one line."""
    problems: tuple[str, ...] = ()
    """What was skipped, failed or could not be kept; at most a handful."""
    can_retry: bool = False
    output: str = ""
    """What a command wrote, shortened; empty for changes to files."""


@dataclass(slots=True, eq=False)
class ScanJob:
    """How far a scan has come. A percentage exists only when an earlier scan told what to expect."""

    id: str
    root: bytes
    index: str
    owner: str
    started: float = field(default_factory=time.time)
    state: JobState = JobState.RUNNING
    phase: str = "walking"
    entries: int = 0
    folders: int = 0
    bytes: int = 0
    rate: float = 0.0
    percent: float | None = None
    seconds: float = 0.0
    problem: str = ""
    is_cancelled: bool = False
    joined: set[str] = field(default_factory=set)
    """Others who asked for the same while it ran: they may see how far it is."""

    def is_seen_by(self, caller: str, is_person: bool) -> bool:
        """Whether a caller may see it: the person, whoever started it, and whoever joined."""
        return is_person or caller == self.owner or caller in self.joined

    @property
    def seconds_left(self) -> float | None:
        """About how long it will take yet, or None while nobody knows."""
        if self.state is not JobState.RUNNING or not self.percent:
            return None
        return self.seconds * (100 - self.percent) / self.percent
