"""A damaged catalogue: kept aside, and a new one made of what can still be read."""

import logging
import os
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing, suppress

log = logging.getLogger(__name__)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Damaged(sqlite3.DatabaseError):
    """The database opens, but what is in it is not what was written."""


def is_damage(trouble: sqlite3.Error) -> bool:
    """Whether the file itself is broken, rather than busy, full or forbidden."""
    code = getattr(trouble, "sqlite_errorcode", None)
    return isinstance(trouble, Damaged) or (code is not None and code & 0xFF in _DAMAGED)


def rescue(path: str, schema: str, tables: Iterable[str]) -> None:
    """Put a damaged database aside and make one in its place with every row that can be read."""
    aside = f"{path}.damaged-{time.time_ns()}"
    log.warning("%s is damaged: what can be read of it is kept, and itself as %s", path, aside)
    for end in ("", "-wal"):
        with suppress(FileNotFoundError):
            os.rename(path + end, aside + end)
    with closing(sqlite3.connect(path)) as new, closing(sqlite3.connect(aside)) as old:
        new.executescript(schema)
        old.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        for table in tables:
            with suppress(sqlite3.Error), new:
                for row in old.execute(f"select * from {table}"):  # noqa: S608 - names of tables
                    with suppress(UnicodeError):  # what is no text any more cannot be written again
                        new.execute(f"insert or ignore into {table} values ({', '.join('?' * len(row))})", row)  # noqa: S608
