"""Writing the audit log: every call, in order, each line sealed by the hash of the one before it."""

import errno
import hashlib
import json
import logging
import os
import queue
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as _quoted

from cmdr.core.audit_chain import GENESIS, finished_logs, kept_head, log_path

log = logging.getLogger(__name__)

ROTATE_AT = 64 * 2**20
SETTLED = 0.05
"""Seconds without a call after which the newest hash is kept."""
_LONGEST_LINE = 2**20


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """Who asked for what, on which paths, what was decided and what came of it."""

    who: str
    what: str
    arguments: str
    """SHA-256 of the arguments: enough to compare, too little to leak."""
    result: str
    """`ok`, `error` or `refused`, and for operations their outcome."""
    ms: int = 0
    paths: tuple[str, ...] = ()
    decision: str = ""
    plan: str = ""
    """Digest of the plan that was proposed, decided on or run."""


def digest_of(arguments: object) -> str:
    """The digest under which a call's arguments are remembered."""
    return hashlib.sha256(json.dumps(arguments, sort_keys=True, default=str).encode()).hexdigest()


class Audit:
    """Appends records in a thread of its own; `record` never waits."""

    def __init__(self, folder: str, *, rotate_at: int = ROTATE_AT) -> None:
        self._folder = folder
        self._rotate_at = rotate_at
        self._queue: queue.SimpleQueue[AuditRecord | threading.Event | None] = queue.SimpleQueue()
        self._seq, self._head = _where_it_goes_on(folder)
        self._head_is_kept = True
        self._hurry = threading.Event()
        self._writer = threading.Thread(target=self._write_all, name="audit", daemon=True)
        self._writer.start()

    def record(self, record: AuditRecord) -> None:
        """Put a record at the end of the log."""
        self._queue.put(record)

    def flush(self) -> None:
        """Wait until everything recorded so far is on disk."""
        written = threading.Event()
        self._queue.put(written)
        self._hurry.set()
        written.wait()

    def close(self) -> None:
        """Write what is left and end."""
        self._queue.put(None)
        self._hurry.set()
        self._writer.join()

    def _write_all(self) -> None:
        file = _open_log(self._folder)
        while (item := self._next()) is not None:
            try:
                if isinstance(item, AuditRecord):
                    file = self._rotated(file, self._append(file, item))
                    self._head_is_kept = False
                else:
                    os.fdatasync(file)
                    self._keep_head()
            except OSError:
                # A full disk costs records, never the chain, the writer or whoever waits for it.
                log.exception("the audit log cannot be written")
            if isinstance(item, threading.Event):
                item.set()
        try:
            os.fdatasync(file)
            self._keep_head()
        except OSError:
            log.exception("the audit log cannot be written")
        finally:
            os.close(file)

    def _next(self) -> AuditRecord | threading.Event | None:
        """What to do next. The newest hash is kept once the calls pause: after each of many it would cost more.

        Calls come in bursts, and being woken for each would cost every caller more than its record; so after one the
        writer looks away for a moment, unless somebody waits for it.
        """
        with suppress(queue.Empty):
            return self._queue.get_nowait()
        if not self._head_is_kept:
            self._hurry.wait(SETTLED)
            self._hurry.clear()
            with suppress(queue.Empty):
                return self._queue.get_nowait()
            self._keep_head_quietly()
        return self._queue.get()

    def _keep_head_quietly(self) -> None:
        try:
            self._keep_head()
        except OSError:
            log.exception("the audit log cannot be written")

    def _append(self, file: int, record: AuditRecord) -> int:
        """Put a record at the end, whole or not at all; returns the new length."""
        length, seq, head = os.fstat(file).st_size, self._seq, self._head
        line = self._sealed(record)
        written = 0
        try:
            written = os.write(file, line)
        finally:
            if written != len(line):
                self._seq, self._head = seq, head
                os.ftruncate(file, length)
        if written != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return length + written

    def _rotated(self, file: int, length: int) -> int:
        """The log to go on with: a new one once this one is long enough."""
        if length < self._rotate_at:
            return file
        os.replace(log_path(self._folder), log_path(self._folder, self._seq))
        new = _open_log(self._folder)
        os.close(file)
        return new

    def _sealed(self, record: AuditRecord) -> bytes:
        """The line of a record, spelled out: an encoder for the line and one for its seal take three times as long."""
        self._seq += 1
        seq, at, ms = f'"seq": {self._seq}', f'"at": {round(time.time(), 3)}', f'"ms": {record.ms}'
        who, what = f'"who": {_quoted(record.who)}', f'"what": {_quoted(record.what)}'
        arguments, result = f'"arguments": {_quoted(record.arguments)}', f'"result": {_quoted(record.result)}'
        paths = f'"paths": {json.dumps(record.paths) if record.paths else "[]"}'
        decision, plan = f'"decision": {_quoted(record.decision)}', f'"plan": {_quoted(record.plan)}'
        prev = f'"prev": {_quoted(self._head)}'
        by_name = ", ".join((arguments, at, decision, ms, paths, plan, prev, result, seq, what, who))
        self._head = hashlib.sha256(f"{{{by_name}}}".encode()).hexdigest()
        line = ", ".join((seq, at, who, what, arguments, result, ms, paths, decision, plan, prev))
        return f'{{{line}, "hash": "{self._head}"}}\n'.encode()

    def _keep_head(self) -> None:
        head = os.path.join(self._folder, "audit.head")
        new = os.open(head + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.write(new, f"{self._seq} {self._head}\n".encode())
        finally:
            os.close(new)
        os.replace(head + ".new", head)
        self._head_is_kept = True


def _open_log(folder: str) -> int:
    return os.open(log_path(folder), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _where_it_goes_on(folder: str) -> tuple[int, str]:
    """Where the chain goes on. A kept hash ahead of the log means that its end was cut off: the chain goes on from
    that hash, so that the gap shows for ever."""
    last, kept = _last_record(folder), kept_head(folder)
    return kept if kept is not None and kept[0] > last[0] else last


def _last_record(folder: str) -> tuple[int, str]:
    """The number and hash of the last record. A line that a crash cut in half is taken off: it was never a record."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    finished = finished_logs(folder)
    for name in ["audit.jsonl", *reversed(finished)]:
        try:
            with open(os.path.join(folder, name), "r+b") as log:
                end = log.seek(0, os.SEEK_END)
                log.seek(max(0, end - _LONGEST_LINE))
                tail = log.read()
                whole, _, torn = tail.rpartition(b"\n")
                log.truncate(end - len(torn))
        except FileNotFoundError:
            continue
        if whole:
            try:
                row = json.loads(whole.rsplit(b"\n", 1)[-1])
                return int(row["seq"]), str(row["hash"])
            except (ValueError, KeyError, TypeError):
                return 0, GENESIS
    return 0, GENESIS
