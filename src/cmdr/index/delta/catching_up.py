"""Bringing an answer up to the moment it is asked for.

One thread lists what changed: first what somebody waits for, then what was told, then, in its own time, the folders
of which nobody knows whether files in them were edited before they were watched.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from cmdr.index.delta.known_folders import KnownFolders
from cmdr.index.delta.pending_events import PendingEvents
from cmdr.index.delta.scope import Scope
from cmdr.index.delta.watcher import WatchEvents
from cmdr.index.errors import Gone, IndexFault
from cmdr.index.snapshots.columns import Column, Flag
from cmdr.index.snapshots.view import View

if TYPE_CHECKING:
    from cmdr.index.tree import IndexedTree

log = logging.getLogger(__name__)

PATIENCE_S = 0.2
"""Seconds an answer waits to become true; after that it says how many folders it is behind."""
LITTLE = 20_000  # entries: listing so few takes less than that, and on a busy machine it is waited for longer
LONG_PATIENCE_S = 5.0
_MANY_FOLDERS = 500  # changed at once: those that somebody waits for come first
_LOOK_S = 0.05
_REST = 3.0  # times as long as the last step, when nobody waits for the next


@dataclass(frozen=True, eq=False)
class AsOfNow:
    """A view, and how many of the folders that matter it does not show as they are: 0 when the answer is true."""

    view: View
    behind: int


@dataclass(eq=False, slots=True)
class _Asked:
    place: bytes
    moment: int


class Steps(Protocol):
    """What the thread does; each step takes the index's lock for itself."""

    @property
    def is_watching(self) -> bool:
        """Whether the system was asked to tell of changes."""

    def drain(self) -> None:
        """Tell everything that has happened until now."""

    def check_all(self) -> None:
        """Events were lost: look at the times of all folders."""

    def follow(self, events: WatchEvents) -> None:
        """List again what changed."""

    def compare(self, nids: list[int]) -> None:
        """Compare some of these folders with the disk."""

    def save(self) -> None:
        """Write down what was found."""


