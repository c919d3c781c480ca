"""Where there is no trash, a plan that needs one is refused before anybody says yes to it."""

import contextlib
import os
import subprocess

import pytest
from ops_ground import World, mounted

from cmdr.engine.fs.mounts import path_of, top_of
from cmdr.engine.fs.trash import NoTrashHere, TrashSite, locate
from cmdr.engine.plan.new_plan import plan_write
from cmdr.engine.plan.refusals import NothingKept, NoTrash
from cmdr.engine.plan.restore_plan import plan_restore
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move, plan_trash
from cmdr.engine.run.undo import plan_undo
from cmdr.model.plans.plan import ConflictPolicy, StepName

NOBODY = 65534


@contextlib.contextmanager
def without_rights():
    """As a user who may not write wherever they like."""
    if os.getuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def stick():
    """A volume of its own that everybody can read."""
    with mounted("4m", 1) as found:
        if not found:
            pytest.skip("mounting a file system is not allowed here")
        os.chmod(os.path.dirname(found[0]), 0o755)
        os.chmod(found[0], 0o755)
        yield found[0]


@pytest.fixture
def world(stick, tmp_path):
    found = World(os.fsencode(tmp_path), stick)
    found.reset()
    found.write(found.there + b"/a", b"old")
    found.write(found.here + b"/a", b"new")
    return found


def found_for(path, home, uid=None):
    fd = os.open(path, os.O_RDONLY)
    try:
        return locate(fd, home, uid)
    finally:
        os.close(fd)


@contextlib.contextmanager
def read_only(path):
    subprocess.run(["mount", "-o", "remount,ro", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", path], check=True)


def test_a_read_only_volume_is_said_so_when_planning(world):
    with read_only(world.far), pytest.raises(NoTrash, match="the volume is read-only"):
        plan_trash([world.there + b"/a"], Choices(trash_home=world.home))


def test_a_volume_on_which_no_folder_may_be_made_is_refused_when_planning(world):
    with without_rights(), pytest.raises(NoTrash, match=r"you may not write to .*Move it to another volume"):
        plan_trash([world.there + b"/a"], Choices(trash_home=world.home))


@pytest.mark.parametrize("plan", [plan_copy, plan_move])
def test_replacing_is_refused_when_planning_where_nothing_would_keep_the_old_file(world, plan):
    os.symlink(b"/tmp", world.far + b"/.Trash-%d" % os.getuid())
    with pytest.raises(NothingKept, match=r"is not a folder of yours.*Skip or rename"):
        plan([world.here + b"/a"], world.there, Choices(ConflictPolicy.OVERWRITE, trash_home=world.home))
    for harmless in (ConflictPolicy.SKIP, ConflictPolicy.RENAME, ConflictPolicy.ASK):
        assert plan([world.here + b"/a"], world.there, Choices(harmless, trash_home=world.home))


def test_many_files_in_one_folder_need_one_look_for_a_trash(world):
    for name in (b"x", b"y"):
        world.write(world.here + b"/tree/" + name, b"new")
        world.write(world.there + b"/tree/" + name, b"old")
    plan = plan_copy([world.here + b"/tree"], world.there, Choices(ConflictPolicy.OVERWRITE, trash_home=world.home))
    assert len(plan.overwrites) == 2


def test_writing_a_file_is_refused_when_planning_where_nothing_would_keep_the_old_one(world):
    os.symlink(b"/tmp", world.far + b"/.Trash-%d" % os.getuid())
    with pytest.raises(NothingKept):
        plan_write(world.there + b"/a", b"text")
    assert plan_write(world.there + b"/fresh", b"text")


def test_restoring_over_a_file_is_refused_when_planning_where_nothing_would_keep_it(world):
    done = world.run(plan_trash([world.there + b"/a"], Choices(trash_home=world.home)))
    world.write(world.there + b"/a", b"newer")
    bin = world.far + b"/.Trash-%d" % os.getuid()
    os.rename(bin, world.far + b"/elsewhere")
    os.symlink(b"elsewhere", bin)
    kept = world.far + b"/elsewhere/files/" + done.items[0].kept.name
    with pytest.raises(NothingKept):
        plan_restore([kept], policy=ConflictPolicy.OVERWRITE)


def test_undoing_a_copy_whose_source_is_gone_leaves_it_where_there_is_no_trash(world):
    journal = world.journal()
    try:
        world.write(world.here + b"/b", b"b")
        plan = plan_copy([world.here + b"/a", world.here + b"/b"], world.there, Choices(ConflictPolicy.RENAME))
        done = world.run(plan, recorder=journal)
        os.unlink(world.here + b"/a")
        os.symlink(b"/tmp", world.far + b"/.Trash-%d" % os.getuid())
        steps = {item.place.name: item for item in plan_undo(journal.operation(done.operation)).items}
    finally:
        journal.close()
    assert steps[b"a (1)"].step is StepName.NOTHING
    assert "its volume has no trash" in steps[b"a (1)"].reason
    assert steps[b"b"].step is StepName.REMOVE


def test_a_shared_trash_that_cannot_be_used_gives_way_to_a_folder_of_our_own(world):
    shared, own = world.far + b"/.Trash", TrashSite(world.far + b"/.Trash-%d" % os.getuid(), world.far)
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    assert found_for(world.there, world.home).path == shared + b"/%d" % os.getuid()
    world.write(shared + b"/%d" % os.getuid(), b"not a folder")
    assert found_for(world.there, world.home) == own


def test_a_home_trash_in_which_a_file_stands_is_no_trash(world):
    world.write(world.home + b"/info", b"not a folder")
    with pytest.raises(NoTrashHere, match="info is not a folder"):
        found_for(world.here, world.home)


def test_a_home_that_may_not_be_written_to_is_no_trash(world):
    with pytest.raises(NoTrashHere, match="you may not write to"), without_rights():
        found_for(world.far, world.far + b"/home/Trash")


def test_a_trash_that_vanished_after_planning_is_told_when_running(world):
    plan = plan_trash([world.there + b"/a"], Choices(trash_home=world.home))
    os.symlink(b"/tmp", world.far + b"/.Trash-%d" % os.getuid())
    outcome = world.run(plan)
    assert "there is no trash on this volume" in outcome.skipped[0].reason
    assert os.path.exists(world.there + b"/a")


ELSEWHERE = b"/proc/Trash"
"""No home on any volume that files are on."""


@pytest.fixture
def opened(tmp_path):
    """Opens a folder, made with a mode, below one that may be passed through and not be listed."""
    closed, mine = tmp_path / "closed", tmp_path / "closed" / "mine"
    mine.mkdir(parents=True)
    with contextlib.ExitStack() as stack:

        def opens(mode):
            mine.chmod(mode)
            closed.chmod(0o311)
            stack.callback(closed.chmod, 0o755)
            folder = os.open(mine, os.O_RDONLY)
            stack.callback(os.close, folder)
            return folder

        yield opens


def test_the_top_of_a_volume_is_found_through_folders_that_may_not_be_listed(tmp_path, opened, like_anybody):
    """Files were put into a trash beside them, where no other program looks."""
    far = top_of(opened(0o755))
    plain = os.open(tmp_path, os.O_RDONLY)
    near = top_of(plain)
    assert path_of(far) == path_of(near)
    for folder in (far, near, plain):
        os.close(folder)


def test_a_folder_that_may_not_be_entered_has_no_trash(opened, like_anybody):
    with pytest.raises(NoTrashHere, match=r"you may not enter .*/closed/mine"):
        locate(opened(0o444), ELSEWHERE)
