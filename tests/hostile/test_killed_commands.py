"""Commands that double-fork, ignore signals, flood or storm are all gone at the deadline; `make torture` repeats it."""

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from evil_commands import EVIL, STORM, marked, survivors
from walls_ground import NOBODY, as_nobody, can_be_nobody, open_the_way_to

from cmdr.files.process_sandbox.backend import BACKENDS, holds
from cmdr.files.process_sandbox.launcher import descendants
from cmdr.files.process_sandbox.runner import SandboxedRun
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile

SECONDS = 0.4
_marks = (f"{3000 + os.getpid() % 1000}.{number:06}" for number in itertools.count())

AS_NOBODY = """
import json, os, sys
from cmdr.files.process_sandbox.runner import SandboxedRun
from cmdr.files.process_sandbox.backend import Backend
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile
root, tier, text = os.fsencode(sys.argv[1]), Backend(sys.argv[2]), os.fsencode(sys.argv[3])
ended = SandboxedRun([b"/bin/sh", b"-c", text], SandboxProfile(root, write=(root,)), tier, timeout_s=1).run()
print(json.dumps([ended.seconds, ended.why]))
"""


@pytest.fixture(params=BACKENDS)
def tier(request):
    if not holds(request.param):
        pytest.skip(f"{request.param} does not work here")
    return request.param


@pytest.fixture
def walls(tmp_path):
    root = os.fsencode(tmp_path)
    return SandboxProfile(root, write=(root,))


@pytest.mark.parametrize("name", EVIL)
def test_nothing_survives_the_deadline(tier, walls, name):
    mark = next(_marks)
    before = len(os.listdir("/proc/self/fd"))
    running = SandboxedRun([b"/bin/sh", b"-c", marked(EVIL[name], mark).encode()], walls, tier, timeout_s=SECONDS)
    running.run()
    assert survivors(mark) == []
    assert len(os.listdir("/proc/self/fd")) <= before  # what an earlier test left may be collected meanwhile
    assert not [pid for pid in descendants(os.getpid()) if pid in survivors(mark)]


@pytest.mark.skipif(not can_be_nobody(), reason="root has no limit on processes, so the storm runs as nobody")
def test_a_fork_storm_ends_at_the_deadline(tier, tmp_path):
    mark = next(_marks)
    os.chown(tmp_path, NOBODY, NOBODY)
    open_the_way_to(tmp_path)
    _, why = json.loads(as_nobody(AS_NOBODY, str(tmp_path), tier.value, marked(STORM, mark)))
    assert survivors(mark) == []
    assert why.startswith("timed out")


def test_a_flood_is_cut_short_and_keeps_both_ends(tier, walls):
    text = b"echo begin; exec head -c 1000000000 /dev/zero"
    ended = SandboxedRun([b"/bin/sh", b"-c", text], walls, tier, timeout_s=20, max_output_bytes=1 << 20).run()
    assert ended.why == "stopped after 1 MiB of output"
    assert ended.output.text().startswith("begin\n")
    assert len(ended.output.text()) < 70_000


def test_exit_codes_and_output_come_through(tier, walls):
    ended = SandboxedRun([b"/bin/sh", b"-c", b"echo out; echo err >&2; exit 7"], walls, tier, timeout_s=20).run()
    assert (ended.code, ended.why) == (7, "")
    assert sorted(ended.output.text().split()) == ["err", "out"]
    ended = SandboxedRun([b"/bin/sh", b"-c", b"kill -9 $$"], walls, tier, timeout_s=20).run()
    assert ended.code == 137


def test_the_limits_hold(tier, walls):
    script = b"ulimit -v; ulimit -f; ulimit -n; ulimit -c; "
    script += b"truncate -s 3G big 2>/dev/null; truncate -s 1G big; stat -c %s big"
    ended = SandboxedRun([b"/bin/sh", b"-c", script], walls, tier, timeout_s=20).run()
    memory, size, files, core, *rest = ended.output.text().split()
    assert (memory, size, files, core) == ("2097152", "2097152", "256", "0")
    assert rest == [str(1 << 30)]


def test_the_environment_is_clean(tier, walls, monkeypatch):
    monkeypatch.setenv("CMDR_TOKEN", "secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    more = SandboxProfile(walls.folder, write=walls.write, variables=(("EXTRA", "a=b c"),))
    assert "EXTRA=a=b c" in SandboxedRun([b"/usr/bin/env"], more, tier, timeout_s=20).run().output.text()
    ended = SandboxedRun([b"/usr/bin/env"], walls, tier, timeout_s=20).run()
    names = {line.partition("=")[0] for line in ended.output.text().splitlines()}
    assert names <= {"PATH", "HOME", "LANG", "TERM", "TMPDIR", "PWD", "SHLVL", "_"}


def test_a_command_can_be_stopped_from_another_thread(tier, walls):
    mark = next(_marks)
    running = SandboxedRun([b"/bin/sh", b"-c", f"echo up; sleep {mark}".encode()], walls, tier, timeout_s=300)

    def stop():
        while not survivors(mark):
            time.sleep(0.02)
        running.stop("stopped by the person")

    stopper = threading.Thread(target=stop)
    stopper.start()
    ended = running.run()
    stopper.join()
    assert ended.why == "stopped by the person"
    assert survivors(mark) == []
    running.stop()  # afterwards it does nothing


RUN_FOREVER = """
import os, sys
from cmdr.files.process_sandbox.runner import SandboxedRun
from cmdr.files.process_sandbox.backend import Backend
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile
root, tier, text = os.fsencode(sys.argv[1]), Backend(sys.argv[2]), os.fsencode(sys.argv[3])
SandboxedRun([b"/bin/sh", b"-c", text], SandboxProfile(root, write=(root,)), tier, timeout_s=300).run()
"""


def test_commands_end_with_cmdr_even_when_it_is_killed_itself(tier, tmp_path):
    mark = next(_marks)
    text = marked(EVIL["double fork"], mark)
    cmdr = subprocess.Popen([sys.executable, "-c", RUN_FOREVER, str(tmp_path), tier.value, text])
    until = time.monotonic() + 60
    while len(survivors(mark)) < 4 and time.monotonic() < until:
        time.sleep(0.02)
    assert survivors(mark)
    cmdr.send_signal(signal.SIGKILL)
    cmdr.wait()
    until = time.monotonic() + 60
    while survivors(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert survivors(mark) == []


_OVERLOOKED = """
import itertools, subprocess
from cmdr.files.process_sandbox import launcher
from cmdr.files.process_sandbox.launcher import adopt_orphans

adopt_orphans()
child = subprocess.Popen(["sleep", "600"])
looks = itertools.chain([[], []], itertools.repeat([child.pid]))
launcher.descendants = lambda ancestor: next(looks)
assert launcher.kill_descendants()
assert child.pid and not launcher.has_children()
"""


def test_a_process_that_was_overlooked_is_looked_for_again():
    """One that forked and ended while /proc was read hid its child, and two sleeps outlived their command."""
    subprocess.run([sys.executable, "-c", _OVERLOOKED], check=True, timeout=60)
