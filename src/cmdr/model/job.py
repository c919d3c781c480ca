"""A job, or a scan: work that takes a while, as everybody sees it."""

import time
from dataclasses import dataclass, field
from enum import StrEnum

from cmdr.model.names import display_name


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    WAITING = "waiting"
    """It asked something and needs an answer; other jobs go on, unless they touch the same places."""
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
    behind: "Job | None" = None
    """While it is queued: the job that it waits for."""
    is_stopped: bool = False
    """Whether it stands still because the person stopped the agents; it goes on only when they say so."""
    failed: int = 0
    """How many of its items could not be carried out."""
    unfinished: frozenset[bytes] | None = frozenset()
    """What of the chosen entries was not dealt with, by path, once it is over; None: too many to tell."""
    is_seen: bool = True
    """Whether the person knows what came of it; a failure waits until they have looked."""

    @property
    def is_of_agent(self) -> bool:
        """Whether an agent proposed it."""
        return self.started_by.startswith("agent:")

    @property
    def asks(self) -> str:
        """What it asks about, in a line: “The copy asks about a.txt”; empty while it asks nothing."""
        if self.question is None:
            return ""
        name = display_name(self.question.target.rstrip(b"/").rpartition(b"/")[2])
        return f"The {self.title.partition(' ')[0].lower()} asks about {name}"

    @property
    def is_held(self) -> bool:
        """Whether it stands still until the person says a word: it asks, is paused, or waits for one that does."""
        holder = self._holder
        return holder.state in (JobState.WAITING, JobState.PAUSED)

    @property
    def waits_behind(self) -> str:
        """What it waits for, for the person: “waits behind operation 5 (copy 1 file), which asks you”; else empty."""
        if self.behind is None:
            return ""
        holder = self._holder
        # Without the way to where it goes: that is long, and the number says which one it is.
        title = (holder.title[:1].lower() + holder.title[1:]).partition(" to ")[0]
        told = f"operation {holder.operation} ({title})" if holder.operation else f"“{holder.title}”"
        return f"waits behind {told}{holder._stands('you')}"

    @property
    def waits_behind_for_agents(self) -> str:
        """The same for an agent, which does not learn what others do."""
        if self.behind is None:
            return ""
        holder = self._holder
        told = f"operation {holder.operation}" if holder.operation else "another change"
        return f"waits behind {told}{holder._stands('the person')}"

    @property
    def _holder(self) -> "Job":
        found = self
        while found.behind is not None:
            found = found.behind
        return found

    def _stands(self, whom: str) -> str:
        if self.state is JobState.PAUSED:
            return ", which is paused"
        return f", which asks {whom}" if self.state is JobState.WAITING else ""


CONTENTS_PHASE = "contents"
"""Of a scan that indexes what is in files."""


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
