"""Blocking work, awaited without blocking anybody else.

Each piece of work gets a thread of its own that the program does not wait for at its end: a dead mount may hold a
thread for ever, and neither a pool nor a quit may be stuck behind it.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread of its own and wait for its answer; when cancelled, the answer is dropped."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def deliver(value: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(value)  # type: ignore[arg-type]

    def run() -> None:
        value: T | None = None
        error: BaseException | None = None
        try:
            value = work(*args, **kwargs)
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(deliver, value, error)
        except RuntimeError:
            # The loop has ended meanwhile; nobody waits any more.
            return

    threading.Thread(target=run, daemon=True, name=getattr(work, "__name__", "work")).start()
    return await answer


def is_being_cancelled() -> bool:
    """Whether the current task itself was asked to end, not only what it waits for."""
    current = asyncio.current_task()
    return current is not None and current.cancelling() > 0
