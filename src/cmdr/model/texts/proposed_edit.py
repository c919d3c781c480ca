"""What a proposed edit is, of one file or of many: it waits, and is answered exactly once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from cmdr.model.texts.review import Review

Reason = Literal[
    "person", "tab closed", "client gone", "replaced", "shutdown", "editor gone", "time is up", "changed on disk"
]


class ReviewState(Enum):
    """Where a review stands; it leaves PENDING once and never returns."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class AlreadyResolvedError(ValueError):
    """Raised when a second answer arrives: the first one counts."""

    def __init__(self, state: ReviewState) -> None:
        super().__init__(f"This edit was already {state.value}.")
        self.state = state


class StaleReviewError(ValueError):
    """Raised when an answer was given to something else than what stands now."""

    def __init__(self) -> None:
        super().__init__("This edit has changed since it was shown; look at it again.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a review ended."""

    state: Literal[ReviewState.ACCEPTED, ReviewState.REJECTED]
    reason: Reason
    text: str | None = None
    """Accepted: the final text, written as the agent writes (line ends, byte order mark); of many files none."""
    content: bytes | None = None
    """Accepted: the exact bytes for the file, stored as the file was; of many files none."""
    edited: bool = False
    """Accepted: whether it differs from what the agent proposed."""


class ProposedEdit(ABC):
    """What waits for one answer, under the tab of its connection."""

    def __init__(self, id: str, connection: str, agent: str, tab: str) -> None:
        self.id = id
        self.connection = connection
        self.agent = agent
        self.tab = tab
        self.state = ReviewState.PENDING
        self.outcome: Outcome | None = None
        self._waiting: list[Callable[[Outcome], None]] = []

    @property
    @abstractmethod
    def files(self) -> Sequence[Review]:
        """What is proposed for each file, in the order in which it is shown; never empty."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """Names what accepting now would do; an answer that carries it cannot accept something unseen."""

    @property
    @abstractmethod
    def characters(self) -> int:
        """How much text it holds."""

    def reject(self, reason: Reason = "person") -> Outcome:
        """Reject the edit; every file stays as it is."""
        self._check_pending()
        return self._resolve(Outcome(ReviewState.REJECTED, reason))

    def when_resolved(self, call: Callable[[Outcome], None]) -> Callable[[], None]:
        """Call this once with the outcome, at once when there is one already; returns how to stop waiting."""
        if self.outcome is not None:
            call(self.outcome)
        else:
            self._waiting.append(call)

        def stop() -> None:
            if call in self._waiting:
                self._waiting.remove(call)

        return stop

    def _resolve(self, outcome: Outcome) -> Outcome:
        self.state, self.outcome = outcome.state, outcome
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            call(outcome)
        return outcome

    def _check_pending(self) -> None:
        if self.state is not ReviewState.PENDING:
            raise AlreadyResolvedError(self.state)
