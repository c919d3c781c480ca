"""How entries of a tree are told: short, in the caller's units, unknown as `?` and never as 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.model.units import iso_date
from cmdr.model.units import size_text as size_text

if TYPE_CHECKING:
    from cmdr.index.query.queries import IndexQueries
    from cmdr.model.trees.node import Node


def freshness_of(answers: IndexQueries) -> str:
    """`stale` or `scanning` when an answer may not know the latest: the index is read again, or was not checked yet."""
    state = answers.indexed.freshness.state
    return state if state in ("stale", "scanning") else ""


def behind(answers: IndexQueries) -> str:
    """The same, as said behind an answer."""
    return f" ({state})" if (state := freshness_of(answers)) else ""


def day_of(node: Node) -> str:
    """The day on which an entry was last changed."""
    return iso_date(node.mtime_ns) if node.mtime_ns is not None else "?"
