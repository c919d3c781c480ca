"""One task in a process of its own that ends with its answer: start, progress, result, kill.

Work on a million files makes millions of objects; in this process they would hold up every key, and their memory would
never be given back. Killing the process is how the work is stopped, even when it hangs on a dead mount. The worker gets
its task as blocks of bytes on standard input, writes single bytes of progress, and at the end its result as blocks.
"""

from __future__ import annotations

import gc
import os
import select
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import IO

POLL_MS = 100
"""How long the caller waits for progress before it is asked whether to go on."""
MORE = b"+"
"""Progress; a worker may have other single bytes as well."""
_RESULT = b"!"
_LENGTH = struct.Struct("=Q")
_SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# No site packages and no user settings: a worker needs the standard library and cmdr's own modules only.
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from {module} import work; from cmdr.files.worker_process"
_PROGRAM += " import serve; serve(work)"


class WorkerEnded(Exception):
    """The worker ended without a result."""


def run_worker(module: str, task: Iterable[bytes], on_progress: Callable[[bytes], None]) -> list[bytes]:
    """Run the function `work` of a module in a new process; blocks until its result is there.

    `on_progress` is called with every byte of progress, and with nothing every 100 ms without; what it raises ends the
    worker. No block of the task may be empty. Raises `WorkerEnded`.
    """
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM.format(module=module), _SOURCE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        # Beside the reading, so that a worker that hangs can still be stopped.
        sending = threading.Thread(target=_send, args=(worker.stdin, task), daemon=True)
        sending.start()
        try:
            _await_result(worker.stdout, on_progress)
            return _receive(worker.stdout)
        finally:
            worker.kill()
            sending.join()


def serve(work: Callable[[Iterator[bytes], Callable[[bytes], None]], Iterable[bytes]]) -> None:
    """In the worker: hear the task, work, write the result, end."""
    gc.disable()  # nothing there makes cycles, and walking a million objects for them costs seconds
    out = sys.stdout.buffer

    def progress(sign: bytes = MORE) -> None:
        out.write(sign)
        out.flush()

    result = list(work(_blocks(sys.stdin.buffer), progress))
    out.write(_RESULT + _LENGTH.pack(len(result)))
    for block in result:
        out.write(_LENGTH.pack(len(block)))
        out.write(block)
    out.flush()
    os._exit(0)  # all is said; tidying up memory would only take time


def _send(stream: IO[bytes], task: Iterable[bytes]) -> None:
    with suppress(OSError), stream:  # the worker may have been ended meanwhile
        for block in task:
            stream.write(_LENGTH.pack(len(block)))
            stream.write(block)
        stream.write(_LENGTH.pack(0))


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    while length := _length(stream):
        yield stream.read(length)


def _await_result(stream: IO[bytes], on_progress: Callable[[bytes], None]) -> None:
    signs = select.poll()  # `select` itself fails once the program holds a thousand files and sockets
    signs.register(stream, select.POLLIN)
    while True:
        if not signs.poll(POLL_MS):
            on_progress(b"")
            continue
        sign = os.read(stream.fileno(), 1)
        if sign == _RESULT:
            return
        if not sign:
            raise WorkerEnded
        on_progress(sign)


def _receive(stream: IO[bytes]) -> list[bytes]:
    blocks = []
    for _ in range(_length(stream)):
        length = _length(stream)
        blocks.append(stream.read(length))
        if len(blocks[-1]) != length:
            raise WorkerEnded
    return blocks


def _length(stream: IO[bytes]) -> int:
    head = stream.read(_LENGTH.size)
    if len(head) != _LENGTH.size:
        raise WorkerEnded
    length: int = _LENGTH.unpack(head)[0]
    return length
