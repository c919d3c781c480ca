"""The lock files by which editors announce themselves to Claude Code, and which one is ours."""

import json
import os
from collections.abc import Mapping
from typing import NamedTuple


class EditorLock(NamedTuple):
    """An announced editor: its port, and the folders it shows."""

    port: int
    folders: tuple[str, ...]


def lock_folder(variables: Mapping[str, str] | None = None) -> str:
    """Where lock files stand."""
    variables = os.environ if variables is None else variables
    base = variables.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return os.path.join(base, "ide")


def lock_of(pid: int, folder: str | None = None) -> EditorLock | None:
    """The announcement of one process, or None."""
    folder = folder or lock_folder()
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    for name in names:
        port, dot, ending = name.partition(".")
        if not (port.isdecimal() and dot and ending == "lock"):
            continue
        try:
            with open(os.path.join(folder, name), "rb") as file:
                lock = json.loads(file.read(1 << 20))
            if lock["pid"] == pid and lock["ideName"] == "cmdr":
                return EditorLock(int(port), tuple(map(str, lock["workspaceFolders"])))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # another program's, or half gone
    return None
