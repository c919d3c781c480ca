"""A bounded slice of the torture run, disk-full, random kills, and races; the whole enumeration is in torture.py."""

import errno
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import SCENARIOS, Before, FaultySyscalls, World, devices, judge, mounted, stride, tree
from torture import points

from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move
from cmdr.model.plans.plan import ConflictPolicy


@pytest.fixture(scope="module")
def two_devices():
    with devices() as found:
        yield found


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
@pytest.mark.parametrize("device", ["same", "other"])
def test_a_kill_or_error_at_any_call_loses_nothing(two_devices, scenario, device):
    places = {label: (one, two) for label, one, two in two_devices.places()}
    if device not in places:
        pytest.skip("mounting a second file system is not allowed here")
    bad = [
        (at, action, text)
        for at, action, texts in points(World(*places[device]), scenario, step=stride(19), offset=len(scenario.name))
        for text in texts
    ]
    assert bad == []


@pytest.mark.parametrize("ability", ["no exchange", "no flags", "no links"])
@pytest.mark.parametrize("name", ["overwrite", "move and overwrite", "rename ring", "trash"])
def test_file_systems_with_fewer_abilities_are_as_safe(two_devices, ability, name):
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == name)
    world = World(two_devices.one, two_devices.one)
    bad = [
        (at, action, text)
        for at, action, texts in points(world, scenario, ability, step=stride(29), offset=len(ability))
        for text in texts
    ]
    assert bad == []


def _small_tree(world: World) -> None:
    for number in range(6):
        world.write(world.here + b"/pick/%d" % number, bytes([65 + number]) * 400_000)


@pytest.mark.parametrize("plan", [plan_copy, plan_move])
def test_a_full_disk_leaves_whole_files_only_and_keeps_every_source(plan):
    with mounted("64m", 1) as big, mounted("1m", 1) as small:
        if not big or not small:
            pytest.skip("mounting a small file system is not allowed here")
        world = World(big[0], small[0])
        world.reset()
        _small_tree(world)
        before = tree(world.here)
        # The room is checked when planning; here it goes away afterwards.
        free, os.fstatvfs = os.fstatvfs, lambda fd: os.statvfs(big[0])
        try:
            chosen = plan([world.here + b"/pick"], world.there, Choices(policy=ConflictPolicy.SKIP))
        finally:
            os.fstatvfs = free
        outcome = world.run(chosen)
        assert {item.reason for item in outcome.failed} == {"the disk is full"}
        there = tree(world.there)
        for path, text in before.items():
            kept = tree(world.here).get(path)
            landed = there.get(path.replace(world.here, world.there))
            assert text in (kept, landed)
            assert landed in (None, text)
        assert world.leftovers() == []


