"""Files open as text only when they are text, regular and of a sane size, and nothing waits on a pipe."""

import os
import socket

import pytest

from cmdr.editor.file_loading import (
    FileMissingError,
    LoadingError,
    load,
)
from cmdr.model.texts.diff import BinaryContentError


@pytest.fixture
def folder(tmp_path):
    return os.fsencode(tmp_path)


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def test_a_text_file_is_read_with_its_format(folder):
    path = write(folder, b"caf\xe9.txt", b"\xef\xbb\xbfa\r\nb")
    loaded = load(path)
    assert (loaded.text, loaded.format.bom, loaded.format.eol) == ("a\nb", True, "\r\n")


def test_a_pipe_is_refused_at_once(folder):
    path = os.path.join(folder, b"pipe")
    os.mkfifo(path)
    with pytest.raises(LoadingError, match="not a regular file"):
        load(path)


def test_directories_sockets_and_devices_are_refused(folder):
    with socket.socket(socket.AF_UNIX) as server:
        path = os.path.join(folder, b"s")
        server.bind(path)
        for each in (folder, path, b"/dev/zero"):
            with pytest.raises(LoadingError, match="not a regular file"):
                load(each)


def test_a_link_is_followed_or_refused(folder):
    target = write(folder, b"target", b"x")
    link = os.path.join(folder, b"link")
    os.symlink(target, link)
    assert load(link).text == "x"
    with pytest.raises(LoadingError, match="symbolic link"):
        load(link, follow_links=False)


def test_large_binary_and_missing_files_say_so(folder):
    with pytest.raises(LoadingError, match="is larger than"):
        load(write(folder, b"big", b"a" * 11), limit=10)
    with pytest.raises(BinaryContentError):
        load(write(folder, b"bin", b"\x7fELF\0\0"))
    with pytest.raises(FileMissingError):
        load(folder + b"/none")


def test_a_path_through_a_file_is_unreadable_not_a_crash(folder):
    with pytest.raises(LoadingError, match="cannot be read: "):
        load(write(folder, b"f", b"") + b"/below")


def test_files_that_claim_to_be_empty_are_read_anyway():
    assert load(b"/proc/self/status").text
