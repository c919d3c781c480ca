"""The journal: what it says survives, what is damaged is kept, what is too new is left alone."""

import os
import sqlite3
import threading

import pytest

from cmdr.engine.journal import reading, store
from cmdr.engine.journal.journal import BATCH, Journal
from cmdr.engine.journal.reading import NoSuchOperation
from cmdr.engine.journal.records import Backup, Intent, ItemState, ItemUpdate, NoRecord
from cmdr.engine.journal.store import JournalTooNew, JournalUnavailable, open_store
from cmdr.model.history import OperationState
from cmdr.model.plans.attributes import Traits
from cmdr.model.plans.plan import Fingerprint, Kind, Place, Plan, PlanItem, Root, StepName, Totals, Verb

MARK = Fingerprint(1, 2**63 + 5, 3, 4, Kind.FILE)
KEPT = Backup(Root(b"/trash/files", 1, 2), Root(b"/trash/info", 1, 3), b"n\xff", b"n\xff.trashinfo")


def plan(count=3, undoes=None):
    items = tuple(
        PlanItem(
            StepName.COPY,
            Kind.FILE,
            Place(b"/s", b"\xff%d" % n),
            Place(b"/t", b"\xff%d" % n),
            MARK,
            totals=Totals(1, 0, 3),
        )
        for n in range(count)
    )
    return Plan(Verb.COPY, items, (Root(b"/s", 1, 2), Root(b"/t", 1, 3)), destination=b"/t", undoes=undoes)


@pytest.fixture
def path(tmp_path):
    return os.fsencode(tmp_path / "journal.db")


@pytest.fixture
def journal(path):
    made = Journal(path, now=iter(range(1000, 10_000)).__next__)
    yield made
    made.close()


def test_an_operation_is_remembered_item_by_item(journal):
    number = journal.begin(plan(), "person:terminal")
    beside = Place(b"/t", b"\xff0")
    journal.intend(number, [Intent(0, b".cmdr-tmp-0", beside, KEPT), Intent(1, b".cmdr-tmp-1", None, parks=True)])
    record = journal.operation(number)
    assert [item.state for item in record.items] == [ItemState.PLANNED] * 2
    assert record.items[0].temp == b".cmdr-tmp-0"
    assert record.items[0].beside == beside
    assert record.items[0].kept == KEPT
    assert record.items[1].parks
    journal.note(number, [ItemUpdate(0, ItemState.STAGED, staged=MARK, temp_gone=False)])
    assert journal.operation(number).items[0].temp == b".cmdr-tmp-0"
    journal.note(
        number, [ItemUpdate(0, ItemState.LANDED, "", beside, None, MARK, KEPT), ItemUpdate(2, ItemState.SKIPPED, "why")]
    )
    journal.finish(number, OperationState.DONE)
    record = journal.operation(number)
    assert record.plan == plan()
    assert record.items[0].landed == record.items[0].staged == MARK
    assert record.items[0].temp is None
    assert record.items[0].kept == KEPT
    assert record.items[2].reason == "why"
    assert record.done == 1
    assert (record.by, record.state, record.started, record.ended) == (
        "person:terminal",
        OperationState.DONE,
        1000,
        1001,
    )


def test_a_settled_item_forgets_the_slot_it_did_not_need(journal):
    number = journal.begin(plan(), "")
    journal.intend(number, [Intent(0, b"t", None, KEPT), Intent(1, b"u", None, KEPT)])
    journal.note(number, [ItemUpdate(0, ItemState.LANDED), ItemUpdate(1, ItemState.FAILED, temp_gone=False)])
    first, second = journal.operation(number).items
    assert (first.kept, first.temp) == (None, None)
    assert (second.kept, second.temp) == (KEPT, b"u")


def test_history_is_newest_first_and_counts_what_was_done(journal):
    for _ in range(3):
        number = journal.begin(plan(), "agent:codex")
        journal.note(
            number,
            [ItemUpdate(0, ItemState.LANDED), ItemUpdate(1, ItemState.SOURCE_REMOVED), ItemUpdate(2, ItemState.FAILED)],
        )
        journal.finish(number, OperationState.DONE)
    entries = journal.history(2)
    assert [entry.id for entry in entries] == [3, 2]
    assert [entry.id for entry in journal.history(before=2)] == [1]
    entry = entries[0]
    assert (entry.verb, entry.total, entry.done, entry.title, entry.destination) == (
        Verb.COPY,
        3,
        2,
        b"/s/\xff0",
        b"/t",
    )


def test_the_count_of_what_was_done_is_kept_and_follows_a_later_look(journal):
    number = journal.begin(plan(), "")
    journal.note(number, [ItemUpdate(0, ItemState.LANDED)])
    assert journal.history()[0].done == 1, "counted while it runs"
    journal.finish(number, OperationState.INTERRUPTED)
    assert journal._ask(lambda: journal._db.execute("SELECT done FROM operations").fetchall()) == [(1,)]
    journal.note(number, [ItemUpdate(1, ItemState.LANDED)])
    assert journal.history()[0].done == 2


