"""Columns hold a folder exactly, and positions over them find every entry again."""

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmdr.model.panes.entry import FOLDER_LINK, Facts, Kind
from cmdr.model.panes.listing import UNKNOWN, Columns, FactColumns, Listing, arrange
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder, extension, name_order

NAME = st.binary(min_size=1, max_size=10).map(lambda b: b.replace(b"\0", b".").replace(b"/", b".a")) | st.from_regex(
    rb"\.?[ab]{0,2}[0-9]{0,2}(\.[a-c]{0,2})?", fullmatch=True
).filter(bool)
LETTER = st.sampled_from([*(str(kind) for kind in Kind), FOLDER_LINK])
TIME = st.just(UNKNOWN) | st.integers(-(10**18), 10**18)


@st.composite
def folders(draw, facts=True):
    """Rows as a disk gives them: unique names, in any order."""
    names = draw(st.lists(NAME, unique=True, max_size=15))
    many = {"min_size": len(names), "max_size": len(names)}
    kinds = draw(st.lists(LETTER, **many))
    columns = [array("q", draw(st.lists(TIME, **many))) for _ in range(3)] if facts else None
    return names, kinds, list(range(100, 100 + len(names))), columns and FactColumns(*columns)


SORTS = [SortOrder(by, direction) for by in SortKey for direction in Direction]


@settings(max_examples=40)
@given(folders())
def test_packing_loses_nothing_and_keeps_every_row_together(rows):
    names, kinds, inodes, facts = rows
    columns = Columns.pack(names, kinds, inodes, facts)
    unpacked = {
        (columns.name(row), chr(columns.kinds[row]), columns.inodes[row], columns.facts.sizes[row])
        for row in range(len(columns))
    }
    assert unpacked == set(zip(names, kinds, inodes, facts.sizes, strict=True))
    assert columns.folder_count == sum(kind in ("d", "L") for kind in kinds)


@settings(max_examples=40)
@given(folders(facts=False))
def test_packing_stands_in_name_order_with_folders_first(rows):
    names, kinds, inodes, _ = rows
    columns = Columns.pack(names, kinds, inodes)
    order = name_order(names, [kind in ("d", "L") for kind in kinds])
    assert [columns.name(row) for row in range(len(columns))] == [names[row] for row in order]


@settings(max_examples=40)
@given(folders(facts=False), NAME)
def test_finding_a_name_is_what_searching_a_plain_list_gives(rows, other):
    columns = Columns.pack(*rows[:3])
    plain = [columns.name(row) for row in range(len(columns))]
    for name in [*plain, other, other + b"x", other[1:], b"", b"\0", b"a\0b"]:
        assert columns.find(name) == (plain.index(name) if name in plain else None)


@settings(max_examples=40)
@given(folders(facts=False))
def test_hidden_rows_are_those_that_begin_with_a_dot(rows):
    columns = Columns.pack(*rows[:3])
    assert list(columns.hidden_rows()) == [row for row in range(len(columns)) if columns.name(row).startswith(b".")]


@settings(max_examples=40)
@given(folders(), st.sampled_from(SORTS), st.booleans())
def test_every_arrangement_is_what_sorting_plain_rows_gives(rows, sort, show_hidden):
    columns = Columns.pack(*rows)
    order = list(arrange(columns, sort, show_hidden=show_hidden))
    shown = [row for row in range(len(columns)) if show_hidden or not columns.name(row).startswith(b".")]
    sign = -1 if sort.direction is Direction.DESC else 1

    def place(row):
        group = row >= columns.folder_count
        if sort.by is SortKey.NAME:
            return (group, 0, sign * row, 0)
        if sort.by is SortKey.EXT:
            spelled = [sign * byte for byte in extension(columns.name(row))] if group else []
            return (group, 0, (spelled, 0) if sign > 0 else ([*spelled, 1], 0), row)
        column = {"size": columns.facts.sizes, "modified": columns.facts.modified_ns}.get(
            sort.by, columns.facts.created_ns
        )
        if sort.by is SortKey.SIZE and not group:
            return (group, 0, 0, row)
        unknown = column[row] == UNKNOWN
        return (group, unknown, 0 if unknown else sign * column[row], row)

    assert order == sorted(shown, key=place)


@settings(max_examples=40)
@given(folders(), st.sampled_from(SORTS), st.booleans())
def test_positions_and_names_lead_to_each_other(rows, sort, show_hidden):
    listing = Listing.of(Columns.pack(*rows), sort, show_hidden=show_hidden)
    plain = [listing.name(position) for position in range(len(listing))]
    assert len(set(plain)) == len(plain)
    for name in rows[0]:
        assert listing.position_of(name) == (plain.index(name) if name in plain else None)
    assert listing.hidden_count == len(rows[0]) - len(plain)


@settings(max_examples=40)
@given(folders(), st.sampled_from(SORTS), st.sampled_from(SORTS), st.booleans())
def test_arranging_again_is_arranging_from_the_start(rows, first, then, show_hidden):
    columns = Columns.pack(*rows)
    listing = Listing.of(columns, first, show_hidden=False, complete=False)
    listing.mark = 7
    again = listing.arranged(then, show_hidden=show_hidden)
    assert list(again.order) == list(Listing.of(columns, then, show_hidden=show_hidden).order)
    assert (again.complete, again.mark, again.looked_up is listing.looked_up) == (False, 7, True)


def test_a_time_before_1970_is_a_known_time():
    """Such times are negative; they must not count as unknown."""
    facts = FactColumns(array("q", [1, 1, 1]), array("q", [5, -5, UNKNOWN]), array("q", [0, 0, 0]))
    columns = Columns.pack([b"new", b"old", b"unread"], ["f", "f", "f"], [1, 2, 3], facts)
    listing = Listing.of(columns, SortOrder(SortKey.MODIFIED), show_hidden=True)
    assert [listing.name(position) for position in range(3)] == [b"old", b"new", b"unread"]


def test_a_link_to_a_folder_is_shown_as_a_link_and_stands_among_the_folders():
    columns = Columns.pack([b"a-file", b"z-link"], ["f", FOLDER_LINK], [1, 2])
    listing = Listing.of(columns, SortOrder(), show_hidden=True)
    entry = listing.entry(0)
    assert (entry.name, entry.kind, entry.is_folder) == (b"z-link", Kind.LINK, True)


def test_an_entry_tells_the_facts_that_were_looked_up():
    listing = Listing.of(Columns.pack([b"a"], ["f"], [1]), SortOrder(), show_hidden=True)
    assert listing.entry(0).facts is None
    listing.looked_up[0] = Facts(3, 0, None, 0o644, 1, 1)
    assert listing.entry(0).facts.size == 3


def test_the_columns_of_a_folder_cost_little_more_than_its_names():
    names = [b"%08d" % number for number in range(5000)]
    columns = Columns.pack(names, ["f"] * 5000, list(range(5000)))
    held = len(columns.names) + len(columns.kinds) + columns.starts.itemsize * len(columns.starts)
    assert held / 5000 < 8 + 1 + 1 + 4 + 1


def test_an_empty_listing_has_no_positions():
    listing = Listing.empty()
    assert len(listing) == 0
    assert listing.position_of(b"a") is None
    with pytest.raises(IndexError):
        listing.name(0)
