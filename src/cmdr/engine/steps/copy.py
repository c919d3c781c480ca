"""Arrivals: whatever comes into being under a temporary name and then lands under its own."""

import contextlib
import errno
import os
from abc import abstractmethod

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot, place, replace
from cmdr.engine.fs.contents import copy_contents, verify, write_contents
from cmdr.engine.fs.metadata import keep_link_metadata, keep_metadata
from cmdr.engine.journal.records import PutBack
from cmdr.engine.run.fsync_pool import LARGE
from cmdr.engine.steps.bench import Landed, Workbench
from cmdr.engine.steps.newcomer import Newcomer
from cmdr.model.plans.plan import Fingerprint, Kind, PlanItem


class Arrival(Newcomer):
    """A new file, link or copy that is staged beside its target."""

    def __init__(self, bench: Workbench, index: int, item: PlanItem, temp: bytes) -> None:
        super().__init__(bench, index, item, temp)
        self.warnings: tuple[str, ...] = ()
        self._made = False

    def stage(self) -> None:
        spot = self.settle_target()
        self.prepare(Spot(spot.folder, self.temp))

    @abstractmethod
    def prepare(self, temp: Spot) -> None:
        """Make the complete file under the temporary name."""

    def land(self) -> Landed:
        self.close()
        self.drop_note()
        clean = True
        # A name that was free is taken without another look: landing replaces nothing, and says when it is taken.
        target = self.settle_target() if self.replacing is not None else self.bench.spot(self.target)
        while True:
            self.sync_note()
            temp = Spot(target.folder, self.temp)
            try:
                if self.replacing is None or self.slot is None:
                    place(self.bench.syscalls, temp, target, self.item.kind, is_copy=True)
                    clean = self.release_slot()
                else:
                    self.is_begun = True
                    replace(self.bench.syscalls, temp, target, self.replacing, self.slot, is_copy=True)
                    self.bench.changed(self.slot.spot.look())
                    self.touched |= {self.slot.spot.folder, self.slot.note.folder}
            except FileExistsError:
                target = self.settle_target()
                continue
            break
        self.touched |= {target.folder}
        found = target.look()
        if self.staged is None or found is None or not self.staged.is_like(landed := fingerprint.of_stat(found)):
            raise Drifted("another program took the name right after the file had landed")
        self.bench.changed(found)
        if self.target in self.bench.twins:
            self.bench.landed[self.target] = landed
        kept = self.kept if self.replacing else None
        return Landed(target=self.target, landed=landed, kept=kept, warnings=self.warnings, is_clean=clean)

    def put_back(self) -> PutBack | None:
        """How the file to be replaced looks after an attempt; the source of a copy is only read."""
        return PutBack(None, self._again(self.item.target, self.item.existing)) if self.is_begun else None

    def abandon(self) -> bool:
        if self.fd is not None:
            fd, self.fd = self.fd, None
            if self.staged is None:
                with contextlib.suppress(OSError):
                    self.staged = fingerprint.of_open(fd)
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
            self.bench.syscalls.sync_folder(temp.folder)
        except (OSError, Drifted):
            return False
        return True

    def expected(self) -> Fingerprint:
        """How the source must look if nobody but this operation has changed it; raises `Drifted` when nobody knows."""
        if self.item.fingerprint is None:
            raise Drifted("it has changed since the plan")
        return self.bench.by_now(self.item.fingerprint)

    def mark_made(self, temp: Spot) -> None:
        """Remember that the temporary name exists, and which file it is."""
        self._made = True
        self.staged = temp.found


class CopiedFile(Arrival):
    """The copy of a file."""

    _left = 0
    """Bytes that are still to be copied."""

    def prepare(self, temp: Spot) -> None:
        bench, expected = self.bench, self.expected()
        source = self._open_source()
        try:
            found = os.fstat(source)
            _must_show(expected, found)
            self._made = True
            self.fd = target = bench.syscalls.create(temp.name, temp.folder)
            self._left = found.st_size
            copy_contents(bench.syscalls, source, target, found, self._stride)
            _must_show(expected, os.fstat(source), "it changed while it was being copied")
            self.warnings += keep_metadata(bench.syscalls, source, target, found)
            self.staged = fingerprint.of_open(target)
            if bench.verify or found.st_size >= LARGE:
                bench.syscalls.sync_data(target)
                if bench.verify:
                    verify(bench.syscalls, source, target, bench.stride)
                self.close()
        finally:
            bench.syscalls.discard(source)

    def _stride(self, count: int) -> None:
        self.bench.stride(count)
        self._left -= count
        if self._left > 0:
            # A large file need not be copied to its end before it is noticed that its volume was taken away.
            self.bench.folders.must_be_there(self.target.root)

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
        copied = None if first is None else self.bench.landed.get(first, self.item.twin_mark)
        if first is not None and copied is not None and self.item.source is not None:
            _unchanged(self.expected(), self.bench.spot(self.item.source).found)
            twin = self.bench.spot(first)
            # Each further name changes the stamp of the first.
            if copied.is_like(twin.found):
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
            _unchanged(self.expected(), fingerprint.of_stat(found))
            text = os.readlink(source.name, dir_fd=source.folder)
        except FileNotFoundError as problem:
            raise Drifted("it has changed since the plan") from problem
        self._made = True
        self.bench.syscalls.symlink(text, temp.name, temp.folder)
        self.mark_made(temp)
        _unchanged(self.expected(), source.found)
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
            _unchanged(self.expected(), source.found)
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


def _must_show(expected: Fingerprint, found: os.stat_result, why: str = "it has changed since the plan") -> None:
    if not fingerprint.shows(found, expected):
        raise Drifted(why)
