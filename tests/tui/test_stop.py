"""Stop is stop: one press of the key, in every window and state; a second press does not allow again."""

import asyncio

import pytest
from tests.tui.stop_states import STATES, refused


@pytest.mark.parametrize("state", STATES)
async def test_one_press_stops_the_agents_in_every_window_and_state(face, state):
    """In all windows the key did nothing: an agent's `state` was answered."""
    window, lead = STATES[state]
    async with face() as it:
        await lead(it)
        if window:
            await it.until(lambda: it.window == window)
        print(state, it.window)
        assert not await refused(it)
        it.burst("ctrl+k")
        while not it.commander.policy.agents_stopped:
            await asyncio.sleep(0)
        assert await refused(it)
        it.burst("ctrl+k")
        await it.pilot.pause()
        assert await refused(it)
