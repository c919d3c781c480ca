"""A checksum beside every row of the catalogue: sqlite keeps none and would believe a bit that flipped on the disk.

Triggers of the connection itself write them, so that no writer can forget one.
"""

import sqlite3
import zlib

SEALED = {"secrets": "name", "indexes": "id", "sets": "id", "owners": "id", "saved_queries": "id"}
"""Each table's key."""
SEALS = """create table if not exists seals
  (place text not null, key text not null, sum integer not null, primary key (place, key)) without rowid"""


def damaged_rows(db: sqlite3.Connection) -> list[tuple[str, int]]:
    """Table and row number of every row that is not what was written; rows from before there were any checksums are
    believed, and get theirs."""
    db.create_function("checksum", 1, _checksum, deterministic=True)
    found: list[tuple[str, int]] = []
    if db.execute("select 1 from sqlite_master where name = 'seals'").fetchone() is None:
        with db:
            db.execute(SEALS)
            for table, key in SEALED.items():
                # All names are from above.
                db.execute(f"insert into seals select '{table}', {key}, {_sum(db, table)} from {table}")  # noqa: S608
    for table, key in SEALED.items():
        sealed = f"seals on place = '{table}' and seals.key = {table}.{key}"
        sql = f"select {table}.rowid from {table} join {sealed} where sum <> {_sum(db, table)}"  # noqa: S608
        found += [(table, row[0]) for row in db.execute(sql)]
    return found


def keep_sealed(db: sqlite3.Connection) -> None:
    """From now on whatever is written gets its checksum."""
    for table, key in SEALED.items():
        # Replacing in one step would not do: how whoever fires a trigger deals with conflicts counts inside it too.
        off, out = (f"delete from seals where place = '{table}' and key = {row}.{key};" for row in ("old", "new"))  # noqa: S608
        on = f"insert into seals values ('{table}', new.{key}, {_sum(db, table, 'new')});"  # noqa: S608
        for event, then in (("insert", out + on), ("update", off + out + on), ("delete", off)):
            db.execute(f"create temp trigger sealed_{table}_{event} after {event} on main.{table} begin {then} end")


def _sum(db: sqlite3.Connection, table: str, row: str = "") -> str:
    """SQL for the checksum of a row. A column without a value adds nothing, so that one may be added to the table; and
    what is no longer text is summed as the bytes it is."""
    values = []
    for _, column, *_ in db.execute(f"pragma table_info({table})"):
        value = f"{row or table}.{column}"
        values.append(f"iif({value} is null, '', '{column}' || typeof({value}) || hex(cast({value} as blob)))")
    return f"checksum({' || '.join(values)})"


def _checksum(text: str) -> int:
    return zlib.crc32(text.encode())
