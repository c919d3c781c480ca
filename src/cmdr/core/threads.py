"""Blocking work, awaited without blocking anybody else.

Each piece of work gets a thread of its own that the program does not wait for at its end: a dead mount may hold a
thread for ever, and neither a pool nor a quit may be stuck behind it.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar


class Closable(Protocol):
    """Holds something of the system until it is closed."""

    def close(self) -> None:
        """Let go."""


P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", bound=Closable)


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread of its own and wait for its answer; when cancelled, the answer is dropped."""
    return await _awaited(lambda: work(*args, **kwargs), lambda value: None, getattr(work, "__name__", "work"))


async def opened_in_thread(work: Callable[P, C], *args: P.args, **kwargs: P.kwargs) -> C:
    """As `in_thread`, for what has to be closed: opened after its caller has gone, it is closed at once."""
    return await _awaited(lambda: work(*args, **kwargs), lambda value: value.close(), getattr(work, "__name__", "open"))


async def _awaited(work: Callable[[], T], unclaimed: Callable[[T], None], name: str) -> T:
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def deliver(value: T | None, error: BaseException | None) -> None:
        if answer.done():
            if error is None:
                unclaimed(value)  # type: ignore[arg-type]
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(value)  # type: ignore[arg-type]

    def run() -> None:
        value: T | None = None
        error: BaseException | None = None
        try:
            value = work()
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(deliver, value, error)
        except RuntimeError:
            # The loop has ended meanwhile; nobody waits any more.
            if error is None:
                unclaimed(value)  # type: ignore[arg-type]

    threading.Thread(target=run, daemon=True, name=name).start()
    try:
        return await answer
    except asyncio.CancelledError:
        if answer.done() and not answer.cancelled() and answer.exception() is None:
            unclaimed(answer.result())  # it came in the very moment in which the caller went
        raise


def is_being_cancelled() -> bool:
    """Whether the current task itself was asked to end, not only what it waits for."""
    current = asyncio.current_task()
    return current is not None and current.cancelling() > 0
