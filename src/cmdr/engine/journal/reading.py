"""Reading the journal back: what an operation did, what a crash left of one, and the history.

An operation may have touched half a million files. What is known about them is read page by page while somebody looks
at it, and made into objects in the thread of whoever asked: the journal's own thread is there for those who write.
"""

import sqlite3
import zlib
from collections.abc import Callable, Iterator, Reversible
from itertools import islice
from typing import Protocol, TypeVar

from cmdr.engine.journal.columns import Row, items_of
from cmdr.engine.journal.records import ItemRecord, OperationRecord, Unrecovered
from cmdr.model.history import HistoryEntry, OperationState
from cmdr.model.plans.plan import Plan, Verb

T = TypeVar("T")
PAGE = 1024
"""Items that are read at a time."""
_PIECE = 1 << 16
_COLUMNS = "idx, state, reason, temp, beside, target, staged, landed, kept, parks, traits, put_back"


class NoSuchOperation(Exception):
    """The journal has no operation of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"There is no operation {number} in the journal. The history has what there is: "
            'command {"id": "history"}, or cmdr history.'
        )


class Ask(Protocol):
    """Runs something in the one thread that touches the file, and waits for its answer."""

    def __call__(self, job: Callable[[], T]) -> T: ...


class Records:
    """The operations in the journal."""

    def __init__(self, db: sqlite3.Connection, ask: Ask) -> None:
        self._db = db
        self._ask = ask

    def operation(self, number: int) -> OperationRecord:
        """All that is known about one operation; few items are held as they are now, many are read when looked at."""

        def read() -> tuple[tuple[bytes, str, str, float, float | None, int | None] | None, list[Row]]:
            found = self._db.execute(
                "SELECT plan, state, by, started, ended, undone_by FROM operations WHERE id = ?", (number,)
            ).fetchone()
            return found, _page(self._db, number, -1)

        found, rows = self._ask(read)
        if found is None:
            raise NoSuchOperation(number)
        plan, state, by, started, ended, undone_by = found
        items: Reversible[ItemRecord] = tuple(items_of(rows))
        if len(rows) == PAGE:
            items = _Paged(self._db, self._ask, number)
        return OperationRecord(
            number, Plan.read(_lines(plan)), OperationState(state), by, started, ended, items, undone_by
        )

    def unrecovered(self) -> Iterator[Unrecovered]:
        """Operations whose temporaries or half-finished items still need a look, oldest first."""
        numbers = self._ask(
            lambda: self._db.execute(
                "SELECT id FROM operations WHERE state = 'running'"
                " UNION SELECT operation FROM items WHERE temp IS NOT NULL ORDER BY 1"
            ).fetchall()
        )
        for (number,) in numbers:
            yield self._unswept(number)

    def _unswept(self, number: int) -> Unrecovered:
        def read() -> tuple[bytes, str, list[Row]]:
            plan, state = self._db.execute("SELECT plan, state FROM operations WHERE id = ?", (number,)).fetchone()
            half_done = " OR state IN ('planned', 'staged')" if state == OperationState.RUNNING else ""
            rows = self._db.execute(
                f"SELECT {_COLUMNS} FROM items WHERE operation = ? AND (temp IS NOT NULL{half_done}) ORDER BY idx",  # noqa: S608
                (number,),
            ).fetchall()
            return plan, state, rows

        packed, state, rows = self._ask(read)
        plan = Plan.read(_only(_lines(packed), [row[0] for row in rows]))
        return Unrecovered(number, OperationState(state), plan, tuple(items_of(rows)))


class _Paged(Reversible[ItemRecord]):
    """The items of a large operation, in the order of the plan or against it."""

    def __init__(self, db: sqlite3.Connection, ask: Ask, operation: int) -> None:
        self._db = db
        self._ask = ask
        self._operation = operation

    def __iter__(self) -> Iterator[ItemRecord]:
        rows = self._next(-1)
        while rows:
            yield from items_of(rows)
            rows = self._next(rows[-1][0])

    def __reversed__(self) -> Iterator[ItemRecord]:
        rows = self._next(1 << 62, is_backwards=True)
        while rows:
            yield from items_of(rows)
            rows = self._next(rows[-1][0], is_backwards=True)

    def _next(self, beyond: int, *, is_backwards: bool = False) -> list[Row]:
        return self._ask(lambda: _page(self._db, self._operation, beyond, is_backwards=is_backwards))


def _page(db: sqlite3.Connection, operation: int, beyond: int, *, is_backwards: bool = False) -> list[Row]:
    side, order = ("<", "DESC") if is_backwards else (">", "ASC")
    return db.execute(
        f"SELECT {_COLUMNS} FROM items WHERE operation = ? AND idx {side} ? ORDER BY idx {order} LIMIT ?",  # noqa: S608
        (operation, beyond, PAGE),
    ).fetchall()


def pack(plan: Plan) -> bytes:
    """A plan as it lies in the journal; made piece by piece, for it may be large."""
    press = zlib.compressobj(1)
    pieces = [piece for part in plan.parts() if (piece := press.compress(part))]
    return b"".join([*pieces, press.flush()])


def _lines(packed: bytes) -> Iterator[bytes]:
    """The lines of a packed plan, one by one: first its head, then its items."""
    opened = zlib.decompressobj()
    rest = b""
    view = memoryview(packed)
    for start in range(0, len(packed), _PIECE):
        *lines, rest = (rest + opened.decompress(view[start : start + _PIECE])).split(b"\n")
        yield from lines
    yield rest + opened.flush()


def _only(lines: Iterator[bytes], wanted: list[int]) -> Iterator[bytes]:
    """The head of a plan, and of its items the wanted ones, in order."""
    yield from islice(lines, 1)
    at = 0
    for index in wanted:
        yield from islice(lines, index - at, index - at + 1)
        at = index + 1


# What the last undo of an operation was to take back, and did not.
_LEFT = "coalesce((SELECT u.total - u.done FROM operations u WHERE u.id = o.undone_by), 0)"

# Counted only where something is missing: the items of most operations need not be read for it.
_FAILED = (
    "CASE WHEN o.state = 'done' AND o.done < o.total THEN (SELECT count(*) FROM items i WHERE i.operation = o.id"
    " AND i.state IN ('failed', 'drifted')) ELSE 0 END"
)


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


def begun_by(db: sqlite3.Connection, number: int) -> str | None:
    """Who began an operation, or the one that it continues in the end; None when there is no such operation."""
    row = db.execute(
        "WITH RECURSIVE before(id) AS (SELECT ?1 UNION SELECT o.continues FROM operations o JOIN before USING (id)"
        " WHERE o.continues IS NOT NULL) SELECT by FROM operations JOIN before USING (id) ORDER BY id LIMIT 1",
        (number,),
    ).fetchone()
    return None if row is None else str(row[0])


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
        f" o.undoes, o.undone_by, {_LEFT}, o.continues, {_FAILED} FROM operations o {where}",
        values,
    )
    return [HistoryEntry(row[0], Verb(row[1]), OperationState(row[2]), *row[3:]) for row in rows]
