"""Long work in slices, done by two threads where there are two cores: numpy lets others run while it computes."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache

_MANY = 8  # slices that are worth a second thread


def run_in_slices(slices: int, work: Callable[[Iterator[int]], None]) -> None:
    """Do all slices: `work` takes their numbers from one iterator, here and, for many, in a second thread too.

    Whatever `work` raises here ends both: nothing is left to take.
    """
    numbers = iter(range(slices))
    helper = _second().submit(work, numbers) if slices >= _MANY and _cores() > 1 else None
    try:
        work(numbers)
    finally:
        for _ in numbers:
            pass
        if helper is not None and not helper.cancel():  # one that never began has nothing to do any more
            helper.result()


@cache
def _second() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "cmdr-index-search")


@cache
def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
