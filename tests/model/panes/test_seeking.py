"""Letters find the next name that begins with them, else one that holds them."""

import pytest

from cmdr.model.panes import seeking
from cmdr.model.panes.listing import Columns, Listing
from cmdr.model.panes.pane_totals import totals
from cmdr.model.panes.seeking import seek
from cmdr.model.panes.sorting import SortOrder
from cmdr.model.panes.tab import Tab

NAMES = (b"Apple", b"banana", b"Bandana", b"cherry", b"urban")


@pytest.fixture
def tab():
    made = Tab("t1", b"/")
    made.show(Listing.of(Columns.pack(NAMES, "fffff", range(5)), SortOrder(), show_hidden=True))
    return made


@pytest.mark.parametrize("patience", [10, -1])
def test_a_name_that_begins_with_the_letters_comes_first(tab, monkeypatch, patience):
    monkeypatch.setattr(seeking, "PATIENCE", patience)
    assert seek(tab, "ban", 0) == 1
    assert seek(tab, "BAN", 1, 1) == 2
    assert seek(tab, "zzz", 0) is None


def test_a_name_that_holds_the_letters_is_better_than_none(tab):
    assert seek(tab, "rba", 0) == 4
    assert seek(tab, "ban", 2, 1) == 1
    assert seek(tab, "ban", 1, -1) == 2


def test_an_empty_folder_has_nothing_to_find():
    assert seek(Tab("t1", b"/"), "a", 0) is None


def test_totals_tell_what_is_there_or_what_is_selected(tab):
    assert totals(tab) == "5 entries"
    tab.selection.toggle(0)
    assert totals(tab) == "1 of 5 selected"
    assert totals(Tab("t2", b"/")) == "empty"
