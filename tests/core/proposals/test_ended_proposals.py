"""What nobody answered is told until seen, in a few lines for each caller, however much it was."""

import pytest

from cmdr.core.events import Events
from cmdr.core.proposals.ended_proposals import KEPT_PER_CALLER, MAX_CALLERS, EndedProposal, EndedProposals
from cmdr.model.panes.workspace import Workspace


def one(number, by="agent:a"):
    return EndedProposal(f"p_{by}{number}", by, f"Copy {number}", "expired", float(number))


@pytest.fixture
def ended():
    return EndedProposals(Events(Workspace.at(b"/", b"/")))


def test_each_is_told_once_oldest_first_until_it_was_seen(ended):
    changes = []
    ended.changed = lambda: changes.append(len(ended.all()))
    for number in (2, 1, 2):
        ended.add(one(number))
    assert ended.all() == [one(1), one(2)]
    assert one(1).id in ended and "p_other" not in ended
    ended.seen([one(1).id, "p_other"])
    assert ended.all() == [one(2)]
    ended.seen([one(2).id])
    assert (ended.all(), changes) == ([], [1, 2, 1, 0])


def test_of_many_of_one_caller_a_few_are_told_and_the_others_counted(ended):
    ended.add(one(0, "agent:b"))
    for number in range(10_000):
        ended.add(one(number))
    assert len(ended.all()) == KEPT_PER_CALLER + 1
    assert ended.more() == {"agent:a": 10_000 - KEPT_PER_CALLER}
    ended.seen([last.id for last in ended.all() if last.by == "agent:a"])
    assert (ended.all(), ended.more()) == ([one(0, "agent:b")], {})


def test_there_is_an_end_to_the_callers_too(ended):
    for number in range(KEPT_PER_CALLER + 1):
        ended.add(one(number, "agent:first"))
    for number in range(MAX_CALLERS):
        ended.add(one(1, f"agent:{number}"))
    assert len(ended.all()) == MAX_CALLERS
    assert ended.more() == {}


def test_what_was_kept_is_told_again_after_a_restart(ended):
    ended.restore([one(number) for number in range(KEPT_PER_CALLER + 1)], {"agent:a": 7, "agent:gone": 3})
    assert len(ended.all()) == KEPT_PER_CALLER
    assert ended.more() == {"agent:a": 8}
