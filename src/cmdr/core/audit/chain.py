"""The audit log as it stands: read, and checked.

A chain shows that nothing inside it was changed or taken out. It cannot show that its end was cut off, or that all of
it is gone, so the newest hash is also kept outside of it. Nobody who runs as the same user outside cmdr can be kept
from rewriting both; the log is a record against agents and mistakes.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass

from cmdr.core.audit.anchor import Anchor, Gap, read_anchor

GENESIS = "0" * 64
MAX_LINE_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Verdict:
    """What checking the chain found."""

    lines: int
    broken_at: int | None
    """The first line that does not fit, or None."""
    is_missing: bool
    """Whether that line itself is whole, and only what stood before it is gone."""
    cut_off: bool
    """Whether the kept newest hash is not the last one in the log."""
    kept: int = 0
    """How many records there were when the newest hash was kept."""
    gaps: tuple[Gap, ...] = ()
    """The times in which records could not be written; one that still lasts is among them."""


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
    kept = read_anchor(folder)
    known = kept or Anchor(0, GENESIS)
    gaps: list[Gap] = []
    previous, lines, reached = GENESIS, 0, kept is not None and (kept.seq, kept.head) == (0, GENESIS)
    for line in _lines(folder):
        lines += 1
        row = _record(line)
        seal = row.pop("hash", None)
        # The line must be the very one that was written: what only reads the same is a change, too.
        is_whole = line == _line({**row, "hash": seal}) and seal == _seal(row)
        if not is_whole or row.get("prev") != previous:
            return Verdict(lines, lines, is_whole, cut_off=False, kept=known.seq, gaps=tuple(gaps))
        if isinstance(gap := row.get("gap"), dict):
            gaps.append(Gap(**gap))  # the chain vouches for what is in it
        previous = str(seal)
        reached = reached or (known.seq, known.head) == (row.get("seq"), previous)
    if known.gap is not None:
        gaps.append(known.gap)
    # A crash may leave the log a few records ahead of the kept hash, never behind it.
    cut_off = not reached and (lines > 0 or kept is not None)
    return Verdict(lines, None, False, cut_off, known.seq, tuple(gaps))


def is_cut_off(folder: str) -> bool:
    """Whether the log ends before the record whose hash was kept: found by its last line, without checking the rest."""
    kept, last = read_anchor(folder), 0
    with suppress(FileNotFoundError):
        for name in [*finished_logs(folder), "audit.jsonl"]:
            with suppress(FileNotFoundError), open(os.path.join(folder, name), "rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - MAX_LINE_BYTES))
                rows = [row.get("seq") for line in log.read().splitlines()[-2:] if (row := _record(line))]
                last = max([last, *(seq for seq in rows if isinstance(seq, int))])
    return last < kept.seq if kept is not None else last > 0


def sealed_gap(gap: Gap, seq: int, at: float, head: str) -> tuple[bytes, str]:
    """The line of a record that tells of a gap, and its hash."""
    row: dict[str, object] = {
        "seq": seq,
        "at": at,
        "who": "cmdr",
        "what": "gap",
        "arguments": "",
        "result": gap.text(),
        "gap": asdict(gap),
        "prev": head,
    }
    seal = _seal(row)
    return _line({**row, "hash": seal}), seal


def _line(row: dict[str, object]) -> bytes:
    return json.dumps(row, ensure_ascii=True).encode() + b"\n"


def _seal(row: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(row, ensure_ascii=True, sort_keys=True).encode()).hexdigest()
