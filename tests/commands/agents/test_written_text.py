"""What a write changes beside the words is told where it matters, and nowhere else."""

import os

import pytest

from cmdr.commands.agents.fs_writing import after_writing, current_bytes, format_changes


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (b"a\r\nb\r\n", b"a\nb\n", ["line ends CRLF → LF"]),
        (b"a\nb\n", b"a\r\nb\n", ["line ends LF → mixed"]),
        (b"a\rb\r", b"a\nb\n", ["line ends CR → LF"]),
        (b"one line", b"a\r\nb\r\n", []),
        (b"", b"a\r\n", []),
        (b"gr\xfcn", "grün".encode(), ["encoding cp1252 → utf-8"]),
        (b"gr\xfcn", b"green", []),
        ("grün".encode("utf-16"), b"green", ["encoding utf-16-le with a byte order mark → utf-8"]),
        (b"\xef\xbb\xbfa", b"a", ["encoding utf-8 with a byte order mark → utf-8"]),
        (b"gr\xfcn\r\n", "grün\n".encode(), ["line ends CRLF → LF", "encoding cp1252 → utf-8"]),
        (b"\0\1\2", b"a\n", []),
    ],
)
def test_line_ends_and_encoding(before, after, told):
    assert format_changes(before, after) == told


class _Here:
    """A name in a folder that is held open."""

    def __init__(self, folder, name):
        self.name = name
        self.folder = self
        self.handle = os.open(folder, os.O_RDONLY)


def test_the_time_is_told_only_of_the_very_bytes_that_were_written(tmp_path):
    here = _Here(tmp_path, b"file")
    assert (current_bytes(here), after_writing(here, None, b"mine")) == (None, [])
    (tmp_path / "file").write_bytes(b"mine")
    assert after_writing(here, None, b"mine") == [f"mtime: {(tmp_path / 'file').stat().st_mtime_ns}"]
    (tmp_path / "file").write_bytes(b"theirs")
    assert after_writing(here, None, b"mine") == []
    os.close(here.handle)


def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    here = _Here(tmp_path, b"pipe")
    assert current_bytes(here) is None
    os.close(here.handle)
