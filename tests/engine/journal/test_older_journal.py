"""A journal of the version before: all of it is shown, taken back and resumed."""

import asyncio
import json
import os
import sqlite3
import zlib

import pytest

from cmdr.core.changes.engine import Engine
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move, plan_trash
from cmdr.engine.run.control import Unattended

OLDER_FIELDS = 15
"""How many fields the line of an item had."""


class Crash(BaseException):
    """The program ends here."""


class Crashing(Syscalls):
    """Ends the program when so many names have been given."""

    names_left = 1_000_000

    def rename(self, *what):
        self.names_left -= 1
        if self.names_left < 0:
            raise Crash
        super().rename(*what)


def made_older(path):
    """The database as the version before would have left it."""
    with sqlite3.connect(path) as db:
        added = (("items", "traits"), ("items", "put_back"), ("operations", "done"), ("operations", "new_name"))
        for table, column in added:
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        for number, plan in db.execute("SELECT id, plan FROM operations").fetchall():
            head, *lines = map(json.loads, zlib.decompress(plan).split(b"\n"))
            older = [without_stamps(head), *(without_stamps(line[:OLDER_FIELDS]) for line in lines)]
            packed = zlib.compress(b"\n".join(json.dumps(line).encode() for line in older))
            db.execute("UPDATE operations SET plan = ? WHERE id = ?", (packed, number))
        for column in ("staged", "landed", "kept"):
            for operation, index, blob in db.execute(f"SELECT operation, idx, {column} FROM items").fetchall():
                older = None if blob is None else json.dumps(without_stamps(json.loads(blob))).encode()
                db.execute(f"UPDATE items SET {column} = ? WHERE operation = ? AND idx = ?", (older, operation, index))
        db.execute("DROP TABLE damage")
        db.execute("PRAGMA user_version = 2")
    db.close()


def without_stamps(value):
    """Fingerprints of five fields, and roots of three, as they were before they had a time that nobody can set."""
    if not isinstance(value, list):
        return value
    if len(value) == 6 and value[4] in ("file", "folder", "link", "special"):
        return value[:5]
    if len(value) == 4 and isinstance(value[0], str) and all(isinstance(number, int) for number in value[1:]):
        return value[:3]
    return [without_stamps(one) for one in value]


def seen(root):
    """Every file below a folder with what it holds."""
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def before(tmp_path, monkeypatch):
    """Two folders, a move, a rename, a deletion and a copy that a crash cut short; the folders as they were."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    root = tmp_path / "tree"
    for name in ("from/sub/one", "from/sub/two", "from/three", "to/old", "old name", "gone"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    was = seen(root)
    at = os.fsencode(root)
    calls = Crashing()
    engine = Engine(Journal(os.fsencode(tmp_path / "journal.db")), calls)
    for plan in (
        lambda: plan_rename([(at + b"/old name", b"new name")]),
        lambda: plan_trash([at + b"/gone"]),
        lambda: plan_move([at + b"/from/sub"], at + b"/to"),
    ):
        assert engine.run(plan(), "person:terminal", Unattended()).is_clean
    calls.names_left = 2
    with pytest.raises(Crash):
        engine.run(plan_copy([at + b"/to/sub", at + b"/from/three"], at), "agent:a", Unattended())
    engine._journal.close()
    made_older(tmp_path / "journal.db")
    return was


async def interrupted_engine(tmp_path):
    engine = Engine(Journal(os.fsencode(tmp_path / "journal.db")))
    await engine.start()
    return engine


def test_everything_in_it_is_shown(before, tmp_path):
    async def look():
        engine = await interrupted_engine(tmp_path)
        entries = await engine.history()
        (cut,) = await engine.interrupted()
        await engine.close()
        return entries, cut

    entries, cut = asyncio.run(look())
    assert [(entry.verb.value, entry.done) for entry in entries[1:]] == [("move", 1), ("trash", 1), ("rename", 1)]
    assert entries[3].new_name == b"new name"
    assert (cut.id, cut.state.value, 0 < cut.done < cut.total) == (4, "interrupted", True)


@pytest.mark.parametrize("goes_on", [False, True])
def test_everything_in_it_is_taken_back_and_what_was_cut_short_can_go_on_first(before, tmp_path, goes_on):
    root = tmp_path / "tree"

    async def take_back():
        engine = await interrupted_engine(tmp_path)

        def run(plan):
            outcome = engine.run(plan, "person:terminal", Unattended())
            assert outcome.is_clean, [each.reason for each in (*outcome.failed, *outcome.drifted)]

        if goes_on:
            run(await engine.resume_plan(4))
            assert {"sub/one", "sub/two", "three"} <= seen(root).keys()
        for number in (4, 3, 2, 1):
            run(await engine.undo_plan(number))
        await engine.close()

    asyncio.run(take_back())
    assert seen(root) == before
