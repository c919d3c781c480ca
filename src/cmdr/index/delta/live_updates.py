"""Following the changes of a tree as the system tells of them, instead of looking for them."""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from cmdr.index.delta.catching_up import CatchingUp, directory_of, ids_of
from cmdr.index.delta.changed_directories import changed_directories
from cmdr.index.delta.known_folders import KnownFolders
from cmdr.index.delta.refresh import RefreshResult
from cmdr.index.delta.verify import verify
from cmdr.index.delta.watcher import Watcher, WatchEvents
from cmdr.index.errors import IndexFault, NotIndexed, RootMissing
from cmdr.index.snapshots.columns import NO_ROW, Column
from cmdr.index.snapshots.view import View
from cmdr.model.names import to_wire
from cmdr.model.trees.node import DirState

if TYPE_CHECKING:
    from cmdr.index.tree import IndexedTree

log = logging.getLogger(__name__)

HUGE_DIRECTORY = 200_000  # entries of a directory that is not listed again when nobody tells which of them changed
_STEP = 4_000  # entries that are compared before somebody else may have the index
_PATHS_PER_STEP = 20_000
_NOT_LOOKED_INTO = np.array([DirState.UNLISTED, DirState.OTHER_SYSTEM], np.uint8)


class LiveUpdates:
    """Watches one index's folders once it was asked to, and keeps what is known of them."""

    def __init__(self, index: "IndexedTree", lock: threading.Lock) -> None:
        self._index, self._lock = index, lock
        self._watcher: Watcher | None = None
        self._on_refresh: Callable[[], None] | None = None
        self.known = KnownFolders()
        self._catching_up = CatchingUp(index, self.known, self)
        self.begin_moment, self.as_of = self._catching_up.begin_moment, self._catching_up.as_of

    # -- watching -------------------------------------------------------------------------------------------------
    def begin(self, on_refresh: Callable[[], None] | None) -> None:
        """Watch every folder; `on_refresh` is called after each refresh. What changed before is for a check to find."""
        self._on_refresh = on_refresh
        with self._lock:
            if self._watcher is None:
                self._watcher = Watcher(self._told)
            self._watch(self._index.view.live_dirs())
        self._catching_up.begin()

    def watch_all(self) -> None:
        """Watch every folder that is not watched yet; whoever calls holds the index's lock."""
        if self._watcher is not None:
            self._look_again(self._watch(self._index.view.live_dirs()))

    def listed(self, found: RefreshResult, moment: int) -> None:
        """Some folders were listed in a moment: watch them, for every new one is among them, and every one put in
        place of another under its old name. Whoever calls holds the index's lock."""
        view = self._index.view
        numbers = {path: number for path in found.paths if (number := _number(view, path)) is not None}
        whole = [numbers[path] for path in found.whole if path in numbers]
        nids = ids_of(view, np.array(whole, np.int64))
        self.known.listed(nids, moment)
        self.known.followed(nids)
        if self._watcher is not None:
            self._look_again(self._watch(np.array(list(numbers.values()), np.int64)))

    def _watch(self, numbers: Column) -> list[int]:
        """Watch these directories; answers the ids of those that were not watched before."""
        assert self._watcher is not None
        view = self._index.view
        numbers = numbers[~np.isin(view.dirs["dstate"][numbers], _NOT_LOOKED_INTO)]
        fresh: list[int] = []
        for first in range(0, len(numbers), _PATHS_PER_STEP):  # the paths of all would need much memory
            some = numbers[first : first + _PATHS_PER_STEP]
            found = zip(ids_of(view, some), view.paths_of_directories(some), strict=True)
            fresh += self._watcher.watch((nid, path) for nid, path in found if not self._index.is_own(path))
        self.known.watched(fresh)
        return fresh

    def _look_again(self, fresh: list[int]) -> None:
        """What happened in a folder after it was listed and before it was watched, nobody has told. Names that came or
        went are found here, edits of files when the folder is compared."""
        view = self._index.view
        numbers = [number for nid in fresh if (number := directory_of(view, nid)) is not None]
        if not numbers:
            return
        try:
            late = changed_directories(view, among=np.array(numbers, np.int64))
            if late:
                self._index.relist(late)
        except (IndexFault, OSError) as trouble:
            self._index.mark_stale(f"a refresh failed: {trouble}")

    def _told(self, events: WatchEvents | None, named: frozenset[int]) -> None:
        """The system tells that something happened."""
        if events is None:
            self._index.mark_stale("changes came faster than they could be followed")
        self._catching_up.told(events, named)

    # -- what the thread that catches up does ---------------------------------------------------------------------
    @property
    def is_watching(self) -> bool:
        """Whether the system was asked to tell of changes."""
        return self._watcher is not None

    @property
    def times_told(self) -> int:
        """How often the system has told of changes."""
        return self._catching_up.times_told

    def drain(self) -> None:
        """Tell everything that has happened until now."""
        if (watcher := self._watcher) is not None:
            watcher.drain()

    def save(self) -> None:
        """Write down what was found."""
        with self._lock:
            self._index.save()

    def check_all(self) -> None:
        """Events were lost: look at the times of all folders."""
        self.changed(None)
        self._refreshed()

    def follow(self, events: WatchEvents) -> None:
        """List again what changed."""
        self.changed(events)
        self._refreshed()

    def _refreshed(self) -> None:
        if self._on_refresh is not None:
            self._on_refresh()

    def compare(self, nids: list[int]) -> None:
        """Compare folders with the disk, as many as one step takes, and list those again that are not as known."""
        with self._lock:
            view, moment = self._index.view, self.known.moment
            rows = view.rows_of(np.array(nids, np.int64))
            numbers = view.directories(rows[rows != NO_ROW])
            found = verify(view, numbers[numbers >= 0].tolist(), lambda entries: entries > _STEP)
            same = np.array(sorted(set(found.seen).difference(found.changed)), np.int64)
            known = ids_of(view, same)
            if found.changed:
                self._index.relist(found.changed, save=False)
            self.known.listed(known, moment)
            self.known.followed(known)
        if found.changed:
            self._refreshed()

    def changed(self, events: WatchEvents | None) -> None:
        """Something happened in these folders, or (None) nobody knows where."""
        index = self._index
        try:
            if events is None:
                index.mark_stale("changes came faster than they could be followed")
                self.known.lost()
                index.check()
                return
            with self._lock:
                view = index.view
                found = {n: names for nid, names in events.items() if (n := directory_of(view, nid)) is not None}
                named = {number: frozenset(names) for number, names in found.items() if names is not None}
                huge = [number for number in found if _is_too_much(view, number, named)]
                left = {
                    view.id_of(int(view.dirs["drow"][number])): int(view.dirs["dlisted"][number]) for number in huge
                }
                index.relist([number for number in found if number not in huge], named, save=False)
                for nid, listed in left.items():
                    number = directory_of(index.view, nid)
                    if number is not None and int(index.view.dirs["dlisted"][number]) == listed:
                        path = to_wire(index.view.directory_path(number))
                        index.mark_stale(f"{path} is huge and has changed; the next check lists it again")
                        self.known.lost([nid])
        except RootMissing:
            self._catching_up.failed()  # told by the freshness already
        except (IndexFault, OSError) as trouble:  # the next event, or the next check, tries again
            index.mark_stale(f"a refresh failed: {trouble}")
            self._catching_up.failed(list(events or ()))

    def count_entries(self, entries: int) -> None:
        """So many entries were read in the step under way."""
        self._catching_up.entries += entries

    # -- what is told of it ---------------------------------------------------------------------------------------
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
        self._catching_up.close()
        self.known.unwatched()


def _number(view: View, path: bytes) -> int | None:
    try:
        return view.directory(view.find(path))
    except NotIndexed:
        return None


def _is_too_much(view: View, number: int, named: Mapping[int, frozenset[bytes]]) -> bool:
    """Whether a directory would have to be listed as a whole, and that takes too long to do it at every change."""
    return int(view.dirs["dcn"][number]) > HUGE_DIRECTORY and (number not in named or number >= view.base_dirs)
