"""How two folders differ, entry by entry."""

from collections.abc import Mapping
from enum import StrEnum

from cmdr.model.panes.entry import Facts

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
