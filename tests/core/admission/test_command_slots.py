"""Slots for commands: few of one client, some in all, first come first served, and a waiting one can be stopped."""

import asyncio

import pytest

from cmdr.core.admission.command_slots import CommandSlots, NeverRan
from cmdr.core.admission.limits import Concurrency


async def test_a_client_has_few_commands_at_once_and_the_next_one_says_why_it_waits():
    slots = CommandSlots(Concurrency(2))
    first, second, third = [slots.claim("agent:a") for _ in range(3)]
    await first.begin()
    await second.begin()
    assert (first.why, second.why) == ("", "")
    assert third.why == "2 commands of agent:a are running; it waits for one to end"
    waiting = asyncio.create_task(third.begin())
    await asyncio.sleep(0)
    assert not waiting.done()
    first.give_back()
    await waiting
    assert slots.count("agent:a") == 2


async def test_all_clients_together_have_so_many_and_who_came_first_goes_first():
    slots = CommandSlots(Concurrency(2, 3))
    running = [slots.claim(client) for client in ("a", "a", "b")]
    late = [slots.claim(client) for client in ("a", "c", "d")]
    assert "2 commands of a" in late[0].why
    assert late[1].why == "3 commands of all clients are running; it waits for one to end"
    running[2].give_back()  # the first in line is a's, which has enough running
    assert [slot.ready.is_set() for slot in late] == [False, True, False]
    running[0].give_back()
    assert [slot.ready.is_set() for slot in late] == [True, True, False]


async def test_a_command_stopped_while_it_waits_never_runs_and_takes_nobodys_place():
    slots = CommandSlots(Concurrency(1))
    first, second, third = [slots.claim("a") for _ in range(3)]
    assert second.stop("cancelled")
    with pytest.raises(NeverRan, match="cancelled before it ran"):
        await second.begin()
    second.give_back()
    assert not third.ready.is_set()
    first.give_back()
    await third.begin()
    assert not third.stop("too late")
