"""The audit log as it stands: read, and checked.

A chain shows that nothing inside it was changed or taken out. It cannot show that its end was cut off, so the newest
hash is also kept in a second file. Nobody who runs as the same user outside cmdr can be kept from rewriting both; the
log is a record against agents and mistakes.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Verdict:
    """What checking the chain found."""

    lines: int
    broken_at: int | None
    """The first line that does not fit, or None."""
    cut_off: bool
    """Whether the kept newest hash is not the last one in the log."""


def log_path(folder: str, upto: int | None = None) -> str:
    """The current log, or a finished one that ends with record `upto`."""
    return os.path.join(folder, "audit.jsonl" if upto is None else f"audit-{upto:010d}.jsonl")


def read_log(folder: str) -> Iterator[dict[str, object]]:
    """Every record there is, oldest first; a line that is no record is told as an empty one."""
    return map(_record, _lines(folder))


def _lines(folder: str) -> Iterator[bytes]:
    try:
        finished = finished_logs(folder)
    except FileNotFoundError:
        return
    for name in [*finished, "audit.jsonl"]:
        try:
            with open(os.path.join(folder, name), "rb") as log:
                yield from log
        except FileNotFoundError:
            continue


def finished_logs(folder: str) -> list[str]:
    """The names of the logs that are full, oldest first."""
    return sorted(name for name in os.listdir(folder) if name.startswith("audit-") and name.endswith(".jsonl"))


def _record(line: bytes) -> dict[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = {}
    return row if isinstance(row, dict) else {}


def verify(folder: str) -> Verdict:
    """Check the whole chain, from its very first record, against itself and against the kept newest hash."""
    kept = kept_head(folder)
    previous, lines, reached = GENESIS, 0, kept == (0, GENESIS)
    for line in _lines(folder):
        lines += 1
        row = _record(line)
        # The line must be the very one that was written: what only reads the same is a change, too.
        if line != _line(row):
            return Verdict(lines, lines, cut_off=False)
        seal = row.pop("hash", None)
        if row.get("prev") != previous or seal != _seal(row):
            return Verdict(lines, lines, cut_off=False)
        previous = str(seal)
        reached = reached or kept == (row.get("seq"), previous)
    # A crash may leave the log a few records ahead of the kept hash, never behind it.
    return Verdict(lines, None, cut_off=not reached and (lines > 0 or kept is not None))


def kept_head(folder: str) -> tuple[int, str] | None:
    """The number and hash of the newest record, as kept beside the log."""
    try:
        with open(os.path.join(folder, "audit.head"), encoding="ascii") as kept:
            seq, head = kept.read().split()
            return int(seq), head
    except (FileNotFoundError, ValueError):
        return None


def _line(row: dict[str, object]) -> bytes:
    return json.dumps(row, ensure_ascii=True).encode() + b"\n"


def _seal(row: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(row, ensure_ascii=True, sort_keys=True).encode()).hexdigest()
