"""Plans for very many files are made by a helper process that ends with its answer.

Looking at a million files one by one makes millions of objects; in this process they would hold up every key and every
agent, and their room would never be given back. The helper is told what is wanted, writes a sign for every few thousand
entries it has looked at, and hands over the finished plan, packed. Ending it is how planning is stopped.
"""

from __future__ import annotations

import gc
import os
import pickle
import select
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO

from cmdr.engine.plan.attribute_plan import plan_attributes
from cmdr.engine.plan.choices import Choices
from cmdr.engine.plan.refusals import PlanRefused
from cmdr.engine.plan.survey import go_on
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.model.plans.plan import Plan, Verb

SIGN_EVERY = 1000
"""Entries looked at for one sign."""
_NICE = 5
"""Whoever types while it plans comes first."""
_AT_ONCE = 8192
"""Paths that are handed over together."""
_LENGTH = struct.Struct("=Q")
_SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
# No site packages and no user settings: the helper needs the standard library and cmdr's own modules only.
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from cmdr.engine.plan.large_plan import main; main()"
_MORE, _PLAN, _REFUSED = b"+", b"!", b"-"


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
        from cmdr.engine.plan.unpack_plan import plan_unpack

        return plan_unpack(paths, destination, choices)
    if verb is Verb.PACK:
        from cmdr.engine.plan.pack_plan import plan_pack

        return plan_pack(paths, destination, choices)
    return (plan_copy if verb is Verb.COPY else plan_move)(paths, destination, choices)


def plan_in_process(
    verb: Verb, paths: Sequence[bytes], destination: bytes | None, choices: Choices, looked: Callable[[int], None]
) -> Plan:
    """Plan in a helper process; the calling thread waits, hears how many more were looked at, and may raise to stop."""
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, _SOURCE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as helper:
        assert helper.stdin is not None
        assert helper.stdout is not None
        wish = pickle.dumps((verb, destination, replace(choices, check=go_on)))
        # Beside the reading, so that a helper that hangs on a dead mount can still be stopped.
        telling = threading.Thread(target=_tell, args=(helper.stdin, wish, paths), daemon=True)
        telling.start()
        try:
            return _await_plan(helper.stdout, looked)
        finally:
            helper.kill()
            telling.join()


def _tell(stream: IO[bytes], wish: bytes, paths: Sequence[bytes]) -> None:
    with suppress(OSError):  # it was ended meanwhile
        _write(stream, wish)
        for begin in range(0, len(paths), _AT_ONCE):
            _write(stream, b"\0".join(paths[begin : begin + _AT_ONCE]))
        _write(stream, b"")
        stream.flush()


def _await_plan(stream: IO[bytes], looked: Callable[[int], None]) -> Plan:
    signs = select.poll()  # `select` itself fails once the program holds a thousand files and sockets
    signs.register(stream, select.POLLIN)
    while True:
        if not signs.poll(100):
            looked(0)
            continue
        sign = os.read(stream.fileno(), 1)
        if sign == _MORE:
            looked(SIGN_EVERY)
            continue
        answer = _read(stream)
        if sign == _PLAN and answer:
            plan: Plan = pickle.loads(answer)  # noqa: S301 - our own helper's, never from outside
            return plan
        raise PlanRefused(answer.decode() if sign == _REFUSED else "The planning broke off. Try it again.")


def main() -> None:
    """The helper itself: hear what is wanted, plan, hand over, end."""
    gc.disable()  # nothing here makes cycles, and walking a million objects for them costs seconds
    os.nice(_NICE)
    heard, out = sys.stdin.buffer, sys.stdout.buffer
    verb, destination, choices = pickle.loads(_read(heard))  # noqa: S301 - from the process that started this one
    paths = list(_paths(heard))
    seen = 0

    def sign() -> None:
        nonlocal seen
        seen += 1
        if not seen % SIGN_EVERY:
            out.write(_MORE)
            out.flush()

    try:
        plan = make_plan(verb, paths, destination, replace(choices, check=sign))
    except (PlanRefused, OSError) as problem:
        out.write(_REFUSED)
        _write(out, str(problem).encode())
    else:
        out.write(_PLAN)
        _write(out, pickle.dumps(plan))
    out.flush()
    os._exit(0)  # all is said; tidying up memory would only take time


def _paths(stream: IO[bytes]) -> Iterator[bytes]:
    while some := _read(stream):
        yield from some.split(b"\0")


def _write(stream: IO[bytes], block: bytes) -> None:
    stream.write(_LENGTH.pack(len(block)))
    stream.write(block)


def _read(stream: IO[bytes]) -> bytes:
    """One block; an empty one when there is no more."""
    head = stream.read(_LENGTH.size)
    return stream.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""
