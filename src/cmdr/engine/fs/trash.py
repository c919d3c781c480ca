"""The trash: files go there instead of away, with a note about where they came from, as other desktops do it.

A file never crosses volumes on its way into a trash.
"""

import contextlib
import os
import secrets
import stat
import time
from dataclasses import dataclass
from urllib.parse import quote_from_bytes, unquote_to_bytes

from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.contents import write_contents
from cmdr.engine.fs.fingerprint import birth_of_open
from cmdr.engine.fs.mounts import path_of, top_of, volume_of
from cmdr.engine.fs.names import shortened
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.records import Backup
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import Root


class NoTrashHere(Exception):
    """There is no trash on a volume, and none can be made; the text says why."""


@dataclass(frozen=True, slots=True)
class TrashSite:
    """Where a volume's trash is, or would be made."""

    path: bytes
    top: bytes
    """The directory that notes are relative to; empty for the home trash, whose notes are absolute."""


def home_trash() -> bytes:
    """The trash of this user's home."""
    home = os.fsencode(os.path.expanduser("~"))
    data = os.environb.get(b"XDG_DATA_HOME", b"")
    return (data if data.startswith(b"/") else home + b"/.local/share") + b"/Trash"


def locate(folder: int, home: bytes, uid: int | None = None) -> TrashSite:
    """The trash for files in an open directory; NoTrashHere where there is none and none can be made."""
    if os.fstatvfs(folder).f_flag & os.ST_RDONLY:
        raise NoTrashHere("the volume is read-only")
    if _volume_of_nearest(home) == volume_of(folder):
        return _usable(TrashSite(home, b""))
    top = top_of(folder)
    try:
        path = path_of(top).rstrip(b"/")
        uid = os.getuid() if uid is None else uid
        return _on_volume(top, path, uid)
    except PermissionError as problem:  # the folder may be listed, and not be entered
        raise NoTrashHere(f"you may not enter {to_wire(path)}") from problem
    finally:
        os.close(top)


def _on_volume(top: int, path: bytes, uid: int) -> TrashSite:
    shared = look(b".Trash", top)
    if shared is not None and stat.S_ISDIR(shared.st_mode) and shared.st_mode & stat.S_ISVTX:
        try:
            return _usable(TrashSite(path + b"/.Trash/%d" % uid, path))
        except NoTrashHere:
            # The specification sends us on to a folder of our own.
            pass
    name = b".Trash-%d" % uid
    own = look(name, top)
    if own is not None and not (stat.S_ISDIR(own.st_mode) and own.st_uid == uid):
        raise NoTrashHere(f"{to_wire(path + b'/' + name)} is not a folder of yours")
    return _usable(TrashSite(path + b"/" + name, path))


