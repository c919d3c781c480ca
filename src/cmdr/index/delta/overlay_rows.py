"""Entries of new listings as rows: codes for what few values stand for, names in one blob."""

import numpy as np

from cmdr.index.delta.patch import Entry
from cmdr.index.snapshots.columns import FORMAT_FILE, ROW_COLUMNS
from cmdr.index.snapshots.extensions import extension
from cmdr.index.snapshots.folding import fold
from cmdr.index.snapshots.segment import Segment


def rows_of_entries(base: Segment, entries: list[Entry], parents: list[int], flags: list[int]) -> Segment:
    """A segment that uses the epoch's tables; what they did not have is added behind."""
    noff = np.zeros(len(entries) + 1, np.int64)
    np.cumsum([len(one.name) + 1 for one in entries], out=noff[1:])
    folded = [fold(one.name) for one in entries]
    foff = np.zeros(len(entries) + 1, np.int64)
    np.cumsum([len(one) + 1 for one in folded], out=foff[1:])
    values = {
        "pdir": parents,
        "owner": owner_codes(base, entries),
        "dev": device_codes(base, entries),
        "ext": [_extension_code(base, one) for one in entries],
        "flags": flags,
    }
    columns = {
        name: np.array(values[name] if name in values else [getattr(one, name) for one in entries], dtype)
        for name, dtype in ROW_COLUMNS.items()
    }
    return Segment(
        columns,
        np.frombuffer(b"".join(one.name + b"\0" for one in entries), np.uint8),
        noff,
        np.frombuffer(b"".join(one + b"\0" for one in folded), np.uint8),
        foff,
        base.owners,
        base.extensions,
        base.devices,
    )


def owner_codes(base: Segment, entries: list[Entry]) -> list[int]:
    return _codes(base, "owners", [one.uid for one in entries], 65535)


def device_codes(base: Segment, entries: list[Entry]) -> list[int]:
    return _codes(base, "devices", [one.device for one in entries], 255)


def _codes(base: Segment, table: str, values: list[int], most: int) -> list[int]:
    """Codes of values; new ones are added behind the epoch's, whose codes stay what they are."""
    known = {int(one): code for code, one in enumerate(getattr(base, table).tolist())}
    fresh = [one for one in dict.fromkeys(values) if one not in known]
    if fresh:
        column = getattr(base, table)
        setattr(base, table, np.concatenate([column, np.array(fresh, column.dtype)]))
        known |= {one: len(column) + at for at, one in enumerate(fresh)}
    return [min(known[one], most) for one in values]


def _extension_code(base: Segment, entry: Entry) -> int:
    if entry.mode >> 12 != FORMAT_FILE:
        return 0
    ext = extension(entry.name)
    if ext not in base.extension_code:
        if len(base.extensions) >= 65_000:
            return 0
        base.extensions.append(ext)
        base.extension_code[ext] = len(base.extensions) - 1
    return base.extension_code[ext]
