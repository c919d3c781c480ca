"""What an agent's path was found to name: a file or folder held by a handle, or a name in a held folder."""

import os
import stat
from dataclasses import dataclass
from types import TracebackType

from cmdr.files.errors import DiskError, disk_error
from cmdr.files.sandbox.beneath import reopen
from cmdr.model.names import to_wire
from cmdr.model.root_spec import RootSpec


@dataclass(frozen=True, slots=True)
class OpenRoot:
    """One root, held open."""

    spec: RootSpec
    fd: int
    real: bytes


class Found:
    """Something inside a root, held by a handle that reads nothing; close it after use."""

    def __init__(self, handle: int, root: RootSpec, path: bytes, real: bytes, seen: os.stat_result) -> None:
        self.handle = handle
        self.root = root
        self.path = path
        """As the caller wrote it, made absolute."""
        self.real = real
        """Where the kernel says it is; it may lie behind links, never outside the root."""
        self.stat = seen

    def __enter__(self) -> "Found":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # A caller that was cut off while a thread looked for it never sees it, and cannot close it.
        self.close()

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode; they stay its own while the handle is open."""
        return self.stat.st_dev, self.stat.st_ino

    @property
    def is_folder(self) -> bool:
        """Whether it has entries."""
        return stat.S_ISDIR(self.stat.st_mode)

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file: nothing else is ever opened."""
        return stat.S_ISREG(self.stat.st_mode)

    def open(self) -> int:
        """A descriptor for reading the very file or folder that was checked."""
        if not (self.is_file or self.is_folder):
            raise DiskError(f"{to_wire(self.path)} is a device, pipe or socket; only files and folders are read.")
        try:
            return reopen(self.handle, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError as error:
            raise disk_error(self.path, error) from error

    def close(self) -> None:
        """Let go."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


class HeldName:
    """A name in a folder inside a root, taken or free; the folder is held open until this is closed."""

    def __init__(self, folder: Found, name: bytes) -> None:
        self.folder = folder
        self.name = name

    @property
    def path(self) -> bytes:
        """The real path: the folder as the kernel has it, and the name."""
        return self.folder.real.rstrip(b"/") + b"/" + self.name

    def seen(self) -> os.stat_result | None:
        """What stands there now, links not followed."""
        try:
            return os.stat(self.name, dir_fd=self.folder.handle, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise disk_error(self.path, error) from error

    def close(self) -> None:
        """Let go of the folder."""
        self.folder.close()
