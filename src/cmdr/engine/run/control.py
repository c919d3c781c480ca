"""The reins of a running operation: pause, cancel, progress, and questions about taken names."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from cmdr.model.plans.plan import ConflictPolicy, Fingerprint, PlanItem, Totals


class Cancelled(Exception):
    """The person said stop."""


class Progress(NamedTuple):
    """How far an operation has come; a tuple, because there is one for every chunk and every file."""

    items_done: int
    items_total: int
    bytes_done: int
    bytes_total: int
    current: PlanItem | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A question about a taken name. The answer counts only for the file shown here."""

    id: str
    item: PlanItem
    existing: Fingerprint
    inside: Totals | None = None
    """No name is taken: a folder that goes as a whole holds this much now, and not what was shown. Overwrite means
    that all of it goes, anything else that the folder stays."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What to do about one taken name, or about all further ones; `ask` is not an answer and means skip."""

    policy: ConflictPolicy
    for_all: bool = False


class Control(Protocol):
    """What the owner of a running operation provides. All calls come from the operation's own thread."""

    def checkpoint(self) -> None:
        """Called before each item and each chunk of data: waits while paused, raises Cancelled when cancelled."""

    def progress(self, progress: Progress) -> None:
        """Called after each item and each chunk."""

    def ask(self, conflict: Conflict) -> Answer:
        """Called for a taken name under the policy `ask`, and for a folder that holds something else than was shown;
        waits for the answer, or raises Cancelled."""


class Unattended:
    """Runs through: never pauses, never cancels, and skips whatever would need a question."""

    def checkpoint(self) -> None:
        """Go on."""

    def progress(self, progress: Progress) -> None:
        """Nobody watches."""

    def ask(self, conflict: Conflict) -> Answer:
        """Nobody answers: keep both files as they are."""
        return Answer(ConflictPolicy.SKIP)
