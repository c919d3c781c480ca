"""A fair semaphore: bounded, fair between callers, and nothing is lost when one leaves the line."""

import asyncio

import pytest

from cmdr.core.admission.fair_semaphore import FairSemaphore, QueueFull
from cmdr.core.admission.limits import Concurrency


def semaphore(total, per_caller, **more):
    return FairSemaphore(Concurrency(per_caller, total, **more))


async def hold(running, caller, gate, log):
    permit = await running.acquire(caller)
    try:
        log.append(caller)
        await gate.wait()
    finally:
        permit.release()


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def test_only_so_many_run_and_the_rest_follow_in_order():
    async def scene():
        running, gate, log = semaphore(2, 2), asyncio.Event(), []
        calls = [asyncio.create_task(hold(running, "a", gate, log)) for _ in range(5)]
        await settle()
        assert len(log) == running.running == 2
        gate.set()
        await asyncio.gather(*calls)
        assert len(log) == 5
        assert running.running == 0

    asyncio.run(scene())


def test_a_caller_with_many_waits_behind_one_with_few():
    async def scene():
        running, gate, log = semaphore(3, 3), asyncio.Event(), []
        greedy = [asyncio.create_task(hold(running, "greedy", gate, log)) for _ in range(50)]
        await settle()
        modest = asyncio.create_task(hold(running, "modest", gate, log))
        await settle()
        gate.set()
        await asyncio.gather(*greedy, modest)
        assert log.index("modest") <= 4

    asyncio.run(scene())


def test_one_caller_never_takes_every_place():
    async def scene():
        running, gate, log = semaphore(4, 2), asyncio.Event(), []
        greedy = [asyncio.create_task(hold(running, "greedy", gate, log)) for _ in range(10)]
        await settle()
        other = asyncio.create_task(hold(running, "other", gate, log))
        await settle()
        assert log == ["greedy", "greedy", "other"]
        gate.set()
        await asyncio.gather(*greedy, other)

    asyncio.run(scene())


def test_those_who_leave_the_line_give_up_their_place():
    async def scene():
        running, gate, log = semaphore(1, 1), asyncio.Event(), []
        first = asyncio.create_task(hold(running, "a", gate, log))
        await settle()
        waiting = [asyncio.create_task(hold(running, "b", gate, log)) for _ in range(4)]
        await settle()
        waiting[0].cancel()
        waiting[2].cancel()
        gate.set()
        await asyncio.gather(first, *waiting, return_exceptions=True)
        assert log == ["a", "b", "b"]
        assert running.running == 0

    asyncio.run(scene())


def test_leaving_in_the_very_moment_of_being_called_loses_no_place():
    async def scene():
        running, gate, log = semaphore(1, 1), asyncio.Event(), []
        first = asyncio.create_task(hold(running, "a", gate, log))
        await settle()
        second = asyncio.create_task(hold(running, "b", gate, log))
        third = asyncio.create_task(hold(running, "c", gate, log))
        await settle()
        gate.set()
        first.add_done_callback(lambda _: second.cancel())
        await asyncio.gather(first, second, third, return_exceptions=True)
        assert running.running == 0
        assert "c" in log

    asyncio.run(scene())


def test_an_endless_line_is_refused():
    async def scene():
        running, gate, log = semaphore(1, 1, queue_length=2), asyncio.Event(), []
        calls = [asyncio.create_task(hold(running, "a", gate, log)) for _ in range(3)]
        await settle()
        with pytest.raises(QueueFull):
            await running.acquire("a")
        gate.set()
        await asyncio.gather(*calls)

    asyncio.run(scene())


def test_a_call_that_hangs_stops_counting_after_a_while():
    async def scene():
        running, gate, log = semaphore(1, 1, hold_s=0.02), asyncio.Event(), []
        stuck = asyncio.create_task(hold(running, "stuck", asyncio.Event(), log))
        await settle()
        other = asyncio.create_task(hold(running, "other", gate, log))
        gate.set()
        await asyncio.wait_for(other, 60)
        assert log == ["stuck", "other"]
        stuck.cancel()
        await asyncio.wait([stuck])
        assert running.running == 0

    asyncio.run(scene())


def test_only_few_begin_at_each_turn_of_the_loop():
    async def scene():
        running, order = FairSemaphore(Concurrency(4, starts_per_turn=2)), []

        async def one(caller):
            permit = await running.acquire(caller)
            order.append(caller)
            permit.release()

        calls = [asyncio.create_task(one(f"caller{number}")) for number in range(20) for _ in range(5)]
        most = 0
        while not all(call.done() for call in calls):
            before = len(order)
            await asyncio.sleep(0)
            most = max(most, len(order) - before)
        assert most <= 2
        assert len(order) == 100

    asyncio.run(scene())


def test_one_timer_serves_for_all_that_take_too_long_and_each_has_its_own_time():
    async def scene():
        running = FairSemaphore(Concurrency(10, hold_s=0.01))
        quick, slow, later = [await running.acquire("a") for _ in range(3)]
        running._due[later] += 3600
        quick.release()
        quick.release()
        assert running.running == 2
        while running.running > 1:
            await asyncio.sleep(0.001)
        slow.release()
        assert running.running == 1
        assert running._timer.when() == running._due[later]
        later.release()
        assert running.running == 0
        running._timer.cancel()

    asyncio.run(scene())
