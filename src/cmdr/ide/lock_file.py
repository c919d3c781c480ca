"""The file by which Claude Code finds this editor: `<port>.lock`, private, replaced in one step, gone at the end."""

import contextlib
import json
import os
from collections.abc import Sequence

from cmdr.core import places
from cmdr.core.editing.ide_lock import lock_folder

NAME = "cmdr"


class LockFile:
    """One editor's lock file."""

    def __init__(self, port: int, token: str, folder: str | None = None) -> None:
        self._folder = folder or lock_folder()
        self._token = token
        self.path = os.path.join(self._folder, f"{port}.lock")

    def write(self, folders: Sequence[bytes]) -> None:
        """Announce the editor for these folders; raises `UnsafePlace` or `OSError`."""
        told = {
            "pid": os.getpid(),
            "workspaceFolders": [os.fsdecode(folder) for folder in folders],
            "ideName": NAME,
            "transport": "ws",
            "runningInWindows": False,
            "authToken": self._token,
        }
        places.own(self._folder)
        # A name that is no UTF-8 cannot stand in JSON; its bytes are replaced rather than the whole file lost.
        places.write(self.path, json.dumps(told).encode("utf-8", "replace"))

    def remove(self) -> None:
        """Take it away."""
        with contextlib.suppress(OSError):
            os.unlink(self.path)
