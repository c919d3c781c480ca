"""An archive that is made: one file under a temporary name, written in the order of the plan, landed when it is whole.

A file that cannot be read, or changes meanwhile, is not in the archive, and the operation says so at the end.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from cmdr.engine.errors import TROUBLE, Damaged, Drifted, saying
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.archive_writer import ArchiveWriter, writer_for
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.contents import CHUNK
from cmdr.engine.journal.records import Intent
from cmdr.engine.steps.bench import Landed, Work
from cmdr.engine.steps.copy import Arrival
from cmdr.engine.steps.relocation import source_of
from cmdr.model.plans.plan import Fingerprint, Kind, PlanItem


class _LeftOut(Exception):
    """Something does not go into the archive."""


class Packed(Arrival):
    """A new archive."""

    def stage(self) -> None:
        try:
            super().stage()
        except TROUBLE as problem:
            self.bench.packing.problem = problem
            raise

    def prepare(self, temp: Spot) -> None:
        packing = self.bench.packing
        self._made = True
        self.fd = target = self.bench.syscalls.create(temp.name, temp.folder, 0o666)
        self.staged = fingerprint.of_open(target)
        writer = writer_for(self.target.name)(self.bench.syscalls, target)
        try:
            for index, item in packing.added():
                writer.mark()
                try:
                    self._add(writer, item)
                except _LeftOut as why:
                    writer.take_back()
                    packing.left_out[index] = str(why)
                self.bench.stride(0)
            if len(packing.left_out) == packing.count:
                raise Drifted("nothing of it could be packed")
            writer.finish()
        finally:
            writer.let_go()
        self.staged = fingerprint.of_open(target)

    def land(self) -> Landed:
        try:
            landed = super().land()
        except TROUBLE as problem:
            self.bench.packing.problem = problem
            raise
        self.bench.packing.is_made = True
        return landed

    def _add(self, writer: ArchiveWriter, item: PlanItem) -> None:
        place, expected = source_of(item)
        with _reading():
            spot = self.bench.spot(place)
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
        syscalls, offset = self.bench.syscalls, 0
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
                self.bench.stride(len(piece))
            _unchanged(os.fstat(source), expected, "it changed while it was being packed")
            writer.end_file()
        finally:
            syscalls.discard(source)


class Added(Work):
    """A file, link or folder that goes into the archive: done when the archive is."""

    def intent(self) -> Intent:
        return Intent(self.index, self.temp, None)

    def land(self) -> Landed:
        packing = self.bench.packing
        if packing.is_wanted and not packing.is_made:
            raise packing.problem or Damaged("the archive was not made")
        if self.index in packing.left_out:
            raise Drifted(f"it is not in the archive: {packing.left_out[self.index]}")
        return Landed()


@contextmanager
def _reading() -> Iterator[None]:
    """An error in reading leaves out what was to be read; one in writing ends it all."""
    try:
        yield
    except OSError as problem:
        raise _LeftOut(saying(problem)) from problem
    except Drifted as problem:
        raise _LeftOut(str(problem)) from problem


def _unchanged(
    found: os.stat_result, expected: Fingerprint, why: str = "it has changed since the plan"
) -> os.stat_result:
    if not fingerprint.shows(found, expected):
        raise _LeftOut(why)
    return found
