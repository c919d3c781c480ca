"""The selection is a set over the whole listing, and follows its entries by identity."""

from hypothesis import given, settings
from hypothesis import strategies as st

from cmdr.model.panes.listing import Columns
from cmdr.model.panes.selection import Selection, common_ends, follow, row_mask

ROWS = st.lists(st.integers(0, 19), max_size=30)


def columns_of(entries):
    """Columns of (name, inode) pairs; a name that ends with a slash is a folder."""
    return Columns.pack(
        [name.rstrip(b"/") for name, _ in entries],
        ["d" if name.endswith(b"/") else "f" for name, _ in entries],
        [inode for _, inode in entries],
    )


def selected_names(selection, columns):
    return {columns.name(row) for row in selection.rows()}


@given(st.lists(st.tuples(st.sampled_from(["add", "remove", "toggle", "clear"]), ROWS), max_size=20))
def test_it_behaves_like_a_set_of_rows(steps):
    selection, plain = Selection(20), set()
    for what, rows in steps:
        if what == "add":
            selection.add(rows)
            plain |= set(rows)
        elif what == "remove":
            selection.remove(rows)
            plain -= set(rows)
        elif what == "toggle":
            for row in rows:
                selection.toggle(row)
                plain ^= {row}
        else:
            selection.clear()
            plain.clear()
        assert list(selection.rows()) == sorted(plain)
        assert selection.count == len(plain)
        assert all((row in selection) == (row in plain) for row in range(20))


NAMES = st.lists(st.integers(0, 150), unique=True, max_size=120)


@settings(max_examples=50)
@given(NAMES, NAMES, st.data())
def test_a_reread_folder_keeps_exactly_the_selected_names_that_are_left(before, after, data):
    old = columns_of([(b"f%d" % number, number + 1) for number in before])
    new = columns_of([(b"f%d" % number, number + 1) for number in after])
    chosen = set(data.draw(st.lists(st.sampled_from(before), unique=True))) if before else set()
    selection = Selection(len(old))
    selection.add(old.find(b"f%d" % number) for number in chosen)
    carried = selection.carried(old, new)
    assert selected_names(carried, new) == {b"f%d" % number for number in chosen & set(after)}


@settings(max_examples=50)
@given(st.lists(st.integers(0, 90), unique=True, min_size=1, max_size=90), st.data())
def test_renamed_entries_stay_selected_by_their_inode(numbers, data):
    renamed = set(data.draw(st.lists(st.sampled_from(numbers), unique=True)))
    chosen = set(data.draw(st.lists(st.sampled_from(numbers), unique=True)))
    old = columns_of([(b"f%d" % number, number + 1) for number in numbers])
    new = columns_of([((b"new%d" if number in renamed else b"f%d") % number, number + 1) for number in numbers])
    selection = Selection(len(old))
    selection.add(old.find(b"f%d" % number) for number in chosen)
    assert {new.inodes[row] for row in selection.carried(old, new).rows()} == {number + 1 for number in chosen}


def test_a_replaced_file_of_the_same_name_stays_selected():
    old, new = columns_of([(b"a", 1)]), columns_of([(b"a", 99)])
    selection = Selection(1)
    selection.add([0])
    assert selection.carried(old, new).count == 1


def test_swapped_names_stay_selected_by_name():
    old, new = columns_of([(b"a", 1), (b"b", 2)]), columns_of([(b"a", 2), (b"b", 1)])
    selection = Selection(2)
    selection.add([old.find(b"a")])
    assert selected_names(selection.carried(old, new), new) == {b"a"}


def test_one_selected_entry_never_becomes_two():
    """A name that vanished while two new hard links appeared selected both of them."""
    old = columns_of([(b"a", 7)])
    new = columns_of([(b"b", 7), (b"c", 7)])
    selection = Selection(1)
    selection.add([0])
    assert selection.carried(old, new).count == 1


def test_two_renamed_hard_links_both_stay_selected():
    old = columns_of([(b"a1", 7), (b"a2", 7)])
    new = columns_of([(b"b1", 7), (b"b2", 7)])
    selection = Selection(2)
    selection.add([0, 1])
    assert selection.carried(old, new).count == 2


def test_a_file_without_an_inode_is_not_taken_for_another():
    old, new = columns_of([(b"a", 0)]), columns_of([(b"b", 0)])
    assert list(follow([0], old, new)) == []


def test_nothing_selected_stays_nothing():
    assert Selection(2).carried(columns_of([(b"a", 1), (b"b", 2)]), columns_of([(b"c", 1)])).count == 0


@given(NAMES, NAMES)
def test_common_ends_are_the_rows_that_are_the_same_from_both_sides(before, after):
    old, new = (columns_of([(b"f%d" % number, 1) for number in numbers]) for numbers in (before, after))
    head, tail = common_ends(old, new)
    mine, theirs = [old.name(row) for row in range(len(old))], [new.name(row) for row in range(len(new))]
    least = min(len(mine), len(theirs))
    same = next((place for place in range(least) if mine[place] != theirs[place]), least)
    rest = least - same
    back = next((place for place in range(rest) if mine[-1 - place] != theirs[-1 - place]), rest)
    assert (head, tail) == (same, back)


@given(ROWS, ROWS, st.sampled_from(["add", "remove", "keep", "toggle"]))
def test_many_rows_at_once_are_taken_over_as_one_by_one(before, rows, what):
    selection, plain, many = Selection(20), set(before), set(rows)
    selection.add(before)
    getattr(selection, f"{what}_mask")(row_mask(rows, 20))
    wanted = {"add": plain | many, "remove": plain - many, "keep": plain & many, "toggle": plain ^ many}[what]
    assert set(selection.rows()) == wanted
    assert selection.count == len(wanted)


def test_a_range_is_marked_like_its_rows():
    assert row_mask(range(3, 7), 10) == row_mask([3, 4, 5, 6], 10)
    assert row_mask(range(0), 0) == b""
