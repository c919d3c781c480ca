"""Ten accidents that really happened to users of other file managers; none may happen here."""

import errno
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import FaultySyscalls, World, devices, tree

from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.plan.refusals import ChangedSince, NotAFolder, NotThere, SameTarget
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.engine.run.control import Cancelled, Unattended
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import ConflictPolicy


@pytest.fixture
def world():
    """Sources here, destination there, on two devices."""
    with devices() as found:
        if found.two is None:
            pytest.skip("mounting a second file system is not allowed here")
        made = World(found.one, found.two)
        made.reset()
        made.write(made.here + b"/one", b"first")
        made.write(made.here + b"/two", b"second" * 500_000)
        made.write(made.here + b"/three", b"third")
        yield made


def chosen(world, *names):
    return [world.here + b"/" + name for name in names or (b"one", b"two", b"three")]


class StopsAt(Unattended):
    """Cancels at the Nth checkpoint."""

    def __init__(self, at):
        self.left = at

    def checkpoint(self):
        self.left -= 1
        if self.left <= 0:
            raise Cancelled


class Failing(Syscalls):
    """One kind of call always fails."""

    def __init__(self, call, number):
        setattr(self, call, lambda *_: (_ for _ in ()).throw(OSError(number, os.strerror(number))))


def test_mc_4759_a_cancelled_move_across_volumes_keeps_its_sources(world):
    for at in range(1, 9):
        before = tree(world.here)
        outcome = world.run(plan_move(chosen(world), world.there), control=StopsAt(at))
        assert outcome.state is OperationState.CANCELLED
        for path, text in before.items():
            there = world.there + b"/" + os.path.basename(path)
            assert text in (tree(world.here).get(path), tree(world.there).get(there))
            assert tree(world.there).get(there) in (None, text)
        assert world.leftovers() == []
        for name in os.listdir(world.there):
            os.unlink(world.there + b"/" + name)
        for path, text in before.items():
            world.write(path, text)


def test_mc_3128_an_owner_that_cannot_be_set_does_not_cost_the_source(world):
    os.chown(world.here + b"/one", 1234, 1234) if os.getuid() == 0 else None
    outcome = world.run(plan_move(chosen(world), world.there), Failing("set_owner", errno.EPERM))
    assert tree(world.there)[world.there + b"/one"] == b"first"
    if os.getuid() == 0:
        assert (outcome.items[0].item, "owner") in outcome.warnings
    again = world.write(world.here + b"/one", b"again")
    os.chown(again, 1234, 1234) if os.getuid() == 0 else None
    world.run(plan_move([again], world.there, Choices(policy=ConflictPolicy.RENAME)), Failing("set_owner", errno.EIO))
    assert b"again" in {**tree(world.here), **tree(world.there)}.values()


def test_mc_3963_permissions_that_cannot_be_set_do_not_cost_the_source(world):
    before = tree(world.here)
    outcome = world.run(plan_move(chosen(world), world.there), Failing("set_mode", errno.EIO))
    assert len(outcome.failed) == 3
    assert tree(world.here) == before
    assert os.listdir(world.there) == []


def test_mc_3297_no_room_for_the_copy_does_not_cost_the_target(world):
    standing = world.write(world.there + b"/two", b"the only copy")
    outcome = world.run(
        plan_copy(chosen(world, b"two"), world.there, Choices(policy=ConflictPolicy.OVERWRITE)),
        Failing("copy_range", errno.ENOSPC),
    )
    assert outcome.failed[0].reason == "the disk is full"
    assert tree(world.there) == {standing: b"the only copy"}
    assert world.leftovers() == []


def test_mc_2736_a_file_that_vanished_from_a_stale_listing_does_not_cost_its_neighbour(world):
    listed = {path: fingerprint.of_path(path) for path in chosen(world)}
    os.unlink(world.here + b"/two")
    with pytest.raises(NotThere):
        plan_delete(chosen(world, b"two"), Choices(expected=listed))
    world.write(world.here + b"/two", b"a new file under the old name")
    for plan in (plan_delete, plan_trash):
        with pytest.raises(ChangedSince):
            plan(chosen(world, b"two"), Choices(expected=listed))
    plan = plan_delete(chosen(world, b"two"))
    os.rename(world.here + b"/three", world.here + b"/two")
    assert world.run(plan).drifted
    assert tree(world.here)[world.here + b"/two"] == b"third"


def test_doublecmd_250_an_overwrite_that_runs_out_of_room_keeps_the_target(world):
    standing = world.write(world.there + b"/one", b"old and precious")
    plan = plan_copy(chosen(world, b"one"), world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    counting = FaultySyscalls()
    copy = world.run(plan, counting)
    assert copy.is_clean
    for at in range(1, counting.count + 1):
        world.write(standing, b"old and precious")
        plan = plan_copy(chosen(world, b"one"), world.there, Choices(policy=ConflictPolicy.OVERWRITE))
        world.run(plan, FaultySyscalls(at, errno.ENOSPC))
        assert b"old and precious" in {**tree(world.there), **world.trashed()}.values()
        assert tree(world.there)[standing] in (b"old and precious", b"first")


def test_doublecmd_177_a_folder_that_cannot_be_made_does_not_cost_what_should_go_into_it(world):
    world.write(world.here + b"/folder/inside", b"precious")
    before = tree(world.here)
    outcome = world.run(plan_move(chosen(world, b"folder"), world.there), Failing("mkdir", errno.EACCES))
    assert len(outcome.failed) == 2
    assert tree(world.here) == before
    assert os.listdir(world.there) == []


def test_fman_653_permission_denied_does_not_cost_the_source(world):
    before = tree(world.here)
    outcome = world.run(plan_move(chosen(world), world.there), Failing("create", errno.EACCES))
    assert {item.reason for item in outcome.failed} == {"permission denied"}
    assert tree(world.here) == before


def test_file_commander_270_cancelling_inside_a_large_file_keeps_the_original(world):
    class StopsInside(Unattended):
        def progress(self, progress):
            self.inside = 0 < progress.bytes_done < progress.bytes_total

        def checkpoint(self):
            if getattr(self, "inside", False):
                raise Cancelled

    before = tree(world.here)
    outcome = world.run(plan_move(chosen(world, b"two", b"one"), world.there), control=StopsInside())
    assert outcome.state is OperationState.CANCELLED
    assert tree(world.here) == before
    assert world.leftovers() == []


def test_gemini_cli_moving_many_files_into_a_folder_that_was_never_made_keeps_every_one(world):
    with pytest.raises(NotAFolder):
        plan_move(chosen(world, b"one", b"three"), world.here + b"/two")
    world.write(world.here + b"/elsewhere/one", b"another one")
    for target in (world.there, world.there + b"/never made"):
        with pytest.raises(SameTarget):
            plan_move(chosen(world, b"one", b"elsewhere/one"), target)
    files = (b"one", b"two", b"three")
    held = {world.there + b"/never made/" + name: tree(world.here)[world.here + b"/" + name] for name in files}
    assert world.run(plan_move(chosen(world, *files), world.there + b"/never made")).is_clean
    assert tree(world.there) == {world.there + b"/never made": b"/", **held}
