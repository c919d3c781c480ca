"""The journal: what every operation meant to do and did, on the disk before and after each change."""

import json
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from cmdr.core.journal_store import open_store, transaction
from cmdr.files.engine.recorder import (
    Intent,
    ItemRecord,
    ItemState,
    Kept,
    Note,
    OperationRecord,
    OperationState,
)
from cmdr.model.plan import Fingerprint, Kind, Place, Plan, Root, Verb

T = TypeVar("T")
BATCH = 256


class NoSuchOperation(Exception):
    """The journal has no operation of that number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"There is no operation {number} in the journal. See the history for what there is.")


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One line of the history."""

    id: int
    verb: Verb
    state: OperationState
    by: str
    started: float
    ended: float | None
    total: int
    done: int
    title: bytes
    """The path of its first item."""
    destination: bytes | None
    undoes: int | None
    undone_by: int | None


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
        packed = zlib.compress(plan.encoded, 1)
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
            (operation, i.index, ItemState.PLANNED, i.temp, i.parks, _place_blob(i.beside), _kept_blob(i.kept))
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
                "target": _place_blob(n.target),
                "staged": _mark_blob(n.staged),
                "landed": _mark_blob(n.landed),
                "kept": _kept_blob(n.kept),
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
        return self._entries("WHERE o.id < ? ORDER BY o.id DESC LIMIT ?", (before or 1 << 62, limit))

    def interrupted(self) -> list[HistoryEntry]:
        """The operations that ended in the middle and wait for a word: resume, undo or leave."""
        return self._entries("WHERE o.state = 'interrupted' ORDER BY o.id", ())

    def last_undoable(self) -> int | None:
        """The newest operation that changed something and has not been taken back."""

        def read() -> int | None:
            row = self._db.execute(
                "SELECT max(o.id) FROM operations o WHERE o.undone_by IS NULL AND o.undoes IS NULL"
                " AND o.state NOT IN ('running') AND EXISTS (SELECT 1 FROM items i WHERE i.operation = o.id"
                " AND i.state IN ('landed', 'source_removed'))"
            ).fetchone()
            return None if row[0] is None else int(row[0])

        return self._ask(read)

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

    def _entries(self, where: str, values: tuple[int, ...]) -> list[HistoryEntry]:
        def read() -> list[HistoryEntry]:
            rows = self._db.execute(
                "SELECT o.id, o.verb, o.state, o.by, o.started, o.ended, o.total, (SELECT count(*) FROM items i"  # noqa: S608
                " WHERE i.operation = o.id AND i.state IN ('landed', 'source_removed')), o.title, o.destination,"
                f" o.undoes, o.undone_by FROM operations o {where}",
                values,
            )
            return [HistoryEntry(row[0], Verb(row[1]), OperationState(row[2]), *row[3:]) for row in rows]

        return self._ask(read)

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
        items = tuple(_item(row) for row in rows)
        return OperationRecord(
            number, Plan.decode(zlib.decompress(plan)), OperationState(state), by, started, ended, items, undone_by
        )


_Row = tuple[
    int,
    str,
    str,
    bytes | None,
    bytes | None,
    bytes | None,
    bytes | None,
    bytes | None,
    bytes | None,
    int,
]


def _item(row: _Row) -> ItemRecord:
    index, state, reason, temp, beside, target, staged, landed, kept, parks = row
    return ItemRecord(
        index,
        ItemState(state),
        reason,
        temp,
        _place(beside),
        _place(target),
        _mark(staged),
        _mark(landed),
        _kept(kept),
        bool(parks),
    )


def _blob(*values: object) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode()


def _place_blob(place: Place | None) -> bytes | None:
    return None if place is None else _blob(place.root.decode("latin-1"), place.rel.decode("latin-1"))


def _place(blob: bytes | None) -> Place | None:
    return None if blob is None else Place(*(text.encode("latin-1") for text in json.loads(blob)))


def _mark_blob(mark: Fingerprint | None) -> bytes | None:
    if mark is None:
        return None
    # Twice for every file: worth spelling out.
    return b'[%d,%d,%d,%d,"%s"]' % (mark.dev, mark.ino, mark.size, mark.mtime_ns, mark.kind.encode())


def _mark(blob: bytes | None) -> Fingerprint | None:
    if blob is None:
        return None
    dev, ino, size, mtime_ns, kind = json.loads(blob)
    return Fingerprint(dev, ino, size, mtime_ns, Kind(kind))


def _root_row(root: Root) -> tuple[str, int, int]:
    return root.path.decode("latin-1"), root.dev, root.ino


def _kept_blob(kept: Kept | None) -> bytes | None:
    if kept is None:
        return None
    return _blob(_root_row(kept.files), _root_row(kept.info), kept.name.decode("latin-1"), kept.note.decode("latin-1"))


def _kept(blob: bytes | None) -> Kept | None:
    if blob is None:
        return None
    files, info, name, note = json.loads(blob)
    return Kept(
        Root(files[0].encode("latin-1"), files[1], files[2]),
        Root(info[0].encode("latin-1"), info[1], info[2]),
        name.encode("latin-1"),
        note.encode("latin-1"),
    )
