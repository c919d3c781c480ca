"""Being told by the kernel which directories change: inotify over the directories that the index knows.

When the kernel has no more watches to give, or lost events because they came too fast, the watcher says so and the
index checks directory times instead. Nothing polls.
"""

import ctypes
import errno
import os
import select
import struct
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress

_EVENT = struct.Struct("iIII")
_CREATE, _DELETE, _MOVED_FROM, _MOVED_TO = 0x100, 0x200, 0x40, 0x80
_CLOSE_WRITE, _ATTRIB, _DELETE_SELF, _MOVE_SELF = 0x8, 0x4, 0x400, 0x800
_OVERFLOW, _IGNORED, _UNMOUNT = 0x4000, 0x8000, 0x2000
_MASK = _CREATE | _DELETE | _MOVED_FROM | _MOVED_TO | _CLOSE_WRITE | _ATTRIB | _DELETE_SELF | _MOVE_SELF
_ONLYDIR, _DONT_FOLLOW = 0x01000000, 0x02000000
_CLOEXEC, _NONBLOCK = 0o2000000, 0o4000


class Watcher:
    """Watches directories from a thread of its own and names those in which something happened.

    `changed` gets the paths, or None when events were lost and everything may have changed.
    """

    def __init__(self, changed: Callable[[set[bytes] | None], None]) -> None:
        self._changed = changed
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.trouble: str | None = None  # why watching is not complete
        self._paths: dict[int, bytes] = {}
        self._watches: dict[bytes, int] = {}
        self._lock = threading.Lock()
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

    def watch(self, paths: Iterable[bytes]) -> int:
        """Watch these directories too; answers how many are watched now."""
        if self._fd < 0 or self.trouble is not None:
            return len(self._watches)
        add = self._libc.inotify_add_watch
        for path in paths:
            if path in self._watches:
                continue
            number = add(self._fd, ctypes.c_char_p(path), _MASK | _ONLYDIR | _DONT_FOLLOW)
            if number >= 0:
                with self._lock:
                    self._paths[number], self._watches[path] = path, number
                continue
            code = ctypes.get_errno()
            if code in (errno.ENOSPC, errno.ENOMEM):
                self.trouble = "the system's limit of inotify watches is reached"
                break
            if code == errno.ENAMETOOLONG:
                self.trouble = "some folders lie too deep to be watched"
        return len(self._watches)

    def close(self) -> None:
        """Stop watching; no call of `changed` comes after this."""
        if self._wake_write < 0:
            return
        os.write(self._wake_write, b"x")
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        for fd in (self._fd, self._wake_read, self._wake_write):
            if fd >= 0:
                with suppress(OSError):
                    os.close(fd)
        self._fd = self._wake_read = self._wake_write = -1

    def _listen(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        while True:
            ready = [fd for fd, _ in poll.poll()]
            if self._wake_read in ready:
                return
            dirty = self._read()
            if dirty is None or dirty:
                self._changed(dirty)

    def _read(self) -> set[bytes] | None:
        """All events that are waiting, as the set of directories they are about."""
        dirty: set[bytes] = set()
        lost = False
        while True:
            try:
                data = os.read(self._fd, 1 << 18)
            except BlockingIOError:
                return None if lost else dirty
            except OSError:
                return None
            at = 0
            while at < len(data):
                number, mask, _, length = _EVENT.unpack_from(data, at)
                at += _EVENT.size + length
                lost = lost or bool(mask & _OVERFLOW)
                with self._lock:
                    path = self._paths.get(number)
                    if path is not None and mask & (_IGNORED | _MOVE_SELF):
                        self._watches.pop(path, None)
                        if mask & _IGNORED:
                            self._paths.pop(number, None)
                if path is not None:
                    dirty.add(path)
