"""What can still be read of a damaged journal, copied into a new one.

The damaged file is only read. Its operations are read from the oldest on until the damage, from the newest back to it,
and between the two one by one; the items of each of them likewise.
"""

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

SINGLY = 10_000
"""Operations between two damaged places that are tried one by one."""


@dataclass(frozen=True, slots=True)
class Rescued:
    """How much was read."""

    operations: int = 0
    lost: int | None = None
    """Operations that could not be read, where it is known how many there were."""


def version_of(damaged: bytes) -> int:
    """The format of a damaged journal; 0 when even that cannot be read."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(read_only(damaged)) as old:
        return int(old.execute("PRAGMA user_version").fetchone()[0])
    return 0


def rescue(damaged: bytes, db: sqlite3.Connection) -> Rescued:
    """Copy what can be read into a new journal of the same format; all of it, or after an error of the new one none."""
    if not os.path.exists(damaged):
        return Rescued()
    with contextlib.closing(read_only(damaged)) as old:
        last = _last_number(old)
        columns = [row[1] for row in db.execute("PRAGMA table_info(operations)")]
        found: set[int] = set()
        for row in _operations(old, columns, last):
            operation = dict(zip(columns, row, strict=True))
            if operation["id"] in found or not _is_whole(operation["plan"]):
                continue
            found.add(operation["id"])
            items, is_all = _items(old, db, operation["id"])
            if not is_all and operation["state"] in ("running", "interrupted"):
                operation["state"] = "left"  # nobody can tell what it did: it is not offered to go on
            _insert(db, "operations", operation)
            for item in items:
                _insert(db, "items", item)
        # Numbers are never given twice, not even those of operations that are lost.
        highest = max([last or 0, *found])
        db.execute("DELETE FROM sqlite_sequence WHERE name = 'operations'")
        db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('operations', ?)", (highest,))
        return Rescued(len(found), None if last is None else max(0, last - len(found)))


def read_only(damaged: bytes) -> sqlite3.Connection:
    """A journal that is only read."""
    return sqlite3.connect(f"file:{quote(os.path.abspath(damaged))}?mode=ro", uri=True, isolation_level=None)


def _last_number(old: sqlite3.Connection) -> int | None:
    with contextlib.suppress(sqlite3.Error):
        row = old.execute("SELECT seq FROM sqlite_sequence WHERE name = 'operations'").fetchone()
        return int(row[0]) if row else 0
    return None


def _operations(old: sqlite3.Connection, columns: list[str], last: int | None) -> Iterator[tuple[object, ...]]:
    ask = f"SELECT {', '.join(columns)} FROM operations"  # noqa: S608 - names of our own columns
    at = columns.index("id")
    low, high = 0, (last or 0) + 1
    for row in _until_damage(old, f"{ask} ORDER BY id", ()):
        low = int(str(row[at]))
        yield row
    for row in _until_damage(old, f"{ask} WHERE id > ? ORDER BY id DESC", (low,)):
        high = int(str(row[at]))
        yield row
    for number in range(low + 1, min(high, low + SINGLY)):
        yield from _until_damage(old, f"{ask} WHERE id = ?", (number,))


def _until_damage(old: sqlite3.Connection, ask: str, values: tuple[int, ...]) -> Iterator[tuple[object, ...]]:
    with contextlib.suppress(sqlite3.Error):
        yield from old.execute(ask, values)


def _is_whole(packed: object) -> bool:
    """Whether a plan can be unpacked; its checksum is at its end."""
    opened = zlib.decompressobj()
    try:
        view = memoryview(packed) if isinstance(packed, bytes) else memoryview(b"")
        for start in range(0, len(view), 1 << 16):
            opened.decompress(view[start : start + (1 << 16)])
    except zlib.error:
        return False
    return opened.eof


def _items(old: sqlite3.Connection, db: sqlite3.Connection, operation: int) -> tuple[list[dict[str, object]], bool]:
    """The items of an operation that can be read, and whether those are all."""
    columns = [row[1] for row in db.execute("PRAGMA table_info(items)")]
    ask = f"SELECT {', '.join(columns)} FROM items WHERE operation = ? ORDER BY idx"  # noqa: S608
    found: dict[object, dict[str, object]] = {}
    is_all = True
    for order in ("", " DESC"):
        try:
            for row in old.execute(ask + order, (operation,)):
                item = dict(zip(columns, row, strict=True))
                found.setdefault(item["idx"], item)
        except sqlite3.Error:
            is_all = False
        if is_all:
            break
    return list(found.values()), is_all


def _insert(db: sqlite3.Connection, table: str, row: dict[str, object]) -> None:
    names, places = ", ".join(row), ", ".join("?" * len(row))
    db.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", tuple(row.values()))  # noqa: S608
