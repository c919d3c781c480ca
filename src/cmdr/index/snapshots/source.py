"""Rows on their way into an epoch: in any order of directories, each directory's rows together.

A walk's part files and a patched view both become a Source; the assembling that follows does not know which.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.runs import Runs


@dataclass
class Source:
    """Rows in blocks; row 0 is the root. Directory 0 is the root's; `dir_row` says where each stands."""

    rows: int
    column: Callable[[str, Runs], Column]  # size allocated mtime ctime born ino mode uid device flags (nid), in order
    names: Callable[[Runs], Iterator[Column]]  # bytes of whole names in order, the root's empty one first
    dir_row: Column
    block_start: Column
    block_rows: Column
    state: Column
    listed: Column
    parent: Column | None = None  # of each directory, when known; else found from the blocks, which then have no gaps
    has_ids: bool = False  # every row knows its node already; else they are matched with the epoch before
