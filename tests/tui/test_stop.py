"""Stop is stop: one press of the key, in every window and state; a second press does not allow again."""

import asyncio

import pytest
from tests.tui.conftest import AGENT
from tests.tui.stop_states import STATES, refused

from cmdr.core.dispatch.principals import PERSON
from cmdr.model.job import JobState
from cmdr.tui.windows.window import GRACE_S


@pytest.mark.parametrize("state", STATES)
async def test_one_press_stops_the_agents_in_every_window_and_state(face, state):
    """In all windows the key did nothing: an agent's `state` was answered."""
    window, lead = STATES[state]
    async with face() as it:
        await lead(it)
        if window:
            await it.until(lambda: it.window == window)
        assert not await refused(it)
        it.burst("ctrl+k")
        while not it.commander.policy.agents_stopped:
            await asyncio.sleep(0)
        assert await refused(it)
        it.burst("ctrl+k")
        await it.pilot.pause()
        assert await refused(it)


async def test_the_persons_own_key_stops_in_a_window_and_the_usual_one_does_not(face):
    async with face() as it:
        await it.commander.run(PERSON, "settings.bind", {"action": "stop_agents", "keys": ["f12"]})
        await it.press("f1")
        await it.press("ctrl+k")
        assert not await refused(it)
        await it.press("f12")
        assert await refused(it)
        assert it.window == "TextWindow"
        assert "All agents are stopped" in it.drawn


async def test_a_letter_of_the_persons_own_stops_in_the_panes_and_is_typed_in_a_field(face):
    async with face() as it:
        await it.commander.run(PERSON, "settings.bind", {"action": "stop_agents", "keys": ["k"]})
        await it.press("f7", "k")
        assert not await refused(it)
        await it.press("escape", "k")
        assert await refused(it)


async def test_an_approved_job_of_an_agent_stands_still_once_agents_are_stopped(face):
    """It went on from 7,679 to 18,431 files after "All agents are stopped"."""
    async with face(size=(160, 30)) as it:
        many = it.left / "many"
        many.mkdir()
        for number in range(3000):
            (many / f"n{number}").write_bytes(b"x")
        await it.commander.run(AGENT, "copy", {"paths": [str(many)], "to": str(it.right)})
        (waiting,) = it.commander.proposals.pending()
        await it.commander.run(PERSON, "approve", {"proposal": waiting.id, "digest": waiting.plan.digest})
        (job,) = it.commander.jobs.running()
        await it.until(lambda: job.progress.items_done)
        it.burst("ctrl+k")
        await it.until(lambda: job.state is JobState.PAUSED)
        assert "1 waits: Ctrl+Y" in it.status
        assert "▶" not in it.status
        assert it.main.status.message == "All agents are stopped; 1 job of theirs paused"
        await it.commander.run(PERSON, "agents.allow", {})
        await it.pilot.pause()
        assert job.state is JobState.PAUSED
        before = len(list((it.right / "many").iterdir()))
        assert 0 < before < 3000
        await it.press("ctrl+y")
        await it.until(lambda: it.window == "InboxWindow")
        it.clock.forward(GRACE_S)
        await it.press("g")
        await it.until(lambda: job.state is JobState.DONE)
        assert len(list((it.right / "many").iterdir())) == 3000
