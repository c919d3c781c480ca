"""The journal: what every operation meant to do and did, on the disk before and after each change."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cmdr.engine.journal import reading
from cmdr.engine.journal.columns import backup_blob, mark_blob, place_blob, put_back_blob, traits_blob
from cmdr.engine.journal.reading import Records, pack, title_of
from cmdr.engine.journal.records import Intent, ItemState, ItemUpdate, OperationRecord, Unrecovered
from cmdr.engine.journal.store import Damage, count_again, damage_in, open_store, transaction, unavailable
from cmdr.model.history import HistoryEntry, OperationState
from cmdr.model.plans.plan import Plan

T = TypeVar("T")
BATCH = 256


class Journal:
    """The journal file, with one thread that alone reads and writes it."""

    def __init__(self, path: bytes, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._path = path
        self.trouble = ""
        """Why the file could not be used the last time; empty when it could."""
        self._thread = ThreadPoolExecutor(1, "journal")
        try:
            self._db, self.put_aside = self._ask(lambda: open_store(path))
        except BaseException:
            self._thread.shutdown()
            raise
        self._records = Records(self._db, self._ask)

    def close(self) -> None:
        """Finish what is queued and close the file."""
        self._ask(self._db.close)
        self._thread.shutdown()

    def begin(self, plan: Plan, by: str) -> int:
        """Write down a plan that is about to run; the operation's number."""
        packed = pack(plan)
        title, new_name = title_of(plan)

        def write() -> int:
            with transaction(self._db):
                cursor = self._db.execute(
                    "INSERT INTO operations (plan, digest, verb, state, by, started, total, title, new_name,"
                    " destination, undoes, continues) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        packed,
                        plan.digest,
                        plan.verb,
                        OperationState.RUNNING,
                        by,
                        self._now(),
                        len(plan.items),
                        title,
                        new_name,
                        plan.destination,
                        plan.undoes,
                        plan.continues,
                    ),
                )
                self._db.execute(
                    "UPDATE operations SET state = 'continued'"
                    " WHERE id = ? AND state IN ('interrupted', 'left', 'cancelled')",
                    (plan.continues,),
                )
                return int(cursor.lastrowid or 0)

        return self._ask(write)

    def intend(self, operation: int, intents: Sequence[Intent]) -> None:
        """Write down what is about to happen to some items."""
        rows = [
            (
                operation,
                i.index,
                ItemState.PLANNED,
                i.temp,
                i.parks,
                place_blob(i.beside),
                backup_blob(i.kept),
                traits_blob(i.traits),
            )
            for i in intents
        ]
        self._batches(
            "INSERT INTO items (operation, idx, state, temp, parks, beside, kept, traits)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET temp = excluded.temp, parks = excluded.parks, beside = excluded.beside,"
            " kept = excluded.kept, traits = coalesce(excluded.traits, traits)",
            rows,
        )

    def note(self, operation: int, notes: Sequence[ItemUpdate]) -> None:
        """Write down what has happened to some items."""
        rows = [
            (
                operation,
                n.index,
                n.state,
                n.reason,
                place_blob(n.target),
                mark_blob(n.staged),
                mark_blob(n.landed),
                backup_blob(n.kept),
                n.temp_gone,
                put_back_blob(n.put_back),
            )
            for n in notes
        ]
        # What the intent said about a slot in the trash holds until the item is settled without anything left over.
        self._batches(
            "INSERT INTO items (operation, idx, state, reason, target, staged, landed, kept, put_back)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?10)"
            " ON CONFLICT DO UPDATE SET state = excluded.state, reason = excluded.reason,"
            " target = coalesce(excluded.target, target), staged = coalesce(excluded.staged, staged),"
            " landed = coalesce(excluded.landed, landed), put_back = coalesce(excluded.put_back, put_back),"
            " kept = CASE WHEN ?9 THEN excluded.kept ELSE coalesce(excluded.kept, kept) END,"
            " temp = CASE WHEN ?9 THEN NULL ELSE temp END",
            rows,
            # Only a look around after the operation's end: while it runs nothing is counted.
            after=lambda: count_again(self._db, operation),
        )

    def finish(self, operation: int, state: OperationState) -> None:
        """Close the operation."""

        def write() -> None:
            with transaction(self._db):
                self._db.execute(
                    "UPDATE operations SET state = ?, ended = ?, done = 0 WHERE id = ?",
                    (state, self._now(), operation),
                )
                count_again(self._db, operation)
                # An undo that did nothing at all has undone nothing; one that goes on stands for those before it.
                self._db.execute(
                    "WITH RECURSIVE runs(id) AS (SELECT undoes FROM operations"
                    " WHERE id = ?1 AND (done > 0 OR continues IS NOT NULL OR state = 'interrupted')"
                    " UNION SELECT e.id FROM operations o JOIN runs USING (id) JOIN operations e ON e.id = o.continues"
                    " WHERE e.undone_by IS NULL OR e.undone_by = (SELECT continues FROM operations WHERE id = ?1))"
                    " UPDATE operations SET undone_by = ?1, state = replace(state, 'interrupted', 'left')"
                    " WHERE id IN (SELECT id FROM runs)",
                    (operation,),
                )

        self._ask(write)

    def unrecovered(self) -> Iterable[Unrecovered]:
        """Operations whose temporaries or half-finished items still need a look, oldest first."""
        return self._records.unrecovered()

    def operation(self, number: int) -> OperationRecord:
        """All that is known about one operation."""
        return self._records.operation(number)

    def runs(self, number: int) -> list[OperationRecord]:
        """An operation with all that it continues and all that continues it, the last run first."""
        return [self.operation(run) for run in self._ask(lambda: reading.runs(self._db, number))]

    def history(self, limit: int = 50, before: int | None = None) -> list[HistoryEntry]:
        """The newest operations, newest first, older than a number when given."""
        return self._ask(lambda: reading.newest(self._db, limit, before))

    def begun_by(self, number: int) -> str | None:
        """Who began an operation, or the one that it continues in the end; None when there is no such operation."""
        return self._ask(lambda: reading.begun_by(self._db, number))

    def left(self, number: int) -> int | None:
        """How many items the undo of an operation has left; None when it was not undone."""
        return self._ask(lambda: reading.left(self._db, number))

    def interrupted(self) -> list[HistoryEntry]:
        """The operations that ended in the middle and wait for a word: resume, undo or leave."""
        return self._ask(lambda: reading.interrupted(self._db))

    def running(self) -> list[HistoryEntry]:
        """The operations that have not ended, as far as anybody wrote down."""
        return self._ask(lambda: reading.running(self._db))

    def last_undoable(self) -> int | None:
        """The newest operation that changed something and has not been taken back."""
        return self._ask(lambda: reading.last_undoable(self._db))

    def operation_of(self, digest: str) -> int | None:
        """The newest operation that carried out a plan, by the plan's digest."""
        newest = "SELECT max(id) FROM operations WHERE digest = ?"
        found: int | None = self._ask(lambda: self._db.execute(newest, (digest,)).fetchone()[0])
        return found

    def leave(self, number: int) -> None:
        """The person said: leave an interrupted operation as it is."""

        def write() -> None:
            with transaction(self._db):
                self._db.execute(
                    "UPDATE operations SET state = 'left' WHERE id = ? AND state = 'interrupted'", (number,)
                )

        self._ask(write)

    def damage(self) -> list[Damage]:
        """What came before this journal and could not go on, oldest first."""
        return self._ask(lambda: damage_in(self._db))

    def damage_seen(self) -> None:
        """The person knows."""

        def write() -> None:
            with transaction(self._db):
                self._db.execute("UPDATE damage SET seen = 1")

        self._ask(write)

    def _ask(self, job: Callable[[], T]) -> T:
        """Have something done by the one thread that touches the file; raises `JournalUnavailable`."""
        try:
            answer = self._thread.submit(job).result()
        except sqlite3.Error as problem:
            error = unavailable(self._path, problem)
            self.trouble = str(error)
            raise error from problem
        self.trouble = ""
        return answer

    def _batches(self, statement: str, rows: Sequence[object], after: Callable[[], None] = lambda: None) -> None:
        def write() -> None:
            for start in range(0, len(rows), BATCH):
                with transaction(self._db):
                    self._db.executemany(statement, rows[start : start + BATCH])  # type: ignore[arg-type]
                    after()

        self._ask(write)
