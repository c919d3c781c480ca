"""What is due once nobody types: one timer, and nothing while a key came a moment ago."""

import asyncio

from tests.tui.conftest import Clock

from cmdr.tui.input.presence import Presence


async def test_what_is_due_waits_for_a_quiet_moment_and_comes_once():
    clock, done = Clock(), []
    presence = Presence(clock)
    presence.when_idle("a", 5.0, lambda: done.append("a"))
    clock.forward(4.0)
    presence.look()
    presence.touched()
    clock.forward(4.0)
    presence.look()
    assert not done
    clock.forward(1.0)
    presence.look()
    presence.look()
    assert done == ["a"]


async def test_the_same_name_takes_the_place_of_what_waited_and_can_be_given_up():
    clock, done = Clock(), []
    presence = Presence(clock)
    presence.when_idle("a", 1.0, lambda: done.append("old"))
    presence.when_idle("a", 1.0, lambda: done.append("new"))
    presence.when_idle("b", 1.0, lambda: done.append("b"))
    presence.cancel("b")
    clock.forward(1.0)
    presence.look()
    assert done == ["new"]


async def test_the_timer_comes_by_itself_and_ends_with_the_program():
    loop = asyncio.get_running_loop()
    presence, came = Presence(loop.time), asyncio.Event()
    presence.when_idle("a", 0.01, came.set)
    await came.wait()
    presence.when_idle("b", 60.0, came.clear)
    presence.close()
    assert presence._timer is None and came.is_set()
