"""The journal as a history: one line for each operation, and which of them wait or can be taken back."""

import sqlite3

from cmdr.model.history import HistoryEntry, OperationState
from cmdr.model.plans.plan import Plan, Verb

# What the last undo of an operation was to take back, and did not.
_LEFT = "coalesce((SELECT u.total - u.done FROM operations u WHERE u.id = o.undone_by), 0)"


def title_of(plan: Plan) -> tuple[bytes, bytes | None]:
    """The path by which an operation is told, and the new name if it is a rename."""
    if not plan.items:
        return b"", None
    subject = plan.subject
    new = subject.target.name if plan.verb is Verb.RENAME and subject.target is not None else None
    return subject.place.path, new


def newest(db: sqlite3.Connection, limit: int, before: int | None) -> list[HistoryEntry]:
    """The newest operations, newest first, older than a number when given."""
    return _entries(db, "WHERE o.id < ? ORDER BY o.id DESC LIMIT ?", (before or 1 << 62, limit))


def interrupted(db: sqlite3.Connection) -> list[HistoryEntry]:
    """The operations that ended in the middle and wait for a word: resume, undo or leave."""
    return _entries(db, "WHERE o.state = 'interrupted' ORDER BY o.id", ())


def running(db: sqlite3.Connection) -> list[HistoryEntry]:
    """The operations that have not ended, as far as anybody wrote down."""
    return _entries(db, "WHERE o.state = 'running' ORDER BY o.id", ())


def last_undoable(db: sqlite3.Connection) -> int | None:
    """The newest operation that changed something and has not been taken back."""
    row = db.execute(
        "SELECT max(id) FROM operations WHERE undone_by IS NULL AND undoes IS NULL AND state != 'running' AND done > 0"
    ).fetchone()
    return None if row[0] is None else int(row[0])


def runs(db: sqlite3.Connection, number: int) -> list[int]:
    """An operation with all that it continues and all that continues it, the last run first.

    What was taken back in between is over: a run that went on after that stands for itself. Those that were taken back
    together belong together.
    """
    rows = db.execute(
        "WITH RECURSIVE runs(id) AS (SELECT ?1 UNION SELECT o.id FROM operations o, runs r"
        " WHERE (o.continues = r.id OR o.id = (SELECT continues FROM operations WHERE id = r.id))"
        " AND o.undone_by IS (SELECT undone_by FROM operations WHERE id = ?1))"
        " SELECT id FROM runs ORDER BY id DESC",
        (number,),
    )
    return [row[0] for row in rows]


def left(db: sqlite3.Connection, number: int) -> int | None:
    """How many items the undo of an operation has left; None when it was not undone."""
    row = db.execute(
        f"SELECT o.undone_by, {_LEFT} FROM operations o WHERE o.id = ?",  # noqa: S608
        (number,),
    ).fetchone()
    return None if row is None or row[0] is None else int(row[1])


def _entries(db: sqlite3.Connection, where: str, values: tuple[int, ...]) -> list[HistoryEntry]:
    rows = db.execute(
        "SELECT o.id, o.verb, o.state, o.by, o.started, o.ended, o.total, coalesce(o.done,"  # noqa: S608
        " (SELECT count(*) FROM items i WHERE i.operation = o.id AND i.state IN ('landed', 'source_removed'))),"
        " o.title, o.new_name, o.destination,"
        f" o.undoes, o.undone_by, {_LEFT} FROM operations o {where}",
        values,
    )
    return [HistoryEntry(row[0], Verb(row[1]), OperationState(row[2]), *row[3:]) for row in rows]
