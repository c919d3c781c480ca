"""How a review ends: accepted or rejected, once, with a reason."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

Reason = Literal["person", "tab closed", "client gone", "replaced", "shutdown", "editor gone", "time is up"]


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
    """Accepted: the final text, written as the agent writes (line ends, byte order mark)."""
    content: bytes | None = None
    """Accepted: the exact bytes for the file, stored as the file was."""
    edited: bool = False
    """Accepted: whether it differs from what the agent proposed."""
