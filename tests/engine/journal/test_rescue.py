"""A damaged journal: it is kept, what can be read of it is read, and the person is told until they have seen it."""

import os
import shutil
import sqlite3
import time

import pytest

from cmdr.engine.journal import rescue, store
from cmdr.engine.journal.journal import Journal
from cmdr.engine.journal.reading import pack
from cmdr.engine.journal.records import ItemState, ItemUpdate
from cmdr.engine.journal.store import JournalTooNew, JournalUnavailable, open_store
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Fingerprint, Kind, Place, Plan, PlanItem, Root, StepName, Verb

PAGE = 4096
MANY = 60


def plan(count=3):
    mark = Fingerprint(1, 2, 3, 4, Kind.FILE)
    items = tuple(
        PlanItem(StepName.COPY, Kind.FILE, Place(b"/s", b"%d" % n), Place(b"/t", b"%d" % n), mark) for n in range(count)
    )
    return Plan(Verb.COPY, items, (Root(b"/s", 1, 2), Root(b"/t", 1, 3)), destination=b"/t")


@pytest.fixture
def path(tmp_path):
    """A journal of sixty operations, each by somebody else, the last of them cut short."""
    path = os.fsencode(tmp_path / "journal.db")
    journal = Journal(path)
    for number in range(1, MANY + 1):
        assert journal.begin(plan(), f"who-{number:03}-{'x' * 300}") == number
        journal.note(number, [ItemUpdate(n, ItemState.LANDED, f"why-{number:03}-{n}-{'y' * 300}") for n in range(3)])
        if number < MANY:
            journal.finish(number, OperationState.DONE)
    journal.close()
    return path


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def page_with(path, text):
    """The number of the page that holds a text."""
    return contents(path).index(text) // PAGE


def spoil(path, *pages):
    with open(path, "r+b") as file:
        for page in pages:
            file.seek(page * PAGE)
            file.write(b"\xa5" * PAGE)


def listing(journal):
    return [entry.id for entry in reversed(journal.history(200))]


def opened(path):
    journal = Journal(path)
    (damage,) = journal.damage()
    return journal, damage


def test_what_stands_before_and_after_the_damage_is_read_and_the_file_is_kept(path, tmp_path):
    """All of the history was gone without a word."""
    spoil(path, page_with(path, b"who-030"))
    before = contents(path)
    begun = time.time()
    journal, damage = opened(path)
    try:
        kept = listing(journal)
        assert kept[0] == 1
        assert kept[-1] == MANY
        assert 30 not in kept
        assert 0 < damage.lost == MANY - len(kept) < 20
        assert damage.rescued == len(kept)
        assert journal.put_aside == damage.kept
        assert contents(damage.kept) == before
        assert begun <= damage.at <= time.time()
        assert journal.operation(1).plan.digest == plan().digest
        assert [item.reason[:9] for item in journal.operation(MANY).items] == [f"why-060-{n}" for n in range(3)]
        assert journal.interrupted() == []
        assert [left.id for left in journal.unrecovered()] == [MANY], "what was cut short is still looked at"
        assert journal.begin(plan(), "x") == MANY + 1
        assert not [name for name in os.listdir(tmp_path) if "rescue" in name]
    finally:
        journal.close()


def test_it_is_told_until_it_was_seen(path):
    spoil(path, page_with(path, b"who-030"))
    journal, damage = opened(path)
    assert not damage.is_seen
    assert f"{damage.rescued} operations read from it, {damage.lost} could not be read" in damage.told()
    assert os.fsdecode(damage.kept) in damage.told()
    journal.close()
    journal, damage = opened(path)
    assert not damage.is_seen
    assert journal.put_aside is None
    journal.damage_seen()
    journal.close()
    journal, damage = opened(path)
    assert damage.is_seen
    journal.close()


def test_two_damaged_places_leave_what_is_between_them(path):
    spoil(path, page_with(path, b"who-015"), page_with(path, b"who-045"))
    journal, _ = opened(path)
    kept = listing(journal)
    journal.close()
    assert {1, 30, MANY} <= set(kept)
    assert not {15, 45} & set(kept)


def test_numbers_of_lost_operations_are_not_given_again(path):
    spoil(path, page_with(path, b"who-060"))
    journal, _ = opened(path)
    assert MANY not in listing(journal)
    assert journal.begin(plan(), "x") == MANY + 1
    journal.close()


def test_an_operation_whose_items_are_lost_is_not_offered_to_go_on(path):
    spoil(path, page_with(path, b"why-060-1"))
    journal, _ = opened(path)
    assert journal.operation(MANY).state is OperationState.LEFT
    assert list(journal.unrecovered()) == []
    journal.close()


def test_an_operation_whose_plan_cannot_be_unpacked_is_lost(path):
    db = sqlite3.connect(path)
    db.execute("UPDATE operations SET plan = ? WHERE id = 7", (pack(plan())[:-3],))
    db.execute("UPDATE operations SET plan = 'no plan' WHERE id = 8")
    db.execute("UPDATE operations SET plan = ? WHERE id = 9", (b"no plan",))
    db.commit()
    db.close()
    spoil(path, page_with(path, b"who-030"))
    journal, _ = opened(path)
    assert listing(journal)[:7] == [1, 2, 3, 4, 5, 6, 10]
    journal.close()


