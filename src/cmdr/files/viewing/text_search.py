"""Searches a text or a regular expression in a file of any size, a window at a time.

An expression can take longer than anybody waits, and Python's engine lets nobody else work meanwhile. So expressions
run in a process of their own, which is ended when nobody waits any more. Run as a program, this module is that process.
"""

import os
import re
import subprocess
import sys

TYPE_CHECKING = False  # the process starts in a moment without `typing`
if TYPE_CHECKING:
    from collections.abc import Callable

WINDOW_BYTES = 1 << 20
OVERLAP_BYTES = 1 << 12
_POLL_S = 0.05
"""Seconds between two looks whether anybody still waits."""
Span = tuple[int, int]


def find_forward(
    read: "Callable[[int, int], bytes]",
    size: int,
    pattern: "re.Pattern[bytes]",
    start: int,
    stopped: "Callable[[], bool]" = bool,
) -> Span | None:
    """The first place from `start` on: begin and end in bytes, or None."""
    offset = start
    while offset < size and not stopped():
        data = read(offset, WINDOW_BYTES + OVERLAP_BYTES)
        found = pattern.search(data)
        if found and (found.start() < WINDOW_BYTES or len(data) <= WINDOW_BYTES):
            return offset + found.start(), offset + found.end()
        offset += WINDOW_BYTES
    return None


def find_back(
    read: "Callable[[int, int], bytes]",
    pattern: "re.Pattern[bytes]",
    start: int,
    stopped: "Callable[[], bool]" = bool,
) -> Span | None:
    """The last place that begins before `start`."""
    high = start
    while high > 0 and not stopped():
        low = max(0, high - WINDOW_BYTES)
        last = None
        for found in pattern.finditer(read(low, high - low + OVERLAP_BYTES)):
            if low + found.start() >= high:
                break
            last = found
        if last is not None:
            return low + last.start(), low + last.end()
        high = low
    return None


def find_in_process(
    source: int | bytes,
    size: int,
    pattern: "re.Pattern[bytes]",
    start: int,
    *,
    backwards: bool,
    stopped: "Callable[[], bool]",
) -> Span | None:
    """Find in an open file or in bytes, in a process of its own; nothing when it is stopped."""
    place = str(source) if isinstance(source, int) else "-"
    order = [place, str(size), pattern.pattern.hex(), str(pattern.flags), str(start), "back" if backwards else "on"]
    with subprocess.Popen(
        [sys.executable, "-I", "-S", os.path.abspath(__file__), *order],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=(source,) if isinstance(source, int) else (),
    ) as searching:
        given: bytes | None = source if isinstance(source, bytes) else b""
        while True:
            try:
                output, _ = searching.communicate(given, timeout=_POLL_S)
            except subprocess.TimeoutExpired:
                given = None  # it is on its way already
                if stopped():
                    searching.kill()
                    return None
            else:
                begin, _, end = output.partition(b" ")
                return (int(begin), int(end)) if end else None


def _main(place: str, size: str, expression: str, flags: str, start: str, way: str) -> None:
    pattern = re.compile(bytes.fromhex(expression), int(flags))
    held = sys.stdin.buffer.read() if place == "-" else b""

    def read(offset: int, count: int) -> bytes:
        return held[offset : offset + count] if place == "-" else os.pread(int(place), count, offset)

    if way == "back":
        found = find_back(read, pattern, int(start))
    else:
        found = find_forward(read, int(size), pattern, int(start))
    if found is not None:
        print(*found)  # noqa: T201 - to the process that asked


if __name__ == "__main__":
    _main(*sys.argv[1:])
