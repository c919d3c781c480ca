"""The folder in which the index of contents of one tree is kept: segments, what is no text, and a manifest.

A build writes into a scratch folder; its files take their names one by one, and count with the manifest that names
them, which is replaced in one step. What no manifest names is left over from a build that was killed, and is removed.
"""

import ctypes
import json
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from cmdr.index.contents.segments.segment_file import SegmentFile, SegmentRecord
from cmdr.index.disk_space import disk_full_as_error
from cmdr.index.errors import Corrupt
from cmdr.index.snapshots.columns import Column

FORMAT = 1
_MANIFEST, _OTHERS, _ASIDE, _SCRATCH = "manifest.json", "others", "aside-", "scratch-"
_ROW_BYTES = 13  # of a file that is no text: stamp, id, state
_LINK_BYTES = 8  # of a further name: its id, and that of the name by which the file is indexed


@dataclass(frozen=True, eq=False)
class OtherFiles:
    """Files that have no documents: what is no text, and further names of files that are."""

    ids: Column = field(default_factory=lambda: np.empty(0, np.uint32))
    states: Column = field(default_factory=lambda: np.empty(0, np.uint8))
    stamps: Column = field(default_factory=lambda: np.empty(0, np.uint64))
    links: Column = field(default_factory=lambda: np.empty((0, 2), np.uint32))

    def packed(self) -> bytes:
        """As it is stored."""
        parts = (np.array([len(self.ids)], "<u8"), self.stamps.astype("<u8"), self.ids.astype("<u4"))
        return b"".join(one.tobytes() for one in (*parts, self.links.astype("<u4"), self.states.astype("u1")))

    @classmethod
    def unpacked(cls, data: bytes) -> "OtherFiles":
        """What was stored; raises Corrupt."""
        count = int.from_bytes(data[:8], "little")
        links, rest = divmod(len(data) - 8 - count * _ROW_BYTES, _LINK_BYTES)
        if len(data) < 8 or links < 0 or rest:
            raise Corrupt("The index of contents has a list of files that is damaged.")
        at = 8 + 8 * count
        stamps, ids = np.frombuffer(data, "<u8", count, 8), np.frombuffer(data, "<u4", count, at)
        at += 4 * count
        pairs = np.frombuffer(data, "<u4", 2 * links, at).reshape(-1, 2)
        return cls(ids, np.frombuffer(data, "u1", count, at + _LINK_BYTES * links), stamps, pairs)


@dataclass(frozen=True)
class ContentManifest:
    """What an index of contents holds; segments in the order in which they were made."""

    segments: tuple[SegmentRecord, ...] = ()
    others: tuple[str, int, int] | None = None
    """Name, length and checksum of the file about what is no text."""
    next_number: int = 0
    built_ns: int = 0

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(one.size for one in self.segments) + (self.others[1] if self.others else 0)

    @property
    def docs(self) -> int:
        """Documents: texts, and parts of long ones."""
        return sum(one.docs for one in self.segments)

    @property
    def text_bytes(self) -> int:
        """Bytes of text that were indexed."""
        return sum(one.text_bytes for one in self.segments)


