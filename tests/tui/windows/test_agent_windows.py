"""Windows that agents open come to the front when nobody types, once, and take no key that was meant for the panes."""

import asyncio

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.root_spec import RootSpec
from cmdr.tui.windows.agent_windows import IDLE_S, TYPING_S
from cmdr.tui.windows.window import GRACE_S

AGENT = Principal("agent", "claude")


async def open_viewer(it, name="main.py"):
    view = {"action": "open", "type": "file-viewer", "path": str(it.left / name)}
    await it.commander.run(AGENT, "dialog", view)
    await it.pilot.pause()


async def rest(it, seconds=IDLE_S):
    """Nobody touches a key for so long."""
    it.terminal.look_at_waiting()
    await it.pilot.pause()
    it.clock.forward(seconds)
    it.terminal.presence.look()


async def test_a_viewer_comes_when_the_person_has_been_idle_for_a_moment(face):
    async with face() as it:
        await it.press("down")
        await open_viewer(it)
        await rest(it, IDLE_S / 2)
        assert it.window == "MainScreen"
        await rest(it)
        await it.until(lambda: it.window == "Viewer" and "import os" in it.drawn)


async def test_no_key_counts_until_it_has_stood_there_for_a_moment_but_escape_closes_it(face):
    async with face() as it:
        await open_viewer(it)
        await rest(it)
        await it.until(lambda: it.window == "Viewer")
        await it.press("q", "f4")
        assert it.window == "Viewer"
        it.clock.forward(GRACE_S)
        await it.press("escape")
        assert it.window == "MainScreen"
        assert not it.commander.workspace.dialogs


async def test_escape_closes_it_at_once(face):
    async with face() as it:
        await open_viewer(it)
        await rest(it)
        await it.until(lambda: it.window == "Viewer")
        await it.press("escape")
        assert it.window == "MainScreen"


async def test_nothing_comes_while_somebody_searches_or_has_a_window_open(face):
    async with face() as it:
        await it.press("f")
        await open_viewer(it)
        await rest(it)
        assert it.window == "MainScreen" and it.main.quick_search.search == "f"
        await it.press("escape", "f7")
        await rest(it)
        assert it.window == "Ask"
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")
        await rest(it)
        await it.until(lambda: it.window == "Viewer")


@pytest.mark.parametrize(
    ("when", "seconds", "window"), [("at once", TYPING_S, "Viewer"), ("never", 1000, "MainScreen")]
)
async def test_the_setting_says_when(face, when, seconds, window):
    async with face() as it:
        await it.commander.settings.choose("agents.windows", when)
        await it.press("down")
        await open_viewer(it)
        await rest(it, seconds)
        await it.until(lambda: it.window == window)


async def test_a_proposal_comes_in_the_inbox_once_and_not_again_after_escape(face):
    async with face() as it:
        await it.commander.run(AGENT, "mkdir", {"path": str(it.left), "name": "one"})
        await rest(it)
        await it.until(lambda: it.window == "InboxWindow")
        await it.press("y", "escape")
        assert it.window == "MainScreen"
        await rest(it)
        assert it.window == "MainScreen"
        await it.commander.run(AGENT, "mkdir", {"path": str(it.left), "name": "two"})
        await rest(it)
        await it.until(lambda: it.window == "InboxWindow")
        assert len(it.commander.proposals.pending()) == 2


async def test_a_single_edit_comes_as_its_diff(face):
    async with face() as it:
        it.commander.sandbox = Sandbox((RootSpec(bytes(it.left)),))
        wish = {"path": str(it.left / "readme.md"), "contents": "other\n"}
        call = asyncio.create_task(it.commander.run(AGENT, "open_diff", wish))
        await it.until(lambda: it.commander.services.waiting_reviews())
        await rest(it)
        await it.until(lambda: it.window == "ReviewScreen")
        await it.press("y", "a")
        assert not call.done()
        it.clock.forward(GRACE_S)
        await it.press("n")
        assert await call == "OK: DIFF_REJECTED"
        await it.until(lambda: it.window == "MainScreen")
