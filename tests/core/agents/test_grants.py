"""What the person lets single clients do: given, taken away, and never to those who proved nothing."""

from cmdr.core.agents.grants import Grant, Grants
from cmdr.core.dispatch.principals import SAME_USER, Principal

CODEX = Principal("agent", "codex", token=True)


def test_a_client_has_what_it_was_given_until_it_is_taken_away():
    grants = Grants()
    assert not grants.has(CODEX, Grant.SHELL)
    grants.give("codex", Grant.SHELL)
    assert grants.has(CODEX, Grant.SHELL)
    assert not grants.has(CODEX, Grant.WRITE)
    grants.revoke("codex", Grant.SHELL)
    assert not grants.has(CODEX, Grant.SHELL)
    assert grants.is_withheld(CODEX, Grant.SHELL)
    grants.give("codex", Grant.SHELL)
    assert not grants.is_withheld(CODEX, Grant.SHELL)


def test_whoever_has_no_token_never_has_anything():
    grants = Grants()
    grants.give(SAME_USER.name, Grant.SHELL)
    assert not grants.has(SAME_USER, Grant.SHELL)


def test_all_that_was_given_and_taken_is_listed():
    grants = Grants()
    grants.revoke("b", Grant.WRITE)
    grants.give("a", Grant.SHELL)
    assert grants.all() == [("a", Grant.SHELL, True), ("b", Grant.WRITE, False)]
