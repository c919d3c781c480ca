"""Writing the audit log: every call, in order, each line sealed by the hash of the one before it.

While it cannot be written, whoever must not go on without a record is told so, and what that cost is counted: it is
the first thing recorded when writing works again.
"""

import asyncio
import errno
import hashlib
import json
import logging
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from json.encoder import encode_basestring_ascii as _quoted
from typing import TypeVar

from cmdr.core.audit.anchor import MAX_REASON_CHARACTERS, Anchor, AnchorFile, Gap, read_anchor
from cmdr.core.audit.chain import GENESIS, MAX_LINE_BYTES, finished_logs, log_path, sealed_gap
from cmdr.core.errors import NotRecorded

log = logging.getLogger(__name__)

ROTATE_AT = 64 * 2**20
SETTLED = 0.05
"""Seconds without a call after which all is brought to the disk and the newest hash is kept."""
KEEP_EVERY_S = 1.0
"""Seconds after which that is done between calls that do not pause."""
RETRY_S = 2.0
"""Seconds after which a log that could not be written is tried again, even if nobody calls."""
BATCH = 256
"""Records that are written before those who wait for one of them are told."""

T = TypeVar("T")


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
    given: str = ""
    """The arguments as JSON for the owner to read, without secrets and contents: see `redaction`."""


def digest_of(arguments: object) -> str:
    """The digest under which a call's arguments are remembered."""
    return hashlib.sha256(json.dumps(arguments, sort_keys=True, default=str).encode()).hexdigest()


@dataclass(slots=True)
class _Entry:
    """What the writer is asked: to write a record, or only whether it can; and who waits for its answer."""

    record: AuditRecord | None = None
    ticket: Future[None] | None = None
    is_refused_without: bool = False
    """Whether a call is refused when the answer is no."""
    is_last: bool = False


