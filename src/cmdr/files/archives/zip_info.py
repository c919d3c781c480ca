"""The metadata that a zip stores with a file: name, time and permissions."""

import os
import stat
import struct
import time
import zipfile

_Moment = tuple[int, int, int, int, int, int]
_EARLIEST: _Moment = (1980, 1, 1, 0, 0, 0)
_LATEST: _Moment = (2107, 12, 31, 23, 59, 58)
_UNIX = 3


def zip_info(name: str, facts: os.stat_result) -> zipfile.ZipInfo:
    """Name, time and permissions."""
    return described(zipfile.ZipInfo(name), facts)


def exact_info(name: bytes, facts: os.stat_result) -> zipfile.ZipInfo:
    """The same with the very bytes of the name, the second in which the file was changed, and no more than plain
    permissions."""
    info = described(_ExactName(name), facts)
    info.external_attr &= ~(0o7000 << 16)
    seconds = facts.st_mtime_ns // 10**9
    if -(1 << 31) <= seconds < 1 << 31:
        info.extra = struct.pack("<2HBl", 0x5455, 5, 1, seconds)
    return info


def described(info: zipfile.ZipInfo, facts: os.stat_result) -> zipfile.ZipInfo:
    """The same with a file's time and permissions."""
    info.date_time = max(_EARLIEST, min(_when(facts), _LATEST))
    info.create_system = _UNIX  # the modes below are of this system
    info.external_attr = (facts.st_mode & 0xFFFF) << 16 | (0x10 if stat.S_ISDIR(facts.st_mode) else 0)
    return info


def _when(facts: os.stat_result) -> _Moment:
    try:
        return time.localtime(facts.st_mtime)[:6]
    except (OSError, OverflowError, ValueError):  # a year that no calendar here counts
        return _LATEST if facts.st_mtime > 0 else _EARLIEST


class _ExactName(zipfile.ZipInfo):
    """A name that need not be text: what is none is written as it is, as other programs of this system do."""

    def __init__(self, name: bytes) -> None:
        super().__init__(os.fsdecode(name))
        self._raw = name

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802 - the name it has in zipfile
        try:
            self._raw.decode("utf-8")
        except UnicodeDecodeError:
            return self._raw, self.flag_bits
        return self._raw, self.flag_bits if self._raw.isascii() else self.flag_bits | 0x800
