"""What callers mean by a pane and a path, and how far their direct file tools reach."""

import os
from typing import Literal

from cmdr.core.dispatch.call import Call
from cmdr.core.errors import CommandError
from cmdr.files.errors import NotAFolder, PathNotFound
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.files.sandbox.resolved_path import ResolvedName
from cmdr.model.names import from_wire, printable
from cmdr.model.panes.pane import Pane, Side
from cmdr.model.panes.workspace import Workspace

PaneRef = Literal["left", "right", "focused", "other"]
MAX_PATH_BYTES = 4096
MAX_NEW_FOLDERS = 256
"""Folders that one change makes on its way."""


def pane_of(workspace: Workspace, ref: PaneRef) -> Pane:
    """The pane a caller means."""
    if ref == "focused":
        return workspace.pane(workspace.focused)
    if ref == "other":
        return workspace.pane(workspace.focused.other)
    return workspace.pane(Side(ref))


def own_pane(call: Call, ref: PaneRef) -> Pane:
    """The pane a caller means, to change what it shows: an agent gets a tab of its own, and the person's stays."""
    return call.pane_to_change(pane_of(call.workspace, ref).side)


def path_of(text: str, base: bytes) -> bytes:
    """The absolute path a caller means: `~` and paths relative to `base` are welcome."""
    path = from_wire(text)
    if not path or b"\0" in path:
        raise CommandError(
            f'"{printable(text, 40)}" is not a path. Give an absolute path, or one relative to the pane.'
        )
    if len(path) > MAX_PATH_BYTES:
        raise CommandError(f"Path too long: {len(path)} bytes, at most {MAX_PATH_BYTES}.")
    joined = os.path.normpath(os.path.join(base, os.path.expanduser(path)))
    # Two leading slashes survive normpath, and mean nothing here.
    return b"/" + joined.lstrip(b"/")


def reach_of(call: Call) -> PathResolver:
    """What this caller may get at: its own roots, or those all agents share."""
    return call.commander.sandbox.resolver(call.principal.roots, read_only=call.principal.read_only)


def as_asked(call: Call, text: str) -> bytes:
    """The whole path as the caller wrote it, links and all: the name by which other programs may know the place."""
    roots = reach_of(call).roots
    path = os.path.expanduser(named(text))
    return os.path.join(roots[0].path, path) if roots else path


def named(text: str) -> bytes:
    """The path a caller wrote, as bytes; where it leads is the sandbox's business alone."""
    return from_wire(text)


def held_new_name(reach: PathResolver, path: bytes) -> ResolvedName:
    """A name to write to; its folder may be missing, and is then made by the plan below the folder that stands."""
    missing: list[bytes] = []
    here = path.rstrip(b"/")
    while True:
        try:
            held = reach.resolve_name(here)
            break
        except PathNotFound:
            here, name = os.path.split(here)
            if not here or len(missing) >= MAX_NEW_FOLDERS:
                raise
            missing.insert(0, name)
    if not missing:
        return held
    if held.seen() is not None:
        held.close()
        raise NotAFolder(here)  # a link that leads nowhere
    # What is checked here is the outermost name; the plan's every step is checked once it is made.
    return ResolvedName(held.folder, b"/".join((held.name, *missing)))


def held_file(reach: PathResolver, path: bytes) -> ResolvedName:
    """Where a text ends up: a link that stands there is followed."""
    try:
        return reach.write_target(path)
    except PathNotFound:
        held = held_new_name(reach, path)
        if held.seen() is not None:
            held.close()
            raise  # a link that leads nowhere
        return held