def test_a_real_process_killed_at_random_moments_loses_nothing(two_devices, tmp_path):
    if two_devices.two is None:
        pytest.skip("mounting a second file system is not allowed here")
    world = World(two_devices.one, two_devices.two)
    rng = random.Random(7)
    script = textwrap.dedent("""
        import sys
        from cmdr.engine.journal.journal import Journal
        from cmdr.engine.run.control import Unattended
        from cmdr.engine.run.operation import Operation
        from cmdr.engine.plan.transfer_plan import plan_move
        from cmdr.engine.fs.syscalls import Syscalls
        from cmdr.model.plans.plan import ConflictPolicy
        here, there, home, db = (part.encode() for part in sys.argv[1:])
        journal = Journal(db)
        plan = plan_move([here + b"/pick"], there, policy=ConflictPolicy.OVERWRITE)
        print("go", flush=True)
        Operation(plan, Syscalls(), journal, trash_home=home).run(Unattended())
    """)
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == "move and overwrite")
    killed = 0
    for _ in range(6):
        world.reset()
        scenario.prepare(world)
        for number in range(150):
            world.write(world.here + b"/pick/more/%d" % number, b"more %d" % number)
        before = Before.of(world)
        plan = plan_move([world.here + b"/pick"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
        arguments = [os.fsdecode(path) for path in (world.here, world.there, world.home, world.journal_path)]
        child = subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        timer = threading.Timer(rng.uniform(0.0, 0.08), child.send_signal, (signal.SIGKILL,))
        timer.start()
        killed += child.wait() != 0
        timer.cancel()
        timer.join()
        child.stdout.close()
        world.recover()
        assert judge(world, scenario, before, plan) == []
    assert killed


class Racing(Syscalls):
    """Lets another program act right before a chosen call."""

    def __init__(self, name, act, nth=1):
        self._name, self._act, self._left = name, act, nth

    def __getattribute__(self, name):
        if name in ("_name", "_act", "_left", "__class__"):
            return object.__getattribute__(self, name)
        if name == self._name:
            self._left -= 1
            if self._left == 0:
                self._act()
        return object.__getattribute__(self, name)


@pytest.fixture
def world(tmp_path):
    found = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    found.reset()
    return found


def test_a_source_that_changes_while_it_is_copied_is_not_accepted(world):
    path = world.write(world.here + b"/log", b"x" * 5000)

    def grow():
        with open(path, "ab") as file:
            file.write(b"more")

    # The kernel copies 5000 bytes; the file grows between that and the second look at it.
    outcome = world.run(plan_copy([path], world.there), Racing("copy_range", grow))
    assert [item.reason for item in outcome.drifted] == ["it changed while it was being copied"]
    assert os.listdir(world.there) == []


def test_a_source_that_shrinks_while_it_is_copied_is_not_accepted(world):
    path = world.write(world.here + b"/log", b"x" * 50_000)
    outcome = world.run(plan_copy([path], world.there), Racing("copy_range", lambda: os.truncate(path, 0)))
    assert [item.reason for item in outcome.drifted] == ["the file became shorter while it was being copied"]
    assert os.listdir(world.there) == []


@pytest.mark.parametrize("call", ["open", "create", "copy_range", "rename", "sync_data"])
def test_a_destination_folder_swapped_for_a_link_is_never_written_through(world, call):
    outside = world.top + b"/outside"
    os.mkdir(outside)
    world.write(world.here + b"/pick/sub/file", b"text")
    plan = plan_copy([world.here + b"/pick"], world.there)

    def swap():
        if os.path.isdir(world.there + b"/pick/sub"):
            os.rename(world.there + b"/pick/sub", world.there + b"/pick/was")
            os.symlink(outside, world.there + b"/pick/sub")

    world.run(plan, Racing(call, swap))
    assert os.listdir(outside) == []
    assert tree(world.here)[world.here + b"/pick/sub/file"] == b"text"


def test_a_source_folder_swapped_for_a_link_is_never_read_or_emptied(world):
    outside = world.write(world.top + b"/outside/secret", b"secret")
    world.write(world.here + b"/pick/sub/secret", b"mine")
    plan = plan_move([world.here + b"/pick"], world.there, Choices(policy=ConflictPolicy.SKIP))
    os.rename(world.here + b"/pick", world.here + b"/was")
    os.symlink(os.path.dirname(outside), world.here + b"/pick")
    outcome = world.run(plan)
    assert outcome.drifted
    assert tree(world.top + b"/outside") == {outside: b"secret"}
    assert os.listdir(world.there) == []


def test_a_file_that_takes_the_target_name_at_the_last_moment_is_kept(world):
    path = world.write(world.here + b"/a", b"ours")
    taken = world.there + b"/a"
    outcome = world.run(
        plan_copy([path], world.there, Choices(policy=ConflictPolicy.OVERWRITE)),
        Racing("rename", lambda: world.write(taken, b"theirs")),
    )
    assert [item.reason for item in outcome.drifted] == ["the name was taken after the plan was made"]
    assert tree(world.there) == {taken: b"theirs"}


def test_a_new_version_saved_over_the_replaced_file_at_the_last_moment_is_kept(world):
    path = world.write(world.here + b"/a", b"ours")
    old = world.write(world.there + b"/a", b"old")

    def save():
        world.write(world.there + b"/a.new", b"theirs, newer")
        os.rename(world.there + b"/a.new", old)

    outcome = world.run(
        plan_copy([path], world.there, Choices(policy=ConflictPolicy.OVERWRITE)), Racing("rename", save)
    )
    assert outcome.drifted
    assert tree(world.there) == {old: b"theirs, newer"}
    assert world.leftovers() == []


def test_a_source_replaced_right_before_its_removal_is_kept(two_devices):
    if two_devices.two is None:
        pytest.skip("mounting a second file system is not allowed here")
    world = World(two_devices.one, two_devices.two)
    world.reset()
    path = world.write(world.here + b"/a", b"version one")

    def save():
        world.write(world.here + b"/a.new", b"version two")
        os.rename(world.here + b"/a.new", path)

    # The first rename lands the copy, the second parks the source before it is removed.
    outcome = world.run(plan_move([path], world.there), Racing("rename", save, nth=2))
    assert tree(world.here) == {path: b"version two"}
    assert tree(world.there) == {world.there + b"/a": b"version one"}
    assert "kept" in outcome.items[0].reason


def test_an_error_when_closing_means_the_copy_is_not_trusted(world):
    path = world.write(world.here + b"/a", b"text")
    counting = FaultySyscalls()
    world.run(plan_copy([path], world.there), counting)
    os.unlink(world.there + b"/a")
    for at in range(1, counting.count + 1):
        faulty = FaultySyscalls(at, errno.EIO)
        outcome = world.run(plan_copy([path], world.there), faulty)
        if faulty.hit == "close":
            assert outcome.failed
            assert os.listdir(world.there) == []
            return
        for name in os.listdir(world.there):
            os.unlink(world.there + b"/" + name)
    raise AssertionError("no close was seen")