def _usable(site: TrashSite) -> TrashSite:
    """The site itself, when files can be put there: what exists must be a folder we may write to."""
    for part in (b"/files", b"/info"):
        path = site.path + part
        while path != b"/" and not os.path.lexists(path):
            path = os.path.dirname(path)
        if not os.path.isdir(path):
            raise NoTrashHere(f"{to_wire(path)} is not a folder")
        if not os.access(path, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            raise NoTrashHere(f"you may not write to {to_wire(path)}")
    return site


def look(name: bytes, folder: int) -> os.stat_result | None:
    """What stands under a name in an open directory, or None when the name is free."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _volume_of_nearest(path: bytes) -> tuple[int, int] | None:
    while True:
        try:
            fd = os.open(path, _OPEN)
        except FileNotFoundError:
            path = os.path.dirname(path)
            continue
        except OSError:
            return None
        try:
            return volume_of(fd)
        finally:
            os.close(fd)


NOTE = b".trashinfo"
LONGEST = 255 - len(NOTE)
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Trash:
    """An open trash that takes files in."""

    def __init__(self, syscalls: Syscalls, site: TrashSite) -> None:
        self._syscalls = syscalls
        self._site = site
        self._files = _make_path(syscalls, site.path + b"/files")
        try:
            self._info = _make_path(syscalls, site.path + b"/info")
        except OSError:
            syscalls.discard(self._files)
            raise
        self.files = _root(self._files, site.path + b"/files")
        self.info = _root(self._info, site.path + b"/info")
        self._reserved: set[bytes] = set()

    def close(self) -> None:
        """Let go of the directories."""
        self._syscalls.discard(self._files)
        self._syscalls.discard(self._info)

    def choose(self, name: bytes) -> Backup:
        """A name that is free in the trash, not to be handed out again by this object."""
        candidate = name if len(name) <= LONGEST else _unique(name)
        while candidate in self._reserved or self._is_taken(candidate):
            candidate = _unique(name)
        self._reserved.add(candidate)
        return Backup(self.files, self.info, candidate, candidate + NOTE)

    def slot(self, kept: Backup) -> "Slot":
        """The slot behind a chosen name."""
        return Slot(self._syscalls, Spot(self._files, kept.name), Spot(self._info, kept.note))

    def note_for(self, folder: int, name: bytes) -> bytes:
        """The note about a file: where it was and when it left."""
        path = path_of(folder).rstrip(b"/") + b"/" + name
        if self._site.top or not self._site.path.startswith(b"/"):
            path = os.path.relpath(path, self._site.top)
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime())
        return f"[Trash Info]\nPath={quote_from_bytes(path)}\nDeletionDate={when}\n".encode()

    def _is_taken(self, name: bytes) -> bool:
        return look(name, self._files) is not None or look(name + NOTE, self._info) is not None


@dataclass(frozen=True, slots=True)
class Slot:
    """Room for one file in a trash: its name, and its note."""

    syscalls: Syscalls
    spot: Spot
    note: Spot

    def write_note(self, text: bytes) -> int:
        """Write the note under its final name, before the file comes; open, for the caller to sync and close."""
        fd = self.syscalls.create(self.note.name, self.note.folder)
        try:
            write_contents(self.syscalls, fd, text)
        except OSError:
            self.syscalls.discard(fd)
            self.forget()
            raise
        return fd

    def forget(self) -> None:
        """Remove the note when the file did not come after all."""
        if self.spot.found is None:
            with contextlib.suppress(FileNotFoundError):
                self.syscalls.unlink(self.note.name, self.note.folder)

    def sync(self) -> None:
        """Wait until the names in the trash are on the disk."""
        self.syscalls.sync_folder(self.note.folder)
        self.syscalls.sync_folder(self.spot.folder)


def read_note(text: bytes, top: bytes) -> bytes | None:
    """The absolute path a note tells of, or None when it is not a note."""
    lines = text.split(b"\n")
    if lines[0].strip() != b"[Trash Info]":
        return None
    for line in lines[1:]:
        key, _, value = line.partition(b"=")
        if key.strip() == b"Path":
            path = unquote_to_bytes(value.strip())
            if b"\0" in path or not path:
                return None
            return path if path.startswith(b"/") else top.rstrip(b"/") + b"/" + path
    return None


def _unique(name: bytes) -> bytes:
    return shortened(name, LONGEST - 9) + b"." + secrets.token_hex(4).encode()


def _root(fd: int, path: bytes) -> Root:
    found = os.fstat(fd)
    return Root(path, found.st_dev, found.st_ino, birth_of_open(fd))


def _make_path(syscalls: Syscalls, path: bytes) -> int:
    """Open a directory, making what is missing on the way for this user alone."""
    try:
        return os.open(path, _OPEN | os.O_NOFOLLOW)
    except FileNotFoundError:
        above, name = os.path.split(path)
    folder = _make_path(syscalls, above)
    try:
        with contextlib.suppress(FileExistsError):
            syscalls.mkdir(name, folder)
        syscalls.sync_folder(folder)
        return syscalls.open_folder(name, folder)
    finally:
        syscalls.discard(folder)
