"""Where cmdr keeps its own things, and how a secret is written there and read back.

Runtime (token, instance record) goes with the login session, state (client list, logs, databases) stays, config is
the person's. Each is a directory of the user's own that nobody else can write to, or it is refused. The command-line
bridge imports this on every start, so it must stay cheap: no dataclasses, no pathlib.
"""

import contextlib
import fcntl
import os
import stat
import sys
from collections.abc import Iterator

from cmdr.model.errors import Unusable, unusable_text

TOKEN_NAME = "token"  # noqa: S105 - the name of the file, not a token
"""The default agent token's file in the runtime directory."""

PRIVATE_DIR = 0o700
PRIVATE_FILE = 0o600


class UnsafePlace(Unusable):
    """A directory or file that another user could read or change is never used for secrets."""


@contextlib.contextmanager
def needed(path: str = "its own files") -> Iterator[None]:
    """What is done inside needs places of our own; raises `Unusable` for what the system says about them."""
    try:
        yield
    except OSError as error:
        named = error.filename if isinstance(error.filename, str) else path
        raise Unusable(unusable_text(error.errno or 0, named)) from error


def runtime() -> str:
    """The directory for what lives only as long as the program runs, created when missing."""
    # Agent programs start their servers with a stripped environment, and the bridge must still look where a server
    # from the login shell put its record. So the place systemd makes is tried even when the variable is not set.
    bases = [os.environ.get("XDG_RUNTIME_DIR", "")]
    if sys.platform == "linux":
        bases.append(f"/run/user/{os.geteuid()}")
    for base in bases:
        if os.path.isabs(base) and _trusted_base(base):
            return own(os.path.join(base, "cmdr"))
    return own(os.path.join(state(), "run"))


def state() -> str:
    """The directory for what must outlive the program, created when missing."""
    return own(_named("XDG_STATE_HOME", "~/.local/state"))


def config() -> str:
    """The directory for what the person writes, created when missing."""
    return own(_named("XDG_CONFIG_HOME", "~/.config"))


def own(path: str) -> str:
    """Create a directory only we can use, or make sure that the one there is such a directory."""
    _make(path)
    seen = os.lstat(path)
    if stat.S_ISLNK(seen.st_mode):
        raise UnsafePlace(f"{path} is a symbolic link; cmdr keeps secrets there, so replace it with a real directory.")
    if not stat.S_ISDIR(seen.st_mode):
        raise UnsafePlace(f"{path} is not a directory; move it away so that cmdr can make one.")
    if seen.st_uid != os.geteuid():
        raise UnsafePlace(f"{path} belongs to user {seen.st_uid}, not to you; remove it or set another place.")
    if seen.st_mode & 0o022:
        raise UnsafePlace(f"{path} can be changed by other users; run: chmod 700 '{path}'")
    return path


def write(path: str, data: bytes) -> None:
    """Put a private file in place in one step: a reader sees the old text or the new, never a part."""
    fd = stage(path, data)
    os.close(fd)


def set_aside(path: str) -> None:
    """Give a file that cannot be understood another name, so that nothing is written over it."""
    with contextlib.suppress(OSError):
        os.replace(path, f"{path}.damaged")


def stage(path: str, data: bytes, lock: int | None = None) -> int:
    """As `write`, but hand over the open file; with `lock`, it is locked before anyone can see it."""
    temporary = f"{path}.{os.urandom(8).hex()}.tmp"
    fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        if lock is not None:
            fcntl.flock(fd, lock)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
        os.rename(temporary, path)
        sync_directory(os.path.dirname(path))
    except BaseException:
        os.close(fd)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    return fd


def open_private(path: str) -> int | None:
    """Open one of our own files for reading; None when it is not there, refused when it could be someone else's."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnsafePlace(f"{path} cannot be read: {error.strerror}; remove it and start cmdr again.") from error
    seen = os.fstat(fd)
    if stat.S_ISREG(seen.st_mode) and seen.st_uid == os.geteuid() and not seen.st_mode & 0o022:
        return fd
    os.close(fd)
    raise UnsafePlace(f"{path} is not a private file of yours; remove it and start cmdr again.")


def read(path: str, limit: int = 65536) -> bytes | None:
    """The contents of one of our own files, at most `limit` bytes; None when it is not there."""
    fd = open_private(path)
    if fd is None:
        return None
    with os.fdopen(fd, "rb") as file:
        return file.read(limit)


def _named(variable: str, linux: str) -> str:
    base = os.environ.get(variable, "")
    if not os.path.isabs(base):  # the XDG rule: a relative value is as good as none
        base = os.path.expanduser("~/Library/Application Support" if sys.platform == "darwin" else linux)
    return os.path.join(base, "cmdr")


def _trusted_base(path: str) -> bool:
    # A runtime directory inherited through `su` or `sudo` belongs to someone else: then ours is kept elsewhere.
    try:
        seen = os.stat(path)
    except OSError:
        return False
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.geteuid() and not seen.st_mode & 0o022


def _make(path: str) -> None:
    try:
        os.mkdir(path, PRIVATE_DIR)
    except FileExistsError:
        return
    except FileNotFoundError:
        _make(os.path.dirname(path))
        _make(path)


def sync_directory(path: str) -> None:
    """Make names that were given or taken in a directory durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