class CatchingUp:
    """The questions that wait, what was told and is not listed yet, and the thread that lists it."""

    def __init__(self, index: "IndexedTree", known: KnownFolders, steps: Steps) -> None:
        self._index, self.known, self._steps = index, known, steps
        self._pending = PendingEvents()
        self._turn = threading.Condition()
        self._questions: list[_Asked] = []
        self._worker: threading.Thread | None = None
        self._closed = False
        self._rest_until = 0.0
        self._failed = 0  # the moment in which the last step failed; what fails is not tried again by itself
        self.entries = 0  # listed in the step under way
        self.times_told = 0

    def begin(self) -> None:
        """Folders are watched from now on; what happened in them before is to be found."""
        with self._turn:
            self._closed, self._failed = False, 0
            self._wake()

    def told(self, events: WatchEvents | None, named: frozenset[int]) -> None:
        """Something happened in these folders, in the `named` ones to more than the contents of files; or (None)
        nobody knows where."""
        with self._turn:
            self._failed = 0
            self.times_told += 1
            if events is None:
                self._pending.lost = True
            else:
                self._pending.add(events, named, self.known.moment)
            self._wake()

    def failed(self, nids: list[int] | None = None) -> None:
        """Changes in these folders, or in all, could not be followed."""
        with self._turn:
            self._failed = self.known.moment
            self.known.lost(nids)

    def close(self) -> None:
        """End the thread."""
        with self._turn:
            self._closed = True
            worker, self._worker = self._worker, None
            self._turn.notify_all()
        if worker is not None and worker is not threading.current_thread():
            worker.join()

    # -- an answer as of now --------------------------------------------------------------------------------------
    def begin_moment(self) -> int:
        """The moment in which a question is asked, for `as_of`."""
        with self._turn:
            return self.known.begin_moment()

    def as_of(self, moment: int, place: bytes, patience_s: float = PATIENCE_S) -> AsOfNow:
        """The view once it shows what is at and below a place as it was in a moment or later; when that takes longer
        than one has patience for, with how many folders it is behind."""
        begun = time.monotonic()
        self._steps.drain()
        with self._turn:
            self.known.begin_moment()  # what is told from now on came later
            asked = _Asked(place, moment)
            try:
                while True:
                    view = self._index.view
                    behind = self._behind(view, asked)
                    if not len(behind):
                        if self._index.view is not view:
                            continue  # folders became known that only the next view shows
                        return AsOfNow(view, 0)
                    left = self._deadline(view, behind, begun, patience_s) - time.monotonic()
                    if left <= 0 or self._closed or self._failed >= moment:
                        return AsOfNow(view, len(behind))
                    if asked not in self._questions:
                        self._questions.append(asked)
                    self._wake()
                    self._turn.wait(min(left, _LOOK_S))
                    self._turn.release()
                    try:
                        self._steps.drain()
                    finally:
                        self._turn.acquire()
            finally:
                if asked in self._questions:
                    self._questions.remove(asked)

    def _deadline(self, view: View, behind: Column, begun: float, patience_s: float) -> float:
        entries = 4 * len(behind) + int(view.dirs["dcn"][behind].sum()) + self.entries
        is_little = entries <= LITTLE and not self._index.is_scanning and not self._pending.lost
        return begun + (max(patience_s, LONG_PATIENCE_S) if is_little else patience_s)

    def _behind(self, view: View, asked: _Asked) -> Column:
        """The folders that an answer needs and that the view does not show as they are."""
        scope = Scope(view, asked.place, self._index.own)
        if self._pending.lost:
            return scope.numbers()
        before = self._pending.before(asked.moment)
        # An answer that has only one end of a move was true at no moment at all. And a file may have been edited by a
        # name that it has elsewhere, so that what happened elsewhere counts too, unless that is very much.
        told = {nid: directory_of(view, nid) for nid in before | self._pending.renamed()}
        counts_all = len(before) <= _MANY_FOLDERS
        behind = {
            number
            for nid, number in told.items()
            if number is not None and ((counts_all and nid in before) or scope.holds(number))
        }
        if not self.known.is_all_followed:
            behind.update(self.known.unknown(view, scope.numbers(), asked.moment).tolist())
        return np.array(sorted(behind), np.int64)

    # -- the thread that lists ------------------------------------------------------------------------------------
    def _wake(self) -> None:
        """There may be something to do; whoever calls holds the turn."""
        if self._worker is None and not self._closed:
            self._worker = threading.Thread(target=self._work, name="cmdr-index-follow", daemon=True)
            self._worker.start()
        self._turn.notify_all()

    def _work(self) -> None:
        while True:
            with self._turn:
                while (step := self._next_step()) is None:
                    if self._closed:
                        return
                    rest = self._rest_until - time.monotonic()
                    self._turn.wait(rest if rest > 0 else None)
                self.entries, moment = 0, self.known.begin_moment()
            begun = time.monotonic()
            try:
                step()
            except Exception as trouble:
                if not isinstance(trouble, IndexFault | OSError):
                    log.exception("following a tree failed")
                self._index.mark_stale(f"a refresh failed: {trouble}")
                self.failed(list(self._pending.working))
            with self._turn:
                self._pending.done()
                if self._failed < moment:
                    self._failed = 0
                self._rest_until = time.monotonic() + _REST * (time.monotonic() - begun)
                self._turn.notify_all()

    def _next_step(self) -> Callable[[], None] | None:
        """What to do next; whoever calls holds the turn."""
        if self._closed:
            return None
        if self._pending.lost:
            self._pending = PendingEvents()
            self.known.lost()
            return self._steps.check_all
        is_rested = time.monotonic() >= self._rest_until
        if self._pending.events and (self._questions or is_rested):
            events = self._pending.take(self._first_events())
            return lambda: self._steps.follow(events)
        for asked in self._questions:
            view = self._index.view
            unknown = self.known.unknown(view, Scope(view, asked.place, self._index.own).numbers(), asked.moment)
            if len(unknown := _verifiable(view, unknown)) and self._failed < asked.moment:
                nids = ids_of(view, unknown[:_MANY_FOLDERS])
                return lambda: self._steps.compare(nids)
        if self._questions or not is_rested:
            return None
        if self._index.is_unsaved:
            return self._steps.save
        if not self._steps.is_watching or self._failed or not self._index.scanned:
            return None
        view = self._index.view
        if len(unknown := _verifiable(view, self.known.unknown(view, None, None))):
            nids = ids_of(view, unknown[:_MANY_FOLDERS])
            return lambda: self._steps.compare(nids)
        if self.known.is_all_followed and self._index.is_dirty:
            self._index.all_is_known()
        return None

    def _first_events(self) -> list[int]:
        """The folders to list next: all, or of very many those that somebody waits for."""
        told = list(self._pending.events)
        if len(told) <= _MANY_FOLDERS or not self._questions:
            return told[:_MANY_FOLDERS]
        view = self._index.view
        scopes = [Scope(view, asked.place, self._index.own) for asked in self._questions]
        known = {nid: directory_of(view, nid) for nid in told}
        wanted = [
            nid for nid, number in known.items() if number is None or any(scope.holds(number) for scope in scopes)
        ]
        return wanted[:_MANY_FOLDERS] or told[:_MANY_FOLDERS]


def ids_of(view: View, numbers: Column) -> list[int]:
    """The ids of directories."""
    return [int(nid) for nid in view.gather("nid", view.dirs["drow"][numbers]).tolist()]


def _verifiable(view: View, numbers: Column) -> Column:
    """Those that can be listed by their path: one that a link leads to cannot."""
    if not len(numbers):
        return numbers
    followed = view.gather("flags", view.dirs["drow"][numbers]) & np.uint8(Flag.FOLLOWED)
    return np.asarray(numbers[followed == 0])


def directory_of(view: View, nid: int) -> int | None:
    """The number of a directory; None when it is gone, and what happened to it is told by the one above."""
    try:
        return view.directory(view.row_of(nid))
    except (Gone, KeyError):
        return None
