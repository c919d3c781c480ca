"""One walker process, seen from the application: its start, its messages and its end."""

import marshal
import os
import subprocess
import sys
from contextlib import suppress
from typing import Any, cast

from cmdr.index.scan import walker_process

# A bare interpreter that finds this package and nothing else that is installed.
_START = "import sys; sys.path.append(sys.argv[1]); from cmdr.index.scan.walker_process import main; main()"
_SOURCE = os.path.abspath(os.path.join(os.path.dirname(walker_process.__file__), *[os.path.pardir] * 3))


class Hand:
    """One walker process, seen from the application."""

    def __init__(self, part: str) -> None:
        self.part = part
        self.buffer = bytearray()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, _SOURCE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a terminal face may own the screen
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.into, self.out = self.process.stdin.fileno(), self.process.stdout.fileno()

    def send(self, message: object) -> None:
        body = marshal.dumps(cast(Any, message))
        data = memoryview(len(body).to_bytes(4, "little") + body)
        with suppress(BrokenPipeError):  # its end is noticed when reading
            while data:
                data = data[os.write(self.into, data) :]

    def receive(self) -> list[tuple[Any, ...]]:
        data = os.read(self.out, 1 << 20)
        if not data:
            return [("ended",)]
        self.buffer += data
        messages = []
        while len(self.buffer) >= 4:
            size = int.from_bytes(self.buffer[:4], "little")
            if len(self.buffer) < 4 + size:
                break
            messages.append(marshal.loads(self.buffer[4 : 4 + size]))  # noqa: S302 - from our own walker
            del self.buffer[: 4 + size]
        return messages

    def end(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        try:
            self.process.wait(0.2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            with suppress(subprocess.TimeoutExpired):  # stuck in the kernel: it ends when its mount answers
                self.process.wait(1)

    def waits_for_disk(self) -> bool | None:
        """Whether it is held up by the disk just now; None where the system does not tell."""
        try:
            with open(f"/proc/{self.process.pid}/stat", "rb") as facts:
                return facts.read().rpartition(b") ")[2][:1] == b"D"
        except OSError:
            return None
