"""The state of one tree: its stored snapshot, the delta since, the view of both, and how fresh that is."""

import os
import shutil
import time
from contextlib import suppress
from dataclasses import replace

from cmdr.index.delta.apply import apply_delta
from cmdr.index.delta.delta import Delta, load_delta, save_delta
from cmdr.index.disk_space import disk_full_as_error
from cmdr.index.errors import Corrupt, NoSuchIndex
from cmdr.index.query.coverage import not_covered
from cmdr.index.snapshots.snapshot import StoredColumns
from cmdr.index.snapshots.view import View, stored_view
from cmdr.index.store.catalogue import Catalogue, IndexRecord
from cmdr.model.names import to_wire
from cmdr.model.trees.indexes import Freshness
from cmdr.model.units import iso_date

VERIFY_AT_OPEN_BYTES = 64 << 20
"""Size of a snapshot up to which its checksums are compared before it answers; that takes some 30 ms."""

_IDS_AT_ONCE = 1024


class TreeState:
    """Read at any time; whoever changes it holds the index's lock."""

    def __init__(self, record: IndexRecord, home: str, catalogue: Catalogue) -> None:
        self._record, self._home, self._catalogue = record, home, catalogue
        self.base: View | None = None
        self.delta = Delta()
        self.latest: View | None = None
        self.checked_ns: int | None = None
        self.dirty: str | None = "not checked since the program started"
        self.is_unsaved = False
        self._reserved = catalogue.next_id(record.id)
        clear_leftovers(home)
        self.base, self.set_aside = open_newest_snapshot(home)
        if self.base is not None:
            delta = load_delta(self._delta_path(self.base)) or Delta()
            # Ids may have been given out by a delta that never reached the disk.
            self.delta = replace(delta, next_id=max(delta.next_id, catalogue.next_id(record.id)))
            try:
                self.latest = apply_delta(self.base, self.delta, 0)
            except (Corrupt, LookupError, ValueError, OverflowError):  # columns that do not fit together
                self.set_base_aside()
            if self.latest is not None and self.latest.root != record.root:
                self.set_base_aside()  # damage made the catalogue name another folder

    @property
    def view(self) -> View:
        """What is known now; raises when nothing was scanned yet."""
        if self.latest is None:
            why = "was damaged and set aside; scan it again" if self.set_aside else "has not been scanned yet"
            raise NoSuchIndex(f"The index of {to_wire(self._record.root)} {why}.")
        return self.latest

    def freshness(self, current: str) -> Freshness:
        """Fresh, stale, partial or missing, with the reason; `current` says what keeps it fresh."""
        if self.latest is None:
            return Freshness("missing", "damaged and set aside" if self.set_aside else "not scanned yet", None)
        return freshness_of(self.latest, self.checked_ns, self.dirty, current)

    def checked(self) -> None:
        """All that was found is known now."""
        self.checked_ns, self.dirty = time.time_ns(), None

    def followed(self) -> None:
        """All that was told is known now; what was missed before still is."""
        if self.dirty is None:
            self.checked()

    def install(self, view: View) -> None:
        """A new snapshot becomes the current one, and the one before is removed."""
        before = self.base
        self._catalogue.reserve_ids(self._record.id, view.next_id)
        self._reserved = max(self._reserved, view.next_id)
        self.base, self.delta, self.latest = view, Delta(), view
        self.is_unsaved = False
        self.checked()
        if before is None:
            return
        if before.stored.folder != view.stored.folder:
            shutil.rmtree(before.stored.folder, ignore_errors=True)
        with suppress(OSError):
            os.unlink(self._delta_path(before))

    def apply(self, delta: Delta, *, save: bool = True) -> None:
        """What changed is written down, at once or by the next `save`, and shows."""
        base, before = self.base, self.view
        assert base is not None
        self._reserve(delta.next_id)
        if save:
            with disk_full_as_error("what changed; the index stays as it was"):
                save_delta(self._delta_path(base), delta)
        self.is_unsaved = not save
        self.delta, self.latest = delta, apply_delta(base, delta, before.revision + 1)

    def save(self) -> None:
        """Write down what shows already."""
        if self.is_unsaved and self.base is not None:
            self.is_unsaved = False  # what cannot be written is found again by the next check
            with disk_full_as_error("what changed; it is looked for again at the next start"):
                save_delta(self._delta_path(self.base), self.delta)

    def _reserve(self, upto: int) -> None:
        """An id that was given out is never given to another node, whatever is lost; several at once are noted."""
        if upto > self._reserved:
            self._reserved = upto + _IDS_AT_ONCE
            self._catalogue.reserve_ids(self._record.id, self._reserved)

    def set_base_aside(self) -> None:
        """The stored snapshot is damaged: the tree must be scanned again."""
        assert self.base is not None
        self.set_aside.append(set_snapshot_aside(self.base.stored.folder))
        self.base = self.latest = None
        self.delta = Delta()

    def _delta_path(self, base: View) -> str:
        return os.path.join(self._home, f"patch-{base.epoch:08d}")


def freshness_of(view: View, checked_ns: int | None, dirty: str | None, current: str) -> Freshness:
    """What a view is worth that nobody scans anew; `dirty` says why it is behind, `current` what keeps it up."""
    if view.facts.get("cancelled"):
        return Freshness("partial", "the last scan was stopped before its end", checked_ns)
    if dirty is not None:
        return Freshness("stale", dirty, checked_ns)
    if int(view.dirs["dmiss"][0]):
        return Freshness("partial", "; ".join(not_covered(view)) or "some entries could not be read", checked_ns)
    walked = iso_date(int(view.facts["started_ns"]))
    return Freshness("fresh", current or f"checked; edits inside files are known up to {walked}", checked_ns)


def clear_leftovers(home: str) -> None:
    """Remove what scans that were killed left behind."""
    for name in os.listdir(home):
        if name.startswith("scratch-") or name.endswith(".tmp"):
            path = os.path.join(home, name)
            shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):
                os.unlink(path)


def open_newest_snapshot(home: str) -> tuple[View | None, list[str]]:
    """Open the newest snapshot that is whole and remove older ones; damaged ones are set aside, and where is told."""
    newest: View | None = None
    aside: list[str] = []
    for name in sorted((name for name in os.listdir(home) if name.startswith("epoch-")), reverse=True):
        path = os.path.join(home, name)
        if newest is not None:
            shutil.rmtree(path, ignore_errors=True)
            continue
        try:
            stored = StoredColumns(path)
            if stored.size <= VERIFY_AT_OPEN_BYTES:
                stored.verify()
            newest = stored_view(stored)
        except (Corrupt, KeyError, ValueError):
            aside.append(set_snapshot_aside(path))
    return newest, aside


def set_snapshot_aside(path: str) -> str:
    """Keep a damaged snapshot for whoever wants to look at it, out of the way; answers where it is."""
    aside = os.path.join(os.path.dirname(path), f"aside-{os.path.basename(path)}-{time.time_ns()}")
    os.rename(path, aside)
    return aside
