"""What a question is about: a folder with everything below it, and the folders above that lead there."""

import os

import numpy as np

from cmdr.index.errors import NotIndexed
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View


class Scope:
    """The folders of one view that decide what is at and below a path.

    While the view does not know the path, those above it do: it may have come since.
    """

    def __init__(self, view: View, place: bytes, left_out: bytes = b"") -> None:
        self.view = view
        self._left_out = _directory(view, left_out) if left_out else None
        self.number = 0
        self.is_known = True
        found, path = _directory(view, place), place
        while found is None:
            self.is_known = False
            above = path.rpartition(b"/")[0] or b"/"
            found, path = (0 if len(above) < len(view.root) or above == path else _directory(view, above)), above
        self.number = found
        self._above = set(self._upwards(found))

    def holds(self, number: int) -> bool:
        """Whether a folder is above, or below, or the one itself."""
        if number in self._above:
            return True
        if not self.is_known:
            return False
        return any(one == self.number for one in self._upwards(number)) and not self._is_left_out(number)

    def numbers(self) -> Column:
        """The folder, all below it, and those above when it is no longer what stands at its path."""
        view = self.view
        found = np.zeros(len(view.dirs["dpar"]), bool)
        if self.is_known:
            found = self._below(self.number)
            if self._left_out is not None:
                found &= ~self._below(self._left_out)
            if view.dead_dirs is not None:
                found &= ~view.dead_dirs
        if not self.is_known or not self._is_in_place():
            found[list(self._above)] = True
        return np.flatnonzero(found)

    def _below(self, number: int) -> Column:
        view = self.view
        mask = view.subtree(number)[1]
        if mask is None:
            mask = np.zeros(len(view.dirs["dpar"]), bool)
            mask[number : int(view.dirs["dlast"][number])] = True
        return mask

    def _is_in_place(self) -> bool:
        """Whether the path still leads to the folder that the view knows there."""
        if not self.number:
            return True
        view = self.view
        try:
            facts = os.lstat(view.directory_path(self.number))
        except OSError:
            return False
        return facts.st_ino == view.value("ino", int(view.dirs["drow"][self.number]))

    def _upwards(self, number: int) -> list[int]:
        found, parents = [number], self.view.dirs["dpar"]
        while number:
            number = int(parents[number])
            found.append(number)
        return found

    def _is_left_out(self, number: int) -> bool:
        return self._left_out is not None and self._left_out in self._upwards(number)


def _directory(view: View, path: bytes) -> int | None:
    try:
        return view.directory(view.find(path))
    except NotIndexed:
        return None
