"""One stored segment: mapped, compared with its checksum before it answers, asked for documents."""

import ctypes
import mmap
import os
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from cmdr.index.contents.segments.content_keys import KeyProgram
from cmdr.index.errors import Corrupt
from cmdr.index.snapshots.columns import Column

DOC = np.dtype([("stamp", "<u8")] + [(n, "<u4") for n in ("id", "start", "length", "lines", "flags", "reserved")])
ODD_LETTERS, RACY = 2, 8
"""Flags of a document: it has letters that are ASCII in another case; it was changed just before it was read."""
_MAX_WORDS = 256


@dataclass(frozen=True)
class SegmentRecord:
    """What the manifest says of a segment."""

    name: str
    size: int
    checksum: int
    docs: int
    text_bytes: int

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "SegmentRecord":
        return cls(str(data["name"]), *(int(data[one]) for one in ("size", "checksum", "docs", "text_bytes")))


class SegmentFile:
    """A segment that is open; raises Corrupt when it is not what the manifest says."""

    def __init__(self, library: ctypes.CDLL, folder: str, record: SegmentRecord) -> None:
        self._library, self.record = library, record
        self.path = os.path.join(folder, record.name)
        try:
            with open(self.path, "rb") as file:
                if os.fstat(file.fileno()).st_size != record.size:
                    raise Corrupt(f"Segment {record.name} of the index of contents has another length.")
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as trouble:
            raise Corrupt(f"Segment {record.name} of the index of contents cannot be read.") from trouble
        self._data = np.frombuffer(self._map, np.uint8)
        self._verified = False
        self._lock = threading.Lock()
        start = ctypes.c_uint64()
        count = library.cmdr_segment_docs(self._data.ctypes.data, len(self._data), ctypes.byref(start))
        if count != record.docs or not count:
            raise Corrupt(f"Segment {record.name} of the index of contents is damaged or of another version.")
        self.docs: Column = self._data[start.value : start.value + count * DOC.itemsize].view(DOC)

    def verify(self) -> None:
        """Compare the checksum, once; raises Corrupt."""
        with self._lock:
            if not self._verified:
                found = self._library.cmdr_segment_checksum(self._data.ctypes.data, len(self._data))
                if found != self.record.checksum:
                    raise Corrupt(f"Segment {self.record.name} of the index of contents is damaged.")
                self._verified = True

    def candidates(self, program: KeyProgram) -> Column:
        """A mask over the documents that may match; raises Corrupt."""
        bits = np.empty(_MAX_WORDS, np.uint64)
        steps = program.steps
        found = self._library.cmdr_segment_candidates(
            self._data.ctypes.data, len(self._data), steps.ctypes.data, len(steps), bits.ctypes.data
        )
        if found < 0:
            raise Corrupt(f"Segment {self.record.name} of the index of contents is damaged.")
        mask = np.unpackbits(bits.view(np.uint8), bitorder="little", count=len(self.docs)).view(bool)
        return mask | ((self.docs["flags"] & ODD_LETTERS) != 0) if program.folds_odd else mask
