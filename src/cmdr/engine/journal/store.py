"""The journal's database file: opened by one thread, checked, migrated step by step, never thrown away."""

import contextlib
import errno
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cmdr.engine.fs.syscalls import NOREPLACE, Syscalls
from cmdr.engine.journal.rescue import read_only, rescue, version_of
from cmdr.model.errors import CommandError, Unusable, WrittenByNewer, unusable_text
from cmdr.model.names import to_wire
from cmdr.model.units import count

Migration = Callable[[sqlite3.Connection], None]


class JournalTooNew(WrittenByNewer):
    """The journal was written by a newer cmdr; it is left untouched."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"The journal has format {found}, but this cmdr knows only up to {known}. Start the newer cmdr instead."
        )


class JournalUnavailable(CommandError, Unusable):
    """The journal cannot be read or written just now; says why, and what to do."""


_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_OUTSIDE = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_NOMEM,
)


def unavailable(path: bytes, problem: sqlite3.Error) -> Exception:
    """What a problem means for whoever needs the journal; one that is neither the disk's nor the file's is a mistake of
    ours and stays what it is."""
    code = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _DAMAGED:
        return JournalUnavailable(
            f"The journal {to_wire(path)} is damaged. Quit cmdr and start it again: it keeps the file and reads from it"
            " what it can."
        )
    return JournalUnavailable(unusable_text(_system_error(path, code), to_wire(path))) if code in _OUTSIDE else problem


def _system_error(path: bytes, code: int) -> int:
    """What the system must have said for SQLite to say this."""
    if os.path.isdir(path):
        return errno.EISDIR
    try:
        disk = os.statvfs(os.path.dirname(os.path.abspath(path)))
    except OSError as error:
        return error.errno or errno.EIO
    if code == sqlite3.SQLITE_FULL or not (disk.f_bavail and disk.f_favail):
        return errno.ENOSPC
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return errno.EROFS if disk.f_flag & os.ST_RDONLY else errno.EACCES
    return {sqlite3.SQLITE_BUSY: errno.EBUSY, sqlite3.SQLITE_NOMEM: errno.ENOMEM}.get(code, errno.EIO)


@dataclass(frozen=True, slots=True)
class Damage:
    """A journal that could not go on: when that was found, where it is kept, and what was read from it."""

    at: float
    kept: bytes | None
    """Where it is; None when there was no file any more."""
    rescued: int
    lost: int | None
    """Operations that could not be read; None when nobody knows how many there were."""
    is_seen: bool

    def told(self) -> str:
        """What happened, in a few short sentences."""
        day = time.strftime("%F %H:%M", time.localtime(self.at))
        if self.kept is None:
            return f"The journal was gone on {day}; the history begins there."
        read = count(self.rescued, "operation")
        lost = "how many are lost is not known" if self.lost is None else f"{self.lost} could not be read"
        return f"The journal was damaged on {day}: {read} read from it, {lost}. It is kept as {to_wire(self.kept)}."


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
    """What came before this journal and could not go on; told until the person has seen it."""
    db.execute(
        "CREATE TABLE damage (at REAL NOT NULL, kept BLOB, rescued INTEGER NOT NULL, lost INTEGER,"
        " seen INTEGER NOT NULL DEFAULT 0)"
    )


def _sixth(db: sqlite3.Connection) -> None:
    """Fingerprints have a stamp from here on, roots a time of birth; those from before are read without."""
    db.execute("ALTER TABLE items ADD COLUMN put_back BLOB")


MIGRATIONS: tuple[Migration, ...] = (_first, _second, _third, _fourth, _fifth, _sixth)
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
    aside = _swapped(path)
    try:
        if os.path.exists(_begun(path)) and not _has_bytes(path):
            raise sqlite3.DatabaseError("there was a journal, and there is none")  # noqa: TRY301 - damage like any other
        db = _connect(path)
    except sqlite3.DatabaseError as problem:
        if isinstance(problem, sqlite3.OperationalError):
            raise
        aside = _replaced(path, migrations)
        db = _connect(path)
    try:
        _migrate(db, path, migrations)
        os.close(os.open(_begun(path), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except BaseException:
        db.close()
        raise
    return db, aside


def look_into(path: bytes) -> tuple[list[Damage], int]:
    """Damage that nobody has seen yet, and how many operations wait for a word; only reads, beside whoever writes.

    Raises `JournalUnavailable`.
    """
    if not _has_bytes(path):
        if os.path.exists(_begun(path)):
            raise JournalUnavailable(f"The journal {to_wire(path)} is empty or gone. Start cmdr to begin anew.")
        return [], 0
    try:
        with contextlib.closing(read_only(path)) as db:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            damage = [each for each in damage_in(db) if not each.is_seen] if "damage" in tables else []
            (waiting,) = db.execute("SELECT count(*) FROM operations WHERE state = 'interrupted'").fetchone()
            return damage, waiting
    except sqlite3.Error as problem:
        raise unavailable(path, problem) from problem


def damage_in(db: sqlite3.Connection) -> list[Damage]:
    """What came before this journal and could not go on, oldest first."""
    rows = db.execute("SELECT at, kept, rescued, lost, seen FROM damage ORDER BY at")
    return [Damage(at, kept, rescued, lost, bool(seen)) for at, kept, rescued, lost, seen in rows]


def _begun(path: bytes) -> bytes:
    """The file that says that there is a journal: without it nobody could tell an empty one from a new one."""
    return path + b".begun"


def _has_bytes(path: bytes) -> bool:
    try:
        return os.stat(path).st_size > 0
    except FileNotFoundError:
        return False


def _replaced(path: bytes, migrations: Sequence[Migration]) -> bytes | None:
    """Put a new journal, with what could be read of the damaged one, in its place; where that is kept now."""
    found = version_of(path)
    if found > len(migrations):
        raise JournalTooNew(found, len(migrations))
    with contextlib.closing(_connect(_new(path))) as db:
        _migrate(db, None, migrations[: found or len(migrations)])
        with transaction(db):
            rescued = rescue(path, db)
        _migrate(db, None, migrations)
        with transaction(db):
            kept = _aside(path) if os.path.exists(path) else None
            values = (time.time(), kept, rescued.operations, rescued.lost)
            db.execute("INSERT INTO damage (at, kept, rescued, lost) VALUES (?, ?, ?, ?)", values)
    return _swapped(path)


def _new(path: bytes) -> bytes:
    return path + b".rescue"


def _swapped(path: bytes) -> bytes | None:
    """Give the damaged journal another name and the new one its name, now or after a crash in between; the other name.

    A new journal that does not say yet what it replaces was never finished.
    """
    new, is_whole, kept = _new(path), False, None
    if not os.path.exists(new):
        return None
    with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(_connect(new)) as db:
        row = db.execute("SELECT kept FROM damage ORDER BY at DESC LIMIT 1").fetchone()
        is_whole, kept = row is not None, row and row[0]
    if not is_whole:
        for companion in (b"-wal", b"-shm", b""):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(new + companion)
        return None
    _put_aside(path, kept or _aside(path))
    os.rename(new, path)
    return kept


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


def _aside(path: bytes) -> bytes:
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime()).encode() + b"-%d" % time.monotonic_ns()
    return os.path.abspath(path) + b".damaged-" + stamp


def _put_aside(path: bytes, aside: bytes) -> None:
    """Rename a damaged database and its companions, so that nothing of it is lost."""
    folder_path, name = os.path.split(os.path.abspath(path))
    folder = os.open(folder_path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for companion in (b"-wal", b"-shm", b""):  # the file itself last: until then nothing has happened
            with contextlib.suppress(FileNotFoundError):
                Syscalls().rename(name + companion, folder, os.path.basename(aside) + companion, folder, NOREPLACE)
        os.fsync(folder)
    finally:
        os.close(folder)


def _migrate(db: sqlite3.Connection, path: bytes | None, migrations: Sequence[Migration]) -> None:
    """Climb the ladder; what lies at `path` is copied first."""
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found > len(migrations):
        raise JournalTooNew(found, len(migrations))
    if path is not None and 0 < found < len(migrations):
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
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # some errors have ended it already
            db.execute("ROLLBACK")
        raise
