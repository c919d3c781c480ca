"""Scattered entries listed together: what is there, in the wanted order, with what folders are known to hold."""

import os

import pytest

from cmdr.files.errors import PathNotFound
from cmdr.files.scan import list_entries
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder

LARGEST_FIRST = SortOrder(SortKey.SIZE, Direction.DESC)


@pytest.fixture
def tree(tmp_path):
    for name, size in {"a/one": 10, "b/two": 300, "b/c/three": 20}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * size)
    return bytes(tmp_path)


def names(listing):
    return [listing.name(position) for position in range(len(listing))]


def test_what_is_gone_is_left_out(tree):
    listing = list_entries(tree, [b"a/one", b"gone", b"b/two"], LARGEST_FIRST)
    assert names(listing) == [b"b/two", b"a/one"]


def test_folders_are_ordered_by_what_they_hold_where_that_is_known(tree):
    listing = list_entries(tree, [b"a", b"b", b"b/c"], LARGEST_FIRST, {b"a": 10, b"b": 320, b"b/c": 20})
    assert names(listing) == [b"b", b"b/c", b"a"]
    assert [listing.entry(position).folder_size.bytes for position in range(3)] == [320, 20, 10]


def test_folders_keep_their_names_order_where_it_is_not(tree):
    assert names(list_entries(tree, [b"b", b"a", b"b/c"], LARGEST_FIRST)) == [b"a", b"b", b"b/c"]


def test_a_folder_that_vanished_is_an_error_of_the_disk(tree):
    """It was a fault of the program."""
    with pytest.raises(PathNotFound):
        list_entries(tree + b"/nowhere", [b"x"], LARGEST_FIRST)


def test_a_file_from_a_far_year_is_listed_among_the_others(tree):
    """One such file, as a wrong clock makes them, broke the whole list."""
    os.utime(tree + b"/a/one", (0, 13_569_465_600))  # the year 2400
    newest_first = SortOrder(SortKey.MODIFIED, Direction.DESC)
    assert names(list_entries(tree, [b"b/two", b"a/one"], newest_first)) == [b"a/one", b"b/two"]
