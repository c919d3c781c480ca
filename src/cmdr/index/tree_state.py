"""What is known of one tree: the stored epoch, what changed since, the view of both, and how fresh it is."""

import os
import shutil
import time
from contextlib import suppress
from dataclasses import replace

from cmdr.index.delta.overlay import lay_over
from cmdr.index.delta.patch import Patch, load_patch, save_patch
from cmdr.index.errors import Corrupt, NoSuchIndex
from cmdr.index.freshness import freshness_of
from cmdr.index.room import needing_room
from cmdr.index.snapshots.epochs_kept import clear_leftovers, newest_whole, put_aside
from cmdr.index.snapshots.view import View
from cmdr.index.store.catalogue import Catalogue, IndexRecord
from cmdr.model.names import to_wire
from cmdr.model.trees.indexes import Freshness


class Standing:
    """Read at any time; whoever changes it holds the index's lock."""

    def __init__(self, record: IndexRecord, home: str, catalogue: Catalogue) -> None:
        self._record, self._home, self._catalogue = record, home, catalogue
        self.base: View | None = None
        self.patch = Patch()
        self.latest: View | None = None
        self.checked_ns: int | None = None
        self.dirty: str | None = "not checked since the program started"
        clear_leftovers(home)
        self.base, self.set_aside = newest_whole(home)
        if self.base is not None:
            patch = load_patch(self._patch_path(self.base)) or Patch()
            # Ids may have been given out by a patch that never reached the disk.
            self.patch = replace(patch, next_id=max(patch.next_id, catalogue.next_id(record.id)))
            try:
                self.latest = lay_over(self.base, self.patch, 0)
            except (Corrupt, LookupError, ValueError, OverflowError):  # columns that do not fit together
                self.put_base_aside()

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
        """A new epoch becomes the current one, and the one before is removed."""
        before = self.base
        self._catalogue.reserve_ids(self._record.id, view.next_id)
        self.base, self.patch, self.latest = view, Patch(), view
        self.checked()
        if before is None:
            return
        if before.stored.folder != view.stored.folder:
            shutil.rmtree(before.stored.folder, ignore_errors=True)
        with suppress(OSError):
            os.unlink(self._patch_path(before))

    def lay(self, patch: Patch) -> None:
        """What changed is written down, and shows."""
        base, before = self.base, self.view
        assert base is not None
        self._catalogue.reserve_ids(self._record.id, patch.next_id)
        with needing_room("what changed; the index stays as it was"):
            save_patch(self._patch_path(base), patch)
        self.patch, self.latest = patch, lay_over(base, patch, before.revision + 1)

    def put_base_aside(self) -> None:
        """The stored epoch is damaged: the tree must be scanned again."""
        assert self.base is not None
        self.set_aside.append(put_aside(self.base.stored.folder))
        self.base = self.latest = None
        self.patch = Patch()

    def _patch_path(self, base: View) -> str:
        return os.path.join(self._home, f"patch-{base.epoch:08d}")
