"""Where the trash of a volume is, or would be made; found out without touching anything, and why there is none.

Places by the FreeDesktop.org trash specification: the home trash for the home's volume, `$top/.Trash/$uid` or
`$top/.Trash-$uid` elsewhere.
"""

import os
import stat
from dataclasses import dataclass

from cmdr.engine.fs.mounts import path_of, top_of, volume_of
from cmdr.model.names import to_wire

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


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
