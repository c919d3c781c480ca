"""Following the changes of a tree as the system tells of them, instead of looking for them."""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from cmdr.index.delta.changed_directories import changed_directories
from cmdr.index.delta.watcher import Watcher, WatchEvents
from cmdr.index.errors import Gone, IndexFault, NotIndexed, RootMissing
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View
from cmdr.model.names import to_wire
from cmdr.model.trees.node import DirState

if TYPE_CHECKING:
    from cmdr.index.tree import IndexedTree

HUGE_DIRECTORY = 200_000  # entries of a directory that is not listed again when nobody tells which of them changed
_PATHS_PER_STEP = 20_000
_NOT_LOOKED_INTO = np.array([DirState.UNLISTED, DirState.OTHER_SYSTEM], np.uint8)


class LiveUpdates:
    """Watches one index's folders, once it was asked to."""

    def __init__(self, index: "IndexedTree", lock: threading.Lock) -> None:
        self._index, self._lock = index, lock
        self._watcher: Watcher | None = None

    def begin(self, on_refresh: Callable[[], None] | None) -> None:
        """Watch every folder; `on_refresh` is called after each refresh. What changed before is for a check to find."""
        if self._watcher is None:

            def changed(events: WatchEvents | None) -> None:
                self.changed(events)
                if on_refresh is not None:
                    on_refresh()

            self._watcher = Watcher(changed)
        self._watch(self._index.view.live_dirs())

    def watch_all(self) -> None:
        """Watch every folder that is not watched yet; whoever calls holds the index's lock."""
        if self._watcher is not None:
            self._look_again(self._watch(self._index.view.live_dirs()))

    def watch_listed(self, paths: Iterable[bytes]) -> None:
        """Watch the folders that were listed just now: every new one is among them, and every one put in place of
        another under its old name. Whoever calls holds the index's lock."""
        if self._watcher is None:
            return
        view = self._index.view
        numbers = [number for path in paths if (number := _number(view, path)) is not None]
        self._look_again(self._watch(np.array(numbers, np.int64)))

    def _watch(self, numbers: Column) -> list[int]:
        """Watch these directories; answers the ids of those that were not watched before."""
        assert self._watcher is not None
        view = self._index.view
        numbers = numbers[~np.isin(view.dirs["dstate"][numbers], _NOT_LOOKED_INTO)]
        fresh: list[int] = []
        for first in range(0, len(numbers), _PATHS_PER_STEP):  # the paths of all would need much memory
            some = numbers[first : first + _PATHS_PER_STEP]
            ids = view.gather("nid", view.dirs["drow"][some]).tolist()
            found = zip(ids, view.paths_of_directories(some), strict=True)
            fresh += self._watcher.watch((nid, path) for nid, path in found if not self._index.is_own(path))
        return fresh

    def _look_again(self, fresh: list[int]) -> None:
        """What happened in a folder after it was listed and before it was watched, nobody has told."""
        view = self._index.view
        numbers = [number for nid in fresh if (number := _directory(view, nid)) is not None]
        if not numbers:
            return
        try:
            late = changed_directories(view, among=np.array(numbers, np.int64))
            if late:
                self._index.relist(late)
        except (IndexFault, OSError) as trouble:
            self._index.mark_stale(f"a refresh failed: {trouble}")

    def changed(self, events: WatchEvents | None) -> None:
        """Something happened in these folders, or (None) nobody knows where."""
        index = self._index
        try:
            if events is None:
                index.mark_stale("changes came faster than they could be followed")
                index.check()
                return
            with self._lock:
                view = index.view
                found = {n: names for nid, names in events.items() if (n := _directory(view, nid)) is not None}
                named = {number: frozenset(names) for number, names in found.items() if names is not None}
                huge = [number for number in found if _is_too_much(view, number, named)]
                left = {
                    view.id_of(int(view.dirs["drow"][number])): int(view.dirs["dlisted"][number]) for number in huge
                }
                index.relist([number for number in found if number not in huge], named)
                for nid, listed in left.items():
                    number = _directory(index.view, nid)
                    if number is not None and int(index.view.dirs["dlisted"][number]) == listed:
                        path = to_wire(index.view.directory_path(number))
                        index.mark_stale(f"{path} is huge and has changed; the next check lists it again")
        except RootMissing:
            return  # told by the freshness already
        except (IndexFault, OSError) as trouble:  # the next event, or the next check, tries again
            index.mark_stale(f"a refresh failed: {trouble}")

    @property
    def is_complete(self) -> bool:
        """Whether the system tells of every change."""
        return self._watcher is not None and self._watcher.trouble is None

    @property
    def trouble(self) -> str | None:
        """Why watching is incomplete, when it is."""
        return None if self._watcher is None else self._watcher.trouble

    def close(self) -> None:
        """Watch no more."""
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None


def _number(view: View, path: bytes) -> int | None:
    try:
        return view.directory(view.find(path))
    except NotIndexed:
        return None


def _is_too_much(view: View, number: int, named: Mapping[int, frozenset[bytes]]) -> bool:
    """Whether a directory would have to be listed as a whole, and that takes too long to do it at every change."""
    return int(view.dirs["dcn"][number]) > HUGE_DIRECTORY and (number not in named or number >= view.base_dirs)


def _directory(view: View, nid: int) -> int | None:
    """The number of a directory; None when it is gone, and what happened to it is told by the one above."""
    try:
        return view.directory(view.row_of(nid))
    except (Gone, KeyError):
        return None
