"""What each client may do, on the screen: told as the policy sees it, given and taken back with a key."""

import pytest

from cmdr.core.agents.grants import Grant
from cmdr.core.agents.tokens import DEFAULT, Tokens
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import SAME_USER
from cmdr.core.dispatch.registry import ALL_TOOLSETS
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.root_spec import RootSpec
from cmdr.tui.widgets.lines import LineList


@pytest.fixture
def tokens(tmp_path):
    for name in ("runtime", "kept"):
        (tmp_path / name).mkdir(mode=0o700)
    return Tokens(str(tmp_path / "runtime"), str(tmp_path / "kept"))


def everything():
    return Policy(ALL_TOOLSETS, allow_write=True, allow_shell=True)


def give_roots(it, tokens):
    it.commander.sandbox = Sandbox((RootSpec(bytes(it.left)), RootSpec(bytes(it.right), read_only=True)))
    it.commander.tokens = tokens


def told(it, name):
    """The lines about a client."""
    rows = [line.strip() for line in it.lines(it.terminal.screen.query(LineList)[1])]
    first = next(place for place, line in enumerate(rows) if line.startswith(f"{name} "))
    return " ".join(rows[first : first + 3])


async def test_each_client_is_told_with_what_it_may_use_where_and_until_when(face, tokens):
    tokens.issue("codex", toolsets=["panes", "fs"], seconds=3600)
    tokens.issue("reader", roots=[], read_only=True)
    async with face(size=(160, 40), policy=everything()) as it:
        give_roots(it, tokens)
        await it.commander.run(DEFAULT, "state", {})
        await it.commander.run(SAME_USER, "state", {})
        await it.press("alt+a")
        await it.until(lambda: "codex" in it.drawn)
        assert "may use fs, panes" in told(it, "codex")
        assert "until " in told(it, "codex") and "has not called" in told(it, "codex")
        assert "read-only" in told(it, "reader") and "changes to files: switched off" in told(it, "reader")
        assert "1 call, last " in told(it, "default")
        assert "commands: asks each time" in told(it, "default")


async def test_those_without_a_token_have_no_files_and_no_commands(face, tokens):
    async with face(policy=everything()) as it:
        give_roots(it, tokens)
        await it.commander.run(SAME_USER, "state", {})
        await it.press("alt+a")
        assert "fs" not in told(it, "same-user").partition("may use")[2].split(" ")
        assert "commands: switched off" in told(it, "same-user")


async def test_keys_give_and_take_back_what_the_client_under_the_cursor_has(face, tokens):
    async with face(policy=everything()) as it:
        give_roots(it, tokens)
        grants = it.commander.policy.grants
        await it.commander.run(DEFAULT, "state", {})
        await it.press("alt+a", "h")
        assert grants.has(DEFAULT, Grant.SHELL)
        assert "commands: given" in told(it, "default")
        await it.press("h")
        assert not grants.has(DEFAULT, Grant.SHELL)
        await it.press("w")
        assert grants.is_withheld(DEFAULT, Grant.WRITE)
        assert "changes to files: withdrawn" in told(it, "default")
        await it.press("w")
        assert not grants.is_withheld(DEFAULT, Grant.WRITE)


async def test_what_is_not_switched_on_cannot_be_given(face):
    async with face() as it:
        await it.commander.run(DEFAULT, "state", {})
        await it.press("alt+a", "h")
        assert "not switched on" in it.drawn
        assert it.commander.policy.grants.all() == []


async def test_a_token_is_taken_back_from_the_client_under_the_cursor_and_no_other(face, tokens):
    secrets = {name: tokens.issue(name) for name in ("anna", "bert")}
    async with face(policy=everything()) as it:
        give_roots(it, tokens)
        await it.press("alt+a")
        await it.until(lambda: "bert" in it.drawn)
        await it.press("down")
        secrets["aaron"] = tokens.issue("aaron")  # comes above it
        await it.until(lambda: "aaron" in it.drawn)
        await it.press("delete")
        await it.until(lambda: "bert must ask" in it.drawn)
        assert tokens.verify(secrets["bert"]) is None
        assert tokens.verify(secrets["anna"]).name == "anna"
        assert tokens.verify(secrets["aaron"]).name == "aaron"


async def test_a_damaged_list_of_clients_is_told(face, tokens, tmp_path):
    (tmp_path / "kept" / "clients.json").write_text("{")
    (tmp_path / "kept" / "clients.json").chmod(0o600)
    async with face(policy=everything()) as it:
        give_roots(it, tokens)
        await it.press("alt+a")
        await it.until(lambda: "list of clients cannot be read" in it.drawn)
