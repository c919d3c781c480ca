"""One indexed tree: its current view, how fresh that is, and the work that makes it fresh again.

Reading never waits: it takes the view of the moment. Scanning, refreshing and compacting take turns, and each ends by
putting another view in place.
"""

import ctypes
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from cmdr.index.contents.searching import ContentIndex
from cmdr.index.delta.catching_up import PATIENCE_S, AsOfNow
from cmdr.index.delta.changed_directories import changed_directories
from cmdr.index.delta.compact import compact
from cmdr.index.delta.live_updates import LiveUpdates
from cmdr.index.delta.refresh import RefreshOptions, refresh, rows_to_list
from cmdr.index.disk_space import disk_full_as_error
from cmdr.index.errors import Cancelled, Corrupt, IndexFault, RootMissing, ScanRunning
from cmdr.index.scan.scan import scan
from cmdr.index.scan.walk import Progress
from cmdr.index.snapshots.history import remember
from cmdr.index.snapshots.view import View
from cmdr.index.store.catalogue import Catalogue, IndexRecord
from cmdr.index.tree_state import TreeState
from cmdr.model.names import is_within, to_wire
from cmdr.model.trees.indexes import Freshness, WalkOptions

_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
MANY_DIRECTORIES = 5000  # changed directories
MANY_ROWS = 100_000  # in changed directories: walkers list them faster than a refresh does
IDLE_NICE = 19


def release_memory() -> None:
    """Give freed memory back to the system after long work: glibc would keep hundreds of megabytes of it."""
    if _trim is not None:
        _trim(ctypes.c_size_t(0))


@dataclass(frozen=True)
class Changes:
    """What a refresh did."""

    directories_listed: int
    added: int
    removed: int
    full_scan: bool = False