def renaming(*pairs):
    items = tuple(
        PlanItem(StepName.RENAME, Kind.FILE, Place(b"/s", b"sub/" + old), Place(b"/s", b"sub/" + new), MARK)
        for old, new in pairs
    )
    return Plan(Verb.RENAME, items, (Root(b"/s", 1, 2),))


def test_a_rename_is_told_with_the_new_name(journal):
    journal.begin(renaming((b"old\xff", b"new\xff"), (b"b", b"c")), "")
    journal.begin(plan(), "")
    copied, renamed = journal.history()
    assert (renamed.title, renamed.new_name) == (b"/s/sub/old\xff", b"new\xff")
    assert copied.new_name is None


def test_a_journal_of_before_knows_counts_and_new_names_as_well(path):
    db, _ = open_store(path, store.MIGRATIONS[:2])
    columns = "plan, digest, verb, state, by, started, total, title"
    insert = f"INSERT INTO operations ({columns}) VALUES (?, '', ?, ?, '', 1, 2, ?)"
    packed = reading.pack(renaming((b"old", b"new\xff")))
    for verb, state, blob in (
        ("rename", "done", packed),
        ("rename", "done", b"no plan"),
        ("copy", "running", reading.pack(plan())),
    ):
        db.execute(insert, (blob, verb, state, b"/s/sub/old"))
    for operation in (1, 3):
        db.execute(
            "INSERT INTO items (operation, idx, state) VALUES (?, 0, 'landed'), (?, 1, 'failed')", (operation,) * 2
        )
    db.close()
    journal = Journal(path)
    try:
        running, unreadable, renamed = journal.history()
        assert (renamed.new_name, renamed.done) == (b"new\xff", 1)
        assert (unreadable.new_name, unreadable.done) == (None, 0)
        assert (running.new_name, running.done) == (None, 1)
        assert journal._ask(lambda: journal._db.execute("SELECT done FROM operations").fetchall()) == [
            (1,),
            (0,),
            (None,),
        ]
        journal.note(3, [ItemUpdate(1, ItemState.LANDED)])
        assert journal.history()[0].done == 2
        assert journal.last_undoable() == 1
    finally:
        journal.close()


def test_what_surrounded_a_folder_is_remembered_until_it_is_needed(journal):
    traits = Traits(0o1711, 1, 2, 3, 2**62, (("user.x\udcff", b"\x00\xff"),))
    number = journal.begin(plan(), "")
    journal.intend(number, [Intent(0, b"t", None, traits=traits)])
    journal.intend(number, [Intent(0, b"u", None, parks=True)])
    journal.note(number, [ItemUpdate(0, ItemState.SOURCE_REMOVED)])
    (item,) = journal.operation(number).items
    assert item.traits == traits


def test_undoing_marks_what_was_undone(journal):
    assert journal.last_undoable() is None
    first = journal.begin(plan(), "")
    journal.note(first, [ItemUpdate(0, ItemState.LANDED)])
    assert journal.last_undoable() is None
    journal.finish(first, OperationState.DONE)
    assert journal.last_undoable() == first
    second = journal.begin(plan(2, undoes=first), "")
    journal.note(second, [ItemUpdate(0, ItemState.LANDED), ItemUpdate(1, ItemState.SKIPPED)])
    journal.finish(second, OperationState.DONE)
    assert journal.operation(first).undone_by == second
    assert journal.last_undoable() is None
    assert (journal.left(first), journal.left(second)) == (1, None)
    assert [(entry.id, entry.undone) for entry in journal.history()] == [(second, ""), (first, "undone, 1 left")]


def test_an_undo_that_did_nothing_has_undone_nothing(journal):
    first = journal.begin(plan(), "")
    journal.note(first, [ItemUpdate(0, ItemState.LANDED)])
    journal.finish(first, OperationState.DONE)
    undo = journal.begin(plan(undoes=first), "")
    journal.note(undo, [ItemUpdate(0, ItemState.FAILED, "the disk is full")])
    journal.finish(undo, OperationState.DONE)
    assert journal.operation(first).undone_by is None
    assert journal.last_undoable() == first


def test_what_was_running_is_found_again_until_it_is_settled(journal):
    number = journal.begin(plan(), "")
    journal.intend(number, [Intent(0, b"t", None)])
    assert [record.id for record in journal.unrecovered()] == [number]
    journal.finish(number, OperationState.INTERRUPTED)
    assert [record.id for record in journal.unrecovered()] == [number]
    journal.note(number, [ItemUpdate(0, ItemState.PLANNED)])
    assert list(journal.unrecovered()) == []
    assert [entry.id for entry in journal.interrupted()] == [number]
    journal.leave(number)
    assert journal.interrupted() == []
    assert journal.operation(number).state is OperationState.LEFT


def test_many_items_are_written_in_batches(journal):
    count = BATCH * 2 + 5
    number = journal.begin(plan(count), "")
    journal.intend(number, [Intent(n, b"t", None) for n in range(count)])
    assert len(journal.operation(number).items) == count


