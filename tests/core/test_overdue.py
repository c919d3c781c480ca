"""One timer tells of everything that is not over in time, and of nothing else."""

import asyncio

from cmdr.core.overdue import Overdue


def test_what_is_over_in_time_is_never_told_of():
    async def scene():
        told, late = [], asyncio.Event()
        watch = Overdue(0.01, lambda item: (told.append(item), late.set()))
        watch.begin("quick")
        watch.begin("slow")
        assert watch.over("quick")
        assert not watch.over("quick")
        await asyncio.wait_for(late.wait(), 60)
        assert told == ["slow"]
        assert not watch.over("slow")

    asyncio.run(scene())


def test_each_has_its_own_time_though_the_timer_is_one():
    async def scene():
        told, late = [], asyncio.Event()
        watch = Overdue(0.01, lambda item: (told.append(item), late.set()))
        watch.begin("first")
        watch.begin("second")
        watch._due["second"] += 3600
        await asyncio.wait_for(late.wait(), 60)
        assert told == ["first"]
        assert watch._timer.when() == watch._due["second"]
        assert watch.over("second")
        watch._timer.cancel()

    asyncio.run(scene())


def test_the_timer_is_set_anew_after_it_has_rung_for_the_last_one():
    async def scene():
        told = asyncio.Queue()
        watch = Overdue(0.01, told.put_nowait)
        for item in ("first", "second"):
            watch.begin(item)
            assert await asyncio.wait_for(told.get(), 60) == item

    asyncio.run(scene())
