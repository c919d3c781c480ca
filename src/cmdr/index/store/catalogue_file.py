"""The catalogue's file: made, brought up to date, checked row by row, and rescued when it is damaged."""

import os
import sqlite3

from cmdr.index.store.rescued_catalogue import Damaged, is_damage, rescue
from cmdr.index.store.sealed_rows import SEALED, SEALS, damaged_rows, keep_sealed

_SCHEMA = """
create table if not exists secrets (name text primary key, value blob not null);
create table if not exists indexes (
  id text primary key, root blob not null, options text not null, tag integer not null,
  created_ns integer not null, next_id integer not null default 0, unique (root, options));
create table if not exists sets (
  id text primary key, index_id text not null, name text not null, count integer not null, bytes integer not null,
  created_ns integer not null, changed_ns integer not null, epoch integer not null);
create table if not exists owners (
  id text primary key, owner text not null, passing integer not null, since_ns integer not null);
create table if not exists saved_queries (
  id text primary key, owner text not null, name text not null, filter text not null, sort text not null,
  descending integer not null, row_limit integer, created_ns integer not null, last_run_ns integer, root blob,
  unique (owner, name));
"""


def opened(path: str, person: str) -> tuple[sqlite3.Connection, bool]:
    """The database, and whether it was damaged and only what could be read of it is there."""
    try:
        return _checked(path, person, damage=False), False
    except sqlite3.DatabaseError as trouble:
        if not is_damage(trouble):
            raise
    rescue(path, f"{_SCHEMA}{SEALS};", (*SEALED, "seals"))
    return _checked(path, person, damage=True), True


def _checked(path: str, person: str, *, damage: bool) -> sqlite3.Connection:
    """The database as it is; rows that are not what was written are refused, or after damage dropped."""
    db = _connected(path, person)
    try:
        if damage:
            _drop(db, damaged_rows(db))
        else:
            _believe(db)
        keep_sealed(db)
    except BaseException:
        db.close()
        raise
    return db


def _believe(db: sqlite3.Connection) -> None:
    if damaged_rows(db) or db.execute("pragma integrity_check(1)").fetchone() != ("ok",):
        raise Damaged("rows are not what was written")


def _drop(db: sqlite3.Connection, rows: list[tuple[str, int]]) -> None:
    with db:
        for table, row in rows:
            db.execute(f"delete from {table} where rowid = ?", (row,))  # noqa: S608 - names of tables


def _connected(path: str, person: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=10)
    try:
        os.chmod(path, 0o600)
        # The library's lock keeps others out; alone, sqlite needs no shared memory, which a full disk could not hold.
        db.execute("pragma locking_mode = exclusive")
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        db.executescript(_SCHEMA)
        _give_roots(db)
        _give_owners(db, person)
    except BaseException:
        db.close()  # or its lock would hold up the rescue
        raise
    return db


def _give_roots(db: sqlite3.Connection) -> None:
    """Queries that were saved before they had a folder are asked wherever they are run."""
    if "root" not in {row[1] for row in db.execute("pragma table_info(saved_queries)")}:
        with db:
            db.execute("alter table saved_queries add column root blob")


def _give_owners(db: sqlite3.Connection, person: str) -> None:
    """Queries that were saved before they had owners become the person's."""
    if db.execute("select 1 from sqlite_master where type = 'table' and name = 'queries'").fetchone():
        with db:
            columns = "name, filter, sort, descending, row_limit, created_ns, last_run_ns"
            db.execute(f"insert or ignore into saved_queries select id, ?, {columns}, null from queries", (person,))  # noqa: S608 - names of columns
            db.execute("drop table queries")
