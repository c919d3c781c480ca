"""Running one command behind walls to its end: output kept in part, every process gone at the deadline."""

import json
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from cmdr.files.shell.kept_output import KEPT, KeptOutput
from cmdr.files.shell.tiers import Tier, sandboxed
from cmdr.files.shell.walls import Walls

FLOOD = 64 * 1024 * 1024
"""So much output, and the command is ended: nobody reads it."""
_CHUNK = 1 << 16
_GRACE = 0.8
"""Seconds a sandbox gets to end its own family before it is ended from outside."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    """Its exit code; 128 and the signal's number when it was killed."""
    output: KeptOutput
    seconds: float
    why: str = ""
    """Why it was stopped; empty when it ended by itself."""


class Running:
    """One command; `run` blocks and belongs in a thread, `stop` may come from any other."""

    def __init__(
        self,
        command: Sequence[bytes],
        walls: Walls,
        tier: Tier,
        *,
        seconds: float,
        flood: int = FLOOD,
        kept: int = KEPT,
        stdin: int = subprocess.DEVNULL,
    ) -> None:
        """`kept` is how much of the beginning and of the end of its output is kept, `stdin` what it reads."""
        self._command = command
        self._walls = walls
        self._tier = tier
        self._seconds = seconds
        self._flood = flood
        self._kept = kept
        self._stdin = stdin
        self._stop_reader, self._stop_writer = os.pipe2(os.O_CLOEXEC) if hasattr(os, "pipe2") else os.pipe()
        self._why = ""
        self._lock = threading.Lock()
        self._is_over = False

    def stop(self, why: str = "stopped") -> None:
        """End the command and all it started, from any thread; returns at once."""
        with self._lock:
            if not self._is_over:
                self._why = self._why or why
                os.write(self._stop_writer, b"x")

    def run(self) -> Ended:
        """Run to the end."""
        started = time.monotonic()
        output = KeptOutput(self._kept)
        try:
            with _Sandbox(self._command, self._walls, self._tier, self._stdin) as sandbox:
                why = self._attend(sandbox, output, started + self._seconds)
                code = sandbox.end()
                sandbox.drain(output, self._flood)
        finally:
            with self._lock:
                self._is_over = True
                os.close(self._stop_reader)
                os.close(self._stop_writer)
        return Ended(code, output, time.monotonic() - started, why)

    def _attend(self, sandbox: "_Sandbox", output: KeptOutput, until: float) -> str:
        """Take output until the command ends or must be ended; why it must."""
        poll = select.poll()
        for fd in (sandbox.output, self._stop_reader, sandbox.exited):
            poll.register(fd, select.POLLIN)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                return f"timed out after {self._seconds:g} s"
            ready = {fd for fd, _ in poll.poll(left * 1000)}
            if self._stop_reader in ready:
                return self._why
            if sandbox.output in ready:
                data = os.read(sandbox.output, _CHUNK)
                if data:
                    output.take(data)
                    if output.total > self._flood:
                        return f"stopped after {self._flood >> 20} MiB of output"
                    continue
                poll.unregister(sandbox.output)  # closing it does not dodge the deadline
            if sandbox.exited in ready:
                return ""


class _Sandbox:
    """The process of the sandbox and the handles by which its world is ended."""

    def __init__(self, command: Sequence[bytes], walls: Walls, tier: Tier, stdin: int) -> None:
        self._first: int | None = None
        self._tier = tier
        self.output, writer = os.pipe()
        told, tell = os.pipe()
        leash, self._hold = os.pipe()
        wraps = tier is Tier.BUBBLEWRAP
        passed = (tell,) if wraps else (leash,) if tier in (Tier.NAMESPACES, Tier.LANDLOCK) else ()
        try:
            launch = sandboxed(command, walls, tier, told=tell if wraps else None, leash=leash if not wraps else None)
            self._process = subprocess.Popen(
                launch.words,
                stdin=stdin,
                stdout=writer,
                stderr=writer,
                cwd="/",
                env=launch.environment,
                pass_fds=passed,
                start_new_session=True,
            )
        except BaseException:
            for fd in (self.output, self._hold, told):
                os.close(fd)
            raise
        finally:
            for fd in (writer, tell, leash):
                os.close(fd)
        try:
            self.exited = _exit_handle(self._process)
            if wraps:
                self._first = _first_process(told)
        finally:
            os.close(told)

    def __enter__(self) -> "_Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        for fd in (self.output, self.exited, *(() if self._first is None else (self._first,))):
            os.close(fd)

    def end(self) -> int:
        """End every process of the sandbox and wait until they are gone; its exit code."""
        if self._hold >= 0:
            os.close(self._hold)  # behind Landlock, this ends the family
            self._hold = -1
        if self._first is not None:
            # The kernel ends a pid namespace with its first process, and lets that one go last.
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            select.select([self._first], [], [], _GRACE)
        if self._tier is Tier.SEATBELT:
            self._kill_group()
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._kill_group()
            code = self._process.wait()
        return code if code >= 0 else 128 - code

    def drain(self, output: KeptOutput, most: int) -> None:
        """Take what the command wrote before it ended."""
        os.set_blocking(self.output, False)
        with suppress(BlockingIOError):
            while output.total <= most and (data := os.read(self.output, _CHUNK)):
                output.take(data)

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


def _exit_handle(process: "subprocess.Popen[bytes]") -> int:
    """A descriptor that becomes readable when the process has ended."""
    if hasattr(os, "pidfd_open"):
        return os.pidfd_open(process.pid)
    reader, writer = os.pipe()

    def wait() -> None:
        process.wait()
        os.close(writer)

    threading.Thread(target=wait, daemon=True).start()
    return reader


def _first_process(told: int) -> int | None:
    """A handle on the first process of bubblewrap's namespace, from what it tells on its descriptor."""
    text = b""
    while data := os.read(told, 4096):
        text += data
    try:
        return os.pidfd_open(json.loads(text)["child-pid"])
    except (ValueError, KeyError, OSError):
        return None  # it never came so far; its own exit code says the rest
