"""The members of sets on the disk, one file each, in step with the catalogue that knows how many there should be.

New members are staged beside the old ones, then the catalogue is told, then they take their place: whoever is killed
when, the next start finishes what the catalogue knows of and drops the rest.
"""

import os
from collections.abc import Iterable
from contextlib import suppress

from cmdr.index.errors import Corrupt
from cmdr.index.room import needing_room
from cmdr.index.store.catalogue import SetRecord
from cmdr.index.store.sets import Members, load, save

_STAGED = ".new"


class SetFiles:
    """The folder of the sets."""

    def __init__(self, folder: str, known: Iterable[SetRecord]) -> None:
        self.folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._sweep({record.id: record for record in known})

    def load(self, set_id: str) -> Members:
        """The members of a set."""
        return load(self._path(set_id))

    def stage(self, set_id: str, members: Members) -> None:
        """Write members beside those in use; nothing is left of a failure."""
        try:
            with needing_room("this set; it stays as it was"):
                save(self._path(set_id) + _STAGED, members)
        except BaseException:
            self.unstage(set_id)
            raise

    def unstage(self, set_id: str) -> None:
        """Drop what was staged."""
        for end in (_STAGED, _STAGED + ".tmp"):
            with suppress(FileNotFoundError):
                os.unlink(self._path(set_id) + end)

    def settle(self, set_id: str) -> None:
        """What was staged takes its place."""
        os.replace(self._path(set_id) + _STAGED, self._path(set_id))

    def remove(self, set_id: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._path(set_id))

    def _path(self, set_id: str) -> str:
        return os.path.join(self.folder, set_id)

    def _sweep(self, known: dict[str, SetRecord]) -> None:
        for name in sorted(os.listdir(self.folder)):
            set_id = name.partition(".")[0]
            record = known.get(set_id)
            if name == set_id and record is not None:
                continue
            if name == set_id + _STAGED and record is not None and self._is_what(name, record):
                self.settle(set_id)
            else:
                with suppress(OSError):
                    os.unlink(self._path(name))

    def _is_what(self, name: str, record: SetRecord) -> bool:
        try:
            members = self.load(name)
        except Corrupt:
            return False
        return (len(members), int(members.size.sum())) == (record.count, record.bytes)
