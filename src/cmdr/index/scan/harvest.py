"""What a walk brings home: for each walker the rows it saw, and what they met on the way."""

import os
from dataclasses import dataclass, field
from typing import Any

ROOT_NUMBER = (1 << 63) - 1
"""The number of the root among the directories of a walk; walkers count their own from below."""


@dataclass
class Part:
    """What one walker saw; the rows themselves are in its part files."""

    path: str
    rows: int
    found: dict[str, Any]


@dataclass
class Harvest:
    """Everything that a walk brought home."""

    root: bytes
    root_facts: os.stat_result
    started_ns: int
    seconds: float
    cancelled: bool
    parts: list[Part]
    refused_links: set[int] = field(default_factory=set)  # followed by another link already
    problems: list[tuple[bytes, int]] = field(default_factory=list)
