"""Only files are read, and nothing that was opened stays open."""

import os

import pytest

from cmdr.files.file_stat import regular_file


@pytest.fixture
def folder(tmp_path):
    handle = os.open(tmp_path, os.O_RDONLY)
    yield handle
    os.close(handle)


def test_a_file_is_read_and_closed(tmp_path, folder):
    (tmp_path / "file").write_bytes(b"words")
    with regular_file(b"file", folder) as file:
        assert file.read() == b"words"
        fd = file.fileno()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("file", path)])
def test_anything_else_is_refused_and_left_closed(tmp_path, folder, make):
    (tmp_path / "file").write_bytes(b"words")
    make(tmp_path / "other")
    before = os.listdir("/proc/self/fd")
    with pytest.raises(OSError), regular_file(b"other", folder):
        pytest.fail("it was opened")
    assert len(os.listdir("/proc/self/fd")) == len(before)