class Audit:
    """Appends records in a thread of its own; `record` never waits, `written` waits until the disk has it."""

    def __init__(self, folder: str, *, rotate_at: int = ROTATE_AT) -> None:
        self._folder = folder
        self._rotate_at = rotate_at
        self._queue: queue.SimpleQueue[_Entry] = queue.SimpleQueue()
        self._seq, self._head, self.gap = _where_it_goes_on(folder)
        """Where the chain stands; and since when the log cannot be written, why, and what that has cost so far."""
        self.changed: Callable[[], object] = lambda: None
        """Told, in the writer's thread, when the log cannot be written any more and when it can again."""
        self._file = _open_log(folder)
        try:
            self._anchor = AnchorFile(folder)
            self._anchor.write(Anchor(self._seq, self._head, self.gap))
        except BaseException:
            os.close(self._file)
            raise
        self._kept_at = time.monotonic()
        self._is_kept = self.gap is None
        self._hurry = threading.Event()
        self._writer = threading.Thread(target=self._write_all, name="audit", daemon=True)
        self._writer.start()

    def record(self, record: AuditRecord) -> None:
        """Put a record at the end of the log."""
        self._queue.put(_Entry(record))

    async def written(self, record: AuditRecord) -> None:
        """Put a record at the end of the log and wait until it is on the disk; raises `NotRecorded`."""
        await asyncio.wrap_future(self._asked(record))

    async def ready(self) -> None:
        """Raise `NotRecorded` if a record could not be written now; whoever asks is counted as refused then."""
        if self.gap is not None:
            await asyncio.wrap_future(self._asked(None, is_refused_without=True))

    def flush(self) -> None:
        """Wait until everything recorded so far is on disk, or known to be lost."""
        with suppress(NotRecorded):
            self._asked(None).result()

    def close(self) -> None:
        """Write what is left and end."""
        self._queue.put(_Entry(is_last=True))
        self._hurry.set()
        self._writer.join()

    def _asked(self, record: AuditRecord | None, *, is_refused_without: bool = False) -> Future[None]:
        ticket: Future[None] = Future()
        self._queue.put(_Entry(record, ticket, is_refused_without))
        self._hurry.set()
        return ticket

    def _write_all(self) -> None:
        is_over = False
        while not is_over:
            entries = self._next()
            is_over = any(entry.is_last for entry in entries)
            self._write(entries, is_over)
            # Calls come in bursts, and being woken for each would cost every caller more than its record; so after
            # some the writer looks away for a moment, unless somebody waits for it.
            if not is_over:
                self._hurry.wait(SETTLED)
                self._hurry.clear()
        try:
            self._anchor.close()
        except OSError:
            log.exception("the audit log's anchor cannot be written")
        finally:
            os.close(self._file)

    def _next(self) -> list[_Entry]:
        """What to do next; nothing when the calls pause and there is something to finish meanwhile."""
        entries = []
        with suppress(queue.Empty):
            if self._is_kept:
                entries.append(self._queue.get(timeout=None if self.gap is None else RETRY_S))
            while len(entries) < BATCH:
                entries.append(self._queue.get_nowait())
        return entries

    def _write(self, entries: list[_Entry], is_over: bool) -> None:
        """Write the records, and tell those who wait once the disk has them, or that it has not."""
        written: list[_Entry] = []
        self._see_where_the_log_is()
        for entry in entries:
            try:
                self._record_gap()
                if entry.record is not None:
                    self._append(self._sealed, entry.record)
                written.append(entry)
            except OSError as error:
                self._lost([entry], error)
        is_awaited = any(entry.ticket is not None for entry in written)
        if is_over or is_awaited or not entries or time.monotonic() - self._kept_at >= KEEP_EVERY_S:
            try:
                self._record_gap()
                self._keep()
            except OSError as error:
                self._lost(written, error)
                written = []
        elif written:
            self._is_kept = False
        for entry in written:
            if entry.ticket is not None and entry.ticket.set_running_or_notify_cancel():
                entry.ticket.set_result(None)

    def _lost(self, entries: list[_Entry], error: OSError) -> None:
        """Some records cannot be kept: those who wait are told, and the anchor remembers it."""
        why, now, begins = (error.strerror or str(error))[:MAX_REASON_CHARACTERS], time.time(), self.gap is None
        lost = sum(entry.record is not None for entry in entries)
        refused = sum(entry.is_refused_without for entry in entries)
        gap = self.gap or Gap(now, now, why)
        self.gap = replace(gap, until=now, unrecorded=gap.unrecorded + lost, refused=gap.refused + refused)
        self._is_kept = True  # what is left to do waits for the next try
        with suppress(OSError):
            self._anchor.write(Anchor(self._seq, self._head, self.gap))
        for entry in entries:
            if entry.ticket is not None and entry.ticket.set_running_or_notify_cancel():
                entry.ticket.set_exception(NotRecorded(why))
        if begins:
            log.error("the audit log cannot be written: %s", why)
            self.changed()

    def _record_gap(self) -> None:
        """Put the record of a gap before whatever comes next: from then on the log can be written again."""
        if self.gap is None:
            return
        closed = replace(self.gap, until=time.time())
        self._append(self._sealed_gap, closed)
        self.gap = None
        log.warning("the audit log can be written again; %s", closed.text())
        self.changed()

    def _keep(self) -> None:
        """Bring the log to the disk first: the anchor may never know more than is there."""
        os.fdatasync(self._file)
        self._anchor.write(Anchor(self._seq, self._head))
        self._kept_at, self._is_kept = time.monotonic(), True

    def _see_where_the_log_is(self) -> None:
        """A log that was taken away while we write it is begun anew: the chain and a gap show it."""
        try:
            if os.path.samestat(os.fstat(self._file), os.stat(log_path(self._folder))):
                return
        except OSError:
            pass
        now = time.time()
        try:
            new = _open_log(self._folder)
        except OSError as error:
            self._lost([], error)
            return
        os.close(self._file)
        self._file = new
        self.gap = self.gap or Gap(now, now, "the log was taken away while cmdr ran")

    def _append(self, seal: Callable[[T], bytes], what: T) -> None:
        """Put a line at the end, whole or not at all; goes on in a new log once this one is long enough."""
        length, seq, head = os.fstat(self._file).st_size, self._seq, self._head
        line = seal(what)
        written = 0
        try:
            written = os.write(self._file, line)
        finally:
            if written != len(line):
                self._seq, self._head = seq, head
                os.ftruncate(self._file, length)
        if written != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if length + written >= self._rotate_at:
            self._rotate()

    def _rotate(self) -> None:
        os.fdatasync(self._file)
        os.replace(log_path(self._folder), log_path(self._folder, self._seq))
        new = _open_log(self._folder)
        os.close(self._file)
        self._file = new

    def _sealed_gap(self, gap: Gap) -> bytes:
        self._seq += 1
        line, self._head = sealed_gap(gap, self._seq, round(time.time(), 3), self._head)
        return line

    def _sealed(self, record: AuditRecord) -> bytes:
        """The line of a record, spelled out: an encoder for the line and one for its seal take three times as long."""
        self._seq += 1
        seq, at, ms = f'"seq": {self._seq}', f'"at": {round(time.time(), 3)}', f'"ms": {record.ms}'
        who, what = f'"who": {_quoted(record.who)}', f'"what": {_quoted(record.what)}'
        arguments, result = f'"arguments": {_quoted(record.arguments)}', f'"result": {_quoted(record.result)}'
        paths = f'"paths": {json.dumps(record.paths) if record.paths else "[]"}'
        decision, plan = f'"decision": {_quoted(record.decision)}', f'"plan": {_quoted(record.plan)}'
        prev = f'"prev": {_quoted(self._head)}'
        # Records from before have no such key, and those of calls without arguments need none.
        given = (f'"given": {_quoted(record.given)}',) if record.given else ()
        by_name = ", ".join((arguments, at, decision, *given, ms, paths, plan, prev, result, seq, what, who))
        self._head = hashlib.sha256(f"{{{by_name}}}".encode()).hexdigest()
        line = ", ".join((seq, at, who, what, arguments, *given, result, ms, paths, decision, plan, prev))
        return f'{{{line}, "hash": "{self._head}"}}\n'.encode()


def _open_log(folder: str) -> int:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return os.open(log_path(folder), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _where_it_goes_on(folder: str) -> tuple[int, str, Gap | None]:
    """Where the chain goes on, and the gap that is to be recorded first. An anchor ahead of the log means that its end
    was cut off: the chain goes on from that hash, so that the gap shows for ever."""
    (seq, head), kept = _last_record(folder), read_anchor(folder)
    if kept is None:
        now = time.time()
        return seq, head, Gap(now, now, "the log's anchor was missing when cmdr started") if seq else None
    return (kept.seq, kept.head, kept.gap) if kept.seq > seq else (seq, head, kept.gap)


def _last_record(folder: str) -> tuple[int, str]:
    """The number and hash of the last record. A line that a crash cut in half is taken off: it was never a record."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    finished = finished_logs(folder)
    for name in ["audit.jsonl", *reversed(finished)]:
        try:
            with open(os.path.join(folder, name), "r+b") as log:
                end = log.seek(0, os.SEEK_END)
                log.seek(max(0, end - MAX_LINE_BYTES))
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
