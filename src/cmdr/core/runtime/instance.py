"""One cmdr per user, and how others find where it listens.

Two files in the runtime directory. `instance.lock` is locked for as long as the program lives; the kernel frees it
however the program ends, so there are no stale locks; the process id written in it only tells whom to wait for.
`instance.json` says where the program listens. It is locked by its writer before it gets its name, so a reader who
finds it locked knows that this very record belongs to a living cmdr of the same user. Only then may a token be sent.
"""

import fcntl
import json
import os
import time
from types import TracebackType
from typing import NamedTuple, Self

from cmdr.core import places

LOCK = "instance.lock"
RECORD = "instance.json"


class Record(NamedTuple):
    """Where the running cmdr listens, and what it is."""

    port: int
    pid: int
    started: float
    version: str
    headless: bool = False
    """Whether it runs without a face, for agents only: then it may be asked to make room for one."""


class AlreadyRunning(Exception):
    """Another cmdr of this user is running or just starting; `record` says where it listens, once it does."""

    def __init__(self, record: Record | None) -> None:
        if record is None:
            where = "and is just starting; try again in a moment."
        else:
            where = f"at http://127.0.0.1:{record.port} (process {record.pid})"
            where += (
                ", without a terminal; `cmdr quit` ends it." if record.headless else "; use that one, or quit it first."
            )
        super().__init__(f"cmdr is already running {where}")
        self.record = record


class Instance:
    """The right to be the one cmdr of this user, held until `release`."""

    def __init__(self, runtime: str, lock: int) -> None:
        self._runtime = runtime
        self._lock = lock
        self._record: int | None = None
        self.headless = False
        """Whether this cmdr has no face of its own; told with the announcement."""

    @classmethod
    def claim(cls, runtime: str | None = None) -> Self:
        """Become the one instance, or raise `AlreadyRunning`. Cheap: call it before importing anything heavy."""
        runtime = runtime or places.runtime()
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(os.path.join(runtime, LOCK), flags, places.PRIVATE_FILE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise AlreadyRunning(running(runtime)) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        return cls(runtime, lock)

    def announce(self, port: int, version: str) -> Record:
        """Tell others where we listen. Only after the port is bound and the token file is written."""
        record = Record(port, os.getpid(), time.time(), version, self.headless)
        path = os.path.join(self._runtime, RECORD)
        data = json.dumps(record._asdict()).encode() + b"\n"
        previous, self._record = self._record, places.stage(path, data, fcntl.LOCK_EX)
        if previous is not None:
            os.close(previous)
        return record

    def release(self) -> None:
        """Withdraw the record and let another start. Safe to call twice."""
        if self._lock < 0:
            return
        if self._record is not None:
            path = os.path.join(self._runtime, RECORD)
            try:
                if os.path.samestat(os.lstat(path), os.fstat(self._record)):
                    os.unlink(path)
            except FileNotFoundError:
                pass
            _unlock(self._record)
        os.ftruncate(self._lock, 0)
        _unlock(self._lock)
        self._lock, self._record = -1, None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def running(runtime: str | None = None) -> Record | None:
    """The record of the living cmdr of this user, or None when none runs or it does not listen yet."""
    fd = places.open_private(os.path.join(runtime or places.runtime(), RECORD))
    if fd is None:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _parse(os.read(fd, 4096))
    else:
        return None  # its writer is gone: a left-over of a killed process
    finally:
        os.close(fd)


def is_claimed(runtime: str | None = None) -> bool:
    """Whether a cmdr of this user seems to live, be it starting, listening or ending.

    Asked by its process id: to try the lock, even for a moment, could turn away one that is just starting.
    """
    pid = places.read(os.path.join(runtime or places.runtime(), LOCK), limit=32)
    if not pid or not pid.strip().isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def wait_until_running(seconds: float, runtime: str | None = None) -> Record | None:
    """Wait for a starting cmdr to listen; None when it does not in time."""
    runtime = runtime or places.runtime()
    deadline = time.monotonic() + seconds
    while (record := running(runtime)) is None and time.monotonic() < deadline:
        time.sleep(0.02)
    return record


def claim_after(ending: Record, seconds: float, runtime: str | None = None) -> Instance:
    """Become the one instance after another that is just ending; raises `AlreadyRunning` when it does not end."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return Instance.claim(runtime)
        except AlreadyRunning as error:
            if time.monotonic() >= deadline or error.record not in (None, ending):
                raise
        time.sleep(0.02)


def claim_or_find(seconds: float, runtime: str | None = None) -> Instance | Record:
    """Become the one instance, or find the one that runs; waits for one that is just starting or ending."""
    runtime = runtime or places.runtime()
    deadline = time.monotonic() + seconds
    while (record := running(runtime)) is None:
        try:
            return Instance.claim(runtime)
        except AlreadyRunning:
            if time.monotonic() >= deadline:
                raise
        time.sleep(0.02)
    return record


def _unlock(fd: int) -> None:
    fcntl.flock(fd, fcntl.LOCK_UN)  # closing alone leaves it to a child that was just forked and has it open too
    os.close(fd)


def _parse(data: bytes) -> Record | None:
    try:
        fields = json.loads(data)
        record = Record(
            fields["port"], fields["pid"], fields["started"], fields["version"], fields.get("headless") is True
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    well_typed = type(record.port) is int and type(record.pid) is int and isinstance(record.version, str)
    return record if well_typed and 0 < record.port < 65536 else None
