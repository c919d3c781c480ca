"""An index at a glance: what it is about, how it is read, how far it can be trusted."""

from dataclasses import dataclass
from typing import Literal

from cmdr.model.trees.node import Totals
from cmdr.model.units import count

State = Literal["fresh", "stale", "scanning", "partial", "missing"]


@dataclass(frozen=True)
class Freshness:
    """How far the answers can be trusted, and why."""

    state: State
    reason: str
    checked_ns: int | None


@dataclass(frozen=True)
class WalkOptions:
    """What to enter and what to leave out."""

    depth_limit: int | None = None  # 1: only the root's own children
    follow_symlinks: bool = False  # inside the root only
    cross_file_systems: bool = False
    workers: int = 0  # 0: as many as the cores, and more while the disk keeps them waiting
    nice: int = 5


@dataclass(frozen=True)
class IndexInfo:
    """An index at a glance; one that was never scanned has no epoch, totals or root node."""

    id: str
    root: bytes
    epoch: int | None
    scanned_ns: int | None
    totals: Totals | None
    freshness: Freshness
    problems: int
    root_node: str | None
    options: WalkOptions


def behind_text(folders: int) -> str:
    """What is said behind an answer that may not be true: how many folders are not known as they are; else nothing."""
    return f" (index behind: {count(folders, 'folder')})" if folders else ""
