"""Facts of entries, looked up without following or opening anything."""

import os
import sys
import time
from types import SimpleNamespace

import pytest

from cmdr.files import file_stat
from cmdr.files.errors import PathNotFound, ReadFailed
from cmdr.files.file_stat import check_exists, folder_mtime_ns, regular_file, stat_entries, stat_entry


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def test_facts_are_those_of_the_entry_itself(folder):
    file, link, pipe, gone = stat_entries(bytes(folder), [b"file", b"link", b"pipe", b"gone"])
    stat = os.lstat(folder / "file")
    assert (file.size, file.modified_ns, file.mode, file.inode, file.device) == (
        5,
        stat.st_mtime_ns,
        stat.st_mode,
        stat.st_ino,
        stat.st_dev,
    )
    assert link.size == len("nowhere")
    assert pipe.size == 0
    assert gone is None


@pytest.mark.skipif(sys.platform != "linux", reason="statx is Linux's")
def test_the_creation_time_lies_between_before_and_after(tmp_path):
    before = time.time_ns() - 10**8
    (tmp_path / "new").touch()
    os.utime(tmp_path / "new", (0, 0))
    (facts,) = stat_entries(bytes(tmp_path), [b"new"])
    if facts.created_ns is None:
        pytest.skip("this file system keeps no creation times")
    assert before <= facts.created_ns <= time.time_ns()
    assert facts.modified_ns == 0


def test_a_folder_that_is_gone_has_no_facts(tmp_path):
    assert stat_entries(bytes(tmp_path / "gone"), [b"a", b"b"]) == [None, None]


def test_names_that_are_no_names_have_no_facts(tmp_path):
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        assert stat_entry(descriptor, b"nul\0") is None
        assert stat_entry(descriptor, b"x" * 300) is None
    finally:
        os.close(descriptor)


def test_something_exists_even_when_it_is_a_broken_link(folder):
    check_exists(bytes(folder / "link"))
    with pytest.raises(PathNotFound):
        check_exists(bytes(folder / "gone"))
    with pytest.raises(ReadFailed):
        check_exists(b"/a\0b")


def test_the_last_change_of_a_folder_is_told_only_once_it_has_settled(tmp_path, monkeypatch):
    (tmp_path / "new").touch()
    with monkeypatch.context() as patched:
        just_now = tmp_path.stat().st_mtime_ns + 10_000_000
        patched.setattr(file_stat, "time", SimpleNamespace(time_ns=lambda: just_now))
        assert folder_mtime_ns(bytes(tmp_path)) is None
    os.utime(tmp_path, (1000, 1000))
    assert folder_mtime_ns(bytes(tmp_path)) == 1000 * 10**9
    assert folder_mtime_ns(bytes(tmp_path / "gone")) is None


@pytest.fixture
def open_folder(tmp_path):
    handle = os.open(tmp_path, os.O_RDONLY)
    yield handle
    os.close(handle)


def test_a_file_is_read_and_closed(tmp_path, open_folder):
    (tmp_path / "file").write_bytes(b"words")
    with regular_file(b"file", open_folder) as file:
        assert file.read() == b"words"
        fd = file.fileno()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("file", path)])
def test_anything_else_is_refused_and_left_closed(tmp_path, open_folder, make, nothing_left_open):
    (tmp_path / "file").write_bytes(b"words")
    make(tmp_path / "other")
    with nothing_left_open(), pytest.raises(OSError), regular_file(b"other", open_folder):
        pytest.fail("it was opened")
