"""Which folders are known as they are on the disk: watched and listed since, or listed after a question was asked.

Moments are counted, not measured: a question begins a new one, and a listing belongs to the moment in which it began.
So no clock, and no grain of a file's times, decides whether a listing came before a change.
"""

import threading

import numpy as np

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View
from cmdr.model.trees.node import DirState

_NOT_LOOKED_INTO = np.array([DirState.UNLISTED, DirState.OTHER_SYSTEM], np.uint8)
_UNWATCHED, _WATCHED, _FOLLOWED = range(3)


class KnownFolders:
    """By the id of a folder's node: is it watched, was it listed since, and in which moment was it listed last."""

    def __init__(self) -> None:
        self.moment = 1
        self._lock = threading.RLock()
        self._state = np.zeros(0, np.uint8)
        self._listed = np.zeros(0, np.int64)
        self.is_all_followed = False  # so that a question need not look through all folders

    def begin_moment(self) -> int:
        """A question was asked: only listings that begin from now on count as later."""
        with self._lock:
            self.moment += 1
            return self.moment

    def watched(self, nids: list[int]) -> None:
        """These are watched from now on; what happened in them before is still to be found."""
        with self._lock:
            if nids:
                self._grow(max(nids))
                self._state[nids] = _WATCHED
                self.is_all_followed = False

    def listed(self, nids: list[int], moment: int) -> None:
        """These were listed, each file in them examined, in a moment."""
        with self._lock:
            if nids:
                self._grow(max(nids))
                self._listed[nids] = moment

    def followed(self, nids: list[int]) -> None:
        """These were listed after their watch was set: from now on every change in them is told."""
        with self._lock:
            if nids:
                self._grow(max(nids))
                some = np.array(nids)
                self._state[some[self._state[some] == _WATCHED]] = _FOLLOWED

    def lost(self, nids: list[int] | None = None) -> None:
        """Changes of these, or of all, were missed."""
        with self._lock:
            some = slice(None) if nids is None else [nid for nid in nids if nid < len(self._state)]
            self._state[some] = np.minimum(self._state[some], _WATCHED)
            self.is_all_followed = False

    def unwatched(self) -> None:
        """Nothing is watched any more."""
        with self._lock:
            self._state[:] = _UNWATCHED
            self.is_all_followed = False

    def watched_now(self) -> Column:
        """The ids of what is watched."""
        with self._lock:
            return np.flatnonzero(self._state != _UNWATCHED)

    def scanned(self, view: View, moment: int, watched_before: Column) -> None:
        """A whole tree was read, in a moment and while these were watched already."""
        with self._lock:
            nids = view.gather("nid", view.dirs["drow"][view.live_dirs()]).astype(np.int64)
            self.listed(nids.tolist(), moment)
            self.followed(watched_before.tolist())
            self.is_all_followed = False

    def unknown(self, view: View, numbers: Column | None, since: int | None) -> Column:
        """Of these folders (None: of all) the numbers of those that are not known as they are: neither followed nor
        listed in a moment from `since` on (None: only those that are watched and were not listed since)."""
        with self._lock:
            if self.is_all_followed:
                return np.empty(0, np.int64)
            is_all = numbers is None
            some = view.live_dirs() if numbers is None else numbers
            some = some[~np.isin(view.dirs["dstate"][some], _NOT_LOOKED_INTO)]
            nids = view.gather("nid", view.dirs["drow"][some]).astype(np.int64)
            self._grow(int(nids.max(initial=0)))
            states = self._state[nids]
            if is_all and (states == _FOLLOWED).all():
                self.is_all_followed = True
            if since is None:
                return np.asarray(some[states == _WATCHED])
            return np.asarray(some[(states != _FOLLOWED) & (self._listed[nids] < since)])

    def _grow(self, upto: int) -> None:
        if upto >= len(self._state):
            more = max(upto + 1 - len(self._state), len(self._state) // 4)
            self._state = np.concatenate([self._state, np.zeros(more, np.uint8)])
            self._listed = np.concatenate([self._listed, np.zeros(more, np.int64)])
