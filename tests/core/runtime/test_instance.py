"""There is one cmdr per user, however many start at once and however they end."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading

import pytest

from cmdr.core import places
from cmdr.core.runtime import instance
from cmdr.core.runtime.instance import AlreadyRunning, Instance, running

RACER = """
import sys
from cmdr.core.runtime.instance import AlreadyRunning, Instance
print("ready", flush=True)
sys.stdin.readline()
try:
    held = Instance.claim(sys.argv[1])
except AlreadyRunning:
    print("other", flush=True)
else:
    held.announce(1234, "test")
    print("owner", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def runtime(tmp_path):
    return places.own(str(tmp_path / "run"))


def start(runtime, program=RACER):
    return subprocess.Popen(
        [sys.executable, "-c", program, runtime], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def finish(process):
    process.stdin.close()
    process.wait(60)
    process.stdout.close()


def test_nothing_runs_before_a_claim(runtime):
    assert running(runtime) is None


def test_a_claim_without_a_record_is_not_yet_running(runtime):
    with Instance.claim(runtime):
        assert running(runtime) is None


def test_the_record_says_where_it_listens(runtime):
    with Instance.claim(runtime) as held:
        record = held.announce(9224, "1.2.3")
        assert running(runtime) == record
        assert (record.port, record.pid, record.version) == (9224, os.getpid(), "1.2.3")
        path = os.path.join(runtime, instance.RECORD)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert running(runtime) is None
    assert not os.path.exists(path)


def test_announcing_again_replaces_the_record(runtime):
    with Instance.claim(runtime) as held:
        held.announce(1, "a")
        held.announce(2, "a")
        found = running(runtime)
        assert found is not None
        assert found.port == 2


def test_a_second_claim_says_where_the_first_listens(runtime):
    with Instance.claim(runtime) as held:
        with pytest.raises(AlreadyRunning, match="just starting"):
            Instance.claim(runtime)
        record = held.announce(9224, "1")
        with pytest.raises(AlreadyRunning, match=r"127\.0\.0\.1:9224") as refused:
            Instance.claim(runtime)
        assert refused.value.record == record


def test_a_released_instance_can_be_claimed_again(runtime):
    held = Instance.claim(runtime)
    held.release()
    held.release()
    Instance.claim(runtime).release()


def test_twenty_racing_starts_give_one_owner(runtime):
    racers = [start(runtime) for _ in range(20)]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        racer.stdin.write("\n")
        racer.stdin.flush()
    outcomes = [racer.stdout.readline().strip() for racer in racers]
    try:
        assert sorted(outcomes) == ["other"] * 19 + ["owner"]
        found = running(runtime)
        assert found is not None
        assert found.pid == racers[outcomes.index("owner")].pid
    finally:
        for racer in racers:
            finish(racer)


def test_looking_never_disturbs_a_start(runtime):
    ended = threading.Event()

    def look():
        while not ended.is_set():
            running(runtime)

    watchers = [threading.Thread(target=look) for _ in range(4)]
    for watcher in watchers:
        watcher.start()
    try:
        for port in range(1, 41):
            with Instance.claim(runtime) as held:
                held.announce(port, "x")
                found = running(runtime)
                assert found is not None
                assert found.port == port
    finally:
        ended.set()
        for watcher in watchers:
            watcher.join()


def test_a_killed_owner_leaves_nothing_that_counts(runtime):
    owner = start(runtime)
    owner.stdin.write("\n")
    owner.stdin.flush()
    assert owner.stdout.readline() == "ready\n"
    assert owner.stdout.readline() == "owner\n"
    assert running(runtime) is not None
    owner.send_signal(signal.SIGKILL)
    owner.wait(60)
    assert os.path.exists(os.path.join(runtime, instance.RECORD))
    assert running(runtime) is None
    with Instance.claim(runtime):
        # The killed one's record is still there, and the new owner holds the lock: it must not be believed.
        assert running(runtime) is None
    finish(owner)


def test_a_record_that_nobody_holds_is_not_believed(runtime):
    record = {"port": 9224, "pid": 1, "started": 0.0, "version": "1"}
    places.write(os.path.join(runtime, instance.RECORD), json.dumps(record).encode())
    with Instance.claim(runtime):
        assert running(runtime) is None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"port": 1}',
        b'{"port": "1", "pid": 1, "started": 1, "version": "1"}',
        b'{"port": 0, "pid": 1, "started": 1, "version": "1"}',
        b'{"port": 70000, "pid": 1, "started": 1, "version": "1"}',
        b'{"port": true, "pid": 1, "started": 1, "version": "1"}',
    ],
)
def test_an_unreadable_record_is_none(runtime, text):
    import fcntl

    fd = places.stage(os.path.join(runtime, instance.RECORD), text, fcntl.LOCK_EX)
    try:
        assert running(runtime) is None
    finally:
        os.close(fd)


def test_a_record_that_others_could_write_is_refused(runtime):
    with Instance.claim(runtime) as held:
        held.announce(9224, "1")
        os.chmod(os.path.join(runtime, instance.RECORD), 0o666)
        with pytest.raises(places.UnsafePlace):
            running(runtime)


def test_a_lock_that_is_a_link_is_not_followed(runtime, tmp_path):
    os.symlink(tmp_path / "elsewhere", os.path.join(runtime, instance.LOCK))
    with pytest.raises(OSError):
        Instance.claim(runtime)
    assert not (tmp_path / "elsewhere").exists()


def test_children_do_not_keep_the_lock(runtime):
    held = Instance.claim(runtime)
    held.announce(9224, "1")
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    try:
        held.release()
        Instance.claim(runtime).release()
    finally:
        child.communicate(b"\n")


def test_waiting_finds_an_instance_that_starts_meanwhile(runtime):
    with Instance.claim(runtime) as held:
        starter = threading.Thread(target=held.announce, args=(9224, "1"))
        starter.start()
        found = instance.wait_until_running(10, runtime)
        starter.join()
        assert found is not None
        assert found.port == 9224


def test_waiting_ends_when_nothing_starts(runtime):
    assert instance.wait_until_running(0.0, runtime) is None


def test_a_cmdr_that_does_not_listen_yet_is_known_to_be_there(tmp_path):
    runtime = str(tmp_path)
    assert not instance.is_claimed(runtime)
    with instance.Instance.claim(runtime):
        assert instance.running(runtime) is None
        assert instance.is_claimed(runtime)
    assert not instance.is_claimed(runtime)
