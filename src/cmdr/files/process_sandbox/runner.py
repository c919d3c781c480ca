"""Runs one command in a sandbox to its end: output kept in part, every process gone at the deadline."""

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

from cmdr.files.process_sandbox.backend import ALLOWS_WHOLE_FOLDERS_ONLY, Backend, sandboxed_command
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile

KEPT_BYTES = 32 * 1024
"""How much of the beginning, and of the end, of the output is kept."""


MAX_OUTPUT_BYTES = 64 * 1024 * 1024
"""So much output, and the command is ended: nobody reads it."""
_CHUNK_BYTES = 1 << 16
_KILL_GRACE_S = 6.0
"""How long a sandbox may take to end its own processes before it is ended from outside: longer than the launcher
tries, or what it has not ended yet would outlive it."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a command ended."""

    code: int
    """Its exit code; 128 and the signal's number when it was killed."""
    output: "BoundedOutput"
    seconds: float
    why: str = ""
    """Why it was stopped; empty when it ended by itself."""


class SandboxedRun:
    """One command; `run` blocks and belongs in a thread, `stop` may come from any other."""

    def __init__(
        self,
        command: Sequence[bytes],
        profile: SandboxProfile,
        backend: Backend,
        *,
        timeout_s: float,
        max_output_bytes: int = MAX_OUTPUT_BYTES,
        kept: int = KEPT_BYTES,
        stdin: int = subprocess.DEVNULL,
    ) -> None:
        """`kept` is how much of the beginning and of the end of its output is kept, `stdin` what it reads."""
        self._command = command
        self._profile = profile
        self._backend = backend
        self._timeout_s = timeout_s
        self._max_output_bytes = max_output_bytes
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

    def run(self) -> RunResult:
        """Run to the end."""
        started = time.monotonic()
        output = BoundedOutput(self._kept)
        try:
            with _Sandbox(self._command, self._profile, self._backend, self._stdin) as sandbox:
                why = self._wait(sandbox, output, started + self._timeout_s)
                code = sandbox.end()
                sandbox.drain(output, self._max_output_bytes)
        finally:
            with self._lock:
                self._is_over = True
                os.close(self._stop_reader)
                os.close(self._stop_writer)
        return RunResult(code, output, time.monotonic() - started, why)

    def _wait(self, sandbox: "_Sandbox", output: "BoundedOutput", until: float) -> str:
        """Take output until the command ends or must be ended; why it must."""
        poll = select.poll()
        for fd in (sandbox.output, self._stop_reader, sandbox.exited):
            poll.register(fd, select.POLLIN)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                return f"timed out after {self._timeout_s:g} s"
            ready = {fd for fd, _ in poll.poll(left * 1000)}
            if self._stop_reader in ready:
                return self._why
            if sandbox.output in ready:
                data = os.read(sandbox.output, _CHUNK_BYTES)
                if data:
                    output.take(data)
                    if output.total > self._max_output_bytes:
                        return f"stopped after {self._max_output_bytes >> 20} MiB of output"
                    continue
                poll.unregister(sandbox.output)  # closing it does not dodge the deadline
            if sandbox.exited in ready:
                return ""


class _Sandbox:
    """The process of the sandbox and the handles by which its world is ended."""

    def __init__(self, command: Sequence[bytes], profile: SandboxProfile, backend: Backend, stdin: int) -> None:
        self._first: int | None = None
        self._backend = backend
        self.output, writer = os.pipe()
        info_fd, info_writer = os.pipe()
        leash, self._leash = os.pipe()
        is_bubblewrap = backend is Backend.BUBBLEWRAP
        passed = info_writer if is_bubblewrap else leash if backend in ALLOWS_WHOLE_FOLDERS_ONLY else None
        ends = {"info_fd": info_writer} if is_bubblewrap else {"leash": leash}
        try:
            launch = sandboxed_command(command, profile, backend, **ends)
            self._process = subprocess.Popen(
                launch.words,
                stdin=stdin,
                stdout=writer,
                stderr=writer,
                cwd="/",
                env=launch.environment,
                pass_fds=() if passed is None else (passed,),
                start_new_session=True,
            )
        except BaseException:
            for fd in (self.output, self._leash, info_fd):
                os.close(fd)
            raise
        finally:
            for fd in (writer, info_writer, leash):
                os.close(fd)
        try:
            self.exited = _exit_handle(self._process)
            if is_bubblewrap:
                self._first = _first_process(info_fd)
        finally:
            os.close(info_fd)

    def __enter__(self) -> "_Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        for fd in (self.output, self.exited, *(() if self._first is None else (self._first,))):
            os.close(fd)

    def end(self) -> int:
        """End every process of the sandbox and wait until they are gone; its exit code."""
        if self._leash >= 0:
            os.close(self._leash)  # behind Landlock, this ends the family
            self._leash = -1
        if self._first is not None:
            # The kernel ends a pid namespace with its first process, and lets that one go last.
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            select.select([self._first], [], [], _KILL_GRACE_S)
        if self._backend is Backend.SEATBELT:
            self._kill_group()
        try:
            code = self._process.wait(_KILL_GRACE_S)
        except subprocess.TimeoutExpired:
            self._kill_group()
            code = self._process.wait()
        return code if code >= 0 else 128 - code

    def drain(self, output: "BoundedOutput", most: int) -> None:
        """Take what the command wrote before it ended."""
        os.set_blocking(self.output, False)
        with suppress(BlockingIOError):
            while output.total <= most and (data := os.read(self.output, _CHUNK_BYTES)):
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


def _first_process(info_fd: int) -> int | None:
    """A handle on the first process of bubblewrap's namespace, from what it tells on its descriptor."""
    text = b""
    while data := os.read(info_fd, 4096):
        text += data
    try:
        return os.pidfd_open(json.loads(text)["child-pid"])
    except (ValueError, KeyError, OSError):
        return None  # it never came so far; its own exit code says the rest


class BoundedOutput:
    """Takes any amount, holds the first and the last 32 KiB."""

    def __init__(self, kept: int = KEPT_BYTES) -> None:
        self._kept = kept
        self._first = bytearray()
        self._last = bytearray()
        self.total = 0

    def take(self, data: bytes) -> None:
        """Take in what came next."""
        self.total += len(data)
        left = self._kept - len(self._first)
        if left > 0:
            self._first += data[:left]
            data = data[left:]
        self._last += data
        if len(self._last) > 2 * self._kept:
            del self._last[: -self._kept]

    @property
    def data(self) -> bytes:
        """The kept bytes: all there were, if they are not more than are kept of the beginning."""
        return bytes(self._first + self._last[-self._kept :])

    def text(self, most: int | None = None) -> str:
        """As text: both parts, and between them how much was left out; `most` bounds each part once more."""
        first, last = bytes(self._first), bytes(self._last[-self._kept :])
        if most is not None and len(first) + len(last) > 2 * most:
            first, last = first[:most], (first + last)[-most:] if len(last) < most else last[-most:]
        left_out = self.total - len(first) - len(last)
        middle = f"\n… {left_out:,} bytes left out …\n" if left_out > 0 else ""
        return _text(first) + middle + _text(last)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
