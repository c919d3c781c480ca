"""Another program in the foreground, an editor or a shell, while cmdr is suspended; agents are served meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from cmdr.core.threads import in_thread

if TYPE_CHECKING:
    from cmdr.tui.app import TerminalApp

T = TypeVar("T")
Word = str | bytes
_KEYS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)
"""What keys of an ordinary terminal send to the program in front."""
_STOP_TIMEOUT_S = 1.0
"""How long a stop may take to reach all programs in front: one that was woken before it would stop for good."""


async def run_suspended(terminal: TerminalApp, use: Callable[[], T]) -> T | None:
    """Give the terminal away for as long as `use` takes, in a thread; None when that could not begin, which is told."""
    desktop = terminal.commander.desktop
    desktop.terminal_suspended = True
    # What was typed ahead was meant for the program; it can no longer reach it, and must not act on the panes.
    terminal.main.queue.clear_keys()
    try:
        with terminal.suspend(), terminal.batch_update(), _ignoring_key_signals():
            return await in_thread(use)
    except OSError as error:
        terminal.main.show_message(f"{os.fsdecode(error.filename or '')}: {error.strerror}", bad=True)
        return None
    finally:
        desktop.terminal_suspended = False
        terminal.refresh(layout=True)
        for side in ("left", "right"):
            terminal.main.enqueue("refresh", {"pane": side})


@contextmanager
def _ignoring_key_signals() -> Iterator[None]:
    """Until a program is in front, Ctrl+C and Ctrl+Z reach us, who are not meant: nothing happens then.

    They are heard, not ignored: a program that is started by somebody who ignores a signal would ignore it too.
    """
    before = {number: signal.signal(number, lambda *_: None) for number in _KEYS}
    try:
        yield
    finally:
        for number, heard in before.items():
            signal.signal(number, heard)


def run_in_foreground(
    words: Sequence[Word], folder: bytes | None = None, environment: Mapping[bytes, bytes] | None = None
) -> int:
    """Run a program in front of us, so that Ctrl+C reaches it and nobody else; its exit code."""
    child = subprocess.Popen(words, cwd=folder, env=environment, process_group=0)
    try:
        while True:
            _set_foreground(child.pid)
            _, status = os.waitpid(child.pid, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                child.returncode = os.waitstatus_to_exitcode(status)
                return child.returncode
            # By Ctrl+Z, or because it wanted the terminal before it had it; nobody else could ever wake it.
            _wait_for_stop(child.pid, os.WSTOPSIG(status))
            os.killpg(child.pid, signal.SIGCONT)
    finally:
        _set_foreground(os.getpgrp())


def _wait_for_stop(group: int, number: int) -> None:
    """Wait until a signal has stopped all programs of a group, but for those that hear or ignore it."""
    deadline = time.monotonic() + (0.0 if number == signal.SIGSTOP else _STOP_TIMEOUT_S)  # that one was not sent to all
    while time.monotonic() < deadline and any(_will_stop(pid, group, number) for pid in _processes()):
        time.sleep(0.005)


def _processes() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdecimal()]
    except FileNotFoundError:  # pragma: no cover - where there is no /proc, a moment has to be enough
        time.sleep(0.05)
        return []


def _will_stop(pid: str, group: int, number: int) -> bool:
    """Whether a process of the group still runs that this signal stops."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, _, process_group = file.read().rpartition(b")")[2].split()[:3]
        if int(process_group) != group or state in b"TtZX":
            return False
        with open(f"/proc/{pid}/status", "rb") as file:
            masks = dict(line.split(b":\t") for line in file.read().splitlines() if line.startswith((b"SigI", b"SigC")))
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return False
    deaf = int(masks[b"SigIgn"], 16) | int(masks[b"SigCgt"], 16)
    return not deaf >> (number - 1) & 1


def _set_foreground(group: int) -> None:
    """Let a group of processes have the keyboard; without a terminal there is none to have."""
    # Who is not in front is stopped for asking, unless it does not hear it.
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        with suppress(OSError), open("/dev/tty", "rb", buffering=0) as keyboard:
            os.tcsetpgrp(keyboard.fileno(), group)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