class IndexedTree:
    """An index that is open."""

    compact_above = 20_000  # delta rows

    def __init__(
        self,
        record: IndexRecord,
        home: str,
        options: WalkOptions,
        catalogue: Catalogue,
        own: bytes = b"",
        later: Callable[[Callable[[], object]], object] | None = None,
    ) -> None:
        self.record, self.home, self.options, self.catalogue = record, home, options, catalogue
        self._run_later = later  # runs something behind, in its own time
        self._own = own  # our own state: following its changes would cause the next ones
        self._lock = threading.Lock()
        self._scan_lock = threading.Lock()
        self._scanning = self._idling = False
        os.makedirs(home, mode=0o700, exist_ok=True)
        self._state = TreeState(record, home, catalogue)
        self._live_updates = LiveUpdates(self, self._lock)
        self.contents: ContentIndex | None = None
        """What says which files may hold a text, where contents were indexed too."""

    # -- reading --------------------------------------------------------------------------------------------------
    @property
    def view(self) -> View:
        """What is known now; raises when nothing was scanned yet."""
        return self._state.view

    @property
    def scanned(self) -> bool:
        return self._state.latest is not None

    @property
    def set_aside(self) -> list[str]:
        """Damaged snapshots, by their new names."""
        return self._state.set_aside

    @property
    def freshness(self) -> Freshness:
        """Fresh, stale, scanning, partial or missing, with the reason."""
        if self._scanning:
            return Freshness("scanning", "a scan is running", self._state.checked_ns)
        current = "being read again while nothing else runs" if self._idling else "watched" if self.is_watched else ""
        return self._state.freshness(current)

    @property
    def version(self) -> tuple[int, int, int, bool, str | None]:
        """Which view is known now, and whether it is behind: read from memory and put together in no time."""
        state = self._state
        view = state.latest
        epoch, revision = (-1, -1) if view is None else (view.epoch, view.revision)
        return epoch, revision, self._live_updates.times_told, self._scanning, state.dirty

    def hear(self) -> None:
        """Be told what has happened until now."""
        self._live_updates.drain()

    @property
    def is_scanning(self) -> bool:
        """Whether the whole tree is being read."""
        return self._scanning or self._idling

    @property
    def is_dirty(self) -> bool:
        """Whether some changes may not be known."""
        return self._state.dirty is not None

    @property
    def own(self) -> bytes:
        """Where our own state is, which is not followed."""
        return self._own

    def begin_moment(self) -> int:
        """The moment in which a question is asked, for `as_of`."""
        return self._live_updates.begin_moment()

    def as_of(self, moment: int, place: bytes, patience_s: float = PATIENCE_S) -> AsOfNow:
        """The view that shows what is at and below a place as it was in a moment or later, or how far it is behind."""
        return self._live_updates.as_of(moment, place, patience_s)

    def all_is_known(self) -> None:
        """Every folder was compared with the disk and is watched."""
        self._state.checked()

    def mark_stale(self, why: str) -> None:
        """Some changes are not known yet."""
        self._state.dirty = why

    @property
    def stored_bytes(self) -> int:
        """How big the stored snapshot is."""
        base = self._state.base
        return 0 if base is None else base.stored.size

    def verify(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Read every stored byte; a damaged snapshot is set aside, and the index must be scanned again."""
        base = self._state.base
        if base is None:
            return True
        try:
            base.stored.verify(stop)
        except (Corrupt, OSError):
            with self._lock:
                if self._state.base is not base:
                    return True  # replaced meanwhile, and with it the damage
                self._state.set_base_aside()
            return False
        return True

    # -- changing -------------------------------------------------------------------------------------------------
    @contextmanager
    def _exclusive_scan(self) -> Iterator[None]:
        """A second scan is refused at once; a refresh that is under way is waited for."""
        if not self._scan_lock.acquire(blocking=False):
            raise ScanRunning(f"{to_wire(self.record.root)} is being scanned already.")
        try:
            with self._lock:
                yield
        finally:
            self._scan_lock.release()

    def scan(
        self,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        idle: bool = False,
    ) -> View:
        """Read the whole tree again; refused while another scan of it runs. An idle scan leaves the state as it is."""
        with self._exclusive_scan(), disk_full_as_error("the new epoch; the old one stays in use"):
            self._scanning, self._idling = not idle, idle
            # Only the walker gives way: a thread of ours that waits for its turn while it holds the interpreter's lock
            # would keep everybody waiting.
            options = replace(self.options, workers=1, nice=IDLE_NICE) if idle else self.options
            try:
                known = self._live_updates.known
                moment, watched = known.moment, known.watched_now()
                first_id = self.catalogue.next_id(self.record.id)
                before = self._state.latest
                view = scan(self.record.root, self.home, options, before, progress, cancelled, first_id)
            except RootMissing:
                self.mark_stale("its folder is not there")
                raise
            except Cancelled:
                if not idle:
                    self.mark_stale("the last scan was stopped before its end")
                return self.view
            finally:
                self._scanning = self._idling = False
            remember(self.home, self._state.base, view)
            if not view.facts.get("cancelled"):
                known.scanned(view, moment, watched)
            self._install(view)
            return view

    def _install(self, view: View) -> None:
        self._state.install(view)
        self._live_updates.watch_all()
        release_memory()

    def check(self, stop: Callable[[], bool] = lambda: False) -> Changes:
        """Look at every directory's time and list again what changed."""
        with self._lock:
            try:
                changed = changed_directories(self.view, stop)
            except RootMissing:
                self.mark_stale("its folder is not there")
                raise
            rows = rows_to_list(self.view, changed)
            few = len(changed) < max(MANY_DIRECTORIES, len(self.view.dirs["dpar"]) // 4)
            if few and rows < max(MANY_ROWS, self.view.base_rows // 4):
                changes = self.relist(changed, stop=stop, edits=False)
                release_memory()
                return changes
        before = self.view.next_id
        view = self.scan(cancelled=stop)  # so much changed that the walkers are quicker
        return Changes(len(changed), view.next_id - before, 0, True)

    def relist(
        self,
        changed: list[int],
        names: Mapping[int, frozenset[bytes]] | None = None,
        stop: Callable[[], bool] = lambda: False,
        *,
        edits: bool = True,
        save: bool = True,
    ) -> Changes:
        """List some directories again, or of large ones only these names; whoever calls holds the index's lock.

        Without `edits` only names that came or went are looked for in large ones. What is not saved at once is for
        `save`.
        """
        view, state, updates = self.view, self._state, self._live_updates
        moment = updates.known.moment
        paths = {number: path for number in changed if not self.is_own(path := view.directory_path(number))}
        known = state.followed if edits else state.checked  # a check looks everywhere, what was told does not
        if not paths:
            known()
            return Changes(0, 0, 0)
        limit, cross = self.options.depth_limit, self.options.cross_file_systems
        wanted = RefreshOptions(limit, cross, edits, names, updates.count_entries)
        try:
            found = refresh(view, state.delta, list(paths), wanted, stop)
        except RootMissing:
            self.mark_stale("its folder is not there")
            raise
        state.apply(found.delta, save=save)
        known()
        updates.listed(found, moment)
        if self.delta_rows > self.compact_above and self._run_later is not None:
            self._run_later(self.compact)
        return Changes(found.listed, found.added, found.removed)

    @property
    def is_unsaved(self) -> bool:
        """Whether something is known that a restart would have to find again."""
        return self._state.is_unsaved

    def save(self) -> None:
        """Keep what is known; whoever calls holds the index's lock."""
        self._state.save()

    def is_own(self, path: bytes) -> bool:
        """Whether a path is our own state."""
        return is_within(path, self._own)

    @property
    def delta_rows(self) -> int:
        """How much stands beside the snapshot, waiting to be compacted."""
        return self._state.delta.rows

    def compact(self) -> None:
        """Write the snapshot and its delta as one new snapshot."""
        state = self._state
        with self._lock, disk_full_as_error("the new epoch; the old one stays in use"):
            if state.latest is None or not (state.delta.listings or state.delta.gone):
                return
            fresh = (state.checked_ns, state.dirty)
            view = compact(state.latest, self.home)
            remember(self.home, state.base, view, always=False)
            self._install(view)
            state.checked_ns, state.dirty = fresh

    # -- watching -------------------------------------------------------------------------------------------------
    def watch(self, on_refresh: Callable[[], None] | None = None) -> Freshness:
        """Follow changes as they happen, calling `on_refresh` after each refresh; where it cannot, checks must do."""
        self._live_updates.begin(on_refresh)
        self.check()
        release_memory()
        return self.freshness

    @property
    def is_watched(self) -> bool:
        """Whether the system tells of every change."""
        return self._live_updates.is_complete

    @property
    def watch_trouble(self) -> str | None:
        """Why watching is incomplete, when it is."""
        return self._live_updates.trouble

    def close(self) -> None:
        """Watch no more."""
        self._live_updates.close()
        with suppress(IndexFault, OSError), self._lock:  # the next check finds it again
            self.save()
