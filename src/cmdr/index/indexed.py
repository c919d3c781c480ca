"""One indexed tree: its current view, how fresh that is, and the work that makes it fresh again.

Reading never waits: it takes the view of the moment. Scanning, refreshing and compacting take turns, and each ends by
putting another view in place.
"""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from cmdr.index.catalogue import Catalogue, IndexRecord
from cmdr.index.compact import compact
from cmdr.index.epochs_kept import clear_leftovers, newest_whole, put_aside
from cmdr.index.errors import Cancelled, Corrupt, IndexFault, NoSuchIndex, NotIndexed, RootMissing, ScanRunning
from cmdr.index.freshness import Freshness, freshness_of
from cmdr.index.history import remember
from cmdr.index.overlay import lay_over
from cmdr.index.patch import Patch, load_patch, save_patch
from cmdr.index.refresh import changed_directories, refresh
from cmdr.index.room import needing_room
from cmdr.index.scan import scan
from cmdr.index.view import View
from cmdr.index.walk import Progress, WalkOptions
from cmdr.index.watch import Watcher
from cmdr.model.names import to_wire

_MANY = 5000  # changed directories
_MANY_ROWS = 100_000  # in changed directories: walkers list them faster than a refresh does
IDLE_NICE = 19
_HUGE = 200_000  # entries of a directory that is not listed again at its every change


@dataclass(frozen=True)
class Changes:
    """What a refresh did."""

    directories_listed: int
    added: int
    removed: int
    full_scan: bool = False


