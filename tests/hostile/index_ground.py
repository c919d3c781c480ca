"""Ground for an index in bad luck: programs with mounts and limits of their own, and a tree to lose."""

import json
import os
import shutil
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
UNSHARE = shutil.which("unshare")
BEGINNING = """
import json, os, subprocess, sys, errno
sys.path.insert(0, sys.argv[1])
from index_ground import *
from cmdr.index.errors import *
from cmdr.index.library import Library
from cmdr.model.trees.indexes import WalkOptions
FEW = WalkOptions(workers=2, nice=0)
place = sys.argv[2]
def tell(**what):
    print(json.dumps(what), flush=True)
"""


def alone(program: str, place: str, *arguments: str) -> list[dict]:
    """Run a program that may mount and set limits without anybody else noticing; what it told, line by line."""
    command = [UNSHARE or "unshare", "-rm", sys.executable, "-c", BEGINNING + program, HERE, place, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def _can_be_alone() -> bool:
    if UNSHARE is None or sys.platform != "linux":
        return False
    probe = [UNSHARE, "-rm", "sh", "-c", "mount -t tmpfs none /mnt"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


needs_own_mounts = pytest.mark.skipif(not _can_be_alone(), reason="no user namespace with mounts of its own here")


def mount(place: str, size: str = "64m") -> None:
    """A file system of this size, in memory."""
    os.makedirs(place, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place], check=True)


def plant(root: str, folders: int, files: int) -> None:
    """A tree of small files."""
    for folder in range(folders):
        os.makedirs(f"{root}/folder {folder}", exist_ok=True)
        for number in range(files):
            with open(f"{root}/folder {folder}/a file with a rather long name {number}.txt", "wb") as out:
                out.write(b"x" * number)


def free(place: str) -> int:
    """Bytes that are free where this is."""
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize


def fill_up(place: str, leave: int) -> None:
    """Take all room but this much."""
    with open(f"{place}/ballast", "ab", buffering=0) as out:
        while (room := free(place) - leave) > 0:
            out.write(b"\0" * min(room, 1 << 20))


def make_room(place: str) -> None:
    os.unlink(f"{place}/ballast")


def leavings(place: str) -> list[str]:
    """What an interrupted write left behind: there must be nothing."""
    found = []
    for folder, folders, files in os.walk(place):
        found += [
            f"{folder}/{name}" for name in folders + files if name.endswith((".tmp", ".new")) or "scratch" in name
        ]
    return found
