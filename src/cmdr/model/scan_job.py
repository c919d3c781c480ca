"""A scan under way: a tree being read into an index."""

import time
from dataclasses import dataclass, field

from cmdr.model.job import JobState


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
