"""One leaf of a filter over some rows of a segment: a mask, without looking at anything else.

Rows are given as a slice or as an array of row numbers; numpy indexes with both. Whatever is unknown about an entry
satisfies no comparison. Times are made absolute here.
"""

import pwd
from typing import assert_never

import numpy as np

from cmdr.index.snapshots.columns import KIND_OF_FORMAT, KINDS, Column, Flag
from cmdr.index.snapshots.name_blobs import fold
from cmdr.index.snapshots.names import MAX_EXTENSION_BYTES
from cmdr.index.snapshots.segment import Segment
from cmdr.model.filters.filter import Ext, Is, KindIs, Mode, Number, Owner, Time
from cmdr.model.names import from_wire
from cmdr.model.units import time_ns

Rows = slice | Column
Simple = Ext | KindIs | Number | Time | Mode | Owner | Is

# The order in which leaves are asked: few bytes per row first.
COST = {KindIs: 1, Ext: 1, Mode: 1, Is: 2, Owner: 2, Number: 3, Time: 3}


def mask(leaf: Simple, segment: Segment, rows: Rows, depth: Column, empty: Column, now_ns: int) -> Column:
    """Which of these rows satisfy the leaf. `depth` is by directory number; `empty` lists rows of empty directories."""
    match leaf:
        case KindIs(values):
            wanted = np.isin(KIND_OF_FORMAT, [KINDS.index(one) for one in values])
            return np.asarray(wanted[segment["mode"][rows] >> 12])
        case Ext(values):
            return _extension(segment, rows, values)
        case Mode(bits):
            return np.asarray((segment["mode"][rows] & np.uint16(bits)) == bits)
        case Number("depth", least, most):
            return _within(depth[segment["pdir"][rows]] + 1, least, most)
        case Number(field, least, most):
            return _within(segment[field][rows], least, most) & _known(segment, rows)
        case Time(field, after, before):
            first = None if after is None else time_ns(after, now_ns)
            end = None if before is None else time_ns(before, now_ns) - 1
            return _within(segment[field][rows], first, end) & _known(segment, rows)
        case Owner(values):
            codes = np.flatnonzero(np.isin(segment.owners, uids(values)))
            return np.isin(segment["owner"][rows], codes) & _known(segment, rows)
        case Is("brokenLink"):
            return np.asarray((segment["flags"][rows] & np.uint8(Flag.BROKEN)) != 0)
        case Is("hardlinked"):
            return np.asarray((segment["flags"][rows] & np.uint8(Flag.HARD)) != 0)
        case Is():
            files = (segment["size"][rows] == 0) & ((segment["mode"][rows] >> 12) == 8)
            return np.asarray(files | member(rows, empty))
        case _:
            assert_never(leaf)


def member(rows: Rows, hits: Column) -> Column:
    """Which of these rows are among `hits`, a sorted array."""
    if isinstance(rows, slice):
        out = np.zeros(rows.stop - rows.start, bool)
        first, last = np.searchsorted(hits, [rows.start, rows.stop])
        out[hits[first:last] - rows.start] = True
        return out
    if not len(hits):
        return np.zeros(len(rows), bool)
    at = np.searchsorted(hits, rows).clip(0, len(hits) - 1)
    found: Column = hits[at] == rows
    return found


def uids(values: tuple[str, ...]) -> list[int]:
    """User numbers for names and numbers; a name that nobody has stands for nobody."""
    found = []
    for value in values:
        if value.isdecimal() and value.isascii():
            found.append(int(value))
            continue
        try:
            found.append(pwd.getpwnam(value).pw_uid)
        except (KeyError, ValueError):
            continue
    return found


def _within(values: Column, least: int | None, most: int | None) -> Column:
    if least is not None and most is not None:
        found: Column = (values >= least) & (values <= most)
        return found
    return np.asarray(values >= least if least is not None else values <= most)


def _known(segment: Segment, rows: Rows) -> Column | np.bool_:
    if not segment.has_unknown:
        return np.True_
    found: Column = (segment["flags"][rows] & np.uint8(Flag.UNKNOWN)) == 0
    return found


def _extension(segment: Segment, rows: Rows, values: tuple[str, ...]) -> Column:
    folded = [fold(from_wire(value)) for value in values]
    codes = [segment.extension_code[one] for one in folded if one in segment.extension_code and one]
    ext = segment["ext"][rows]
    out = np.zeros(len(ext), bool)
    for code in codes[:8]:
        out |= ext == code
    if len(codes) > 8:
        out |= np.isin(ext, codes)
    longer = tuple(b"." + one for one in folded if len(one) > MAX_EXTENSION_BYTES or b"." in one)
    if longer:  # not coded: compared name by name, among files without a coded extension
        numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        files = np.flatnonzero((segment["mode"][numbers] >> 12) == 8)
        names = segment.folded_of(numbers[files])
        out[files] |= np.fromiter((_ends(name, longer) for name in names), bool, len(files))
    return out


def _ends(name: bytes, endings: tuple[bytes, ...]) -> bool:
    return any(len(name) > len(ending) and name.endswith(ending) for ending in endings)
