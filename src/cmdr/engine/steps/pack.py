"""An archive that is made: one file under a temporary name, written in the order of the plan, landed when it is whole.

A file that cannot be read, or changes meanwhile, is not in the archive, and the operation says so at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cmdr.engine.errors import ITEM_ERRORS, Damaged, Drifted, error_text
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.contents import CHUNK
from cmdr.engine.journal.records import Intent, ItemRecord
from cmdr.engine.steps.staged_file import StagedFile
from cmdr.engine.steps.step import Step, StepResult, source_of
from cmdr.model.plans.plan import Fingerprint, Kind, PlanItem, Totals
from cmdr.model.plans.steps import StepName

if TYPE_CHECKING:
    from cmdr.engine.fs.archive_writer import ArchiveWriter
    from cmdr.engine.run.undo import UndoPlan
    from cmdr.engine.steps.run_context import RunContext


class _LeftOut(Exception):
    """Something does not go into the archive."""


class Pack(StagedFile):
    """A new archive."""

    name = StepName.PACK

    @classmethod
    def prepare(cls, context: RunContext, item: PlanItem) -> None:
        context.packing.is_wanted = True

    @classmethod
    def taken_totals(cls, item: PlanItem, here: Fingerprint) -> Totals:
        # An archive has no size before it is made.
        return Totals(1, 0, here.size)

    def stage(self) -> None:
        try:
            super().stage()
        except ITEM_ERRORS as problem:
            self.context.packing.problem = problem
            raise

    def write(self, temp: Spot) -> None:
        from cmdr.engine.fs.archive_writer import writer_for

        packing = self.context.packing
        self._made = True
        self.fd = target = self.context.syscalls.create(temp.name, temp.folder, 0o666)
        self.staged = fingerprint.of_open(target)
        writer = writer_for(self.target.name)(self.context.syscalls, target)
        try:
            for index, item in enumerate(self.context.items):
                if item.step is not StepName.ADD:
                    continue
                writer.mark()
                try:
                    self._add(writer, item)
                except _LeftOut as why:
                    writer.take_back()
                    packing.left_out[index] = str(why)
                self.context.stride(0)
            if len(packing.left_out) == packing.count:
                raise Drifted("nothing of it could be packed")
            writer.finish()
        finally:
            writer.let_go()
        self.staged = fingerprint.of_open(target)

    def commit(self) -> StepResult:
        try:
            landed = super().commit()
        except ITEM_ERRORS as problem:
            self.context.packing.problem = problem
            raise
        self.context.packing.is_made = True
        return landed

    def _add(self, writer: ArchiveWriter, item: PlanItem) -> None:
        place, expected = source_of(item)
        with _reading():
            spot = self.context.spot(place)
        match item.kind:
            case Kind.FILE:
                self._add_file(writer, place.rel, spot, expected)
            case Kind.LINK:
                with _reading():
                    found = _unchanged(os.stat(spot.name, dir_fd=spot.folder, follow_symlinks=False), expected)
                    text = os.readlink(spot.name, dir_fd=spot.folder)
                writer.link(place.rel, found, text)
            case _:
                with _reading():
                    found = _unchanged(os.stat(spot.name, dir_fd=spot.folder, follow_symlinks=False), expected)
                writer.folder(place.rel, found)

    def _add_file(self, writer: ArchiveWriter, name: bytes, spot: Spot, expected: Fingerprint) -> None:
        syscalls, offset = self.context.syscalls, 0
        with _reading():
            source = syscalls.open(spot.name, spot.folder)
        try:
            found = _unchanged(os.fstat(source), expected)
            writer.begin_file(name, found)
            while offset < found.st_size:
                with _reading():
                    piece = syscalls.read(source, min(CHUNK, found.st_size - offset), offset)
                if not piece:
                    raise _LeftOut("the file became shorter while it was being packed")
                writer.write(piece)
                offset += len(piece)
                self.context.stride(len(piece))
            _unchanged(os.fstat(source), expected, "it changed while it was being packed")
            writer.end_file()
        finally:
            syscalls.discard(source)


class Add(Step):
    """A file, link or folder that goes into the archive: done when the archive is."""

    name = StepName.ADD

    @classmethod
    def prepare(cls, context: RunContext, item: PlanItem) -> None:
        context.packing.count += 1

    @classmethod
    def inverse(cls, item: PlanItem, found: ItemRecord, undo: UndoPlan) -> None:
        """Nothing: what went into an archive is still where it was."""

    def intent(self) -> Intent:
        return Intent(self.index, self.temp, None)

    def commit(self) -> StepResult:
        packing = self.context.packing
        if packing.is_wanted and not packing.is_made:
            raise packing.problem or Damaged("the archive was not made")
        if self.index in packing.left_out:
            raise Drifted(f"it is not in the archive: {packing.left_out[self.index]}")
        return StepResult()


@contextmanager
def _reading() -> Iterator[None]:
    """An error in reading leaves out what was to be read; one in writing ends it all."""
    try:
        yield
    except OSError as problem:
        raise _LeftOut(error_text(problem)) from problem
    except Drifted as problem:
        raise _LeftOut(str(problem)) from problem


def _unchanged(
    found: os.stat_result, expected: Fingerprint, why: str = "it has changed since the plan"
) -> os.stat_result:
    if not fingerprint.shows(found, expected):
        raise _LeftOut(why)
    return found
