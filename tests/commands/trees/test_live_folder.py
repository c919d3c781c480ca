"""Pages of a folder that is read anew each time: each entry once, whatever comes and goes in between."""

import os
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.commands.trees.live_folder import row_behind, row_cursor
from cmdr.core.errors import CommandError
from cmdr.files.scan import scan
from cmdr.model.panes.listing import UNKNOWN, Columns, FactColumns, Listing
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder

ORDERS = [SortOrder(*both) for both in product((SortKey.NAME, SortKey.SIZE, SortKey.MODIFIED), Direction)]


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_entries_that_vanish_between_two_pages_hide_none(tmp_path, order):
    for number in range(12):
        (tmp_path / f"f{number}").write_bytes(b"x" * (number % 5))
        os.utime(tmp_path / f"f{number}", (number % 3, number % 3))
    whole = listed(tmp_path, order)
    names = [whole.name(position) for position in range(12)]
    cursor = row_cursor(whole, 4)
    for name in (names[0], names[4]):  # one from before, and the very one that the cursor was made from
        (tmp_path / os.fsdecode(name)).unlink()
    rest = listed(tmp_path, order)
    assert [rest.name(position) for position in range(row_behind(rest, cursor), len(rest))] == names[5:]


def listed(folder, order):
    columns = scan(os.fsencode(folder), SortOrder(SortKey.SIZE), show_hidden=True).columns
    return Listing.of(columns, order, show_hidden=True)


entries = st.dictionaries(
    st.text("aB1 0é:", min_size=1, max_size=4).map(str.encode),
    st.tuples(st.sampled_from("df"), st.sampled_from([0, 1, 2, UNKNOWN]), st.sampled_from([-1, 5, UNKNOWN])),
    min_size=1,
    max_size=12,
)


@given(entries, st.sampled_from(ORDERS), st.data())
def test_behind_every_entry_stand_those_that_followed_it_even_when_it_is_gone(found, order, data):
    whole = columns_of(found, order)
    last = data.draw(st.integers(0, len(whole) - 1))
    cursor = row_cursor(whole, last)
    assert row_behind(whole, cursor) == last + 1
    gone = whole.name(last)
    rest = columns_of({name: one for name, one in found.items() if name != gone}, order)
    assert row_behind(rest, cursor) == last


def columns_of(found, order):
    facts = FactColumns(*([one[at] for one in found.values()] for at in (1, 2)), [0] * len(found))
    columns = Columns.pack(list(found), [one[0] for one in found.values()], [0] * len(found), facts)
    return Listing.of(columns, order, show_hidden=True)


@pytest.mark.parametrize("cursor", ["5", "", "nf", "x:y", "sf3:a", "n-f:a", "nf:", "n" * 5000])
def test_a_cursor_of_another_order_or_none_of_ours_is_refused(tmp_path, cursor):
    with pytest.raises(CommandError, match="start again without it"):
        row_behind(listed(tmp_path, SortOrder()), cursor)
