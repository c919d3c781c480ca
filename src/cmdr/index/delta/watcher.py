"""Being told by the kernel what changes: inotify over the directories that the index knows.

A watch belongs to the directory itself wherever it is moved, so it is remembered under the node's id and never under
a path. When the kernel has no more watches to give, or lost events because they came too fast, the watcher says so
and the index checks directory times instead. Nothing polls.
"""

import ctypes
import errno
import logging
import os
import select
import struct
import threading
from array import array
from collections.abc import Callable, Iterable
from contextlib import suppress

log = logging.getLogger(__name__)

WatchEvents = dict[int, set[bytes] | None]
"""By the id of a directory: the names that something happened to, or None when it may be any."""
Told = Callable[[WatchEvents | None, frozenset[int]], None]
"""Gets what happened, and the ids of the directories in which more than the contents of files changed; None instead of
what happened when events were lost and everything may have changed."""

_EVENT = struct.Struct("iIII")
_CREATE, _DELETE, _MOVED_FROM, _MOVED_TO = 0x100, 0x200, 0x40, 0x80
_MODIFY, _CLOSE_WRITE, _ATTRIB, _DELETE_SELF, _MOVE_SELF = 0x2, 0x8, 0x4, 0x400, 0x800
_OVERFLOW, _IGNORED = 0x4000, 0x8000
_EDITS = _MODIFY | _CLOSE_WRITE | _ATTRIB
_MASK = _CREATE | _DELETE | _MOVED_FROM | _MOVED_TO | _EDITS | _DELETE_SELF | _MOVE_SELF
_ONLYDIR, _DONT_FOLLOW = 0x01000000, 0x02000000
_CLOEXEC, _NONBLOCK = 0o2000000, 0o4000
_MANY_NAMES = 1000  # of one directory: to look at all of it takes no longer


class Watcher:
    """Watches directories and tells what happened in which: a thread of its own does as soon as something happens, and
    whoever calls `drain` does at once.

    The kernel queues an event before the call that caused it returns, so that `drain` tells everything that had
    happened in watched directories when it was called.
    """

    def __init__(self, changed: Told) -> None:
        self._changed = changed
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.trouble: str | None = None  # why watching is not complete
        # The kernel counts its watches from 1 on and never uses a number again: four bytes for each, and 0 is none.
        self._watched = array("I", [0])
        self._lock = threading.Lock()
        self._reading = threading.Lock()  # what one has read it tells before another reads on
        self._fd = -1
        start = getattr(self._libc, "inotify_init1", None)
        if start is not None:
            self._fd = int(start(_CLOEXEC | _NONBLOCK))
        if self._fd < 0:
            self.trouble = "this system has no inotify watches to give"
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._listen, name="cmdr-index-watch", daemon=True)
        if self._fd >= 0:
            self._thread.start()

    def watch(self, directories: Iterable[tuple[int, bytes]]) -> list[int]:
        """Watch these directories, each given by its id and where it is now; answers those not watched before."""
        fresh: list[int] = []
        if self._fd < 0 or self.trouble is not None:
            return fresh
        add = self._libc.inotify_add_watch
        for nid, path in directories:
            with self._lock:  # an event may come before the number is written down
                number = add(self._fd, ctypes.c_char_p(path), _MASK | _ONLYDIR | _DONT_FOLLOW)
                if number >= 0:
                    if number >= len(self._watched):
                        self._watched.frombytes(bytes(4 * (number + 1 - len(self._watched))))
                    if self._watched[number] != nid + 1:
                        self._watched[number] = nid + 1
                        fresh.append(nid)
                    continue
            code = ctypes.get_errno()
            if code in (errno.ENOSPC, errno.ENOMEM):
                self.trouble = "the system's limit of inotify watches is reached"
                break
            if code == errno.ENAMETOOLONG:
                self.trouble = "some folders lie too deep to be watched"
        return fresh

    def close(self) -> None:
        """Stop watching; no call of `changed` comes after this."""
        if self._wake_write < 0:
            return
        os.write(self._wake_write, b"x")
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        with self._reading:
            for fd in (self._fd, self._wake_read, self._wake_write):
                if fd >= 0:
                    with suppress(OSError):
                        os.close(fd)
            self._fd = self._wake_read = self._wake_write = -1

    def _listen(self) -> None:
        try:
            self._hear()
        except Exception:
            log.exception("watching failed")
            self.trouble = "watching failed; the log says how"

    def _hear(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        while True:
            ready = [fd for fd, _ in poll.poll()]
            if self._wake_read in ready:
                return
            self.drain()

    def drain(self) -> None:
        """Tell everything that has happened until now."""
        with self._reading:
            if self._fd < 0:
                return
            events, named = self._read()
            if events is None or events:
                self._changed(events, frozenset(named))

    def _read(self) -> tuple[WatchEvents | None, set[int]]:
        """All events that are waiting, and where names came or went."""
        events: WatchEvents = {}
        named: set[int] = set()
        lost = False
        while True:
            try:
                data = os.read(self._fd, 1 << 18)
            except BlockingIOError:
                return None if lost else events, named
            except OSError:
                return None, named
            at = 0
            while at < len(data):
                number, mask, _, length = _EVENT.unpack_from(data, at)
                name = data[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0")
                at += _EVENT.size + length
                lost = lost or bool(mask & _OVERFLOW)
                with self._lock:
                    nid = self._watched[number] - 1 if 0 < number < len(self._watched) else -1
                    if nid >= 0 and mask & _IGNORED:
                        self._watched[number] = 0
                if nid >= 0:
                    _note(events, nid, name)
                    if mask & ~_EDITS or not name:
                        named.add(nid)


def _note(events: WatchEvents, nid: int, name: bytes) -> None:
    names = events.setdefault(nid, set())
    if names is None:
        return
    if not name or len(names) >= _MANY_NAMES:
        events[nid] = None
    else:
        names.add(name)
