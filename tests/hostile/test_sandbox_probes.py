"""Forty and more attempts to get out of each sandbox, as root and as an ordinary user: only documented gaps remain."""

import contextlib
import json
import os
import shutil
import socket
import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import sandbox_probes
from walls_ground import NOBODY, SECRET, as_nobody, can_be_nobody, open_the_way_to

from cmdr.files.process_sandbox.backend import BACKENDS, Backend, holds
from cmdr.files.process_sandbox.runner import SandboxedRun
from cmdr.files.process_sandbox.sandbox_profile import ResourceLimits, SandboxProfile

PYTHON = "/usr/bin/python3"
GAPS = {
    Backend.BUBBLEWRAP: set(),
    # Landlock does not look at these; they change no contents. Said so in docs/security.md.
    Backend.NAMESPACES: {"change a mode outside", "change times outside"},
    Backend.LANDLOCK: {"change a mode outside", "change times outside"},
}

RUN = """
import json, os, sys
from cmdr.files.process_sandbox.runner import SandboxedRun
from cmdr.files.process_sandbox.backend import Backend
from cmdr.files.process_sandbox.sandbox_profile import ResourceLimits, SandboxProfile
root, tier, words = os.fsencode(sys.argv[1]), Backend(sys.argv[2]), json.loads(sys.argv[3])
profile = SandboxProfile(root, write=(root,))
ended = SandboxedRun([os.fsencode(word) for word in words], profile, tier, timeout_s=30).run()
print(ended.output.text())
"""


def own_name():
    """The first word this process was started with, as the host's process list shows it."""
    return Path("/proc/self/cmdline").read_bytes().split(b"\0")[0].decode()


@pytest.fixture
def world(tmp_path):
    """An outside with files, ports and sockets of the host, all of them reachable without a sandbox."""
    tmp_path.chmod(0o755)
    open_the_way_to(tmp_path)
    root, outside, state = (tmp_path / name for name in ("root", "outside", "state"))
    for folder in (root, outside, state):
        folder.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    (state / "token").write_text(SECRET)
    (root / "put").write_text("x")
    (root / "link_out").symlink_to(outside)
    shutil.copy(sandbox_probes.__file__, root / "probes.py")
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        tcp6 = stack.enter_context(socket.create_server(("::1", 0), family=socket.AF_INET6))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(str(outside / "s"))
        unix.listen()
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        name = f"walls-{os.getpid()}"
        abstract.bind("\0" + name)
        abstract.listen()
        echo = threading.Thread(target=_echo, args=(udp,), daemon=True)
        echo.start()
        at = {
            "root": str(root), "outside": str(outside), "state": str(state), "pid": os.getpid(), "marker": own_name(),
            "tcp": tcp.getsockname()[1], "tcp6": tcp6.getsockname()[1], "udp": udp.getsockname()[1],
            "unix": str(outside / "s"), "abstract": name, "address": id(SECRET),
        }  # fmt: skip
        yield at
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", udp.getsockname())
        echo.join(60)


def _echo(udp):
    while True:
        data, sender = udp.recvfrom(64)
        if not data:
            return
        udp.sendto(data, sender)


def judge(told, tier, at):
    assert len(told) >= 40
    broken = {name: answer for name, answer in told.items() if answer.startswith("broken")}
    assert not broken
    escaped = {name for name, answer in told.items() if answer.startswith("ESCAPED")}
    assert escaped <= GAPS[tier], told
    assert Path(at["outside"], "secret.txt").read_text() == SECRET
    assert sorted(os.listdir(at["outside"])) == ["s", "secret.txt"]


needs = pytest.mark.skipif(not os.path.exists(PYTHON), reason="needs the system's Python inside the sandbox")


@needs
@pytest.mark.parametrize("tier", BACKENDS)
def test_nothing_gets_out_of_the_sandbox(world, tier):
    if not holds(tier):
        pytest.skip(f"{tier} does not work here")
    root = os.fsencode(world["root"])
    command = [PYTHON.encode(), root + b"/probes.py", json.dumps(world).encode()]
    ended = SandboxedRun(command, SandboxProfile(root, write=(root,)), tier, timeout_s=30).run()
    judge(json.loads(ended.output.text()), tier, world)


@needs
@pytest.mark.skipif(not can_be_nobody(), reason="needs root and a Python for everybody")
@pytest.mark.parametrize("tier", BACKENDS)
def test_nothing_gets_out_for_an_ordinary_user_either(world, tier):
    for name in ("root", "outside", "state"):
        for path in (Path(world[name]), *Path(world[name]).iterdir()):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    words = [PYTHON, world["root"] + "/probes.py", json.dumps(world)]
    told = json.loads(as_nobody(RUN, world["root"], tier.value, json.dumps(words)))
    judge(told, tier, world)


def test_the_probes_would_notice_an_open_door(world):
    """Without any sandbox most of them succeed; otherwise they would prove nothing."""
    told = {}
    for name in ("read a file outside", "list the folder outside", "reach our own port", "send a datagram",
                 "reach a socket by path", "reach an abstract socket", "see the host process"):  # fmt: skip
        told[name] = sandbox_probes.PROBES[name](world)
    assert all(told.values()), told


@pytest.mark.parametrize("tier", BACKENDS)
def test_the_limits_of_the_walls_hold_in_every_sandbox(tmp_path, tier):
    if not holds(tier):
        pytest.skip(f"{tier} does not work here")
    limits = ResourceLimits(memory=3 << 30, open_files=77, file_size=512 << 20)
    walls = SandboxProfile(bytes(tmp_path), write=(bytes(tmp_path),), limits=limits)
    told = SandboxedRun([b"/bin/bash", b"-c", b"ulimit -v -n -f"], walls, tier, timeout_s=30).run().output.text()
    assert [int(line.split()[-1]) for line in told.splitlines()] == [3 << 20, 77, 512 << 10]