class Indexed:
    """An index that is open."""

    compact_above = 20_000  # overlay rows

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
        self._later = later  # runs something behind, in its own time
        self._own = own  # our own state: following its changes would cause the next ones
        self._work = threading.Lock()
        self._one_scan = threading.Lock()
        self._scanning = self._idling = False
        self._base: View | None = None
        self._patch = Patch()
        self._view: View | None = None
        self._checked_ns: int | None = None
        self._dirty: str | None = "not checked since the program started"
        self._watcher: Watcher | None = None
        self.set_aside: list[str] = []
        os.makedirs(home, mode=0o700, exist_ok=True)
        self._open_newest()

    # -- reading --------------------------------------------------------------------------------------------------
    @property
    def view(self) -> View:
        """What is known now; raises when nothing was scanned yet."""
        if self._view is None:
            why = "was damaged and set aside; scan it again" if self.set_aside else "has not been scanned yet"
            raise NoSuchIndex(f"The index of {to_wire(self.record.root)} {why}.")
        return self._view

    @property
    def scanned(self) -> bool:
        return self._view is not None

    @property
    def freshness(self) -> Freshness:
        """Fresh, stale, scanning, partial or missing, with the reason."""
        if self._scanning:
            return Freshness("scanning", "a scan is running", self._checked_ns)
        if self._view is None:
            return Freshness("missing", "damaged and set aside" if self.set_aside else "not scanned yet", None)
        current = "being read again while nothing else runs" if self._idling else "watched" if self.is_watched else ""
        return freshness_of(self._view, self._checked_ns, self._dirty, current)

    # -- opening --------------------------------------------------------------------------------------------------
    def _open_newest(self) -> None:
        clear_leftovers(self.home)
        self._base, self.set_aside = newest_whole(self.home)
        if self._base is not None:
            patch = load_patch(self._patch_path()) or Patch()
            # Ids may have been given out by a patch that never reached the disk.
            self._patch = replace(patch, next_id=max(patch.next_id, self.catalogue.next_id(self.record.id)))
            self._view = lay_over(self._base, self._patch, 0)

    def _patch_path(self) -> str:
        assert self._base is not None
        return os.path.join(self.home, f"patch-{self._base.epoch:08d}")

    def verify(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Read every stored byte; a damaged epoch is set aside, and the index must be scanned again."""
        base = self._base
        if base is None:
            return True
        try:
            base.stored.verify(stop)
        except (Corrupt, OSError):
            with self._work:
                if self._base is not base:
                    return True  # replaced meanwhile, and with it the damage
                self.set_aside.append(put_aside(base.stored.folder))
                self._base = self._view = None
                self._patch = Patch()
            return False
        return True

    # -- changing -------------------------------------------------------------------------------------------------
    @contextmanager
    def _only_scan(self) -> Iterator[None]:
        """A second scan is refused at once; a refresh that is under way is waited for."""
        if not self._one_scan.acquire(blocking=False):
            raise ScanRunning(f"{to_wire(self.record.root)} is being scanned already.")
        try:
            with self._work:
                yield
        finally:
            self._one_scan.release()

    def scan(
        self,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        idle: bool = False,
    ) -> View:
        """Read the whole tree again; refused while another scan of it runs. An idle scan leaves the state as it is."""
        with self._only_scan(), needing_room("the new epoch; the old one stays in use"):
            self._scanning, self._idling = not idle, idle
            # Only the walker gives way: a thread of ours that waits for its turn while it holds the interpreter's lock
            # would keep everybody waiting.
            options = replace(self.options, workers=1, nice=IDLE_NICE) if idle else self.options
            try:
                first_id = self.catalogue.next_id(self.record.id)
                view = scan(self.record.root, self.home, options, self._view, progress, cancelled, first_id)
            except RootMissing:
                self._dirty = "its folder is not there"
                raise
            except Cancelled:
                self._dirty = self._dirty if idle else "the last scan was stopped before its end"
                return self.view
            finally:
                self._scanning = self._idling = False
            remember(self.home, self._base, view)
            self._install(view)
            return view

    def _install(self, view: View) -> None:
        """A new epoch becomes the current one, and the one before is removed."""
        before = self._base
        self.catalogue.reserve_ids(self.record.id, view.next_id)
        old_patch = self._patch_path() if before is not None else None
        self._base, self._patch, self._view = view, Patch(), view
        self._checked_ns, self._dirty = time.time_ns(), None
        if before is not None and before.stored.folder != view.stored.folder:
            shutil.rmtree(before.stored.folder, ignore_errors=True)
        if old_patch is not None:
            with suppress(OSError):
                os.unlink(old_patch)
        if self._watcher is not None:
            self._watch_all(self._watcher)

    def check(self, stop: Callable[[], bool] = lambda: False) -> Changes:
        """Look at every directory's time and list again what changed."""
        with self._work:
            try:
                changed = changed_directories(self.view, stop)
            except RootMissing:
                self._dirty = "its folder is not there"
                raise
            rows = int(self.view.dirs["dcn"][changed].sum())
            few = len(changed) < max(_MANY, len(self.view.dirs["dpar"]) // 4)
            if few and rows < max(_MANY_ROWS, self.view.base_rows // 4):
                return self._relist(changed, stop)
        before = self.view.next_id
        view = self.scan(cancelled=stop)  # so much changed that the walkers are quicker
        return Changes(len(changed), view.next_id - before, 0, True)

    def _relist(self, changed: list[int], stop: Callable[[], bool]) -> Changes:
        view, base = self.view, self._base
        assert base is not None
        changed = [number for number in changed if not self._is_own(view.directory_path(number))]
        if not changed:
            self._checked_ns, self._dirty = time.time_ns(), None
            return Changes(0, 0, 0)
        try:
            found = refresh(view, self._patch, changed, self.options.depth_limit, self.options.cross_file_systems, stop)
        except RootMissing:
            self._dirty = "its folder is not there"
            raise
        self.catalogue.reserve_ids(self.record.id, found.patch.next_id)
        with needing_room("what changed; the index stays as it was"):
            save_patch(self._patch_path(), found.patch)
        self._patch = found.patch
        self._view = lay_over(base, found.patch, view.revision + 1)
        self._checked_ns, self._dirty = time.time_ns(), None
        if self._watcher is not None:
            self._watch_all(self._watcher)
        if self.overlay_rows > self.compact_above and self._later is not None:
            self._later(self.compact)
        return Changes(found.listed, found.added, found.removed)

    def _is_own(self, path: bytes) -> bool:
        return bool(self._own) and (path == self._own or path.startswith(self._own + b"/"))

    def _watch_all(self, watcher: Watcher) -> None:
        watcher.watch(path for path in self.view.directory_paths() if not self._is_own(path))

    @property
    def overlay_rows(self) -> int:
        """How much stands beside the epoch, waiting to be compacted."""
        return self._patch.rows

    def compact(self) -> None:
        """Write the epoch and its overlay as one new epoch."""
        with self._work, needing_room("the new epoch; the old one stays in use"):
            if self._view is None or not (self._patch.listings or self._patch.gone):
                return
            fresh = (self._checked_ns, self._dirty)
            view = compact(self._view, self.home)
            remember(self.home, self._base, view, always=False)
            self._install(view)
            self._checked_ns, self._dirty = fresh

    # -- watching -------------------------------------------------------------------------------------------------
    def watch(self, told: Callable[[], None] | None = None) -> Freshness:
        """Follow changes as they happen; `told` is called after each refresh. Falls back to checks when it cannot."""
        if self._watcher is None:

            def changed(paths: set[bytes] | None) -> None:
                self._on_change(paths)
                if told is not None:
                    told()

            self._watcher = Watcher(changed)
        self._watch_all(self._watcher)
        self.check()
        return self.freshness

    def _on_change(self, paths: set[bytes] | None) -> None:
        try:
            if paths is None:
                self._dirty = "changes came faster than they could be followed"
                self.check()
                return
            with self._work:
                numbers = [number for path in sorted(paths) if (number := self._number(path)) is not None]
                huge = [number for number in numbers if int(self.view.dirs["dcn"][number]) > _HUGE]
                self._relist([number for number in numbers if number not in huge], lambda: False)
                if huge:
                    path = to_wire(self.view.directory_path(huge[0]))
                    self._dirty = f"{path} is huge and has changed; it is listed again when nothing else runs"
        except RootMissing:
            return  # told by the freshness already
        except (IndexFault, OSError) as trouble:  # the next event, or the next check, tries again
            self._dirty = f"a refresh failed: {trouble}"

    def _number(self, path: bytes) -> int | None:
        view = self.view
        try:
            return view.directory(view.find(path))
        except NotIndexed:  # nothing to refresh
            return None

    @property
    def is_watched(self) -> bool:
        """Whether the system tells of every change."""
        return self._watcher is not None and self._watcher.trouble is None

    @property
    def watch_trouble(self) -> str | None:
        """Why watching is incomplete, when it is."""
        return None if self._watcher is None else self._watcher.trouble

    def close(self) -> None:
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None
