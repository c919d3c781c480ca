"""A folder is read the same, whether here or by the helper process, whatever it holds."""

import os

import pytest

from cmdr.files import scan as scanning
from cmdr.files.errors import AccessDenied, NotAFolder, PathNotFound, PathTooLong, ReadFailed, ScanStopped
from cmdr.files.large_folder import scan_in_process
from cmdr.files.scan import list_entries, scan
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder

SORTS = [SortOrder(by, direction) for by in SortKey for direction in Direction]


def told(listing):
    columns = listing.columns
    facts = columns.facts
    return {
        "order": list(listing.order),
        "names": [columns.name(row) for row in range(len(columns))],
        "kinds": columns.kinds,
        "inodes": list(columns.inodes),
        "folders": columns.folder_count,
        "facts": facts and [list(column) for column in (facts.sizes, facts.modified_ns, facts.created_ns)],
        "how": (listing.sort, listing.show_hidden, listing.complete),
    }


@pytest.mark.parametrize("show_hidden", [True, False])
@pytest.mark.parametrize("sort", SORTS, ids=str)
def test_the_helper_process_reads_exactly_what_this_process_reads(hostile, sort, show_hidden):
    here = scan(hostile, sort, show_hidden=show_hidden)
    there = scan_in_process(hostile, sort, show_hidden=show_hidden, stopped=lambda: False)
    assert told(there) == told(here)
    assert len(here) > 20


def test_a_scan_lists_what_the_disk_lists(hostile):
    listing = scan(hostile, SortOrder(), show_hidden=True)
    assert {listing.name(place) for place in range(len(listing))} == set(os.listdir(hostile))
    assert listing.hidden_count == 0
    assert scan(hostile, SortOrder(), show_hidden=False).hidden_count == sum(
        name.startswith(b".") for name in os.listdir(hostile)
    )


def test_an_empty_folder_is_an_empty_listing_in_both_processes(tmp_path):
    path = bytes(tmp_path)
    for sort in (SortOrder(), SortOrder(SortKey.SIZE)):
        here = scan(path, sort, show_hidden=True)
        there = scan_in_process(path, sort, show_hidden=True, stopped=lambda: False)
        assert len(here) == len(there) == 0


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A folder that counts as large."""
    monkeypatch.setattr(scanning, "LARGE_FOLDER_ENTRIES", 10)
    for number in range(25):
        (tmp_path / f"f{number}").touch()
    return bytes(tmp_path)


def test_a_large_folder_shows_its_first_part_before_the_rest(large):
    parts = []
    listing = scan(large, SortOrder(), show_hidden=True, first_part=parts.append)
    assert [(len(part), part.complete) for part in parts] == [(10, False)]
    assert (len(listing), listing.complete) == (25, True)


def test_no_first_part_is_shown_when_the_order_needs_every_entry(large):
    parts = []
    listing = scan(large, SortOrder(SortKey.SIZE), show_hidden=True, first_part=parts.append)
    assert parts == []
    assert len(listing) == 25


def test_a_folder_of_exactly_the_limit_is_not_large(large, monkeypatch):
    monkeypatch.setattr(scanning, "LARGE_FOLDER_ENTRIES", 25)
    monkeypatch.setattr(scanning, "scan_in_process", None)
    assert len(scan(large, SortOrder(), show_hidden=True)) == 25


def test_a_large_folder_is_not_read_on_when_nobody_waits(large):
    with pytest.raises(ScanStopped):
        scan(large, SortOrder(), show_hidden=True, stopped=lambda: True)


@pytest.mark.usefixtures("like_anybody")
def test_a_forbidden_folder_is_refused(tmp_path):
    (tmp_path / "secret").mkdir(0o000)
    with pytest.raises(AccessDenied):
        scan(bytes(tmp_path / "secret"), SortOrder(), show_hidden=True)


def test_what_cannot_be_listed_says_why(tmp_path):
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    for name, error in {
        b"gone": PathNotFound,
        b"file": NotAFolder,
        b"pipe": NotAFolder,
        b"circle": ReadFailed,
        b"x" * 300: PathTooLong,
        b"nul\0": ReadFailed,
    }.items():
        with pytest.raises(error):
            scan(os.path.join(bytes(tmp_path), name), SortOrder(), show_hidden=True)


def test_the_mark_of_a_settled_folder_is_its_own_time(tmp_path):
    os.utime(tmp_path, (5000, 5000))
    assert scan(bytes(tmp_path), SortOrder(), show_hidden=True).mark == 5000 * 10**9
    (tmp_path / "new").touch()
    assert scan(bytes(tmp_path), SortOrder(), show_hidden=True).mark is None


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
