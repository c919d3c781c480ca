"""The journal's database file: opened by one thread, checked, migrated step by step, never thrown away."""

import contextlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence

from cmdr.core.places import WrittenByNewer
from cmdr.files.engine.syscalls import NOREPLACE, Syscalls

Migration = Callable[[sqlite3.Connection], None]


class JournalTooNew(WrittenByNewer):
    """The journal was written by a newer cmdr; it is left untouched."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"The journal has format {found}, but this cmdr knows only up to {known}. Start the newer cmdr instead."
        )


def _first(db: sqlite3.Connection) -> None:
    db.execute(
        """CREATE TABLE operations (
            id INTEGER PRIMARY KEY AUTOINCREMENT, plan BLOB NOT NULL, digest TEXT NOT NULL, verb TEXT NOT NULL,
            state TEXT NOT NULL, by TEXT NOT NULL, started REAL NOT NULL, ended REAL, total INTEGER NOT NULL,
            title BLOB NOT NULL, destination BLOB, undoes INTEGER, undone_by INTEGER)"""
    )
    db.execute(
        """CREATE TABLE items (
            operation INTEGER NOT NULL REFERENCES operations(id), idx INTEGER NOT NULL, state TEXT NOT NULL,
            reason TEXT NOT NULL DEFAULT '', temp BLOB, parks INTEGER NOT NULL DEFAULT 0, beside BLOB, target BLOB,
            staged BLOB, landed BLOB, kept BLOB, PRIMARY KEY (operation, idx)) WITHOUT ROWID"""
    )
    db.execute("CREATE INDEX unswept ON items (operation) WHERE temp IS NOT NULL")
    db.execute("CREATE INDEX running ON operations (state) WHERE state IN ('running', 'interrupted')")


def _second(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE operations ADD COLUMN continues INTEGER")


def _third(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE items ADD COLUMN traits BLOB")
    db.execute("ALTER TABLE operations ADD COLUMN done INTEGER")
    db.execute("ALTER TABLE operations ADD COLUMN new_name BLOB")
    db.execute("UPDATE operations SET done = 0 WHERE state != 'running'")
    for (operation,) in db.execute("SELECT id FROM operations").fetchall():
        count_again(db, operation)
    # Enough of a plan to know its first item; the plans themselves stay packed.
    renames = db.execute("SELECT id, substr(plan, 1, 16384) FROM operations WHERE verb = 'rename'").fetchall()
    for operation, plan in renames:
        db.execute("UPDATE operations SET new_name = ? WHERE id = ?", (_first_new_name(plan), operation))


def _first_new_name(packed: bytes) -> bytes | None:
    """The new name of the first item, as the plans of that time were packed."""
    try:
        lines = zlib.decompressobj().decompress(packed, 1 << 16).split(b"\n")
        _, _, _, (_, target), *_ = json.loads(lines[1])
    except (zlib.error, ValueError, IndexError, TypeError):
        return None
    return str(target).encode("latin-1").rpartition(b"/")[2]


def _fourth(_db: sqlite3.Connection) -> None:
    """Plans may change attributes from here on; a cmdr that cannot read those says so by the number."""


def _fifth(db: sqlite3.Connection) -> None:
    """Fingerprints have a stamp from here on, roots a time of birth; those from before are read without."""
    db.execute("ALTER TABLE items ADD COLUMN put_back BLOB")


MIGRATIONS: tuple[Migration, ...] = (_first, _second, _third, _fourth, _fifth)
"""The ladder; a step that has been shipped is never edited."""


def count_again(db: sqlite3.Connection, operation: int) -> None:
    """Count what is done of an operation that has ended: kept with it, for reading takes long when there are many."""
    db.execute(
        "UPDATE operations SET done = (SELECT count(*) FROM items i WHERE i.operation = operations.id"
        " AND i.state IN ('landed', 'source_removed')) WHERE id = ? AND done IS NOT NULL",
        (operation,),
    )


def open_store(path: bytes, migrations: Sequence[Migration] = MIGRATIONS) -> tuple[sqlite3.Connection, bytes | None]:
    """The open database, and where a damaged one was put aside."""
    aside = None
    try:
        db = _connect(path)
    except sqlite3.DatabaseError as problem:
        if isinstance(problem, sqlite3.OperationalError):
            raise
        aside = _put_aside(path)
        db = _connect(path)
    try:
        _migrate(db, path, migrations)
    except BaseException:
        db.close()
        raise
    return db, aside


def _connect(path: bytes) -> sqlite3.Connection:
    db = sqlite3.connect(os.fsdecode(path), isolation_level=None, check_same_thread=True)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        (answer,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if answer != "ok":
            raise sqlite3.DatabaseError(answer)  # noqa: TRY301 - found or thrown by SQLite, damage is damage
    except BaseException:
        db.close()
        raise
    return db


def _put_aside(path: bytes) -> bytes:
    """Rename a damaged database and its companions, so that nothing of it is lost."""
    folder_path, name = os.path.split(os.path.abspath(path))
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime()).encode() + b"-%d" % time.monotonic_ns()
    aside = name + b".damaged-" + stamp
    folder = os.open(folder_path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for companion in (b"", b"-wal", b"-shm"):
            with contextlib.suppress(FileNotFoundError):
                Syscalls().rename(name + companion, folder, aside + companion, folder, NOREPLACE)
    finally:
        os.close(folder)
    return os.path.join(folder_path, aside)


def _migrate(db: sqlite3.Connection, path: bytes, migrations: Sequence[Migration]) -> None:
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found > len(migrations):
        raise JournalTooNew(found, len(migrations))
    if 0 < found < len(migrations):
        backup = os.fsdecode(path) + f".before-{len(migrations)}-{time.time_ns()}"
        db.execute("VACUUM INTO ?", (backup,))
    for version in range(found, len(migrations)):
        with transaction(db):
            migrations[version](db)
            db.execute(f"PRAGMA user_version = {version + 1}")


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
