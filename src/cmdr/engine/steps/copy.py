"""Copies: of files, of symbolic links, and of further names of one file."""

import errno
import os

from cmdr.engine.errors import Drifted
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.contents import copy_contents, verify
from cmdr.engine.fs.metadata import keep_link_metadata, keep_metadata
from cmdr.engine.run.fsync_pool import LARGE_FILE_BYTES
from cmdr.engine.steps.staged_file import StagedFile, must_match, must_show
from cmdr.engine.steps.step import Step, UndoPhase
from cmdr.model.plans.plan import Kind, PlanItem
from cmdr.model.plans.steps import StepName


class Copy(StagedFile):
    """The copy of a file."""

    name = StepName.COPY
    _left = 0
    """Bytes that are still to be copied."""

    @classmethod
    def variant(cls, item: PlanItem) -> type[Step]:
        if item.member is not None:
            from cmdr.engine.steps.unpack import UnpackedFile, UnpackedLink

            return UnpackedLink if item.kind is Kind.LINK else UnpackedFile
        return CopiedLink if item.kind is Kind.LINK else cls

    @classmethod
    def phase(cls, item: PlanItem) -> UndoPhase:
        return UndoPhase.COPY

    @classmethod
    def group_bytes(cls, item: PlanItem) -> int:
        return item.totals.bytes

    def write(self, temp: Spot) -> None:
        context = self.context
        source = self._open_source()
        try:
            expected, found = self.expected(), os.fstat(source)
            must_show(expected, found)
            self._made = True
            self.fd = target = context.syscalls.create(temp.name, temp.folder)
            self._left = found.st_size
            copy_contents(context.syscalls, source, target, found, self._stride)
            must_show(expected, os.fstat(source), "it changed while it was being copied")
            self.warnings += keep_metadata(context.syscalls, source, target, found)
            self.staged = fingerprint.of_open(target)
            if context.verify or found.st_size >= LARGE_FILE_BYTES:
                context.syscalls.sync_data(target)
                if context.verify:
                    verify(context.syscalls, source, target, context.stride)
                self.close()
        finally:
            context.syscalls.discard(source)

    def _stride(self, count: int) -> None:
        self.context.stride(count)
        self._left -= count
        if self._left > 0:
            # A large file need not be copied to its end before it is noticed that its volume was taken away.
            self.context.folders.must_be_there(self.target.root)

    def _open_source(self) -> int:
        if self.item.source is None:
            raise ValueError("a copy needs a source")
        folder, name = self.context.folders.at(self.item.source)
        try:
            return self.context.syscalls.open(name, folder)
        except OSError as problem:
            if problem.errno in (errno.ELOOP, errno.ENOENT, errno.ENXIO):
                raise Drifted("it has changed since the plan") from problem
            raise


class Twin(Copy):
    """A further name of a copy made before; a copy of its own where that cannot be."""

    name = StepName.TWIN
    is_second_name = True

    @classmethod
    def variant(cls, item: PlanItem) -> type[Step]:
        if item.member is None:
            return cls
        from cmdr.engine.steps.unpack import UnpackedTwin

        return UnpackedTwin

    @classmethod
    def group_bytes(cls, item: PlanItem) -> int:
        return 0

    def write(self, temp: Spot) -> None:
        first = self.item.twin
        copied = None if first is None else self.context.landed.get(first, self.item.twin_mark)
        if first is not None and copied is not None and self.item.source is not None:
            must_match(self.expected(), self.context.spot(self.item.source).found)
            twin = self.context.spot(first)
            # Each further name changes the stamp of the first.
            if copied.is_like(twin.found):
                self._made = True
                try:
                    self.context.syscalls.link(twin.name, twin.folder, temp.name, temp.folder)
                except OSError as problem:
                    if problem.errno not in (errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV):
                        raise
                else:
                    self.mark_made(temp)
                    return
        self.warnings += ("hard link",)
        super().write(temp)


class CopiedLink(StagedFile):
    """The copy of a symbolic link; never of what it leads to."""

    name = StepName.COPY

    def write(self, temp: Spot) -> None:
        if self.item.source is None:
            raise ValueError("a copy needs a source")
        source = self.context.spot(self.item.source)
        try:
            found = os.stat(source.name, dir_fd=source.folder, follow_symlinks=False)
            must_match(self.expected(), fingerprint.of_stat(found))
            text = os.readlink(source.name, dir_fd=source.folder)
        except FileNotFoundError as problem:
            raise Drifted("it has changed since the plan") from problem
        self._made = True
        self.context.syscalls.symlink(text, temp.name, temp.folder)
        self.mark_made(temp)
        must_match(self.expected(), source.found)
        self.warnings = keep_link_metadata(
            self.context.syscalls, (source.folder, source.name), (temp.folder, temp.name), found
        )
        self.mark_made(temp)
