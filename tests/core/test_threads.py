"""Blocking work is awaited without blocking anybody, and nobody waits for work that never ends."""

import asyncio
import subprocess
import sys
import threading

import pytest

from cmdr.core.threads import in_thread, is_being_cancelled, opened_in_thread


async def test_the_answer_comes_back():
    assert await in_thread(lambda a, *, b: a + b, 1, b=2) == 3


async def test_an_error_comes_back_as_itself():
    def fail():
        raise FileNotFoundError("gone")

    with pytest.raises(FileNotFoundError, match="gone"):
        await in_thread(fail)


async def test_work_that_hangs_holds_up_no_other_work():
    hang = threading.Event()
    stuck = [asyncio.ensure_future(in_thread(hang.wait)) for _ in range(50)]
    assert await asyncio.wait_for(in_thread(lambda: "ready"), 60) == "ready"
    hang.set()
    await asyncio.gather(*stuck)


async def test_a_cancelled_wait_drops_the_answer():
    go, done = threading.Event(), threading.Event()

    def work():
        go.wait()
        done.set()
        raise ValueError("nobody hears this")

    waiting = asyncio.ensure_future(in_thread(work))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go.set()
    assert done.wait(60)
    await asyncio.sleep(0)


def test_a_loop_that_has_ended_is_not_missed():
    go, ended = threading.Event(), threading.Event()

    def work():
        go.wait()
        ended.set()

    async def leave():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_thread(work), 0.001)

    asyncio.run(leave())
    go.set()
    assert ended.wait(60)


def test_a_quit_is_not_held_up_by_work_that_never_ends():
    program = (
        "import asyncio, threading\n"
        "from cmdr.core.threads import in_thread\n"
        "async def main():\n"
        "    stuck = asyncio.ensure_future(in_thread(threading.Event().wait))\n"
        "    await asyncio.sleep(0.01)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


async def test_a_task_knows_whether_it_was_asked_to_end_itself():
    seen = []

    async def work():
        inner = asyncio.ensure_future(asyncio.sleep(60))
        asyncio.get_running_loop().call_soon(inner.cancel)
        try:
            await inner
        except asyncio.CancelledError:
            seen.append(is_being_cancelled())
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append(is_being_cancelled())

    task = asyncio.ensure_future(work())
    while not seen:
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert seen == [False, True]


class Opened:
    """Knows whether it was closed."""

    def __init__(self):
        self.closed = threading.Event()

    def close(self):
        self.closed.set()


async def test_what_is_opened_for_somebody_who_waits_stays_open():
    opened = Opened()
    assert await opened_in_thread(lambda: opened) is opened
    assert not opened.closed.is_set()


async def test_what_is_opened_after_its_caller_has_gone_is_closed():
    go, opened = threading.Event(), Opened()

    def work():
        go.wait()
        return opened

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(opened_in_thread(work), 0.001)
    go.set()
    assert await in_thread(opened.closed.wait, 5)


async def test_what_is_opened_in_the_moment_in_which_its_caller_goes_is_closed():
    opened = Opened()
    waiting = asyncio.ensure_future(opened_in_thread(lambda: opened))
    asyncio.get_running_loop().call_soon_threadsafe = _and_then(asyncio.get_running_loop(), waiting)
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert opened.closed.is_set()


def _and_then(loop, waiting):
    """Deliver the answer, and cancel whoever waits for it in the same step of the loop."""
    real = loop.call_soon_threadsafe

    def call(deliver, *answer):
        def both():
            deliver(*answer)
            waiting.cancel()

        return real(both)

    return call


def test_what_is_opened_after_the_loop_has_ended_is_closed():
    go, opened = threading.Event(), Opened()

    def work():
        go.wait()
        return opened

    async def leave():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(opened_in_thread(work), 0.001)

    asyncio.run(leave())
    go.set()
    assert opened.closed.wait(60)
