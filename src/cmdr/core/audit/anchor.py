"""What is kept outside the audit log about it: its newest hash, and a time in which it could not be written.

The file has one length for ever and is written over in place, so that a disk without any room still takes it: that a
log could not be written is remembered over a crash, and a log that was deleted or cut is noticed.
"""

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime

from cmdr.model.units import count

LENGTH_BYTES = 1024
MAX_REASON_CHARACTERS = 120
"""Characters of a gap's reason, so that all fits into the length."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which the log could not be written: from when to when, why, and how many calls it cost."""

    since: float
    until: float
    why: str
    unrecorded: int = 0
    """Calls whose record is lost: looks that were answered, and whatever was under way when it began."""
    refused: int = 0
    """Agents' calls that were not run because they could not have been recorded."""

    def text(self) -> str:
        """The gap in one line."""
        cost = f"{count(self.unrecorded, 'call')} not recorded, {count(self.refused, 'call')} refused"
        return f"{_moment(self.since)} to {_moment(self.until)}: {cost} ({self.why})"


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().strftime("%F %T")


@dataclass(frozen=True, slots=True)
class Anchor:
    """How many records there were, the hash of the newest, and the gap that is not recorded yet."""

    seq: int
    head: str
    gap: Gap | None = None


def anchor_path(folder: str) -> str:
    """Beside the log's folder, so that it stays when the folder goes."""
    return folder.rstrip("/") + ".anchor"


def read_anchor(folder: str) -> Anchor | None:
    """The anchor of a log; from the place that earlier versions had if it is still there alone."""
    try:
        with open(anchor_path(folder), encoding="ascii") as file:
            kept = json.loads(file.read(LENGTH_BYTES))
        return Anchor(int(kept["seq"]), str(kept["head"]), Gap(**kept["gap"]) if kept["gap"] else None)
    except FileNotFoundError:
        return _earlier(folder)
    except (ValueError, KeyError, TypeError):
        return None


def _earlier(folder: str) -> Anchor | None:
    try:
        with open(_earlier_path(folder), encoding="ascii") as kept:
            seq, head = kept.read().split()
            return Anchor(int(seq), head)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


def _earlier_path(folder: str) -> str:
    return os.path.join(folder, "audit.head")


class AnchorFile:
    """The anchor, open for writing over."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file = self._opened()

    def write(self, anchor: Anchor) -> None:
        """Put the anchor in the place of the last one; a file that somebody took away is made again."""
        if os.fstat(self._file).st_nlink == 0:
            new = self._opened()
            os.close(self._file)
            self._file = new
        text = json.dumps(asdict(anchor))
        os.pwrite(self._file, f"{text:<{LENGTH_BYTES - 1}}\n".encode(), 0)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(_earlier_path(self._folder))

    def close(self) -> None:
        """Bring it to the disk and let it go."""
        try:
            os.fdatasync(self._file)
        finally:
            os.close(self._file)

    def _opened(self) -> int:
        return os.open(anchor_path(self._folder), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
