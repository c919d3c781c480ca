"""Taking turns: bounded, fair between callers, and nothing is lost when one leaves the line."""

import asyncio

import pytest

from cmdr.core.errors import TooMany
from cmdr.core.principals import PERSON, Principal
from cmdr.core.turns import Turns


def agent(name):
    return Principal("agent", name, token=True)


async def hold(turns, caller, gate, log):
    async with turns.of(caller):
        log.append(caller.name)
        await gate.wait()


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def test_only_so_many_run_and_the_rest_follow_in_order():
    async def scene():
        turns, gate, log = Turns(2, 2), asyncio.Event(), []
        calls = [asyncio.create_task(hold(turns, agent("a"), gate, log)) for _ in range(5)]
        await settle()
        assert len(log) == turns.running == 2
        gate.set()
        await asyncio.gather(*calls)
        assert len(log) == 5
        assert turns.running == 0

    asyncio.run(scene())


def test_a_caller_with_many_waits_behind_one_with_few():
    async def scene():
        turns, gate, log = Turns(3, 3), asyncio.Event(), []
        greedy = [asyncio.create_task(hold(turns, agent("greedy"), gate, log)) for _ in range(50)]
        await settle()
        modest = asyncio.create_task(hold(turns, agent("modest"), gate, log))
        await settle()
        gate.set()
        await asyncio.gather(*greedy, modest)
        assert log.index("modest") <= 4

    asyncio.run(scene())


def test_one_caller_never_takes_every_place():
    async def scene():
        turns, gate, log = Turns(4, 2), asyncio.Event(), []
        greedy = [asyncio.create_task(hold(turns, agent("greedy"), gate, log)) for _ in range(10)]
        await settle()
        other = asyncio.create_task(hold(turns, agent("other"), gate, log))
        await settle()
        assert log == ["greedy", "greedy", "other"]
        gate.set()
        await asyncio.gather(*greedy, other)

    asyncio.run(scene())


def test_people_never_wait_and_inner_calls_have_their_turn_already():
    async def scene():
        turns = Turns(1, 1)
        async with turns.of(agent("a")), turns.of(PERSON), turns.of(agent("a")):
            assert turns.running == 1

    asyncio.run(scene())


def test_those_who_leave_the_line_give_up_their_place():
    async def scene():
        turns, gate, log = Turns(1, 1), asyncio.Event(), []
        first = asyncio.create_task(hold(turns, agent("a"), gate, log))
        await settle()
        waiting = [asyncio.create_task(hold(turns, agent("b"), gate, log)) for _ in range(4)]
        await settle()
        waiting[0].cancel()
        waiting[2].cancel()
        gate.set()
        await asyncio.gather(first, *waiting, return_exceptions=True)
        assert log == ["a", "b", "b"]
        assert turns.running == 0

    asyncio.run(scene())


def test_leaving_in_the_very_moment_of_being_called_loses_no_place():
    async def scene():
        turns, gate, log = Turns(1, 1), asyncio.Event(), []
        first = asyncio.create_task(hold(turns, agent("a"), gate, log))
        await settle()
        second = asyncio.create_task(hold(turns, agent("b"), gate, log))
        third = asyncio.create_task(hold(turns, agent("c"), gate, log))
        await settle()
        gate.set()
        first.add_done_callback(lambda _: second.cancel())
        await asyncio.gather(first, second, third, return_exceptions=True)
        assert turns.running == 0
        assert "c" in log

    asyncio.run(scene())


def test_an_endless_line_is_refused():
    async def scene():
        turns, gate, log = Turns(1, 1, waiting=2), asyncio.Event(), []
        calls = [asyncio.create_task(hold(turns, agent("a"), gate, log)) for _ in range(3)]
        await settle()
        with pytest.raises(TooMany):
            async with turns.of(agent("a")):
                pass
        gate.set()
        await asyncio.gather(*calls)

    asyncio.run(scene())


def test_a_call_that_hangs_stops_counting_after_a_while():
    async def scene():
        turns, gate, log = Turns(1, 1, longest=0.02), asyncio.Event(), []
        stuck = asyncio.create_task(hold(turns, agent("stuck"), asyncio.Event(), log))
        await settle()
        other = asyncio.create_task(hold(turns, agent("other"), gate, log))
        gate.set()
        await asyncio.wait_for(other, 60)
        assert log == ["stuck", "other"]
        stuck.cancel()
        await asyncio.wait([stuck])
        assert turns.running == 0

    asyncio.run(scene())
