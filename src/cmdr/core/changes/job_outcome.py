"""What came of a job, as everybody sees it: found in a thread, for an operation may have half a million items."""

import os
from dataclasses import dataclass

from cmdr.core.changes.outcome_text import outcome_line, problem_lines
from cmdr.engine.journal.records import ItemState
from cmdr.engine.run.outcome import Outcome
from cmdr.model.history import OperationState
from cmdr.model.job import Job, JobState

MAX_UNFINISHED = 10_000
"""Chosen entries that are told one by one when something of them was not done."""
_UNDONE = tuple(state for state in ItemState if not (state.is_done or state is ItemState.SKIPPED))


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """An outcome in words and numbers."""

    state: JobState
    operation: int
    line: str
    problems: tuple[str, ...]
    can_retry: bool
    can_undo: bool
    failed: int
    unfinished: frozenset[bytes] | None

    @classmethod
    def of(cls, outcome: Outcome) -> "JobOutcome":
        """Look at every item."""
        state = JobState.DONE if outcome.is_clean else JobState.FAILED
        return cls(
            JobState.CANCELLED if outcome.state is OperationState.CANCELLED else state,
            outcome.operation,
            outcome_line(outcome),
            problem_lines(outcome),
            outcome.can_retry,
            bool(outcome.items.which(ItemState.LANDED, ItemState.SOURCE_REMOVED)),
            len(outcome.failed) + len(outcome.drifted),
            _unfinished(outcome),
        )

    def write_on(self, job: Job) -> None:
        """Let everybody see it, but for the state, which comes last."""
        job.operation, job.outcome, job.problems = self.operation, self.line, self.problems
        job.can_retry, job.can_undo = self.can_retry, self.can_undo
        job.failed, job.unfinished = self.failed, self.unfinished


def _unfinished(outcome: Outcome) -> frozenset[bytes] | None:
    """The entries of the folders it worked in of which something was not done."""
    found: set[bytes] = set()
    for index in outcome.items.which(*_UNDONE):
        place = outcome.plan.items[index].place
        found.add(os.path.join(place.root, place.rel.partition(b"/")[0]))
        if len(found) > MAX_UNFINISHED:
            return None
    return frozenset(found)
