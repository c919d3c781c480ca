"""The journal: what every operation meant to do and did, on the disk before and after each change."""

import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cmdr.core import journal_history
from cmdr.core.journal_columns import item_of, kept_blob, mark_blob, place_blob
from cmdr.core.journal_history import HistoryEntry
from cmdr.core.journal_store import open_store, transaction
from cmdr.files.engine.recorder import Intent, ItemState, Note, OperationRecord, OperationState
from cmdr.model.plan import Plan

T = TypeVar("T")
BATCH = 256
_PIECE = 1 << 16


class NoSuchOperation(Exception):
    """The journal has no operation of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"There is no operation {number} in the journal. See the history for what there is.")


class Journal:
    """The journal file, with one thread that alone reads and writes it."""

    def __init__(self, path: bytes, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._thread = ThreadPoolExecutor(1, "journal")
        try:
            self._db, self.put_aside = self._thread.submit(open_store, path).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def close(self) -> None:
        """Finish what is queued and close the file."""
        self._ask(self._db.close)
        self._thread.shutdown()

    def begin(self, plan: Plan, by: str) -> int:
        """Write down a plan that is about to run; the operation's number."""
        packed = _packed(plan)
        title = plan.items[0].place.path if plan.items else b""

        def write() -> int:
            with transaction(self._db):
                cursor = self._db.execute(
                    "INSERT INTO operations (plan, digest, verb, state, by, started, total, title, destination, undoes)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        packed,
                        plan.digest,
                        plan.verb,
                        OperationState.RUNNING,
                        by,
                        self._now(),
                        len(plan.items),
                        title,
                        plan.destination,
                        plan.undoes,
                    ),
                )
                return int(cursor.lastrowid or 0)

        return self._ask(write)

    def intend(self, operation: int, intents: Sequence[Intent]) -> None:
        """Write down what is about to happen to some items."""
        rows = [
            (operation, i.index, ItemState.PLANNED, i.temp, i.parks, place_blob(i.beside), kept_blob(i.kept))
            for i in intents
        ]
        self._batches(
            "INSERT INTO items (operation, idx, state, temp, parks, beside, kept) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET temp = excluded.temp, parks = excluded.parks, beside = excluded.beside,"
            " kept = excluded.kept",
            rows,
        )

    def note(self, operation: int, notes: Sequence[Note]) -> None:
        """Write down what has happened to some items."""
        rows = [
            {
                "operation": operation,
                "idx": n.index,
                "state": n.state,
                "reason": n.reason,
                "target": place_blob(n.target),
                "staged": mark_blob(n.staged),
                "landed": mark_blob(n.landed),
                "kept": kept_blob(n.kept),
                "gone": n.temp_gone,
            }
            for n in notes
        ]
        # What the intent said about a slot in the trash holds until the item is settled without anything left over.
        self._batches(
            "INSERT INTO items (operation, idx, state, reason, target, staged, landed, kept)"
            " VALUES (:operation, :idx, :state, :reason, :target, :staged, :landed, :kept)"
            " ON CONFLICT DO UPDATE SET state = :state, reason = :reason, target = coalesce(:target, target),"
            " staged = coalesce(:staged, staged), landed = coalesce(:landed, landed),"
            " kept = CASE WHEN :gone THEN :kept ELSE coalesce(:kept, kept) END,"
            " temp = CASE WHEN :gone THEN NULL ELSE temp END",
            rows,
        )

    def finish(self, operation: int, state: OperationState) -> None:
        """Close the operation."""

        def write() -> None:
            with transaction(self._db):
                self._db.execute(
                    "UPDATE operations SET state = ?, ended = ? WHERE id = ?", (state, self._now(), operation)
                )
                self._db.execute(
                    "UPDATE operations SET undone_by = ?1 WHERE id = (SELECT undoes FROM operations WHERE id = ?1)",
                    (operation,),
                )

        self._ask(write)

    def unswept(self) -> Sequence[OperationRecord]:
        """Operations whose temporaries or half-finished items still need a look, oldest first."""

        def read() -> list[OperationRecord]:
            rows = self._db.execute(
                "SELECT id FROM operations WHERE state = 'running'"
                " UNION SELECT operation FROM items WHERE temp IS NOT NULL ORDER BY 1"
            ).fetchall()
            return [self._record(number) for (number,) in rows]

        return self._ask(read)

    def operation(self, number: int) -> OperationRecord:
        """All that is known about one operation."""
        return self._ask(lambda: self._record(number))

    def history(self, limit: int = 50, before: int | None = None) -> list[HistoryEntry]:
        """The newest operations, newest first, older than a number when given."""
        return self._ask(lambda: journal_history.newest(self._db, limit, before))

    def interrupted(self) -> list[HistoryEntry]:
        """The operations that ended in the middle and wait for a word: resume, undo or leave."""
        return self._ask(lambda: journal_history.interrupted(self._db))

    def last_undoable(self) -> int | None:
        """The newest operation that changed something and has not been taken back."""
        return self._ask(lambda: journal_history.last_undoable(self._db))

    def leave(self, number: int) -> None:
        """The person said: leave an interrupted operation as it is."""

        def write() -> None:
            with transaction(self._db):
                self._db.execute(
                    "UPDATE operations SET state = 'left' WHERE id = ? AND state = 'interrupted'", (number,)
                )

        self._ask(write)

    def _ask(self, job: Callable[[], T]) -> T:
        return self._thread.submit(job).result()

    def _batches(self, statement: str, rows: Sequence[object]) -> None:
        def write() -> None:
            for start in range(0, len(rows), BATCH):
                with transaction(self._db):
                    self._db.executemany(statement, rows[start : start + BATCH])  # type: ignore[arg-type]

        self._ask(write)

    def _record(self, number: int) -> OperationRecord:
        found = self._db.execute(
            "SELECT plan, state, by, started, ended, undone_by FROM operations WHERE id = ?", (number,)
        ).fetchone()
        if found is None:
            raise NoSuchOperation(number)
        plan, state, by, started, ended, undone_by = found
        rows = self._db.execute(
            "SELECT idx, state, reason, temp, beside, target, staged, landed, kept, parks FROM items"
            " WHERE operation = ? ORDER BY idx",
            (number,),
        )
        items = tuple(item_of(row) for row in rows)
        return OperationRecord(
            number, Plan.read(_lines(plan)), OperationState(state), by, started, ended, items, undone_by
        )


def _packed(plan: Plan) -> bytes:
    """A plan as it lies in the journal; made piece by piece, for it may be large."""
    press = zlib.compressobj(1)
    pieces = [piece for part in plan.parts() if (piece := press.compress(part))]
    return b"".join([*pieces, press.flush()])


def _lines(packed: bytes) -> Iterator[bytes]:
    """The lines of a packed plan, one by one."""
    opened = zlib.decompressobj()
    rest = b""
    view = memoryview(packed)
    for start in range(0, len(packed), _PIECE):
        *lines, rest = (rest + opened.decompress(view[start : start + _PIECE])).split(b"\n")
        yield from lines
    yield rest + opened.flush()
