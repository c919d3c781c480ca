"""What rules have admitted, kept in the state folder: budgets that a restart or a clock set back does not refill.

Each rule has at most a row for each minute of the last hour. While the program runs an hour is one of a clock that
nobody sets; of what an earlier run admitted, the clock on the wall tells how long ago that was, and what would lie in
the future was just now.
"""

import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from cmdr.core import places
from cmdr.model.plans.trust_plan import Identity
from cmdr.model.rules import HOUR_S, Spent

FILE_NAME = "rules.db"
KEPT_OPERATIONS = 50_000
"""Operations of which it is known that a rule admitted them, the newest."""
_MINUTE_S = 60.0
_ALL = Spent(1 << 62, 1 << 62, 1 << 62)
_Work = list[tuple[str, tuple[object, ...]]]
_TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS roots (rule INTEGER, path BLOB, identity TEXT NOT NULL, PRIMARY KEY (rule, path));
CREATE TABLE IF NOT EXISTS numbers (entry TEXT PRIMARY KEY, rule INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS spent (rule INTEGER, minute TEXT, at REAL NOT NULL, files INTEGER NOT NULL,
    bytes INTEGER NOT NULL, operations INTEGER NOT NULL, PRIMARY KEY (rule, minute));
CREATE TABLE IF NOT EXISTS admitted (operation INTEGER PRIMARY KEY, rule INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS begun (digest TEXT PRIMARY KEY, rule INTEGER NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS suspended (rule INTEGER PRIMARY KEY, why TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS expired (rule INTEGER PRIMARY KEY, until REAL NOT NULL);
"""


def steady_clock() -> float:
    """Seconds on a clock that nobody sets, and that goes on while the machine sleeps where there is such a one."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(slots=True)
class _Minute:
    """What a rule admitted within one minute."""

    at: float
    """The latest of it, by the clock that nobody sets."""
    files: int = 0
    bytes: int = 0
    operations: int = 0


class Ledger:
    """Lives in memory and in a file. Reading and noting never wait; what `save` is given is written by a thread."""

    def __init__(
        self,
        folder: str | None,
        now: Callable[[], float] = time.time,
        steady: Callable[[], float] = steady_clock,
    ) -> None:
        """Without a folder it is kept in memory only."""
        self._path = None if folder is None else os.path.join(folder, FILE_NAME)
        self._now = now
        self._steady = steady
        self._db: sqlite3.Connection | None = None
        self._using = threading.Lock()
        self._run = secrets.token_hex(6)
        """Tells the minutes of this run from those of others."""
        self._spent: dict[int, dict[str, _Minute]] = {}
        self._full_from: float | None = None
        """Since when nothing is known of what was admitted before: for an hour all counts as spent."""
        self.operations: dict[int, int] = {}
        """The rule that admitted each operation."""
        self.begun: dict[str, int] = {}
        """The rule that admitted each plan, by its digest, of which it is not known yet which operation it became."""
        self.roots: dict[tuple[int, bytes], Identity] = {}
        self.numbers: dict[str, int] = {}
        """The rules that entries without a number have become, by what they say."""
        self.suspended: dict[int, tuple[str, float]] = {}
        """Rules that were suspended by themselves, why and when, until the person has seen it."""
        self.expired: dict[int, float] = {}
        """Rules whose time was over once, and that time: a clock set back does not bring them back."""
        self.last_number = 0
        self.trouble = ""
        """Why the file cannot be used; then nothing is admitted."""

    def load(self) -> None:
        """Open the file and read all of it; blocks. A damaged one is put aside, and nothing is admitted for an hour."""
        with self._using:
            try:
                self._open()
            except sqlite3.DatabaseError as problem:
                if self._path is None or isinstance(problem, sqlite3.OperationalError):
                    self.trouble = f"the record of what rules admitted cannot be used: {problem}"
                    return
                self._close()
                places.set_aside(self._path)
                self._full_from = self._steady()
                try:
                    self._open()
                    self._write([("INSERT OR REPLACE INTO facts VALUES ('full', ?)", (str(self._now()),))])
                except sqlite3.Error as again:
                    self.trouble = f"the record of what rules admitted cannot be used: {again}"
                    return
            self.trouble = ""

    def close(self) -> None:
        """Close the file."""
        with self._using:
            self._close()

    def spent(self, rule: int) -> Spent:
        """What a rule has admitted within the last hour."""
        if self._full_from is not None and self._steady() - self._full_from < HOUR_S:
            return _ALL
        left = [one for one in self._spent.get(rule, {}).values() if not self._is_over(one)]
        return Spent(
            sum(one.files for one in left), sum(one.bytes for one in left), sum(one.operations for one in left)
        )

    def spend(self, rules: Iterable[int], digest: str, files: int, size: int) -> Callable[[], None]:
        """Count an operation against the budgets of some rules, at once; what is returned writes it, and blocks."""
        now, steady = self._now(), self._steady()
        minute, numbers = f"{self._run} {int(steady // _MINUTE_S)}", list(rules)
        work: _Work = []
        for rule in numbers:
            minutes = self._spent.setdefault(rule, {})
            for over in [name for name, one in minutes.items() if self._is_over(one)]:
                del minutes[over]
                work.append(("DELETE FROM spent WHERE rule = ? AND minute = ?", (rule, over)))
            one = minutes.setdefault(minute, _Minute(steady))
            one.at = steady
            one.files, one.bytes, one.operations = one.files + files, one.bytes + size, one.operations + 1
            row = (rule, minute, now, one.files, one.bytes, one.operations)
            work.append(("INSERT OR REPLACE INTO spent VALUES (?, ?, ?, ?, ?, ?)", row))
        self.begun[digest] = numbers[0]
        work.append(("INSERT OR REPLACE INTO begun VALUES (?, ?, ?)", (digest, numbers[0], now)))
        return lambda: self._save(work)

    def _is_over(self, one: _Minute) -> bool:
        return one.at <= self._steady() - HOUR_S

    def became(self, digest: str, operation: int, rule: int) -> Callable[[], None]:
        """A plan that a rule admitted became an operation; what is returned writes it."""
        self.begun.pop(digest, None)
        self.operations[operation] = rule
        oldest = 0
        while len(self.operations) > KEPT_OPERATIONS:
            oldest = min(self.operations)
            del self.operations[oldest]
        return lambda: self._save(
            [
                ("INSERT OR REPLACE INTO admitted VALUES (?, ?)", (operation, rule)),
                ("DELETE FROM begun WHERE digest = ?", (digest,)),
                ("DELETE FROM admitted WHERE operation <= ?", (oldest,)),
            ]
        )

    def never_ran(self, digest: str) -> Callable[[], None]:
        """A plan that a rule admitted was not carried out after all; what is returned writes it."""
        self.begun.pop(digest, None)
        return lambda: self._save([("DELETE FROM begun WHERE digest = ?", (digest,))])

    def new_number(self) -> int:
        """A number that no rule has had."""
        self.last_number += 1
        return self.last_number

    def remember(
        self,
        *,
        roots: Iterable[tuple[int, bytes, Identity]] = (),
        numbers: Iterable[tuple[str, int]] = (),
        kept: Iterable[int] | None = None,
    ) -> Callable[[], None]:
        """Take note of folders and numbers of rules; with `kept`, folders of other rules are forgotten."""
        work: _Work = []
        for rule, path, identity in roots:
            self.roots[rule, path] = identity
            work.append(("INSERT OR REPLACE INTO roots VALUES (?, ?, ?)", (rule, path, _text_of(identity))))
        for entry, rule in numbers:
            self.numbers[entry] = rule
            work.append(("INSERT OR REPLACE INTO numbers VALUES (?, ?)", (entry, rule)))
        if kept is not None:
            here = set(kept)
            for rule, path in [key for key in self.roots if key[0] not in here]:
                del self.roots[rule, path]
                work.append(("DELETE FROM roots WHERE rule = ? AND path = ?", (rule, path)))
            for entry in [entry for entry, rule in self.numbers.items() if rule not in here]:
                del self.numbers[entry]
                work.append(("DELETE FROM numbers WHERE entry = ?", (entry,)))
        work.append(("INSERT OR REPLACE INTO facts VALUES ('last', ?)", (str(self.last_number),)))
        return lambda: self._save(work)

    def note_suspended(self, rule: int, why: str) -> Callable[[], None]:
        """A rule was suspended by itself."""
        self.suspended[rule] = why, self._now()
        return lambda: self._save([("INSERT OR REPLACE INTO suspended VALUES (?, ?, ?)", (rule, why, self._now()))])

    def note_seen(self, rule: int) -> Callable[[], None]:
        """The person knows of it."""
        self.suspended.pop(rule, None)
        return lambda: self._save([("DELETE FROM suspended WHERE rule = ?", (rule,))])

    def note_expired(self, rule: int, until: float) -> Callable[[], None]:
        """The time of a rule is over, and stays so."""
        self.expired[rule] = until
        return lambda: self._save([("INSERT OR REPLACE INTO expired VALUES (?, ?)", (rule, until))])

    def _open(self) -> None:
        if self._path is None:
            return
        self._close()
        self._db = sqlite3.connect(self._path, timeout=5, check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.executescript(_TABLES)
        if (answer := self._db.execute("PRAGMA quick_check").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(answer)  # pragma: no cover - where SQLite finds damage it mostly throws itself
        self._read(self._db)

    def _read(self, db: sqlite3.Connection) -> None:
        known = dict(db.execute("SELECT name, value FROM facts"))
        self.last_number = max(self.last_number, int(known.get("last", "0")))
        if "full" in known:
            self._full_from = self._steadily(float(known["full"]))
        for rule, minute, at, files, size, operations in db.execute("SELECT * FROM spent"):
            self._spent.setdefault(rule, {})[minute] = _Minute(self._steadily(at), files, size, operations)
        self.operations = dict(db.execute("SELECT operation, rule FROM admitted ORDER BY operation"))
        self.begun = dict(db.execute("SELECT digest, rule FROM begun ORDER BY at DESC LIMIT 1000"))
        self.roots = {(rule, path): _identity_of(text) for rule, path, text in db.execute("SELECT * FROM roots")}
        self.numbers = dict(db.execute("SELECT entry, rule FROM numbers"))
        self.suspended = {rule: (why, at) for rule, why, at in db.execute("SELECT * FROM suspended")}
        self.expired = dict(db.execute("SELECT rule, until FROM expired"))

    def _steadily(self, at: float) -> float:
        """A moment of an earlier run by the clock that nobody sets; one in the future was just now."""
        return self._steady() - max(0.0, self._now() - at)

    def _save(self, work: _Work) -> None:
        """Write some facts, all or none; raises `sqlite3.Error`."""
        with self._using:
            self._write(work)

    def _write(self, work: _Work) -> None:
        if self._path is None:
            return
        if self._db is None:
            raise sqlite3.OperationalError(self.trouble or "the record of what rules admitted is not open")
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for statement, values in work:
                self._db.execute(statement, values)
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


def _text_of(identity: Identity) -> str:
    return ":".join("" if part is None else str(part) for part in identity)


def _identity_of(text: str) -> Identity:
    device, inode, born = text.split(":")
    return int(device), int(inode), int(born) if born else None