class ContentStore:
    """Opens what is there, and takes over what was built."""

    def __init__(self, library: ctypes.CDLL, folder: str) -> None:
        self._library, self.folder = library, folder
        self.troubles: list[str] = []
        """What was found damaged and set aside, in words."""
        self.manifest = self._read_manifest()
        self.segments: list[SegmentFile] = []
        for record in self.manifest.segments if self.manifest else ():
            try:
                self.segments.append(SegmentFile(library, folder, record))
            except Corrupt as trouble:
                self.set_aside(record.name, str(trouble))
        self.others = self._read_others()
        self._clear_leftovers()

    @property
    def is_there(self) -> bool:
        """Whether contents were indexed."""
        return self.manifest is not None

    def drop(self, segment: SegmentFile, trouble: Corrupt) -> None:
        """Set a damaged segment aside: its files are scanned from now on, as all that are not indexed."""
        self.segments = [one for one in self.segments if one is not segment]
        self.set_aside(segment.record.name, str(trouble))

    def set_aside(self, name: str, why: str) -> None:
        """Keep a damaged file for whoever wants to look at it, out of the way, and say so."""
        self.troubles.append(f"{why} It was set aside; its files are read until contents are indexed again.")
        with suppress(OSError):
            path = os.path.join(self.folder, name)
            os.rename(path, os.path.join(self.folder, f"{_ASIDE}{name}-{time.time_ns()}"))

    def scratch(self) -> str:
        """A folder to build in, beside what is kept."""
        with disk_full_as_error("a place to build the index of contents"):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            return tempfile.mkdtemp(prefix=_SCRATCH, dir=self.folder)

    def commit(self, scratch: str, built: Sequence[SegmentRecord], dropped: set[str], others: OtherFiles) -> None:
        """Take over what was built, in place of the segments named in `dropped`; raises DiskFull, and then nothing
        has changed."""
        before = self.manifest or ContentManifest()
        number = before.next_number
        kept = [one.record for one in self.segments if one.record.name not in dropped]
        moved: list[str] = []
        new: list[SegmentRecord] = []
        try:
            with disk_full_as_error("the index of contents; what was there stays in use"):
                for record in built:
                    new.append(replace(record, name=f"segment-{number:08d}"))
                    number += 1
                    moved.append(self._take(scratch, record.name, new[-1].name))
                data = others.packed()
                name = f"{_OTHERS}-{number:08d}"
                _write(os.path.join(scratch, name), data)
                moved.append(self._take(scratch, name, name))
                told = (name, len(data), self._library.cmdr_checksum(data, len(data)))
                manifest = ContentManifest((*kept, *new), told, number + 1, time.time_ns())
                self._write_manifest(manifest)
        except BaseException:
            for path in moved:
                with suppress(OSError):
                    os.unlink(path)
            raise
        self.manifest, self.others = manifest, others
        opened = {one.record.name: one for one in self.segments}
        self.segments = [
            opened.get(record.name) or SegmentFile(self._library, self.folder, record) for record in manifest.segments
        ]
        self._clear_leftovers()

    def remove(self) -> None:
        """Forget all contents."""
        self.manifest, self.segments, self.others = None, [], OtherFiles()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _take(self, scratch: str, name: str, final: str) -> str:
        path = os.path.join(self.folder, final)
        os.rename(os.path.join(scratch, name), path)
        return path

    def _write_manifest(self, manifest: ContentManifest) -> None:
        body = json.dumps({"format": FORMAT} | asdict(manifest), sort_keys=True).encode()
        path = os.path.join(self.folder, _MANIFEST)
        try:
            _write(path + ".tmp", b"%08x\n" % zlib.crc32(body) + body)
            _sync_folder(self.folder)  # the files it names are there before it is
            os.replace(path + ".tmp", path)
            _sync_folder(self.folder)
        except OSError:
            with suppress(OSError):
                os.unlink(path + ".tmp")
            raise

    def _read_manifest(self) -> ContentManifest | None:
        try:
            with open(os.path.join(self.folder, _MANIFEST), "rb") as file:
                sum_, _, body = file.read().partition(b"\n")
        except FileNotFoundError:
            return None
        except OSError as trouble:
            self.set_aside(_MANIFEST, f"The index of contents cannot be read: {trouble.strerror}.")
            return None
        try:
            if int(sum_, 16) != zlib.crc32(body):
                self.set_aside(_MANIFEST, "The manifest of the index of contents is damaged.")
                return None
            data: dict[str, Any] = json.loads(body)
            if data["format"] != FORMAT:
                self.set_aside(_MANIFEST, "The index of contents was written by another version.")
                return None
            segments = tuple(map(SegmentRecord.from_json, data["segments"]))
            others = data["others"] and (str(data["others"][0]), int(data["others"][1]), int(data["others"][2]))
            return ContentManifest(segments, others, int(data["next_number"]), int(data["built_ns"]))
        except (ValueError, KeyError, TypeError, IndexError):
            self.set_aside(_MANIFEST, "The manifest of the index of contents cannot be understood.")
            return None

    def _read_others(self) -> OtherFiles:
        if self.manifest is None or self.manifest.others is None:
            return OtherFiles()
        name, size, wanted = self.manifest.others
        data = b""
        with suppress(OSError), open(os.path.join(self.folder, name), "rb") as file:
            data = file.read()
        if len(data) == size and self._library.cmdr_checksum(data, len(data)) == wanted:
            with suppress(Corrupt):
                return OtherFiles.unpacked(data)
        self.set_aside(name, "The index of contents has a list of files that is damaged.")
        return OtherFiles()

    def _clear_leftovers(self) -> None:
        """Remove what no manifest names; what was set aside stays until contents are indexed again."""
        manifest = self.manifest
        named = {_MANIFEST, *(one.name for one in manifest.segments)} if manifest else set()
        if manifest is not None and manifest.others is not None:
            named.add(manifest.others[0])
        with suppress(FileNotFoundError):
            for name in os.listdir(self.folder):
                if name in named or (name.startswith(_ASIDE) and self.troubles):
                    continue
                path = os.path.join(self.folder, name)
                shutil.rmtree(path, ignore_errors=True)
                with suppress(OSError):
                    os.unlink(path)


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def _sync_folder(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
