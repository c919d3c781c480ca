"""Rules in the terminal: made from a question with two keys, told when they admit something, suspended and removed."""

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.root_spec import RootSpec
from cmdr.tui.inbox.answers import NEXT_S
from cmdr.tui.windows.window import GRACE_S

AGENT = Principal("agent", "claude", token=True)


@pytest.fixture
def sandbox(places):
    return Sandbox((RootSpec(bytes(places[0])),))


async def move(it, name):
    wish = {"paths": [str(it.left / name)], "to": str(it.left / "docs")}
    return await it.commander.run(AGENT, "move", wish)


async def make_rule(it, key):
    await move(it, "file1.txt")
    await it.press("ctrl+y")
    await it.until(lambda: "R yes, with a rule" in " ".join(it.drawn.split()))
    it.clock.forward(GRACE_S)
    await it.press("R")
    assert "what is like this is not asked about" in it.drawn
    assert "claude, move within" in it.window_text
    it.clock.forward(NEXT_S)
    await it.press(key)
    await it.until(lambda: it.commander.rules.all())
    await it.until((it.left / "docs" / "file1.txt").exists)


async def test_two_keys_make_a_rule_and_the_next_like_it_runs_unasked_and_is_told(face, sandbox):
    async with face(size=(120, 40), sandbox=sandbox) as it:
        await make_rule(it, "t")
        (rule,) = it.commander.rules.all()
        assert rule.until is not None
        await it.until(lambda: not it.commander.proposals.pending())
        it.clock.forward(GRACE_S)
        await it.press("escape")
        assert "by rule 1" in await move(it, "file2.txt")
        it.main.status._message = ""
        await it.until(lambda: "claude moved 1 file" in it.status and "Ctrl+Z undoes" in it.status)


async def test_escape_makes_no_rule_and_leaves_the_question(face, sandbox):
    async with face(size=(120, 40), sandbox=sandbox) as it:
        await move(it, "file1.txt")
        await it.press("ctrl+y")
        await it.until(lambda: "R yes, with a rule" in " ".join(it.drawn.split()))
        it.clock.forward(GRACE_S)
        await it.press("R", "t", "escape")
        assert it.window == "InboxWindow"
        assert not it.commander.rules.all() and it.commander.proposals.pending()


async def test_a_rule_is_suspended_allowed_again_and_removed(face, sandbox):
    async with face(size=(120, 40), sandbox=sandbox) as it:
        await make_rule(it, "w")
        (rule,) = it.commander.rules.all()
        assert rule.until is None
        it.clock.forward(GRACE_S)
        await it.press("escape")
        await it.press("alt+a", "r")
        await it.until(lambda: it.window == "RulesWindow" and "holds" in it.drawn)
        assert "Rules of claude" in it.drawn and "left in this hour" in it.window_text
        await it.press("s")
        await it.until(lambda: "suspended" in it.drawn)
        it.clock.forward(GRACE_S)
        await it.press("a")
        await it.until(lambda: "holds again" in it.drawn)
        await it.press("delete")
        await it.until(lambda: not it.commander.rules.all())