def test_a_large_operation_is_read_page_by_page_both_ways(journal, monkeypatch):
    monkeypatch.setattr(reading, "PAGE", 4)
    number = journal.begin(plan(11), "")
    journal.note(number, [ItemUpdate(n, ItemState.LANDED, landed=MARK) for n in range(11)])
    record = journal.operation(number)
    assert [item.index for item in record.items] == list(range(11))
    assert [item.index for item in reversed(record.items)] == list(reversed(range(11)))
    assert {item.landed for item in record.items} == {MARK}
    assert record.done == 11


def test_of_a_large_operation_only_what_needs_a_look_is_read(journal):
    number = journal.begin(plan(500), "")
    journal.note(number, [ItemUpdate(n, ItemState.LANDED) for n in range(300)])
    journal.intend(number, [Intent(n, b"t%d" % n, None) for n in (301, 400, 499)])
    journal.note(number, [ItemUpdate(302, ItemState.PLANNED), ItemUpdate(303, ItemState.FAILED)])
    (left,) = journal.unrecovered()
    assert [item.index for item in left.items] == [301, 302, 400, 499]
    assert [item.source for item in left.plan.items] == [plan(500).items[n].source for n in (301, 302, 400, 499)]
    assert left.plan.roots == plan().roots
    journal.finish(number, OperationState.INTERRUPTED)
    (left,) = journal.unrecovered()
    assert [item.index for item in left.items] == [301, 400, 499]


def test_an_operation_that_was_killed_before_its_first_item_needs_a_look_all_the_same(journal):
    number = journal.begin(plan(), "")
    (left,) = journal.unrecovered()
    assert (left.id, left.plan.items, left.items) == (number, (), ())


def test_an_unknown_operation_is_a_clear_error(journal):
    with pytest.raises(NoSuchOperation, match="no operation 99"):
        journal.operation(99)


def test_a_failed_write_leaves_nothing_half_written(journal):
    number = journal.begin(plan(), "")
    with pytest.raises(sqlite3.Error):
        journal.intend(number, [Intent(0, b"t", None), Intent(1, object(), None)])  # type: ignore[arg-type]
    assert journal.operation(number).items == ()


def test_only_one_thread_touches_the_file(journal):
    number = journal.begin(plan(200), "")
    threads = [
        threading.Thread(target=journal.note, args=(number, [ItemUpdate(n, ItemState.LANDED)])) for n in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert journal.operation(number).done == 16
    with pytest.raises(sqlite3.ProgrammingError):
        journal._db.execute("SELECT 1")


def test_the_journal_survives_a_reopening(path):
    first = Journal(path)
    number = first.begin(plan(), "x")
    first.close()
    second = Journal(path)
    assert second.operation(number).plan.digest == plan().digest
    assert second.put_aside is None
    second.close()


def test_it_is_durable_before_it_answers(path):
    db, _ = open_store(path)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA synchronous").fetchone() == (2,)
    db.close()


@pytest.mark.parametrize("damage", ["not a database", "torn"])
def test_a_damaged_journal_is_put_aside_whole(path, damage):
    if damage == "not a database":
        text = b"this is not a database, but somebody may want it back" * 100
    else:
        made = Journal(path)
        number = made.begin(plan(2000), "")
        made.note(number, [ItemUpdate(n, ItemState.LANDED, "reason " * 20) for n in range(2000)])
        made.close()
        with open(path, "rb") as file:
            text = bytearray(file.read())
        text[4096 * 2 : 4096 * 12] = b"\xa5" * 4096 * 10
    with open(path, "wb") as file:
        file.write(text)
    journal = Journal(path)
    try:
        assert journal.put_aside is not None
        with open(journal.put_aside, "rb") as file:
            assert file.read() == text
        assert journal.history() == []
    finally:
        journal.close()


def test_a_newer_journal_is_refused_and_left_untouched(path):
    db, _ = open_store(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with open(path, "rb") as file:
        before = file.read()
    with pytest.raises(JournalTooNew, match="format 99"):
        Journal(path)
    with open(path, "rb") as file:
        assert file.read() == before


def test_an_unreachable_place_is_an_error_and_nothing_is_put_aside(tmp_path):
    with pytest.raises(JournalUnavailable, match="No such file or directory"):
        Journal(os.fsencode(tmp_path / "missing" / "journal.db"))


def test_a_migration_keeps_a_copy_and_is_all_or_nothing(path, tmp_path):
    db, _ = open_store(path)
    db.close()

    def second(db):
        db.execute("CREATE TABLE more (x)")

    def broken(db):
        db.execute("CREATE TABLE half (x)")
        raise RuntimeError("power cut")

    steps = (*store.MIGRATIONS, second)
    with pytest.raises(RuntimeError):
        open_store(path, (*steps, broken))
    db, _ = open_store(path, steps)
    assert db.execute("PRAGMA user_version").fetchone() == (len(steps),)
    assert [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE name IN ('more', 'half')")] == ["more"]
    db.close()
    assert [name for name in os.listdir(tmp_path) if ".before-" in name]


def test_nothing_is_recorded_where_nobody_wants_a_record():
    recorder = NoRecord()
    assert recorder.begin(plan(), "") == 0
    recorder.intend(0, [])
    recorder.note(0, [])
    recorder.finish(0, OperationState.DONE)
    assert recorder.unrecovered() == ()
