"""Which rows of a folder match what a person typed: part of a name, masks as in `*.py;*.md`, or its first letters."""

import fnmatch
import re
import time
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum

from cmdr.model.names import raw_bytes, to_wire
from cmdr.model.panes.entry import Facts
from cmdr.model.panes.listing import Columns
from cmdr.model.panes.tab import Tab

_CHUNK = 4096
_PLAIN = re.compile(rb"[\0 -\[\]-~]*")
"""Names that are printed as they are."""
_WILD = re.compile(r"[*?\[]")


def is_mask(text: str) -> bool:
    """Whether a text is a mask and not just a part of a name."""
    return bool(_WILD.search(text))


def matcher(text: str, *, part: bool) -> Callable[[str], re.Match[str] | None]:
    """What looks whether a printable name matches: any of several masks, separated by `;`. Case counts when typed.

    With `part`, a text without wildcards matches names that hold it anywhere.
    """
    patterns = []
    for typed in text.split(";"):
        mask = typed.strip() or "*"
        pattern = re.escape(mask) if part and not is_mask(mask) else fnmatch.translate(mask)
        patterns.append(f"(?:{pattern})")
    case = re.IGNORECASE if text == text.lower() else 0
    compiled = re.compile("|".join(patterns), case)
    return compiled.search if part and not is_mask(text) else compiled.match


def matching_rows(columns: Columns, rows: Iterable[int], text: str, *, part: bool = False) -> list[int]:
    """The rows whose names match, in their order; for large folders call it in a thread."""
    matches = matcher(text, part=part)
    found = bytearray(len(columns))
    for first in range(0, len(columns), _CHUNK):
        for row, name in enumerate(_names(columns, first, min(first + _CHUNK, len(columns))), first):
            if matches(name):
                found[row] = 1
    return [row for row in rows if found[row]]


def _names(columns: Columns, first: int, end: int) -> list[str]:
    """The printable names of some rows, all at once where they are as plain as most names."""
    block = columns.names[columns.starts[first] : columns.starts[end] - 1]
    if _PLAIN.fullmatch(block):
        return block.decode("ascii").split("\0")
    return [to_wire(name) for name in block.split(b"\0")]


FULL_SCAN_S = 0.08
"""Seconds before a very large folder is searched another way."""


def find_by_prefix(tab: Tab, text: str, start: int, step: int = 0) -> int | None:
    """The next position whose name begins with the text, or else holds it; capitals do not count, round the end."""
    wanted = text.casefold()
    listing = tab.listing
    total = len(listing)
    if not total:
        return None
    direction = -1 if step < 0 else 1
    first = start + step
    holds: int | None = None
    name = listing.name
    deadline = time.monotonic() + FULL_SCAN_S
    for distance in range(total):
        position = (first + distance * direction) % total
        folded = to_wire(name(position)).casefold()
        if folded.startswith(wanted):
            return position
        if holds is None and wanted in folded:
            holds = position
        if not distance % 4096 and time.monotonic() > deadline:
            return _seek_in_block(tab, text, first % total) if step >= 0 else holds
    return holds


def _seek_in_block(tab: Tab, text: str, start: int) -> int | None:
    """The same for a very large folder: one search through the block of all names, fast because it makes no rows."""
    listing, columns = tab.listing, tab.listing.columns
    pattern = re.compile(rb"\0" + re.escape(raw_bytes(text)), re.IGNORECASE)
    begin = columns.starts[listing.order[start]] - 1
    for low, high in ((begin, len(columns.names)), (0, begin)):
        for found in pattern.finditer(columns.names, low, high):
            row = columns.find(columns.names[found.start() + 1 : columns.names.index(b"\0", found.start() + 1)])
            position = None if row is None else listing.position_of_row(row)
            if position is not None:
                return position
    return None


SAME_MOMENT_NS = 2_000_000_000
"""Some file systems keep times only to two seconds; nearer than this counts as equal."""


class CompareBy(StrEnum):
    """What makes two entries of the same name different."""

    NAMES = "names"
    NEWER = "newer"
    SIZE = "size"
    CONTENTS = "contents"


def differing(mine: Mapping[bytes, Facts | None], theirs: Mapping[bytes, Facts | None], by: CompareBy) -> set[bytes]:
    """The names on one side that the other lacks, or that differ; with `newer`, only those newer on this side."""
    found = set()
    for name, here in mine.items():
        if name not in theirs:
            found.add(name)
            continue
        there = theirs[name]
        if here is None or there is None or by is CompareBy.NAMES:
            continue
        if by is CompareBy.NEWER:
            if here.modified_ns > there.modified_ns + SAME_MOMENT_NS:
                found.add(name)
        elif here.size != there.size:
            found.add(name)
    return found
