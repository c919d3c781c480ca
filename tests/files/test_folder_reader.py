"""Reading a folder: kinds without opening anything, facts only when wanted, stopped when nobody waits."""

import os
import threading

import pytest

from cmdr.files import folder_reader
from cmdr.files.errors import ScanStopped
from cmdr.files.folder_reader import FolderReader
from cmdr.model.panes.listing import UNKNOWN
from cmdr.model.panes.sorting import SortKey, SortOrder


def read(path, **how):
    found = FolderReader(path, **how)
    with os.scandir(path) as entries:
        found.take(entries)
    return found


def kinds(found):
    return dict(zip(found.names, found.kinds, strict=True))


def test_every_kind_of_entry_is_told_apart(hostile):
    found = kinds(read(hostile))
    assert found[b"plain.txt"] == "f"
    assert found[b"folder"] == "d"
    assert found[b"to-folder"] == "L"
    assert found[b"to-file"] == "l"
    assert found[b"broken"] == "l"
    assert found[b"circle"] == "l"
    assert found[b"pipe"] == "p"
    assert found[b"socket"] == "s"


def test_inodes_are_those_of_the_entries_themselves(hostile):
    found = read(hostile)
    for name, inode in zip(found.names, found.inodes, strict=True):
        assert inode == os.lstat(os.path.join(hostile, name)).st_ino


def test_a_link_onto_a_remote_mount_is_not_followed(tmp_path, monkeypatch):
    target = tmp_path / "mnt" / "nas" / "share"
    target.mkdir(parents=True)
    for name, leads_to in {"absolute": target, "relative": "mnt/nas/share", "mount": "mnt/nas", "up": "mnt"}.items():
        (tmp_path / name).symlink_to(leads_to)
    monkeypatch.setattr(folder_reader, "remote_mounts", lambda: [bytes(tmp_path / "mnt" / "nas")])
    found = kinds(read(bytes(tmp_path)))
    assert {found[name] for name in (b"absolute", b"relative", b"mount")} == {"l"}
    assert found[b"up"] == "L"


def test_a_reading_that_nobody_waits_for_stops(tmp_path):
    for number in range(10):
        (tmp_path / str(number)).touch()
    with pytest.raises(ScanStopped):
        read(bytes(tmp_path), stopped=lambda: True)


def test_a_folder_that_never_ends_is_stopped(tmp_path):
    """As a hostile FUSE file system can be: names without end."""
    (tmp_path / "a").touch()
    with os.scandir(bytes(tmp_path)) as entries:
        entry = next(entries)
    left = threading.Event()
    given = 0

    def endless():
        nonlocal given
        while True:
            given += 1
            if given > 20_000:
                left.set()
            yield entry

    with pytest.raises(ScanStopped):
        FolderReader(bytes(tmp_path), left.is_set).take(endless())
    assert given < 30_000


def test_looking_up_facts_stops_too(tmp_path):
    (tmp_path / "a").touch()
    found = read(bytes(tmp_path))
    found.stopped = lambda: True
    with pytest.raises(ScanStopped):
        found.listing(SortOrder(SortKey.SIZE), show_hidden=True)


def test_entries_that_vanish_before_their_facts_are_read_are_unknown_and_last(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    found = read(bytes(tmp_path))
    (tmp_path / "b").unlink()
    listing = found.listing(SortOrder(SortKey.SIZE), show_hidden=True)
    assert listing.name(2) == b"b"
    assert listing.columns.facts.sizes[listing.columns.find(b"b")] == UNKNOWN


def test_names_only_are_read_when_the_sort_needs_no_facts(tmp_path):
    (tmp_path / "a").touch()
    assert read(bytes(tmp_path)).listing(SortOrder(), show_hidden=True).columns.facts is None


@pytest.mark.parametrize("ns", [-(2**63), -(10**30), 10**30, 2**63])
def test_a_time_beyond_64_bits_of_nanoseconds_does_not_break_the_sort(tmp_path, monkeypatch, ns):
    """tmpfs, XFS and others keep such years; one file of that kind made its folder unreadable."""
    (tmp_path / "far").touch()
    (tmp_path / "near").touch()
    real = folder_reader.stat_entry

    def stat_entry(folder, name):
        facts = real(folder, name)
        if name == b"far":
            return type(facts)(facts.size, ns, ns, facts.mode, facts.inode, facts.device)
        return facts

    monkeypatch.setattr(folder_reader, "stat_entry", stat_entry)
    listing = read(bytes(tmp_path)).listing(SortOrder(SortKey.MODIFIED), show_hidden=True)
    assert listing.name(0 if ns < 0 else 1) == b"far"


def test_a_real_file_from_the_far_future_can_be_sorted():
    where = b"/dev/shm"
    if not os.path.isdir(where):
        pytest.skip("no tmpfs here")
    folder = os.path.join(where, b"cmdr-test-%d" % os.getpid())
    os.mkdir(folder)
    try:
        with open(folder + b"/far", "wb"), open(folder + b"/near", "wb"):
            os.utime(folder + b"/far", (0, 2**60))
        listing = read(folder).listing(SortOrder(SortKey.MODIFIED), show_hidden=True)
        assert listing.name(1) == b"far"
    finally:
        for name in (b"/far", b"/near"):
            os.unlink(folder + name)
        os.rmdir(folder)
