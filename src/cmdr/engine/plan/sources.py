"""Chosen sources: which lie inside others and go along with those, and which are private."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cmdr.engine.plan.survey import Source, Survey
from cmdr.files.protected import Privacy
from cmdr.model.names import to_wire


def outermost(paths: Sequence[bytes]) -> Sequence[bytes]:
    """The chosen paths without those inside other chosen ones, and each file once, whatever links led to it."""
    nesting = Nesting(paths)
    return paths if nesting.is_flat else [path for path in paths if nesting.is_outermost(path)]


class Nesting:
    """Which of some paths lie inside others of them."""

    def __init__(self, paths: Sequence[bytes]) -> None:
        folders = {_split(path)[0] for path in paths}
        self.is_flat = len(folders) < 2
        """Whether nothing lies inside another and no two are the same: always so for what stands in one folder."""
        if self.is_flat:
            return
        self._real = {folder: os.path.realpath(folder) for folder in folders}
        # Only what stands above a chosen one can hold it, and there are far fewer folders than files.
        above = {each for folder in self._real.values() for each in _upwards(folder)}
        holders = {place for path in paths if (place := self._place(path)) in above}
        self._inside = {folder: not holders.isdisjoint(_upwards(real)) for folder, real in self._real.items()}
        self._seen: set[bytes] = set()
        self.is_flat = not holders and len(set(self._real.values())) == len(folders)

    def is_outermost(self, path: bytes) -> bool:
        """Whether a path lies in none of the others and is asked about for the first time."""
        place = self._place(path)
        if place in self._seen or self.is_inside(path):
            return False
        self._seen.add(place)
        return True

    def is_inside(self, path: bytes) -> bool:
        """Whether a path lies inside another one."""
        return not self.is_flat and self._inside[_split(path)[0]]

    def _place(self, path: bytes) -> bytes:
        folder, name = _split(path)
        return self._real[folder].rstrip(b"/") + b"/" + name


def _split(path: bytes) -> tuple[bytes, bytes]:
    folder, _, name = path.rstrip(b"/").rpartition(b"/")
    return folder or b"/", name


def _upwards(folder: bytes) -> Iterator[bytes]:
    """A folder and all above it but the top, which is no file of anybody's and refused elsewhere."""
    while folder != b"/":
        yield folder
        folder = os.path.dirname(folder)


@dataclass(slots=True)
class PrivateSources:
    """Looks at the sources of one plan as they are found."""

    privacy: Privacy | None
    """None for a person, who copies their own files as they like."""
    _shown: bytes = b""
    """The folder in which the current source was chosen, by the path that led there."""
    _real: bytes = b""
    """Where that folder really lies."""
    _inside: str = ""
    """The first private one in a folder that moves as a whole."""

    def reason(self, source: Source) -> str:
        """Why a chosen file or folder, or one inside the folder that was chosen last, is private; or nothing."""
        if self.privacy is None:
            return ""
        self._inside = ""
        if b"/" in source.place.rel:
            return self.privacy.reason_here(self._real_path(source.place.path), source.found)
        self._shown = source.place.root.rstrip(b"/")
        self._real = self.privacy.real(source.folder).rstrip(b"/")
        return self.privacy.reason_of(self._real_path(source.place.path), source.found)

    def look_inside(self, survey: Survey) -> None:
        """Also look at what lies in folders that move as a whole, while it is counted."""
        if self.privacy is not None:
            survey.seen = self._note

    @property
    def inside(self) -> str:
        """Why the folder that was counted last is private, or nothing."""
        return self._inside

    def _note(self, path: bytes, found: os.stat_result) -> None:
        if self.privacy is not None and not self._inside:
            why = self.privacy.reason_here(self._real_path(path), found)
            self._inside = f"holds {to_wire(os.path.basename(path))}, which {why}" if why else ""

    def _real_path(self, path: bytes) -> bytes:
        return self._real + path[len(self._shown) :]
