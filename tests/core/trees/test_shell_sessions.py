"""Where callers stand: each conversation for itself, and as many more as its caller names."""

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, NotThere
from cmdr.core.trees.shell_sessions import MAX_NAME_CHARS, ShellSessions

ONE = Principal("agent", "one")
OTHER = Principal("agent", "other")


def test_two_conversations_of_one_caller_stand_in_two_places():
    sessions = ShellSessions()
    first, second = (sessions.get(None, ONE, conversation, b"/") for conversation in ("a", "b"))
    assert first is not second
    assert sessions.get(None, ONE, "a", b"/tmp") is first


def test_a_name_opens_a_session_and_finds_it_again_from_every_conversation():
    sessions = ShellSessions()
    work = sessions.get("work", ONE, "a", b"/srv")
    assert work.cwd == b"/srv"
    assert sessions.get("work", ONE, "b", b"/") is work
    assert sessions.get(work.id, ONE, "b", b"/") is work
    assert sessions.find("work", ONE) is work


def test_nobody_reaches_the_session_of_another_by_name_or_id():
    sessions = ShellSessions()
    work = sessions.get("work", ONE, "", b"/")
    assert sessions.get("work", OTHER, "", b"/") is not work
    with pytest.raises(NotThere):
        sessions.get(work.id, OTHER, "", b"/")


def test_an_id_that_is_not_known_any_more_makes_no_new_session():
    with pytest.raises(NotThere):
        ShellSessions().get("sh_from_before", ONE, "", b"/")
    with pytest.raises(NotThere):
        ShellSessions().find("work", ONE)
    with pytest.raises(CommandError):
        ShellSessions().get("x" * (MAX_NAME_CHARS + 1), ONE, "", b"/")


def test_a_caller_that_opens_too_many_loses_the_one_used_least_recently_and_nobody_elses():
    sessions = ShellSessions(each=2)
    theirs = sessions.get("a", OTHER, "", b"/")
    first, second = sessions.get("a", ONE, "", b"/"), sessions.get("b", ONE, "", b"/")
    sessions.get("a", ONE, "", b"/")
    sessions.get("c", ONE, "", b"/")
    assert sessions.get("a", ONE, "", b"/") is first
    assert sessions.get("b", ONE, "", b"/") is not second
    assert sessions.get("a", OTHER, "", b"/") is theirs


def test_when_all_callers_have_too_many_the_one_that_used_none_for_longest_loses_one():
    sessions = ShellSessions(together=3)
    quiet, busy = sessions.get("a", OTHER, "", b"/"), sessions.get("a", ONE, "", b"/")
    for name in "bcd":
        sessions.get(name, ONE, "", b"/")
    assert len(sessions) == 3
    with pytest.raises(NotThere):
        sessions.find(quiet.id, OTHER)
    with pytest.raises(NotThere):
        sessions.find(busy.id, ONE)
