"""Whether a file is still what an operation left: by its looks, and where those do not tell, by its contents."""

import hashlib
import os
from contextlib import ExitStack

from cmdr.engine.errors import ITEM_ERRORS
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.contents import have_same_contents
from cmdr.engine.fs.folders import Folders
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.model.plans.plan import Fingerprint, Kind, Place, PlanItem

COMPARED_BYTES = 64 << 20
"""How much is read in all: what is longer, or comes when so much has been read, is not known to be changed."""


class Versions:
    """Looks at what an operation brought, for whoever takes it back."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._syscalls = Syscalls()
        self._bytes_left = COMPARED_BYTES

    def standing(self, item: PlanItem, target: Place, landed: Fingerprint) -> Fingerprint | None:
        """What an item brought, as it stands there now; None when it is gone or somebody wrote to it.

        Where only the stamp differs it may have been linked, renamed and renamed back, or given other attributes, and
        somebody may have written to it and put its time back: its contents tell, as far as they are known.
        """
        try:
            here = self._spot(target).found
        except ITEM_ERRORS:
            return None
        if here is None or not landed.is_like(here):
            return None
        if here.stamp_ns == landed.stamp_ns or here.kind is not Kind.FILE or here.size > self._bytes_left:
            return here
        try:
            return None if self._is_written_to(item, target) else here
        except ITEM_ERRORS:
            return here

    def _is_written_to(self, item: PlanItem, target: Place) -> bool:
        """Whether a file surely holds something else than the operation had put there."""
        source, digest = item.source, item.data_digest
        if item.member is not None or (source is None and not digest):
            return False
        with ExitStack() as stack:
            copy = self._open(target, stack)
            self._bytes_left -= os.fstat(copy).st_size
            if source is None:
                with open(copy, "rb", closefd=False) as file:
                    return hashlib.file_digest(file, "sha256").hexdigest() != digest
            original = self._open(source, stack)
            if item.fingerprint is None or not item.fingerprint.is_like(fingerprint.of_open(original)):
                return False
            return not have_same_contents(self._syscalls, original, copy, lambda _: None)

    def _open(self, place: Place, stack: ExitStack) -> int:
        spot = self._spot(place)
        fd = self._syscalls.open(spot.name, spot.folder)
        stack.callback(os.close, fd)
        return fd

    def _spot(self, place: Place) -> Spot:
        return Spot(*self._folders.at(place))
