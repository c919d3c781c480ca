"""Reading the journal back: what an operation did, and what a crash left of one.

An operation may have touched half a million files. What is known about them is read page by page while somebody looks
at it, and made into objects in the thread of whoever asked: the journal's own thread is there for those who write.
"""

import sqlite3
import zlib
from collections.abc import Callable, Iterator, Reversible
from itertools import islice
from typing import Protocol, TypeVar

from cmdr.engine.journal.columns import Row, items_of
from cmdr.engine.journal.records import ItemRecord, OperationRecord, Unswept
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Plan

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

    def unswept(self) -> Iterator[Unswept]:
        """Operations whose temporaries or half-finished items still need a look, oldest first."""
        numbers = self._ask(
            lambda: self._db.execute(
                "SELECT id FROM operations WHERE state = 'running'"
                " UNION SELECT operation FROM items WHERE temp IS NOT NULL ORDER BY 1"
            ).fetchall()
        )
        for (number,) in numbers:
            yield self._unswept(number)

    def _unswept(self, number: int) -> Unswept:
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
        return Unswept(number, OperationState(state), plan, tuple(items_of(rows)))


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