def test_a_journal_without_a_readable_head_is_kept_and_nobody_knows_what_was_in_it(path):
    spoil(path, 0)
    journal, damage = opened(path)
    assert (damage.rescued, damage.lost) == (0, None)
    assert "0 operations read from it, how many are lost is not known" in damage.told()
    journal.close()


@pytest.mark.parametrize("how", ["empty", "gone"])
def test_an_empty_journal_is_damage_too(path, how):
    """An empty file is a new database to SQLite: the history began anew, and nobody was told."""
    os.truncate(path, 0) if how == "empty" else os.unlink(path)
    journal, damage = opened(path)
    assert damage.rescued == 0
    if how == "gone":
        assert damage.kept is None
        assert "The journal was gone" in damage.told()
    else:
        assert contents(damage.kept) == b""
    journal.close()


def test_a_journal_that_was_never_begun_is_new(tmp_path):
    path = os.fsencode(tmp_path / "journal.db")
    with open(path, "wb"):
        pass  # a first start on a full disk leaves this
    journal = Journal(path)
    assert journal.damage() == []
    journal.close()


def test_a_damaged_journal_of_before_is_read_in_its_own_format_and_then_migrated(tmp_path):
    path = os.fsencode(tmp_path / "journal.db")
    db, _ = open_store(path, store.MIGRATIONS[:2])
    for number in range(40):
        db.execute(
            "INSERT INTO operations (plan, digest, verb, state, by, started, total, title)"
            " VALUES (?, '', 'copy', 'done', ?, 1, 3, x'2f73')",
            (pack(plan()), f"who-{number:03}-{'x' * 300}"),
        )
    db.close()
    spoil(path, page_with(path, b"who-020"))
    journal, damage = opened(path)
    assert 10 < damage.rescued < 40
    assert journal.history()[0].done == 0, "counted by the migration"
    journal.close()
    assert not [name for name in os.listdir(tmp_path) if "before" in name]


def test_a_damaged_journal_of_a_newer_version_is_left_alone(path):
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    spoil(path, page_with(path, b"who-030"))
    before = contents(path)
    with pytest.raises(JournalTooNew, match="format 99"):
        Journal(path)
    assert contents(path) == before


class Crash(BaseException):
    """The program ends here."""


@pytest.mark.parametrize("moment", ["before the first name", "between the names", "before the last name"])
def test_a_crash_while_the_journals_change_places_costs_nothing(path, monkeypatch, moment):
    spoil(path, page_with(path, b"who-030"))
    with open(path + b"-wal", "wb") as file:
        file.write(b"not a log")
    real, names = store.Syscalls.rename, []

    def rename(self, *what):
        if moment == "before the first name" or (moment == "between the names" and names):
            raise Crash
        names.append(what[0])
        real(self, *what)

    def last(*what):
        raise Crash

    with monkeypatch.context() as crashing:
        crashing.setattr(store.Syscalls, "rename", rename)
        crashing.setattr(store.os, "rename", last)
        with pytest.raises(Crash):
            open_store(path)
    journal, damage = opened(path)
    assert journal.put_aside == damage.kept
    assert os.path.exists(damage.kept)
    assert {1, MANY} <= set(listing(journal))
    journal.close()


@pytest.mark.parametrize("what", ["nothing", "rubbish"])
def test_a_new_journal_that_was_not_finished_is_made_again(path, what):
    spoil(path, page_with(path, b"who-030"))
    if what == "nothing":
        open_store(path + b".rescue")[0].close()
    else:
        with open(path + b".rescue", "wb") as file:
            file.write(b"rubbish" * 1000)
    journal, damage = opened(path)
    assert damage.rescued > 10
    journal.close()


def test_more_than_can_be_tried_one_by_one_is_given_up(path, monkeypatch):
    monkeypatch.setattr(rescue, "SINGLY", 2)
    spoil(path, page_with(path, b"who-015"), page_with(path, b"who-045"))
    journal, _ = opened(path)
    assert 30 not in listing(journal)
    journal.close()


def test_damage_that_is_found_later_is_told_in_words(path):
    journal = Journal(path)
    try:
        page = page_with(path, b"who-030")
        journal._ask(lambda: journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
        spoil(path, page)
        journal._ask(lambda: journal._db.execute("PRAGMA cache_size = 0"))
        with pytest.raises(JournalUnavailable, match="is damaged"):
            journal.history(200)
    finally:
        journal.close()
    journal, damage = opened(path)
    assert damage.rescued > 10
    journal.close()


def test_what_was_written_last_is_read_too(path, tmp_path):
    """It may still lie beside the file, in the log of its writes."""
    journal = Journal(path)
    number = journal.begin(plan(), "newest")
    copy = tmp_path / "copy"
    copy.mkdir()
    for companion in ("", "-wal"):
        shutil.copy(os.fsdecode(path) + companion, copy / f"journal.db{companion}")
    journal.close()
    path = os.fsencode(copy / "journal.db")
    spoil(path, page_with(path, b"who-030"))
    journal, damage = opened(path)
    assert number in listing(journal)
    assert b"newest" in contents(damage.kept)
    journal.close()
