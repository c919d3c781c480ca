"""How entries of a tree are told: short, in the caller's units, unknown as `?` and never as 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.model.names import to_wire
from cmdr.model.shell_session import Units
from cmdr.model.units import count, iso_date
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.index.asking.answers import Answers
    from cmdr.index.node import Node

_LETTER = {"file": "f", "dir": "d", "link": "l", "fifo": "p", "socket": "s", "char": "c", "block": "b"}
_STEPS = "KMGTPE"


def size_text(size: int | None, units: Units = "binary", *, complete: bool = True) -> str:
    """A size in a few characters, as in `4.1G`; `≥` where it is a lower bound, `?` where it is not known."""
    if size is None:
        return "?"
    told = f"{size}b" if units == "bytes" else _short(size)
    return told if complete else f"≥{told}"


def node_line(node: Node, units: Units = "binary", *, path: bool = False, below: bytes = b"") -> str:
    """One entry in one line: kind, name, size, and for folders how many files."""
    shown = node.path if path else node.name
    if path and below and node.path.startswith(below.rstrip(b"/") + b"/"):
        shown = node.path[len(below.rstrip(b"/")) + 1 :]
    complete = node.totals is None or node.totals.complete
    told = (
        f"{_LETTER.get(node.kind, '?')} {quoted_name(to_wire(shown))} {size_text(node.size, units, complete=complete)}"
    )
    if node.totals is not None and node.size is not None:
        told += f" {count(node.totals.files, 'file')}"
    return told


def behind(answers: Answers) -> str:
    """Said behind an answer that may not know the latest: the index is read again just now, or was not checked yet."""
    state = answers.indexed.freshness.state
    return f" ({state})" if state in ("stale", "scanning") else ""


def day_of(node: Node) -> str:
    """The day on which an entry was last changed."""
    return iso_date(node.mtime_ns) if node.mtime_ns is not None else "?"


def _short(size: int) -> str:
    if size < 1024:
        return f"{size}b"
    step = min((size.bit_length() - 1) // 10, len(_STEPS))
    amount = size / 1024**step
    return f"{amount:.1f}{_STEPS[step - 1]}" if amount < 10 else f"{amount:.0f}{_STEPS[step - 1]}"
