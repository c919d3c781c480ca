"""What is small and must survive: which indexes, sets and saved queries exist.

SQLite in WAL mode behind one thread: every statement runs there, so writers never meet. Paths are blobs. A damaged
file is set aside and what can be read of it copied, for the sets and queries in it; indexes can be scanned again.
"""

import logging
import os
import secrets
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from cmdr.index.disk_space import disk_full_as_error
from cmdr.index.errors import NotText
from cmdr.model.trees.queries import SavedQuery

T = TypeVar("T")
log = logging.getLogger(__name__)
_SCHEMA = """
create table if not exists secrets (name text primary key, value blob not null);
create table if not exists indexes (
  id text primary key, root blob not null, options text not null, tag integer not null,
  created_ns integer not null, next_id integer not null default 0, unique (root, options));
create table if not exists sets (
  id text primary key, index_id text not null, name text not null, count integer not null, bytes integer not null,
  created_ns integer not null, changed_ns integer not null, epoch integer not null);
create table if not exists sets_behind (
  id text primary key, folders integer not null, filter text, root blob);
create table if not exists owners (
  id text primary key, owner text not null, passing integer not null, since_ns integer not null);
create table if not exists saved_queries (
  id text primary key, owner text not null, name text not null, filter text not null, sort text not null,
  descending integer not null, row_limit integer, created_ns integer not null, last_run_ns integer, root blob,
  unique (owner, name));
"""
_TABLES = ("secrets", "indexes", "sets", "sets_behind", "owners", "saved_queries")
_DROP_UNUSABLE = (  # rows of which damage has left something that was never written
    "delete from indexes where typeof(root) <> 'blob'"
    " or case when json_valid(options) then json_array_length(options) else 0 end <> 3",
    "delete from saved_queries where not json_valid(filter)",
)
_QUERY = "id, owner, name, filter, sort, descending, row_limit, created_ns, last_run_ns, root"
PERSON = "person"
"""Who owns what no agent made."""


@dataclass(frozen=True)
class IndexRecord:
    """An index as the catalogue knows it."""

    id: str
    root: bytes
    options: str
    tag: int
    created_ns: int
    next_id: int


@dataclass(frozen=True)
class SetRecord:
    """A set's head; its members are in a file of their own."""

    id: str
    index_id: str
    name: str
    count: int
    bytes: int
    created_ns: int
    changed_ns: int
    epoch: int


@dataclass(frozen=True)
class SetBehind:
    """That a set was made while so many folders were not known as they are; and of which question, where it can be
    asked again: its filter as JSON, and its folder."""

    folders: int
    filter: str | None = None
    root: bytes | None = None


