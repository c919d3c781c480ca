"""How entries of a tree are told: short, in the caller's units, unknown as `?` and never as 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.model.results.trees import Hit
from cmdr.model.shell_session import Units
from cmdr.model.units import iso_date
from cmdr.model.units import size_text as size_text

if TYPE_CHECKING:
    from cmdr.index.asking.answers import Answers
    from cmdr.index.node import Node


def hit_of(node: Node) -> Hit:
    """An entry as results carry it."""
    totals = node.totals
    files = None if totals is None or node.size is None else totals.files
    return Hit(node.kind, node.path, node.size, totals is None or totals.complete, files)


def node_line(node: Node, units: Units = "binary", *, path: bool = False, below: bytes = b"") -> str:
    """One entry in one line: kind, name, size, and for folders how many files."""
    return hit_of(node).line(units, below if path else node.path[: -len(node.name)])


def freshness_of(answers: Answers) -> str:
    """`stale` or `scanning` when an answer may not know the latest: the index is read again, or was not checked yet."""
    state = answers.indexed.freshness.state
    return state if state in ("stale", "scanning") else ""


def behind(answers: Answers) -> str:
    """The same, as said behind an answer."""
    return f" ({state})" if (state := freshness_of(answers)) else ""


def day_of(node: Node) -> str:
    """The day on which an entry was last changed."""
    return iso_date(node.mtime_ns) if node.mtime_ns is not None else "?"
