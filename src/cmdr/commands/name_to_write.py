"""Where something new is to stand when folders on its way are missing: inside the same root, held from above them."""

import os

from cmdr.files.errors import NotAFolder, PathNotFound
from cmdr.files.sandbox.path_resolver import PathResolver
from cmdr.files.sandbox.resolved_path import ResolvedName

DEEPEST = 256
"""Folders that one change makes on its way."""


def name_to_write(reach: PathResolver, path: bytes) -> ResolvedName:
    """A name to write to; its folder may be missing, and is then made by the plan below the folder that stands."""
    missing: list[bytes] = []
    here = path.rstrip(b"/")
    while True:
        try:
            held = reach.resolve_name(here)
            break
        except PathNotFound:
            here, name = os.path.split(here)
            if not here or len(missing) >= DEEPEST:
                raise
            missing.insert(0, name)
    if not missing:
        return held
    if held.seen() is not None:
        held.close()
        raise NotAFolder(here)  # a link that leads nowhere
    # What is checked here is the outermost name; the plan's every step is checked once it is made.
    return ResolvedName(held.folder, b"/".join((held.name, *missing)))


def landing_name(reach: PathResolver, path: bytes) -> ResolvedName:
    """Where a text ends up: a link that stands there is followed."""
    try:
        return reach.write_target(path)
    except PathNotFound:
        held = name_to_write(reach, path)
        if held.seen() is not None:
            held.close()
            raise  # a link that leads nowhere
        return held
