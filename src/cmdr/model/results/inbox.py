"""The inbox: everything that waits for the person, one row each, the same in every face."""

from dataclasses import dataclass
from enum import StrEnum

from cmdr.model.results.result import Data


class InboxKind(StrEnum):
    """What waits."""

    PROPOSAL = "proposal"
    """A planned change to files."""
    EDIT = "edit"
    """A proposed edit of a text, with a diff to review."""
    COMMAND = "command"
    """A program or code that wants to run."""
    TRUST = "trust"
    """A folder that wants to be trusted."""
    QUESTION = "question"
    """A job that asks about a taken name, or about a folder that has grown; other work goes on meanwhile."""
    PAUSED = "paused"
    """An agent's job that was paused when agents were stopped."""
    FAILED = "failed"
    """A job of which something failed, until the person has looked."""
    INTERRUPTED = "interrupted"
    """An operation that a crash cut short."""
    ENDED = "ended"
    """A proposal or edit that expired or was withdrawn before the person answered, until they have seen it."""
    SUSPENDED = "suspended"
    """A rule that was suspended by itself, until the person has seen it."""
    WARNING = "warning"
    """Something is wrong with the journal or the audit log."""


class InboxAnswer(StrEnum):
    """What can be answered; each row says which of them it takes."""

    YES = "yes"
    NO = "no"
    """With a reason, if the person gives one; the agent gets the words."""
    RULE = "rule"
    """Yes, and a rule for the next like this."""
    GO_ON = "go_on"
    """Resume what was interrupted or paused."""
    AGAIN = "again"
    """Try what failed once more."""
    TAKE_BACK = "take_back"
    """Undo what was done of it."""
    LEAVE = "leave"
    """Leave it as it is: for what was interrupted, cancel what is paused."""
    SKIP = "skip"
    OVERWRITE = "overwrite"
    RENAME = "rename"
    NEWER = "newer"
    LARGER = "larger"
    SEEN = "seen"
    """It is known; the row goes."""


LETTERS: dict[InboxAnswer, str] = {
    InboxAnswer.YES: "y",
    InboxAnswer.NO: "n",
    InboxAnswer.RULE: "R",
    InboxAnswer.GO_ON: "g",
    InboxAnswer.AGAIN: "a",
    InboxAnswer.TAKE_BACK: "b",
    InboxAnswer.LEAVE: "l",
    InboxAnswer.SKIP: "s",
    InboxAnswer.OVERWRITE: "o",
    InboxAnswer.RENAME: "r",
    InboxAnswer.NEWER: "n",
    InboxAnswer.LARGER: "l",
    InboxAnswer.SEEN: "y",
}
"""The keys of the answers, in every face. No row takes two with the same letter."""
QUESTIONS = frozenset(
    {InboxAnswer.SKIP, InboxAnswer.OVERWRITE, InboxAnswer.RENAME, InboxAnswer.NEWER, InboxAnswer.LARGER}
)
"""Answers to a job's question; with a capital letter they go for all that follow."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One thing that waits."""

    id: str
    """What an answer names: `p_…`, `r_…`, `j_…` (a question, a failure), `operation 12`, `rule 2`, `warning`."""
    kind: InboxKind
    by: str
    """The name of the client, or empty when it is the person's own or the program's."""
    what: str
    """What it is, in one line: “Move 12 files to ~/Archive”."""
    detail: str = ""
    """What tells it from the next one: a name with its folder, the taken name, the first problem."""
    amount: str = ""
    """How much: files and bytes, changes in a text, done of all."""
    risk: tuple[str, ...] = ()
    """Why it needs care; empty when nothing in it does."""
    since: float = 0.0
    """When it came, in seconds since 1970."""
    expires: float | None = None
    digest: str = ""
    """Of what was shown; an answer is about this very one."""
    reason: str = ""
    """The agent's own words: shown last, in a frame, never trusted."""
    word: str = ""
    """What has to be typed for a yes, where a plain one is not enough; then it is answered alone."""
    answers: tuple[InboxAnswer, ...] = ()
    alike: str = ""
    """The same for rows that can be answered together: one client, verb and roots, and no risk; empty: alone."""
    rule: str = ""
    """The rule that `rule` would make, in words; empty when none may be made from this."""
    question: str = ""
    """The id of a job's question, which an answer names."""


@dataclass(frozen=True, slots=True)
class Inbox(Data):
    """Everything that waits for the person, what blocks an agent first, then oldest first."""

    kind = "inbox"
    rows: tuple[InboxRow, ...]
    more: int = 0
    """How many there are beyond these; they come when these are answered."""


@dataclass(frozen=True, slots=True)
class InboxFailure:
    """An answer that could not be given, and why."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class InboxAnswered(Data):
    """What became of some answers; `jobs` carry out what was said yes to."""

    kind = "inboxAnswered"
    answered: tuple[str, ...]
    jobs: tuple[str, ...] = ()
    failures: tuple[InboxFailure, ...] = ()
    rule: int | None = None
    """The number of the rule that was made."""
    said: str = ""
    """What to tell the person, in one line."""
