"""What agents are doing: their calls and who they are, the last ones only."""

from cmdr.core.agents.activity import MAX_REMEMBERED, Activity
from cmdr.core.dispatch.principals import PERSON, Principal


def call(activity, name):
    activity.end(activity.begin(Principal("agent", name), "state", {}), "ok", 1)


def test_of_many_callers_those_that_called_last_are_remembered():
    activity = Activity()
    for number in range(MAX_REMEMBERED):
        call(activity, f"one{number}")
    call(activity, "one0")
    for number in range(MAX_REMEMBERED - 1):
        call(activity, f"other{number}")
    assert len(activity.callers) == len(activity.recent) == MAX_REMEMBERED
    assert activity.callers["one0"].calls == 2
    assert "one1" not in activity.callers


def test_what_people_do_is_not_noted():
    activity = Activity()
    assert activity.begin(PERSON, "state", {}) is None
    assert not activity.callers
    assert not activity.recent


def test_standing_connections_are_counted_by_caller():
    activity = Activity()
    with activity.connected("one"), activity.connected("one"), activity.connected("other"):
        assert (activity.lines["one"], activity.lines["other"]) == (2, 1)
    assert not activity.lines
