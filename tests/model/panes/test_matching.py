"""Masks, parts of names, new names and differences."""

import pytest

from cmdr.model.panes import matching
from cmdr.model.panes.entry import Facts
from cmdr.model.panes.listing import Columns, Listing
from cmdr.model.panes.matching import CompareBy, differing, find_by_prefix, matching_rows
from cmdr.model.panes.pane import totals
from cmdr.model.panes.sorting import SortOrder
from cmdr.model.panes.tab import Tab
from cmdr.model.plans.name_fields import NameMark, judge


def rows(names, text, **how):
    columns = Columns.pack(names, ["f"] * len(names), list(range(len(names))))
    return [columns.name(row) for row in matching_rows(columns, range(len(columns)), text, **how)]


NAMES = [b"a.py", b"B.PY", b"c.md", b"data[1].txt", "grün.txt".encode(), b"\xff.py"]


def test_masks_match_whole_names_and_small_letters_match_capitals():
    assert rows(NAMES, "*.py") == [b"a.py", b"B.PY", b"\xff.py"]
    assert rows(NAMES, "*.PY") == [b"B.PY"]
    assert rows(NAMES, "*.py; *.md") == [b"a.py", b"B.PY", b"c.md", b"\xff.py"]
    assert rows(NAMES, "a") == []


def test_a_part_of_a_name_is_taken_literally():
    assert rows(NAMES, "data[1", part=True) == []  # a bracket makes it a mask
    assert rows(NAMES, "ata", part=True) == [b"data[1].txt"]
    assert rows(NAMES, "grü", part=True) == ["grün.txt".encode()]
    assert rows(NAMES, ".", part=True) == sorted(NAMES, key=lambda name: rows(NAMES, "*").index(name))


def test_new_names_are_judged():
    there = {b"a", b"b", b"c", b"taken"}
    marks = judge([b"a", b"b", b"c"], [b"b", b"a", b"c"], there.__contains__)
    assert marks == [NameMark.NEW, NameMark.NEW, NameMark.SAME]  # trading places is fine
    assert judge([b"a", b"b"], [b"x", b"x"], there.__contains__) == [NameMark.TWICE] * 2
    assert judge([b"a"], [b"taken"], there.__contains__) == [NameMark.TAKEN]
    for bad in (b"", b"..", b"a/b", b"x" * 256):
        assert judge([b"a"], [bad], there.__contains__) == [NameMark.IMPOSSIBLE]


def facts(size, seconds):
    return Facts(size, seconds * 10**9, None, 0o100644, 1, 1)


def test_differences_by_every_measure():
    mine = {b"only": facts(1, 0), b"newer": facts(1, 100), b"older": facts(1, 0), b"size": facts(2, 0), b"gone": None}
    theirs = {b"newer": facts(1, 0), b"older": facts(1, 100), b"size": facts(1, 0), b"gone": None}
    assert differing(mine, theirs, CompareBy.NAMES) == {b"only"}
    assert differing(mine, theirs, CompareBy.NEWER) == {b"only", b"newer"}
    assert differing(mine, theirs, CompareBy.SIZE) == {b"only", b"size"}


def test_two_seconds_are_no_difference():
    assert differing({b"a": facts(1, 2)}, {b"a": facts(1, 0)}, CompareBy.NEWER) == set()


def test_many_names_match_as_each_of_them_would():
    """Plain names are looked through many at a time; one odd name among them must not change what the others are."""
    names = [b"n%05d.%s" % (number, b"py" if number % 3 else b"md") for number in range(9000)]
    odd = [b"\xff.py", "grün.py".encode(), b"back\\slash.py", b"line\nbreak.py", b".py"]
    assert set(rows([*names, *odd], "*.py")) == {name for name in [*names, *odd] if name.endswith(b".py")}
    columns = Columns.pack(names, ["f"] * len(names), list(range(len(names))))
    backwards = range(len(names) - 1, -1, -2)
    wanted = [row for row in backwards if columns.name(row).endswith(b".md")]
    assert matching_rows(columns, backwards, "*.md") == wanted
    assert matching_rows(Columns.pack([], [], []), [], "*") == []


FRUITS = (b"Apple", b"banana", b"Bandana", b"cherry", b"urban")


@pytest.fixture
def tab():
    made = Tab("t1", b"/")
    made.show(Listing.of(Columns.pack(FRUITS, "fffff", range(5)), SortOrder(), show_hidden=True))
    return made


@pytest.mark.parametrize("patience", [10, -1])
def test_a_name_that_begins_with_the_letters_comes_first(tab, monkeypatch, patience):
    monkeypatch.setattr(matching, "FULL_SCAN_S", patience)
    assert find_by_prefix(tab, "ban", 0) == 1
    assert find_by_prefix(tab, "BAN", 1, 1) == 2
    assert find_by_prefix(tab, "zzz", 0) is None


def test_a_name_that_holds_the_letters_is_better_than_none(tab):
    assert find_by_prefix(tab, "rba", 0) == 4
    assert find_by_prefix(tab, "ban", 2, 1) == 1
    assert find_by_prefix(tab, "ban", 1, -1) == 2


def test_an_empty_folder_has_nothing_to_find():
    assert find_by_prefix(Tab("t1", b"/"), "a", 0) is None


def test_totals_tell_what_is_there_or_what_is_selected(tab):
    assert totals(tab) == "5 entries"
    tab.selection.toggle(0)
    assert totals(tab) == "1 of 5 selected"
    assert totals(Tab("t2", b"/")) == "empty"
