"""What callers mean by a pane and by a path."""

import os
from typing import Literal

from cmdr.core.errors import CommandError
from cmdr.model.names import from_wire, printable
from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.workspace import Workspace

PaneRef = Literal["left", "right", "focused", "other"]
LONGEST_PATH = 4096


def pane_of(workspace: Workspace, ref: PaneRef) -> Pane:
    """The pane a caller means."""
    if ref == "focused":
        return workspace.pane(workspace.focused)
    if ref == "other":
        return workspace.pane(workspace.focused.other)
    return workspace.pane(Side(ref))


def path_of(text: str, base: bytes) -> bytes:
    """The absolute path a caller means: `~` and paths relative to `base` are welcome."""
    path = from_wire(text)
    if not path or b"\0" in path:
        raise CommandError(
            f'"{printable(text, 40)}" is not a path. Give an absolute path, or one relative to the pane.'
        )
    if len(path) > LONGEST_PATH:
        raise CommandError(f"Path too long: {len(path)} bytes, at most {LONGEST_PATH}.")
    joined = os.path.normpath(os.path.join(base, os.path.expanduser(path)))
    # Two leading slashes survive normpath, and mean nothing here.
    return b"/" + joined.lstrip(b"/")
