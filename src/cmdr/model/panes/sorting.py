"""How a listing is ordered: folders first, natural, case-insensitive, ties by the name's bytes.

Keys are computed for a whole directory at once with a handful of C calls; a million names cost well under a second.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

_DIGITS = re.compile(rb"([0-9]+)")
_SEPARATOR = b"\0"  # the one byte that no path holds

# A run of digits becomes its length and then its digits without leading zeros, so that plain byte order is numeric
# order. Nine and more digits share the prefix 9 and spell out their length.
_LENGTH = [b"%d" % n if n < 9 else b"9%05d" % n for n in range(300)]


class SortKey(StrEnum):
    """What a pane can be sorted by."""

    NAME = "name"
    EXT = "ext"
    SIZE = "size"
    MODIFIED = "modified"
    CREATED = "created"


class Direction(StrEnum):
    """Ascending or descending."""

    ASC = "asc"
    DESC = "desc"


@dataclass(frozen=True, slots=True)
class SortOrder:
    """The sort mark of a pane, as in `modified:desc`."""

    by: SortKey = SortKey.NAME
    direction: Direction = Direction.ASC

    @property
    def needs_facts(self) -> bool:
        """Whether every entry must be looked at on disk to sort like this."""
        return self.by in (SortKey.SIZE, SortKey.MODIFIED, SortKey.CREATED)

    def __str__(self) -> str:
        return f"{self.by}:{self.direction}"


def natural_keys(names: Sequence[bytes]) -> list[str]:
    """Keys whose order is natural, case-insensitive name order, one for each name.

    The keys are text of one byte a character only because Python compares such text fastest.
    """
    if not names:
        return []
    folded = _SEPARATOR.join(names)
    if folded.isascii():
        folded = folded.lower()
    else:
        folded = folded.decode("utf-8", "surrogateescape").casefold().encode("utf-8", "surrogateescape")
    parts = _DIGITS.split(folded)
    runs = parts[1::2]
    # Runs of one length everywhere, as in numbered photos, stand in numeric order already.
    if len(set(map(len, runs))) > 1:
        if min(runs) < b"1":  # one begins with a zero
            runs = [run.lstrip(b"0") for run in runs]
        parts[1::2] = [_LENGTH[len(run)] + run for run in runs]
        folded = b"".join(parts)
    return folded.decode("latin-1").split("\0")


def path_order(paths: Sequence[bytes]) -> list[int]:
    """The places of some paths in natural order, folder by folder: what a person would count them in."""
    # A slash comes before everything that names hold, so that what is in a folder stays together.
    keys = natural_keys([path.replace(b"/", b"\x01") for path in paths])
    return sorted(range(len(paths)), key=lambda place: (keys[place], paths[place]))


def extension(name: bytes) -> bytes:
    """The part after the last dot, lower-cased; none for dot files and names without a dot."""
    dot = name.rfind(b".")
    return name[dot + 1 :].lower() if dot > 0 else b""


def name_order(names: Sequence[bytes], folders: Sequence[bool]) -> list[int]:
    """The rows in name order, folders first."""
    keys = natural_keys(names)
    rows = sorted(range(len(names)), key=keys.__getitem__)
    if len(set(keys)) < len(keys):
        # Where names share a key, as `a1` and `A01` do, their bytes settle the order.
        rows.sort(key=lambda row: (keys[row], names[row]))
    if not any(folders):
        return rows
    return [row for row in rows if folders[row]] + [row for row in rows if not folders[row]]


def order_by(
    key: Callable[[int], int | bytes | None],
    rows: Sequence[int],
    folder_count: int,
    *,
    descending: bool,
    folders_too: bool,
) -> array[int]:
    """Reorder rows that stand in name order by another key; unknown values always come last.

    The sort is stable, so equal keys stay in name order in both directions. Folders keep name order among
    themselves unless `folders_too`.
    """
    folders = [row for row in rows if row < folder_count]
    files = [row for row in rows if row >= folder_count]
    ordered = array("I")
    for group, wanted in ((folders, folders_too), (files, True)):
        if not wanted:
            ordered.extend(group)
            continue
        known = [(value, row) for row in group if (value := key(row)) is not None]
        known.sort(key=lambda pair: pair[0], reverse=descending)
        ordered.extend(row for _, row in known)
        if len(known) < len(group):
            ordered.extend(row for row in group if key(row) is None)
    return ordered
