"""A zip that is made while it is sent: whole, honest about what is missing, never following a link."""

import io
import os
import stat
import subprocess
import tempfile
import zipfile

import pytest

from cmdr.core.transfers.zip_stream import CHUNK_BYTES, UNREADABLE_LIST_NAME, zip_stream


def packed(*paths):
    """The archive, opened."""
    return zipfile.ZipFile(io.BytesIO(b"".join(zip_stream([os.fsencode(path) for path in paths]))))


def test_files_and_folders_are_in_it_under_their_own_names(tmp_path):
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    (tmp_path / "folder" / "empty").mkdir()
    (tmp_path / "folder" / "inner" / "a.txt").write_text("a")
    (tmp_path / "b.bin").write_bytes(os.urandom(3 * CHUNK_BYTES + 17))
    archive = packed(tmp_path / "folder", tmp_path / "b.bin")
    assert archive.testzip() is None
    assert archive.namelist() == ["folder/", "folder/empty/", "folder/inner/", "folder/inner/a.txt", "b.bin"]
    assert archive.read("b.bin") == (tmp_path / "b.bin").read_bytes()


def test_other_programs_can_read_it(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("a" * 100)
    (tmp_path / "made.zip").write_bytes(b"".join(zip_stream([os.fsencode(tmp_path / "folder")])))
    reading = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])"
    subprocess.run(["python3", "-c", reading, tmp_path / "made.zip", tmp_path / "out"], check=True)
    assert (tmp_path / "out" / "folder" / "a.txt").read_text() == "a" * 100


def test_a_link_stays_a_link_unless_it_was_chosen_itself(tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("key")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to(tmp_path / "secret")
    archive = packed(tmp_path / "folder")
    assert archive.namelist() == ["folder/", "folder/link"]
    assert stat.S_ISLNK(archive.getinfo("folder/link").external_attr >> 16)
    assert packed(f"{tmp_path}/folder/link/").namelist() == ["link/", "link/key"]


def test_what_cannot_be_read_is_named_in_the_archive(tmp_path, like_anybody):
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "a").write_text("a")
    (tmp_path / "unreadable").write_text("b")
    os.mkfifo(tmp_path / "pipe")
    os.chmod(tmp_path / "closed", 0)
    os.chmod(tmp_path / "unreadable", 0)
    try:
        archive = packed(*(tmp_path / name for name in ("closed", "gone", "pipe", "unreadable")))
        told = archive.read(UNREADABLE_LIST_NAME).decode().splitlines()
    finally:
        os.chmod(tmp_path / "closed", 0o700)
    assert archive.namelist() == [UNREADABLE_LIST_NAME]
    assert [line.rpartition("/")[2] for line in told] == [
        "closed: Permission denied",
        "gone: No such file or directory",
        "pipe: neither a file nor a folder",
        "unreadable: Permission denied",
    ]


def test_odd_names_and_dates_are_kept_or_escaped(tmp_path):
    here = os.fsencode(tmp_path)
    for name in (b"bad\xff", "日本 🎉".encode(), b"new\nline"):
        with open(here + b"/" + name, "wb") as file:
            file.write(name)
    os.utime(here + b"/new\nline", (0, 0))
    os.utime(here + b"/bad\xff", (1 << 33, 1 << 33))
    archive = packed(*(here + b"/" + name for name in (b"bad\xff", "日本 🎉".encode(), b"new\nline")))
    assert archive.namelist() == ["bad\\xff", "日本 🎉", "new\nline"]
    assert archive.getinfo("new\nline").date_time[0] == 1980
    assert archive.read("bad\\xff") == b"bad\xff"


def test_a_tree_deeper_than_any_reader_goes_is_told_and_does_not_break_the_rest(tmp_path):
    deep = tmp_path
    for _ in range(210):
        deep = deep / "d"
        deep.mkdir()
    (tmp_path / "z").write_text("z")
    archive = packed(tmp_path / "d", tmp_path / "z")
    assert "too deep" in archive.read(UNREADABLE_LIST_NAME).decode()
    assert archive.read("z") == b"z"


def test_many_small_files_are_sent_in_few_pieces(tmp_path):
    for number in range(300):
        (tmp_path / f"{number}").write_text("x")
    assert len(list(zip_stream([os.fsencode(tmp_path)]))) == 1


def test_a_download_that_is_broken_off_leaves_nothing_open(tmp_path):
    (tmp_path / "large").write_bytes(b"x" * (4 * CHUNK_BYTES))
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    pieces = zip_stream([os.fsencode(tmp_path / "large")])
    assert len(next(pieces)) >= CHUNK_BYTES
    pieces.close()
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before


def test_a_file_from_a_year_that_no_calendar_counts_is_in_it():
    """tmpfs keeps such years; one file of that kind broke the whole archive."""
    if not os.path.isdir("/dev/shm"):
        pytest.skip("no tmpfs here")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for name, seconds in {"far": 2**60, "ancient": -(2**60)}.items():
            with open(os.path.join(folder, name), "w"):
                pass
            os.utime(os.path.join(folder, name), (0, seconds))
        archive = packed(os.path.join(folder, "far"), os.path.join(folder, "ancient"))
    assert [info.date_time[0] for info in archive.infolist()] == [2107, 1980]
