"""Folders with everything a disk can hold."""

import os
import socket

import pytest

HOSTILE = [
    b"plain.txt",
    b"two\nlines",
    b"\x1b]0;title\x07",
    b"not\xff\xfeutf8",
    "übergröße.TXT".encode(),
    "\u202egpj.exe".encode(),
    b"x [sel]",
    b" leading",
    b"trailing ",
    b"'quotes\"",
    b"-rf",
    b"img2",
    b"img10",
    b"IMG1",
    b"img010",
    b".hidden",
    b"...",
    b"a" * 255,
    b"\\backslash",
    b"%41",
]


@pytest.fixture
def hostile(tmp_path):
    """A folder of awkward names and of every kind of entry that can be made without privileges."""
    folder = bytes(tmp_path / "hostile")
    os.mkdir(folder)
    for number, name in enumerate(HOSTILE):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"x" * (number % 7))
        os.utime(os.path.join(folder, name), ns=(0, (number * 37 % 11 - 3) * 10**9))
    for name in (b"folder", b"Folder 2", b".git"):
        os.mkdir(os.path.join(folder, name))
    os.symlink(b"folder", os.path.join(folder, b"to-folder"))
    os.symlink(b"plain.txt", os.path.join(folder, b"to-file"))
    os.symlink(b"nowhere", os.path.join(folder, b"broken"))
    os.symlink(b"circle", os.path.join(folder, b"circle"))
    os.mkfifo(os.path.join(folder, b"pipe"))
    bound = socket.socket(socket.AF_UNIX)
    here = os.open(folder, os.O_RDONLY)
    before = os.getcwdb()
    try:
        os.fchdir(here)
        bound.bind(b"socket")
    finally:
        os.chdir(before)
        os.close(here)
        bound.close()
    return folder
