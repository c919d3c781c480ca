"""Plans for very many files are made by a worker process that ends with its answer, the packed plan."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from cmdr.engine.plan.attribute_plan import plan_attributes
from cmdr.engine.plan.refusals import PlanRefused
from cmdr.engine.plan.survey import Choices, go_on
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.files.worker_process import MORE, WorkerEnded, run_worker
from cmdr.model.plans.plan import Plan, Verb

PROGRESS_INTERVAL = 1000
"""Entries looked at for one sign of progress."""
_NICENESS = 5
"""Whoever types while it plans comes first."""
_PATHS_AT_ONCE = 8192
"""Paths that are handed over together."""
_PLAN, _REFUSED = b"plan", b"refused"


def make_plan(verb: Verb, paths: Sequence[bytes], destination: bytes | None, choices: Choices) -> Plan:
    """The plan for one of the verbs that take chosen files."""
    if verb is Verb.TRASH:
        return plan_trash(paths, choices)
    if verb is Verb.DELETE:
        return plan_delete(paths, choices)
    if verb is Verb.ATTRIBUTES:
        return plan_attributes(paths, choices)
    if destination is None:
        raise ValueError(verb)
    if verb is Verb.UNPACK:
        from cmdr.engine.plan.archive_plan import plan_unpack

        return plan_unpack(paths, destination, choices)
    if verb is Verb.PACK:
        from cmdr.engine.plan.archive_plan import plan_pack

        return plan_pack(paths, destination, choices)
    return (plan_copy if verb is Verb.COPY else plan_move)(paths, destination, choices)


def plan_in_process(
    verb: Verb, paths: Sequence[bytes], destination: bytes | None, choices: Choices, looked: Callable[[int], None]
) -> Plan:
    """Plan in a worker process; the calling thread waits, hears how many more were looked at, and may raise to stop."""

    def on_progress(sign: bytes) -> None:
        looked(PROGRESS_INTERVAL if sign else 0)

    try:
        kind, answer = run_worker(__name__, _task(verb, paths, destination, choices), on_progress)
    except WorkerEnded:
        raise PlanRefused("The planning broke off. Try it again.") from None
    if kind == _REFUSED:
        raise PlanRefused(answer.decode())
    plan: Plan = pickle.loads(answer)  # noqa: S301 - our own worker's, never from outside
    return plan


def _task(verb: Verb, paths: Sequence[bytes], destination: bytes | None, choices: Choices) -> Iterator[bytes]:
    yield pickle.dumps((verb, destination, replace(choices, check=go_on)))
    for begin in range(0, len(paths), _PATHS_AT_ONCE):
        yield b"\0".join(paths[begin : begin + _PATHS_AT_ONCE])


def work(task: Iterator[bytes], progress: Callable[[bytes], None]) -> tuple[bytes, bytes]:
    """In the worker: the finished plan, or why there is none."""
    os.nice(_NICENESS)
    verb, destination, choices = pickle.loads(next(task))  # noqa: S301 - from the process that started this one
    paths = [path for block in task for path in block.split(b"\0")]
    seen = 0

    def check() -> None:
        nonlocal seen
        seen += 1
        if not seen % PROGRESS_INTERVAL:
            progress(MORE)

    try:
        plan = make_plan(verb, paths, destination, replace(choices, check=check))
    except (PlanRefused, OSError) as problem:
        return _REFUSED, str(problem).encode()
    return _PLAN, pickle.dumps(plan)
