"""Where something new is to stand when folders on its way are missing: inside the same root, held from above them."""

import os

from cmdr.files.errors import NotAFolder, PathNotFound
from cmdr.files.sandbox.found import Spot
from cmdr.files.sandbox.reach import Reach

DEEPEST = 256
"""Folders that one change makes on its way."""


def new_spot(reach: Reach, path: bytes) -> Spot:
    """A name to write to; its folder may be missing, and is then made by the plan below the folder that stands."""
    missing: list[bytes] = []
    here = path.rstrip(b"/")
    while True:
        try:
            spot = reach.spot(here)
            break
        except PathNotFound:
            here, name = os.path.split(here)
            if not here or len(missing) >= DEEPEST:
                raise
            missing.insert(0, name)
    if not missing:
        return spot
    if spot.seen() is not None:
        spot.close()
        raise NotAFolder(here)  # a link that leads nowhere
    # What is checked here is the outermost name; the plan's every step is checked once it is made.
    return Spot(spot.folder, b"/".join((spot.name, *missing)))


def landing_spot(reach: Reach, path: bytes) -> Spot:
    """Where a text ends up: a link that stands there is followed."""
    try:
        return reach.landing(path)
    except PathNotFound:
        spot = new_spot(reach, path)
        if spot.seen() is not None:
            spot.close()
            raise  # a link that leads nowhere
        return spot