class Catalogue:
    """The only holder of the database."""

    def __init__(self, path: str) -> None:
        self._thread = ThreadPoolExecutor(1, "cmdr-index-catalogue")
        with disk_full_as_error("the list of indexes"):
            self._db, self.was_damaged = self._thread.submit(_open, path).result()
        self.secret = self.run(_secret)

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do something in one transaction."""

        def transaction() -> T:
            with self._db:
                return work(self._db)

        with disk_full_as_error("the list of indexes, sets and queries; it stays as it was"):
            try:
                return self._thread.submit(transaction).result()
            except UnicodeEncodeError as trouble:
                raise NotText("That name holds half of a character. Write it as whole text.") from trouble

    def close(self) -> None:
        self._thread.submit(self._db.close).result()
        self._thread.shutdown()

    # -- indexes --------------------------------------------------------------------------------------------------
    def indexes(self) -> list[IndexRecord]:
        return self.run(
            lambda db: [IndexRecord(*row) for row in db.execute("select * from indexes order by created_ns")]
        )

    def add_index(self, record: IndexRecord) -> IndexRecord:
        """Store a new index, or answer the one that has this root and these options already."""

        def work(db: sqlite3.Connection) -> IndexRecord:
            values = (record.id, record.root, record.options, record.tag, record.created_ns, record.next_id)
            db.execute("insert or ignore into indexes values (?, ?, ?, ?, ?, ?)", values)
            key = (record.root, record.options)
            return IndexRecord(*db.execute("select * from indexes where root = ? and options = ?", key).fetchone())

        return self.run(work)

    def remove_index(self, index_id: str) -> None:
        self.run(lambda db: db.execute("delete from indexes where id = ?", (index_id,)))

    def reserve_ids(self, index_id: str, upto: int) -> None:
        """Remember that ids below `upto` were given out, even if what they named is never written."""
        self.run(lambda db: db.execute("update indexes set next_id = max(next_id, ?) where id = ?", (upto, index_id)))

    def next_id(self, index_id: str) -> int:
        found = self.run(lambda db: db.execute("select next_id from indexes where id = ?", (index_id,)).fetchone())
        return int(found[0]) if found else 0

    # -- sets -----------------------------------------------------------------------------------------------------
    def sets(self) -> list[SetRecord]:
        return self.run(
            lambda db: [SetRecord(*row) for row in db.execute("select * from sets order by created_ns, id")]
        )

    def set(self, set_id: str) -> SetRecord | None:
        row = self.run(lambda db: db.execute("select * from sets where id = ?", (set_id,)).fetchone())
        return SetRecord(*row) if row else None

    def put_set(self, one: SetRecord, behind: SetBehind | None = None) -> None:
        """Store a set's head, and whether what it was made from may not have been true."""
        values = (one.id, one.index_id, one.name, one.count, one.bytes, one.created_ns, one.changed_ns, one.epoch)

        def write(db: sqlite3.Connection) -> None:
            db.execute("insert or replace into sets values (?, ?, ?, ?, ?, ?, ?, ?)", values)
            db.execute("delete from sets_behind where id = ?", (one.id,))
            if behind is not None:
                how = (one.id, behind.folders, behind.filter, behind.root)
                db.execute("insert into sets_behind values (?, ?, ?, ?)", how)

        self.run(write)

    def set_behind(self, set_id: str) -> SetBehind | None:
        """What was not known when a set was made; None when it was true."""
        sql = "select folders, filter, root from sets_behind where id = ?"
        row = self.run(lambda db: db.execute(sql, (set_id,)).fetchone())
        return SetBehind(*row) if row else None

    def remove_set(self, set_id: str) -> None:
        def write(db: sqlite3.Connection) -> None:
            db.execute("delete from sets where id = ?", (set_id,))
            db.execute("delete from sets_behind where id = ?", (set_id,))
            db.execute("delete from owners where id = ?", (set_id,))

        self.run(write)

    # -- owners ---------------------------------------------------------------------------------------------------
    def owners(self) -> dict[str, str]:
        """Whose each set is."""
        return self.run(lambda db: dict(db.execute("select id, owner from owners").fetchall()))

    def put_owner(self, set_id: str, owner: str, *, passing: bool) -> list[str]:
        """Note whose a set is; answers the owner's passing sets, newest first."""
        values = (set_id, owner, passing, time.time_ns())
        theirs = "select id from owners where owner = ? and passing order by since_ns desc"

        def write(db: sqlite3.Connection) -> list[str]:
            db.execute("insert or ignore into owners values (?, ?, ?, ?)", values)
            return [row[0] for row in db.execute(theirs, (owner,))]

        return self.run(write)

    def lasting_sets(self, owner: str) -> list[tuple[str, str]]:
        """The sets that an owner made to last: name and id, oldest first."""
        sql = "select name, id from sets join owners using (id) where owner = ? and not passing order by created_ns, id"
        return self.run(lambda db: db.execute(sql, (owner,)).fetchall())

    # -- queries --------------------------------------------------------------------------------------------------
    def queries(self, owner: str | None = None) -> list[SavedQuery]:
        """The saved queries of one owner, or all, by name."""
        sql = f"select {_QUERY} from saved_queries where ?1 is null or owner = ?1 order by name, created_ns"  # noqa: S608 - names of columns
        return self.run(lambda db: [_query(row) for row in db.execute(sql, (owner,))])

    def query(self, id_or_name: str, owner: str | None = None) -> SavedQuery | None:
        """A query of one owner; of all, the person's own comes first among those of one name."""
        sql = (
            f"select {_QUERY} from saved_queries where (id = ?1 or name = ?1) and (?2 is null or owner = ?2)"  # noqa: S608 - names of columns
            " order by id = ?1 desc, owner = ?3 desc, created_ns desc"
        )
        row = self.run(lambda db: db.execute(sql, (id_or_name, owner, PERSON)).fetchone())
        return _query(row) if row else None

    def put_query(self, one: SavedQuery) -> None:
        """Store a query; one with the same name and owner is replaced."""
        values = (one.id, one.owner, one.name, one.filter, one.sort, one.descending, one.limit)
        more = (one.created_ns, one.last_run_ns, one.root)
        sql = f"insert or replace into saved_queries ({_QUERY}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - names of columns
        self.run(lambda db: db.execute(sql, (*values, *more)))

    def remove_query(self, query_id: str) -> None:
        self.run(lambda db: db.execute("delete from saved_queries where id = ?", (query_id,)))


