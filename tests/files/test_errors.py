"""What the system says becomes one sentence that names the path."""

import errno

import pytest

from cmdr.files.errors import DiskError, PathTooLong, ScanStopped, disk_error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (FileNotFoundError(errno.ENOENT, "x"), "Path not found: /a"),
        (NotADirectoryError(errno.ENOTDIR, "x"), "Not a folder: /a"),
        (PermissionError(errno.EACCES, "x"), "Permission denied: /a"),
        (PermissionError(errno.EPERM, "x"), "Permission denied: /a"),
        (OSError(errno.ELOOP, "x"), "Cannot read /a: its links lead in a circle"),
        (OSError(errno.EIO, "x"), "Cannot read /a: Input/output error"),
        (OSError(errno.ESTALE, "x"), "Cannot read /a: Stale file handle"),
        (ValueError("embedded null byte"), "Cannot read /a: that is not a path"),
        (OSError("no number"), "Cannot read /a: that is not a path"),
    ],
)
def test_every_failure_has_its_sentence(error, told):
    assert str(disk_error(b"/a", error)) == told


def test_a_path_that_is_too_long_is_not_told_in_full():
    told = disk_error(b"/" + b"x" * 5000, OSError(errno.ENAMETOOLONG, "x"))
    assert isinstance(told, PathTooLong)
    assert str(told).startswith("Path too long (5001 bytes): /xxx")
    assert len(str(told)) < 120


@pytest.mark.parametrize("kind", [FileNotFoundError, NotADirectoryError, PermissionError])
def test_a_hostile_name_stays_one_printable_line(kind):
    told = str(disk_error(b"/a\n\x1b[2J\xff", kind(1, "x")))
    assert told.isprintable()


def test_a_stopped_scan_is_an_error_of_the_disk_with_its_own_sentence():
    assert isinstance(ScanStopped(), DiskError)
    assert str(ScanStopped()) == "The folder was left before it was read."
