"""The states of a change that a person asked for: plan, confirm where due, approve, follow, settle.

Pure data: a state and what happened give the next state. Whether the person is asked again, which selection is let go,
where the cursor goes and what is said in the end is decided here; a face draws the state and reports what happens.
"""

from dataclasses import dataclass

from cmdr.model.job import JobState
from cmdr.model.plans.proposal import ProposalState

ANSWERS = {"s": "skip", "o": "overwrite", "r": "rename", "n": "newer", "l": "larger"}
"""The keys that answer a question about a taken name."""
FOLDER_ANSWERS = {"s": "skip", "o": "overwrite"}
"""The keys that answer a question about a folder that holds something else than was shown."""

NOTHING_CHANGED = "Nothing was changed."
_ANSWERED_ELSEWHERE = {
    ProposalState.REJECTED: "This proposal was rejected elsewhere.",
    ProposalState.CANCELLED: "This proposal was withdrawn. Nothing was changed.",
    ProposalState.EXPIRED: "This has expired: nobody answered in time. Nothing was changed.",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person wants beside the change itself."""

    sure: bool = False
    """Whether they said yes in a window; then only a plan that turns out risky is asked about."""
    cursor_to: str = ""
    """The entry that the cursor goes to once it is there."""
    opens: bytes | None = None
    """The file that is edited once it is there."""


# What happens ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Planned:
    """The command made a plan, which waits as a proposal."""

    proposal: str
    asks_again: bool
    from_pane: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """The command planned nothing, and said this."""

    text: str


@dataclass(frozen=True, slots=True)
class Decided:
    """The proposal waits no more: answered here or elsewhere, withdrawn or expired."""

    state: ProposalState
    job: str | None = None
    here: bool = True


@dataclass(frozen=True, slots=True)
class JobChanged:
    """The job came further, asks something, or is over; `line` says what came of it."""

    state: JobState
    line: str = ""
    question: str | None = None
    unfinished: frozenset[bytes] | None = None
    """What of the chosen entries was not dealt with, by path, once it is over; None: nobody knows."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The panes show what came of it."""


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The person leaves it as it stands, or what was to be done was refused and they know why."""


Event = Planned | Answered | Decided | JobChanged | Settled | GaveUp


# States ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """It is over; this is left to say."""

    said: str = ""
    is_bad: bool = False
    job: str | None = None
    """The job that carried it out, if it came to one."""
    is_done: bool = False
    proposal: ProposalState | None = None
    """What became of the question, if it came to no job."""
    opens: bytes | None = None


@dataclass(frozen=True, slots=True)
class Settling:
    """The job is over: what was dealt with is selected no more, panes are read again, the cursor goes there."""

    lets_go: bool
    cursor_to: str
    then: Ended
    keeps: frozenset[bytes] = frozenset()
    """What stays selected of it all the same, by path: what failed, or was not come to."""


@dataclass(frozen=True, slots=True)
class Following:
    """The job runs; where it asks something, the person answers."""

    job: str
    wish: Wish = Wish()
    from_pane: bool = False
    question: str | None = None


@dataclass(frozen=True, slots=True)
class Approving:
    """The yes was given before there was a plan, and the plan holds no surprise: it is approved at once."""

    proposal: str
    wish: Wish = Wish()
    from_pane: bool = False


@dataclass(frozen=True, slots=True)
class Confirming:
    """The person is asked."""

    proposal: str
    wish: Wish = Wish()
    from_pane: bool = False


@dataclass(frozen=True, slots=True)
class Planning:
    """The command is on its way."""

    wish: Wish = Wish()


State = Planning | Confirming | Approving | Following | Settling | Ended


def advance(state: State, event: Event) -> State:
    """The state after something happened; what does not concern a state leaves it as it is."""
    match state, event:
        case Ended() | Settling(), GaveUp():
            return state  # what was done is shown all the same
        case _, GaveUp():
            return Ended()
        case Planning(), Answered():
            return Ended(event.text)
        case Planning(), Planned():
            asks = event.asks_again or not state.wish.sure
            return (Confirming if asks else Approving)(event.proposal, state.wish, event.from_pane)
        case Confirming() | Approving(), Decided():
            return _decided(state, event)
        case Following(), JobChanged() if event.state.is_over:
            return _job_over(state, event)
        case Following(), JobChanged():
            return Following(state.job, state.wish, state.from_pane, event.question)
        case Settling(), Settled():
            return state.then
    return state


def _decided(state: Confirming | Approving, event: Decided) -> State:
    if event.state is ProposalState.PENDING:
        return state
    if event.job is not None:
        return Following(event.job, state.wish, state.from_pane)
    is_no = event.here and event.state is ProposalState.REJECTED
    return Ended(NOTHING_CHANGED if is_no else _ANSWERED_ELSEWHERE.get(event.state, ""), proposal=event.state)


def _job_over(state: Following, event: JobChanged) -> Settling:
    is_done = event.state is JobState.DONE
    then = Ended(
        event.line,
        is_bad=event.state is JobState.FAILED,
        job=state.job,
        is_done=is_done,
        opens=state.wish.opens if is_done else None,
    )
    # What was selected is let go once it has been dealt with; what has not may be tried again.
    keeps = frozenset() if is_done else event.unfinished
    return Settling(state.from_pane and keeps is not None, state.wish.cursor_to, then, keeps or frozenset())


def is_yes(typed: str, word: str | None) -> bool:
    """Whether a typed answer approves: the word where the plan asks for one, else a yes."""
    return typed.strip().lower() in (("y", "yes") if word is None else (word,))
