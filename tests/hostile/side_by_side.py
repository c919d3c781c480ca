"""Rows of a torture run side by side, a process for each core; their results in order."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def side_by_side(work: Callable[..., T], rows: Iterable[tuple[object, ...]]) -> Iterator[T]:
    """What the work makes of each row; the first error ends all of it."""
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        begun = [pool.submit(work, *row) for row in rows]
        try:
            for one in begun:
                yield one.result()
        finally:
            for one in begun:
                one.cancel()
