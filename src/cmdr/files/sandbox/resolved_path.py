"""What an agent's path was resolved to: a file or folder held by a handle, a name in a held folder, or a refusal."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from cmdr.files.errors import DiskError, disk_error
from cmdr.files.sandbox.open_beneath import reopen
from cmdr.model.names import to_wire
from cmdr.model.root_spec import RootSpec


class OutsideRoots(DiskError):
    """The path, or a link on its way, leads out of the agents' folders."""

    def __init__(self, path: bytes, roots: Sequence[RootSpec]) -> None:
        inside = ", ".join(to_wire(root.path) for root in roots[:5]) or "none are set"
        super().__init__(
            f"{to_wire(path[:200])} is outside the folders agents may use: {inside}. "
            "The person can allow more: cmdr --root DIR, or agents.roots in the settings."
        )


class PrivatePlace(DiskError):
    """The place is the person's alone, wherever the roots are."""

    def __init__(self, path: bytes, why: str) -> None:
        super().__init__(f"{to_wire(path)} {why}; agents never get it. Ask the person.")


class HiddenInHome(DiskError):
    """It is hidden in a home that nobody named as a root."""

    def __init__(self, path: bytes) -> None:
        super().__init__(
            f"{to_wire(path)} is hidden in a home, and agents get hidden files there only in folders that the person "
            "names: cmdr --root DIR, or agents.roots in the settings."
        )


class ReadOnlyRoot(DiskError):
    """The folder may be read but not changed."""

    def __init__(self, path: bytes) -> None:
        super().__init__(f"{to_wire(path)} lies in a folder that agents may only read.")


class BadRoot(DiskError):
    """A root that cannot be opened."""

    def __init__(self, path: bytes, why: str) -> None:
        self.path = path
        super().__init__(f"The root {to_wire(path)} cannot be used: {why}.")


@dataclass(frozen=True, slots=True)
class OpenRoot:
    """One root, held open."""

    spec: RootSpec
    fd: int
    real: bytes


class ResolvedPath:
    """Something inside a root, held by a handle that reads nothing; close it after use."""

    def __init__(self, handle: int, root: RootSpec, path: bytes, real: bytes, seen: os.stat_result) -> None:
        self.handle = handle
        self.root = root
        self.path = path
        """As the caller wrote it, made absolute."""
        self.real = real
        """Where the kernel says it is; it may lie behind links, never outside the root."""
        self.stat = seen

    def __enter__(self) -> "ResolvedPath":
        return self

    def __exit__(self, *_: object) -> None:
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


class ResolvedName:
    """A name in a folder inside a root, taken or free; the folder is held open until this is closed."""

    def __init__(self, folder: ResolvedPath, name: bytes) -> None:
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
