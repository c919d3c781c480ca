"""The states of a change: when the person is asked, what is let go and said; and whatever is answered, it ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.core.flow.change import (
    Answered,
    Approving,
    Confirming,
    Decided,
    Ended,
    Following,
    GaveUp,
    JobChanged,
    Planned,
    Planning,
    Settled,
    Settling,
    Wish,
    advance,
    is_yes,
)
from cmdr.model.job import JobState
from cmdr.model.plans.proposal import ProposalState

SURE, WISH = Wish(sure=True), Wish(sure=True, cursor_to="new", opens=b"/new")
DONE, FAILED = JobChanged(JobState.DONE, "done"), JobChanged(JobState.FAILED, "failed")
RUNNING = JobChanged(JobState.RUNNING)
APPROVED = Decided(ProposalState.APPROVED, "j")


@pytest.mark.parametrize(
    ("state", "event", "after"),
    [
        # It is asked about unless the person said yes before and the plan holds no surprise.
        (Planning(SURE), Planned("p", asks_again=False, from_pane=True), Approving("p", SURE, True)),
        (Planning(SURE), Planned("p", asks_again=True), Confirming("p", SURE)),
        (Planning(), Planned("p", asks_again=False), Confirming("p")),
        (Planning(), Answered("Nothing to undo."), Ended("Nothing to undo.")),
        (Planning(), GaveUp(), Ended()),
        # The answer, given here or elsewhere.
        (Confirming("p", SURE, True), APPROVED, Following("j", SURE, True)),
        (Approving("p", SURE), APPROVED, Following("j", SURE)),
        (Confirming("p"), Decided(ProposalState.PENDING), Confirming("p")),
        (
            Confirming("p"),
            Decided(ProposalState.REJECTED),
            Ended("Nothing was changed.", proposal=ProposalState.REJECTED),
        ),
        (
            Confirming("p"),
            Decided(ProposalState.REJECTED, here=False),
            Ended("This proposal was rejected elsewhere.", proposal=ProposalState.REJECTED),
        ),
        (
            Confirming("p"),
            Decided(ProposalState.CANCELLED, here=False),
            Ended("This proposal was withdrawn. Nothing was changed.", proposal=ProposalState.CANCELLED),
        ),
        (
            Confirming("p"),
            Decided(ProposalState.EXPIRED, here=False),
            Ended(
                "This has expired: nobody answered in time. Nothing was changed.",
                proposal=ProposalState.EXPIRED,
            ),
        ),
        (Confirming("p"), GaveUp(), Ended()),
        (Approving("p"), GaveUp(), Ended()),
        # The job: its questions are answered elsewhere too, and then asked no more.
        (Following("j"), RUNNING, Following("j")),
        (Following("j"), JobChanged(JobState.WAITING, question="q"), Following("j", question="q")),
        (Following("j", question="q"), RUNNING, Following("j")),
        (Following("j"), GaveUp(), Ended()),
        # The selection is let go when all of it was dealt with; after a failure it stays, and nothing is opened.
        (
            Following("j", WISH, True),
            DONE,
            Settling(True, "new", Ended("done", job="j", is_done=True, opens=b"/new")),
        ),
        (Following("j", WISH), DONE, Settling(False, "new", Ended("done", job="j", is_done=True, opens=b"/new"))),
        (Following("j", WISH, True), FAILED, Settling(False, "new", Ended("failed", is_bad=True, job="j"))),
        (
            Following("j", WISH, True),
            JobChanged(JobState.FAILED, "failed", unfinished=frozenset({b"/left/bad"})),
            Settling(True, "new", Ended("failed", is_bad=True, job="j"), frozenset({b"/left/bad"})),
        ),
        (
            Following("j", SURE, True),
            JobChanged(JobState.CANCELLED, "cancelled"),
            Settling(False, "", Ended("cancelled", job="j")),
        ),
        (Settling(True, "", Ended("done")), Settled(), Ended("done")),
        (Settling(True, "", Ended("done")), GaveUp(), Settling(True, "", Ended("done"))),
        (Ended("done"), GaveUp(), Ended("done")),
    ],
)
def test_each_event_leads_to_one_state(state, event, after):
    assert advance(state, event) == after


STATES = [Planning, Confirming | Approving, Following, Settling, Ended]
EVENTS = st.one_of(
    st.builds(Planned, st.just("p"), st.booleans(), st.booleans()),
    st.builds(Answered, st.just("said")),
    st.builds(Decided, st.sampled_from(ProposalState), st.sampled_from([None, "j"]), st.booleans()),
    st.builds(JobChanged, st.sampled_from(JobState), st.just("line"), st.sampled_from([None, "q"])),
    st.just(Settled()),
    st.just(GaveUp()),
)


def place(state):
    """How far a state is on the way."""
    return next(number for number, kind in enumerate(STATES) if isinstance(state, kind))


@given(st.booleans(), st.lists(EVENTS, max_size=30))
def test_whatever_happens_it_never_goes_back_and_can_always_end(sure, events):
    state = Planning(Wish(sure))
    for event in events:
        after = advance(state, event)
        assert place(after) >= place(state)
        assert after == state or place(after) > place(state) or isinstance(after, Following)
        state = after
    for event in (Planned("p", asks_again=True), Decided(ProposalState.APPROVED, "j"), DONE, Settled()):
        state = advance(state, event)
    assert isinstance(state, Ended)


@pytest.mark.parametrize(
    ("typed", "word", "yes"),
    [("y", None, True), (" YES ", None, True), ("", None, False), ("delete", None, False), ("j", None, False),
     ("delete", "delete", True), (" Delete", "delete", True), ("y", "delete", False), ("", "delete", False)],
)  # fmt: skip
def test_a_yes_is_enough_unless_the_plan_asks_for_its_word(typed, word, yes):
    assert is_yes(typed, word) is yes
