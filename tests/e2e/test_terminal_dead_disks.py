"""Disks that never answer and folders that never end: keys are answered all the while, and Esc leads back."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from pty_terminal import PtyTerminal

CMDR = str(Path(sys.executable).with_name("cmdr"))

# A mount whose file system never answers: the program that should serve it holds it open and does nothing.
MOUNT_AND_RUN = """
import ctypes, os, sys
folder, *argv = sys.argv[1:]
device = os.open("/dev/fuse", os.O_RDWR)
os.set_inheritable(device, True)
options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
if ctypes.CDLL(None).mount(b"dead", os.fsencode(folder), b"fuse", 0, options):
    sys.exit(77)
os.execvp(argv[0], argv)
"""


def in_its_own_mounts(folder, *argv):
    return ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-c", MOUNT_AND_RUN, str(folder), *argv]


def can_mount(folder):
    if shutil.which("unshare") is None or not os.path.exists("/dev/fuse"):
        return False
    return subprocess.run(in_its_own_mounts(folder, "true"), capture_output=True, check=False).returncode == 0


@pytest.fixture
def home(tmp_path):
    for name in ("left/dead", "right"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "run").mkdir(mode=0o700)
    for number in range(8):
        (tmp_path / "left" / f"file{number}.txt").touch()
    return tmp_path


def start(home, argv):
    environment = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "CMDR_MCP_ENABLED": "false",
    }
    return PtyTerminal(argv, **environment)


def quickest_answer(it):
    """The shortest time from a key to its effect, over several: others use the machine too."""
    times = []
    for count in range(1, 7):
        it.settle(0.05)
        it.send("insert")
        times.append(it.wait(f"{count} of 9 selected"))
    return min(times)


def test_a_mount_that_never_answers_holds_up_nothing(home):
    dead = home / "left" / "dead"
    if not can_mount(dead):
        pytest.skip("mounting is not possible here")
    with start(home, in_its_own_mounts(dead, CMDR, str(home / "left"), str(home / "right"))) as it:
        it.wait("file0.txt")
        it.settle()
        it.send("enter")
        it.wait("Reading… Esc gives up")
        assert quickest_answer(it) < 0.1
        assert "Reading… Esc gives up" in it.screen.text
        it.send("escape")
        it.wait("Gave up waiting")
        it.settle(0.3)
        assert "~/left ─" in it.screen.text
        it.send("end", "insert")
        it.wait("7 of 9 selected")
        it.send("f10")
        assert it.wait_end()[0] == 0


def children(pid):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def stopped_reader(it, known):
    """The helper that reads a very large folder, stopped before it is done."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for child in set(children(it.pid)) - known:
            os.kill(child, signal.SIGSTOP)
            return child
        it.read(0.001)
    raise AssertionError("no helper came")


def test_a_listing_that_never_ends_shows_what_is_there_and_escape_leads_back(home):
    many = home / "left" / "dead"
    for number in range(62_000):
        os.mknod(many / f"n{number}")
    with start(home, [CMDR, str(home / "left"), str(home / "right")]) as it:
        it.wait("file0.txt")
        it.settle()
        known = set(children(it.pid))
        it.send("enter")
        reader = stopped_reader(it, known)
        it.wait("so far…")
        it.wait("Reading… Esc gives up")
        it.settle(0.05)
        it.send("insert", "insert", "insert")
        it.wait("3 of 60,000 selected")
        it.send("escape")
        it.wait("Gave up waiting")
        it.wait("file7.txt")
        it.wait("~/left ─")
        with pytest.raises(ProcessLookupError):
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                os.kill(reader, 0)
                it.read(0.05)
        it.send("f10")
        assert it.wait_end()[0] == 0
