"""Budgets are of any hour: no restart, no damage and no clock that is set back refills them."""

import sqlite3

import pytest

from cmdr.core.rules import rule_ledger
from cmdr.core.rules.rule_ledger import FILE_NAME, Ledger, steady_clock
from cmdr.model.rules import HOUR_S, Spent


class Clocks:
    """A clock on the wall that anybody sets, and one that nobody does."""

    def __init__(self):
        self.wall, self.steady = 1_790_000_000.0, 5000.0

    def pass_by(self, seconds):
        self.wall += seconds
        self.steady += seconds


@pytest.fixture
def clocks():
    return Clocks()


@pytest.fixture
def opened(tmp_path, clocks):
    ledgers = []

    def again(folder=tmp_path):
        if ledgers:
            ledgers[-1].close()
        ledgers.append(Ledger(folder and str(folder), lambda: clocks.wall, lambda: clocks.steady))
        ledgers[-1].load()
        return ledgers[-1]

    yield again
    ledgers[-1].close()


def test_what_is_spent_counts_for_an_hour(opened, clocks):
    ledger = opened()
    ledger.spend([1, 2], "d1", 3, 100)()
    clocks.pass_by(HOUR_S / 2)
    ledger.spend([1], "d2", 4, 10)()
    assert ledger.spent(1) == Spent(7, 110, 2) and ledger.spent(2) == Spent(3, 100, 1)
    clocks.pass_by(HOUR_S / 2)
    assert ledger.spent(1) == Spent(4, 10, 1) and ledger.spent(2) == ledger.spent(3) == Spent()
    ledger.spend([1], "d3", 1, 1)()
    assert len(ledger._spent[1]) == 2


def test_a_restart_does_not_refill(opened, clocks):
    opened().spend([1], "d1", 3, 100)()
    clocks.pass_by(60)
    assert opened().spent(1) == Spent(3, 100, 1)
    clocks.pass_by(HOUR_S - 61)
    assert opened().spent(1) == Spent(3, 100, 1)
    clocks.pass_by(1)
    assert opened().spent(1) == Spent()


def test_a_machine_that_began_anew_in_the_same_minute_keeps_both(opened, clocks):
    opened().spend([1], "d1", 3, 100)()
    again = opened()  # the clock that nobody sets stands where it stood
    again.spend([1], "d2", 1, 1)()
    assert again.spent(1) == Spent(4, 101, 2)
    assert opened().spent(1) == Spent(4, 101, 2)


@pytest.mark.parametrize("restarts", [False, True])
def test_a_clock_set_back_does_not_refill(opened, clocks, restarts):
    ledger = opened()
    ledger.spend([1], "d1", 3, 100)()
    clocks.wall -= 86_400
    if restarts:
        ledger = opened()
    assert ledger.spent(1) == Spent(3, 100, 1)
    clocks.pass_by(HOUR_S - 1)
    assert ledger.spent(1) == Spent(3, 100, 1)
    clocks.pass_by(2)
    assert ledger.spent(1) == Spent()


def test_a_clock_set_forward_while_the_program_runs_does_not_refill_either(opened, clocks):
    ledger = opened()
    ledger.spend([1], "d1", 3, 100)()
    clocks.wall += 86_400
    assert ledger.spent(1) == Spent(3, 100, 1)


def test_thousands_in_an_hour_take_a_row_for_each_minute(opened, clocks):
    ledger = opened()
    for _ in range(600):
        ledger.spend([1], "d", 1, 1)()
        clocks.pass_by(10)
    assert len(ledger._spent[1]) <= 62
    with sqlite3.connect(ledger._path) as db:
        assert db.execute("SELECT count(*) FROM spent").fetchone()[0] <= 62


def test_operations_are_known_by_their_rule_and_only_so_many(opened, monkeypatch):
    monkeypatch.setattr(rule_ledger, "KEPT_OPERATIONS", 3)
    ledger = opened()
    for number in range(1, 6):
        ledger.spend([7], f"d{number}", 1, 1)()
        assert ledger.begun == {f"d{number}": 7}
        ledger.became(f"d{number}", number, 7)()
    ledger.spend([7], "none", 1, 1)()
    ledger.never_ran("none")()
    again = opened()
    assert again.operations == {3: 7, 4: 7, 5: 7} and again.begun == {}


def test_numbers_folders_and_what_was_told_are_kept(opened):
    ledger = opened()
    assert (ledger.new_number(), ledger.new_number()) == (1, 2)
    ledger.remember(roots=[(1, b"/a", (1, 1 << 63, None)), (2, b"/b", (1, 2, 3))], numbers=[("x", 2), ("y", 1)])()
    ledger.note_suspended(2, "why")()
    ledger.note_expired(1, 5.0)()
    again = opened()
    assert again.new_number() == 3
    assert again.roots == {(1, b"/a"): (1, 1 << 63, None), (2, b"/b"): (1, 2, 3)}
    assert again.suspended[2][0] == "why" and again.expired == {1: 5.0} and again.numbers == {"x": 2, "y": 1}
    again.remember(kept=[2])()
    again.note_seen(2)()
    last = opened()
    assert last.roots == {(2, b"/b"): (1, 2, 3)} and last.numbers == {"x": 2} and last.suspended == {}
    assert last.new_number() == 4


def test_a_damaged_record_is_put_aside_and_nothing_is_admitted_for_an_hour(opened, clocks, tmp_path):
    opened().close()
    (tmp_path / FILE_NAME).write_bytes(b"not a database, however one looks at it" * 100)
    ledger = opened()
    assert ledger.spent(1).operations > 1 << 60 and not ledger.trouble
    assert (tmp_path / f"{FILE_NAME}.damaged").exists()
    clocks.pass_by(HOUR_S - 10)
    assert opened().spent(1).operations > 1 << 60
    clocks.pass_by(11)
    assert opened().spent(1) == Spent()


def test_a_record_with_a_page_gone_is_damaged_too(opened, tmp_path):
    ledger = opened()
    for number in range(300):
        ledger.remember(roots=[(number, b"/%d" % number * 20, (1, 2, 3))])()
    ledger.close()
    path = tmp_path / FILE_NAME
    data = bytearray(path.read_bytes())
    data[8192:16384] = b"\xff" * 8192
    path.write_bytes(data)
    assert opened().spent(1).operations > 1 << 60


def test_a_record_that_cannot_be_opened_is_told_and_nothing_is_written(opened, tmp_path):
    (tmp_path / FILE_NAME).mkdir()
    ledger = opened()
    assert "cannot be used" in ledger.trouble
    with pytest.raises(sqlite3.OperationalError, match="cannot be used"):
        ledger.spend([1], "d", 1, 1)()


def test_a_record_that_cannot_be_begun_anew_is_told(opened, tmp_path, monkeypatch):
    (tmp_path / FILE_NAME).write_bytes(b"not a database, however one looks at it" * 100)
    monkeypatch.setattr(rule_ledger.places, "set_aside", lambda path: None)
    assert "cannot be used" in opened().trouble


def test_a_write_that_fails_leaves_all_as_it_was(opened):
    ledger = opened()
    with pytest.raises(sqlite3.Error):
        ledger._save([("INSERT INTO expired VALUES (1, 2)", ()), ("INSERT INTO nothing VALUES (1)", ())])
    assert opened().expired == {}


def test_without_a_folder_it_lives_in_memory(opened):
    ledger = opened(None)
    ledger.spend([1], "d", 1, 1)()
    assert ledger.spent(1) == Spent(1, 1, 1)


def test_the_clock_that_nobody_sets_only_goes_on():
    assert steady_clock() <= steady_clock()
