"""What comes out of archives: staged, brought to the disk and landed as copies are; only the contents lie elsewhere."""

import zlib
from functools import partial

from cmdr.engine.errors import Damaged
from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.contents import CHUNK, write_at
from cmdr.engine.fs.metadata import keep_link_time, keep_time
from cmdr.engine.run.fsync_pool import LARGE_FILE_BYTES
from cmdr.engine.steps.copy import Copy, Twin
from cmdr.engine.steps.staged_file import StagedFile
from cmdr.model.plans.plan_item import Member


class Unpacked(StagedFile):
    """Something out of an archive."""

    @property
    def member(self) -> Member:
        """What of the archive it is."""
        return self.item.member or Member(b"")

    def stage(self) -> None:
        # Before anything else: where the archive has changed, the folders are missing too, for the same reason.
        self.context.archives.must_be_there(self.item)
        super().stage()


class UnpackedFile(Unpacked, Copy):
    """A file out of an archive, with its time and plain permissions; never with an owner or the bits that lend one."""

    def write(self, temp: Spot) -> None:
        context, member, offset, check = self.context, self.member, 0, 0
        pieces = context.archives.contents(self.item, partial(context.stride, 0))
        # What cannot be read at all leaves no trace.
        piece = next(pieces, b"")
        self._made = True
        mode = 0o666 if self.item.mode is None else self.item.mode
        self.fd = target = context.syscalls.create(temp.name, temp.folder, mode)
        self._left = member.size
        while piece:
            write_at(context.syscalls, target, piece, offset)
            offset, check = offset + len(piece), zlib.crc32(piece, check)
            self._stride(len(piece))
            piece = next(pieces, b"")
        self.warnings += keep_time(context.syscalls, target, member.mtime_ns)
        self.staged = fingerprint.of_open(target)
        if context.verify or member.size >= LARGE_FILE_BYTES:
            context.syscalls.sync_data(target)
            if context.verify and self._read_back(target) != check:
                raise Damaged("the copy does not read back the same")
            self.close()

    def _read_back(self, target: int) -> int:
        offset = check = 0
        while piece := self.context.syscalls.read(target, CHUNK, offset):
            offset, check = offset + len(piece), zlib.crc32(piece, check)
            self.context.stride(0)
        return check


class UnpackedTwin(Twin, UnpackedFile):
    """A further name of a file out of the same archive; a file of its own where that cannot be."""


class UnpackedLink(Unpacked):
    """A symbolic link out of an archive; the plan has made sure that it stays inside what is unpacked."""

    def write(self, temp: Spot) -> None:
        member = self.member
        self._made = True
        self.context.syscalls.symlink(member.link, temp.name, temp.folder)
        self.mark_made(temp)
        self.warnings = keep_link_time(self.context.syscalls, temp.name, temp.folder, member.mtime_ns)
        self.mark_made(temp)