def _secret(db: sqlite3.Connection) -> bytes:
    """The key that signs cursors; made once."""
    db.execute("insert or ignore into secrets values ('cursor', ?)", (secrets.token_bytes(32),))
    return bytes(db.execute("select value from secrets where name = 'cursor'").fetchone()[0])


def _query(row: tuple[Any, ...]) -> SavedQuery:
    query_id, owner, name, text, sort, descending, limit, created, last, root = row
    return SavedQuery(query_id, owner, name, text, sort, bool(descending), limit, created, last, root)


class _Damaged(sqlite3.DatabaseError):
    """The file opens, but it is not whole."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def _open(path: str) -> tuple[sqlite3.Connection, bool]:
    """The database, and whether something of it was lost through damage."""
    try:
        return _connect(path)
    except sqlite3.DatabaseError as trouble:
        code = getattr(trouble, "sqlite_errorcode", None) or 0
        if code & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise  # busy, full or forbidden
    _salvage(path)
    return _connect(path)[0], True


def _connect(path: str) -> tuple[sqlite3.Connection, bool]:
    """The database brought up to date, and whether rows that cannot be used were dropped."""
    db = sqlite3.connect(path, timeout=10)
    try:
        os.chmod(path, 0o600)
        db.text_factory = lambda text: text.decode("utf-8", "replace")
        # The library's lock keeps others out; alone, sqlite needs no shared memory, which a full disk could not hold.
        db.execute("pragma locking_mode = exclusive")
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        db.executescript(_SCHEMA)
        _check(db)
        with db:
            _migrate(db)
            return db, sum(db.execute(statement).rowcount for statement in _DROP_UNUSABLE) > 0
    except BaseException:
        db.close()  # or its lock would be in the way of the next try
        raise


def _check(db: sqlite3.Connection) -> None:
    if db.execute("pragma integrity_check(1)").fetchone() != ("ok",):
        raise _Damaged("its pages do not fit together")


def _migrate(db: sqlite3.Connection) -> None:
    """Older catalogues: queries without a folder are asked wherever they are run, those without an owner are the
    person's, and checksums of rows are no longer kept."""
    if "root" not in {row[1] for row in db.execute("pragma table_info(saved_queries)")}:
        db.execute("alter table saved_queries add column root blob")
    if db.execute("select 1 from sqlite_master where type = 'table' and name = 'queries'").fetchone():
        columns = "name, filter, sort, descending, row_limit, created_ns, last_run_ns"
        db.execute(f"insert or ignore into saved_queries select id, ?, {columns}, null from queries", (PERSON,))  # noqa: S608 - names of columns
        db.execute("drop table queries")
    db.execute("drop table if exists seals")


def _salvage(path: str) -> None:
    """Set a damaged database aside and make one in its place with every row that can be read."""
    aside = f"{path}.damaged-{time.time_ns()}"
    log.warning("%s is damaged: what can be read of it is kept, and itself as %s", path, aside)
    for end in ("", "-wal"):
        with suppress(FileNotFoundError):
            os.rename(path + end, aside + end)
    with closing(sqlite3.connect(path)) as new, closing(sqlite3.connect(aside)) as old:
        new.executescript(_SCHEMA)
        old.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        for table in _TABLES:
            with suppress(sqlite3.Error), new:
                for row in old.execute(f"select * from {table}"):  # noqa: S608 - names of tables
                    with suppress(UnicodeError):  # what is no text any more cannot be written again
                        new.execute(f"insert or ignore into {table} values ({', '.join('?' * len(row))})", row)  # noqa: S608
