"""A folder is the one that was planned, and not another that got its number when it was gone."""

import os
import subprocess

import pytest
from ops_ground import World, mounted, tree

from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.fingerprint import birth_of, birth_of_open
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move
from cmdr.engine.run.control import Unattended
from cmdr.engine.run.undo import plan_undo
from cmdr.model.plans.plan import Plan


def opened(path):
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)


def another_with_its_number(path, at):
    """The folder at a path is removed, and one elsewhere gets its number: several file systems give it out at once."""
    number = os.stat(path).st_ino
    os.rmdir(path)
    for attempt in range(2000):
        made = at + b"/%d" % attempt
        os.mkdir(made)
        if os.stat(made).st_ino == number:
            return made
    pytest.skip("this file system does not give a number again")


def test_a_destination_that_became_a_link_to_a_folder_with_its_number_is_not_written_to(world):
    os.mkdir(world.top + b"/elsewhere")
    plan = plan_copy([world.here + b"/a"], world.there)
    other = another_with_its_number(world.there, world.top + b"/elsewhere")
    os.symlink(other, world.there)
    known = {root.path: (root.dev, root.ino) for root in plan.roots}
    assert known[world.there] == (os.stat(world.there).st_dev, os.stat(world.there).st_ino)
    outcome = world.run(plan)
    assert "is not the one that was planned" in outcome.drifted[0].reason
    assert os.listdir(other) == []


def test_a_folder_below_that_was_exchanged_for_one_with_its_number_is_not_joined(world):
    os.mkdir(world.there + b"/tree")
    os.mkdir(world.top + b"/elsewhere")
    plan = plan_copy([world.here + b"/tree"], world.there)
    other = another_with_its_number(world.there + b"/tree", world.top + b"/elsewhere")
    os.rename(other, world.there + b"/tree")
    outcome = world.run(plan)
    assert {item.reason for item in outcome.drifted} <= {
        "the folder there is not the one that was planned",
        "the folder tree is not the one that was planned",
    }
    assert tree(world.there) == {world.there + b"/tree": b"/"}


def test_a_source_folder_that_was_exchanged_for_one_with_its_number_is_not_moved(world):
    os.mkdir(world.here + b"/chosen")
    os.mkdir(world.top + b"/elsewhere")
    plan = plan_move([world.here + b"/chosen"], world.there)
    other = another_with_its_number(world.here + b"/chosen", world.top + b"/elsewhere")
    os.rename(other, world.here + b"/chosen")
    assert world.run(plan).drifted
    assert os.path.isdir(world.here + b"/chosen")


def test_an_undo_does_not_go_into_another_folder_with_the_number(world, journal):
    os.mkdir(world.top + b"/elsewhere")
    outcome = world.run(plan_move([world.here + b"/a"], world.there), recorder=journal)
    os.rename(world.there + b"/a", world.top + b"/a")
    other = another_with_its_number(world.there, world.top + b"/elsewhere")
    os.rename(world.top + b"/a", other + b"/a")
    os.symlink(other, world.there)
    with pytest.raises(Exception, match="has changed since"):
        plan_undo(journal.operation(outcome.operation))


def test_the_folder_that_is_held_decides_while_an_operation_runs(world):
    """It cannot be mistaken for another: as long as it is held nobody gets its number."""
    for name in (b"b", b"c"):
        world.write(world.here + b"/" + name, b"1")
    plan = plan_copy([world.here + b"/" + name for name in (b"a", b"b", b"c")], world.there)

    class Thief(Unattended):
        is_done = False

        def progress(self, progress):
            if not self.is_done and os.listdir(world.there):
                self.is_done = True
                os.rename(world.there, world.top + b"/taken away")
                os.mkdir(world.there)

    outcome = world.run(plan, control=Thief())
    assert outcome.failed or outcome.drifted
    assert os.listdir(world.there) == []


def test_plans_keep_when_their_folders_were_made_and_older_ones_are_read_without(world):
    plan = plan_copy([world.here + b"/tree"], world.there)
    assert Plan.decode(plan.encoded) == plan
    assert {root.birth_ns is None for root in plan.roots} == {False}
    root = plan.roots[0]
    assert root.is_at(root.dev, root.ino, root.birth_ns)
    assert root.is_at(root.dev, root.ino, None)
    assert not root.is_at(root.dev, root.ino, (root.birth_ns or 0) + 1)
    assert not root.is_at(root.dev, root.ino + 1, root.birth_ns)


def test_when_a_folder_was_made_does_not_change_with_what_is_in_it_or_its_name(world):
    here = opened(world.here)
    try:
        before = birth_of(b"tree", here)
        world.write(world.here + b"/tree/new", b"1")
        os.chmod(world.here + b"/tree", 0o700)
        os.rename(world.here + b"/tree", world.here + b"/wood")
        assert before is not None
        assert birth_of(b"wood", here) == before
        inside = opened(world.here + b"/wood")
        try:
            assert birth_of_open(inside) == before
        finally:
            os.close(inside)
        assert birth_of(b"missing", here) is None
    finally:
        os.close(here)


def test_where_the_system_does_not_tell_it_is_not_asked_for(world, monkeypatch):
    monkeypatch.setattr(fingerprint, "_BIRTH", 0x800000)
    here = opened(world.here)
    try:
        assert birth_of_open(here) is None
    finally:
        os.close(here)
    assert world.run(plan_copy([world.here + b"/tree"], world.there)).is_clean


def test_on_an_overlay_a_folder_is_made_anew_when_it_is_first_written_to(monkeypatch):
    """So there the time tells nothing: an operation that writes into a folder would take it for another."""
    monkeypatch.setattr(fingerprint, "_overlays", {})  # an earlier mount may have had the number of this one
    with mounted(count=1) as paths:
        if not paths:
            pytest.skip("mounting is not allowed here")
        low, up, work, at = (paths[0] + b"/" + name for name in (b"low", b"up", b"work", b"at"))
        for path in (low, up, work, at):
            os.mkdir(path)
        for name in (b"/here", b"/there", b"/home"):
            os.mkdir(low + name)
        with open(low + b"/here/a", "wb") as file:
            file.write(b"12345")
        how = f"lowerdir={os.fsdecode(low)},upperdir={os.fsdecode(up)},workdir={os.fsdecode(work)}"
        if subprocess.run(["mount", "-t", "overlay", "overlay", "-o", how, at], capture_output=True).returncode:
            pytest.skip("no overlay can be mounted here")
        try:
            world = World(at, at)
            journal = world.journal()
            try:
                outcome = world.run(plan_copy([world.here + b"/a"], world.there), recorder=journal)
                assert outcome.is_clean
                back = world.run(plan_undo(journal.operation(outcome.operation)), recorder=journal)
                assert (back.is_clean, os.listdir(world.there)) == (True, [])
            finally:
                journal.close()
        finally:
            subprocess.run(["umount", "-l", at], check=True)
