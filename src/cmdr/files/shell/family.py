"""A process's whole family on Linux: found through /proc, ended until nobody is left."""

import os
import signal
import time
from contextlib import suppress


def descendants(ancestor: int) -> list[int]:
    """Every living process below one; those that have ended but were not fetched yet do not count."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                # The name in parentheses is the program's own choice and may hold anything.
                state, parent = file.read().rpartition(b")")[2].split()[:2]
                if state not in (b"Z", b"X"):
                    parents[int(name)] = int(parent)
    family: set[int] = {ancestor}
    grown = True
    while grown:
        members = {pid for pid, parent in parents.items() if parent in family} - family
        family |= members
        grown = bool(members)
    return sorted(family - {ancestor})


def end_family(patience: float = 5.0) -> bool:
    """Kill every descendant of this process, which adopts orphans, again and again until none is left.

    Looking through /proc takes a while, and one that forks and ends meanwhile hides its child from that look. But
    whoever adopts orphans has a child as long as it has any descendant, and about children the kernel is exact.
    """
    until = time.monotonic() + patience
    while has_children():
        for pid in descendants(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > until:
            return False
    return True


def has_children() -> bool:
    """Take the exit codes of children that have ended; whether others are left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def threads_of(uid: int) -> int:
    """How many threads a user runs: the kernel counts them all against the limit of any one process."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == uid:
                    total += len(os.listdir(f"/proc/{name}/task"))
    return total
