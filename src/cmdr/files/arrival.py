"""Arrivals: whatever comes into being under a temporary name and then lands under its own."""

import contextlib
import errno
import os

from cmdr.files import fingerprint
from cmdr.files.conflicts import Verdict
from cmdr.files.contents import copy_contents, verify, write_contents
from cmdr.files.free_name import free_name
from cmdr.files.group_commit import LARGE
from cmdr.files.landing import Spot, place, replace
from cmdr.files.metadata import keep_link_metadata, keep_metadata
from cmdr.files.recorder import Intent, Kept
from cmdr.files.trash import Slot, Trash
from cmdr.files.trouble import Drifted
from cmdr.files.workbench import Landed, Work, Workbench
from cmdr.model.plan import Fingerprint, Kind, Place, PlanItem


class Newcomer(Work):
    """Something that takes a target name: settles who may have the name, and keeps what it displaces."""

    def __init__(self, bench: Workbench, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(bench, index, item, temp)
        if item.target is None:
            raise ValueError("this item needs a target")
        self.target: Place = item.target
        self.replacing: Fingerprint | None = None
        self.kept: Kept | None = None
        self._trash: Trash | None = None
        self._noted = False
        self._note: int | None = None
        """The note about the displaced file, written while staging and not yet on the disk."""

    @property
    def unsynced(self) -> list[int]:
        return super().unsynced + ([] if self._note is None else [self._note])

    def intent(self) -> Intent:
        if self.item.existing is not None and self.bench.decider.may_replace(self.item):
            self._trash, self.kept = self._choose_slot()
        return Intent(self.index, self.temp, self.target, self.kept)

    def settle_target(self) -> Spot:
        """Find out whether the name is free, may be replaced, or must change."""
        while True:
            spot = self.bench.spot(self.target)
            found = spot.found
            if self.replacing is not None and self.replacing.matches(found):
                # Decided before, for exactly this file.
                return spot
            self.replacing = None
            if found is None:
                return spot
            if self.bench.decider.decide(self.item, found) is Verdict.REPLACE:
                self.replacing = found
                self._note_displaced(spot)
                return spot
            name = free_name(self.target.name, lambda name, folder=spot.folder: _is_taken(name, folder))  # type: ignore[misc]
            self.target = self.goal = self.target.renamed(name)

    @property
    def slot(self) -> Slot | None:
        """The room kept for a displaced file."""
        return None if self._trash is None or self.kept is None else self._trash.slot(self.kept)

    def release_slot(self) -> bool:
        """Remove the note about a displaced file that was not displaced after all; whether it is gone."""
        if self._noted and self.slot is not None:
            try:
                self.slot.forget()
            except OSError:
                return False
            self._noted = False
        return True

    def _choose_slot(self) -> tuple[Trash, Kept]:
        trash = self.bench.trashes.beside(self.bench.folders.open(self.target.root, self.target.folder))
        return trash, trash.choose(self.target.name)

    def _note_displaced(self, spot: Spot) -> None:
        if self._noted:
            return
        if self._trash is None or self.kept is None:
            self._trash, self.kept = self._choose_slot()
            self.bench.intend(Intent(self.index, self.temp, self.target, self.kept))
        slot = self._trash.slot(self.kept)
        self._noted = True
        self._note = slot.write_note(self._trash.note_for(spot.folder, spot.name))

    def sync_note(self) -> None:
        """Bring a note to the disk that was written too late to be waited for with the others."""
        if self._note is not None:
            self.bench.syscalls.sync_data(self._note)
            self.drop_note()

    def drop_note(self) -> None:
        """Close the note."""
        if self._note is not None:
            note, self._note = self._note, None
            self.bench.syscalls.discard(note)


class Arrival(Newcomer):
    """A new file, link or copy that is staged beside its target."""

    def __init__(self, bench: Workbench, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(bench, index, item, temp)
        self.warnings: tuple[str, ...] = ()
        self._made = False

    def stage(self) -> None:
        spot = self.settle_target()
        self.prepare(Spot(spot.folder, self.temp))

    def prepare(self, temp: Spot) -> None:
        """Make the complete file under the temporary name."""
        raise NotImplementedError

    def land(self) -> Landed:
        self.close()
        self.drop_note()
        clean = True
        while True:
            target = self.settle_target()
            self.sync_note()
            temp = Spot(target.folder, self.temp)
            try:
                if self.replacing is None or self.slot is None:
                    place(self.bench.syscalls, temp, target, self.item.kind)
                    clean = self.release_slot()
                else:
                    replace(self.bench.syscalls, temp, target, self.replacing, self.slot)
                    self.touched |= {self.slot.spot.folder, self.slot.note.folder}
            except FileExistsError:
                continue
            break
        self.touched.add(target.folder)
        landed = target.found
        if landed is None or not landed.is_same_file(self.staged):
            raise Drifted("another program took the name right after the file had landed")
        self.bench.landed[self.target] = landed
        kept = self.kept if self.replacing else None
        return Landed(target=self.target, landed=landed, kept=kept, warnings=self.warnings, is_clean=clean)

    def abandon(self) -> bool:
        if self.fd is not None:
            fd, self.fd = self.fd, None
            self.bench.syscalls.discard(fd)
        self.drop_note()
        gone = self._remove_temp()
        return self.release_slot() and gone

    def _remove_temp(self) -> bool:
        if not self._made:
            return True
        try:
            temp = Spot(self.bench.folders.open(self.target.root, self.target.folder), self.temp)
            found = temp.found
            if found is None:
                return True
            if self.staged is None or not found.is_same_file(self.staged):
                # Not what was staged: a displaced original. The next start brings it to the trash.
                return False
            self.bench.syscalls.unlink(temp.name, temp.folder)
        except (OSError, Drifted):
            return False
        return True

    def mark_made(self, temp: Spot) -> None:
        """Remember that the temporary name exists, and which file it is."""
        self._made = True
        self.staged = temp.found


class CopiedFile(Arrival):
    """The copy of a file."""

    def prepare(self, temp: Spot) -> None:
        bench, expected = self.bench, self.item.fingerprint
        source = self._open_source()
        try:
            found = os.fstat(source)
            _unchanged(expected, fingerprint.of_stat(found))
            self._made = True
            self.fd = target = bench.syscalls.create(temp.name, temp.folder)
            self.staged = fingerprint.of_open(target)
            copy_contents(bench.syscalls, source, target, found, bench.stride)
            _unchanged(expected, fingerprint.of_open(source), "it changed while it was being copied")
            self.warnings += keep_metadata(bench.syscalls, source, target, found)
            self.staged = fingerprint.of_open(target)
            if bench.verify or found.st_size >= LARGE:
                bench.syscalls.sync_data(target)
                if bench.verify:
                    verify(bench.syscalls, source, target, bench.stride)
                self.close()
        finally:
            bench.syscalls.discard(source)

    def _open_source(self) -> int:
        if self.item.source is None:
            raise ValueError("a copy needs a source")
        folder, name = self.bench.folders.at(self.item.source)
        try:
            return self.bench.syscalls.open(name, folder)
        except OSError as problem:
            if problem.errno in (errno.ELOOP, errno.ENOENT, errno.ENXIO):
                raise Drifted("it has changed since the plan") from problem
            raise


class Twin(CopiedFile):
    """A further name of a copy made before; a copy of its own where that cannot be."""

    def prepare(self, temp: Spot) -> None:
        first = self.item.twin
        copied = None if first is None else self.bench.landed.get(first)
        if first is not None and copied is not None and self.item.source is not None:
            _unchanged(self.item.fingerprint, self.bench.spot(self.item.source).found)
            twin = self.bench.spot(first)
            if copied.matches(twin.found):
                self._made = True
                try:
                    self.bench.syscalls.link(twin.name, twin.folder, temp.name, temp.folder)
                except OSError as problem:
                    if problem.errno not in (errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV):
                        raise
                else:
                    self.mark_made(temp)
                    return
        self.warnings += ("hard link",)
        super().prepare(temp)


class CopiedLink(Arrival):
    """The copy of a symbolic link; never of what it leads to."""

    def prepare(self, temp: Spot) -> None:
        if self.item.source is None:
            raise ValueError("a copy needs a source")
        source = self.bench.spot(self.item.source)
        try:
            found = os.stat(source.name, dir_fd=source.folder, follow_symlinks=False)
            _unchanged(self.item.fingerprint, fingerprint.of_stat(found))
            text = os.readlink(source.name, dir_fd=source.folder)
        except FileNotFoundError as problem:
            raise Drifted("it has changed since the plan") from problem
        self._made = True
        self.bench.syscalls.symlink(text, temp.name, temp.folder)
        self.mark_made(temp)
        _unchanged(self.item.fingerprint, source.found)
        self.warnings = keep_link_metadata(
            self.bench.syscalls, (source.folder, source.name), (temp.folder, temp.name), found
        )
        self.mark_made(temp)


class NewLink(Arrival):
    """A new symbolic link, or a further name of an existing file."""

    def prepare(self, temp: Spot) -> None:
        self._made = True
        if self.item.source is None:
            self.bench.syscalls.symlink(self.item.data or b"", temp.name, temp.folder)
        else:
            source = self.bench.spot(self.item.source)
            _unchanged(self.item.fingerprint, source.found)
            self.bench.syscalls.link(source.name, source.folder, temp.name, temp.folder)
        self.mark_made(temp)


class NewFile(Arrival):
    """A file with contents from the plan; in place of an existing one it takes over owner, mode and attributes."""

    def prepare(self, temp: Spot) -> None:
        syscalls = self.bench.syscalls
        if self.item.data is None:
            raise Drifted("its contents are not known any more")
        self._made = True
        mode = 0o600 if self.replacing else 0o666 if self.item.mode is None else self.item.mode
        self.fd = target = syscalls.create(temp.name, temp.folder, mode)
        self.staged = fingerprint.of_open(target)
        write_contents(syscalls, target, self.item.data)
        if self.replacing is not None and self.replacing.kind is Kind.FILE:
            self._take_over(target)
        self.staged = fingerprint.of_open(target)

    def _take_over(self, target: int) -> None:
        standing = self.bench.spot(self.target)
        before = self.bench.syscalls.open(standing.name, standing.folder)
        try:
            found = os.fstat(before)
            _unchanged(self.replacing, fingerprint.of_stat(found))
            self.warnings = keep_metadata(self.bench.syscalls, before, target, found, times=False)
        finally:
            self.bench.syscalls.discard(before)


def _unchanged(
    expected: Fingerprint | None, found: Fingerprint | None, why: str = "it has changed since the plan"
) -> None:
    if expected is None or not expected.matches(found):
        raise Drifted(why)


def _is_taken(name: bytes, folder: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return True
    return False
