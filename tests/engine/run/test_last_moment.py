"""Names that change hands at the last moment: what was planned and what stands there are looked at again."""

import os

import pytest
from ops_ground import World, devices, tree

from cmdr.engine.fs import fingerprint
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy
from cmdr.model.plans.plan import ConflictPolicy


@pytest.fixture
def world():
    with devices() as found:
        made = World(found.one, found.one)
        made.reset()
        made.write(made.here + b"/a", b"ours")
        yield made


class Overtaken(Syscalls):
    """Another program makes a file just before ours gets its name."""

    has_happened = False

    def rename(self, name, folder, new_name, new_folder, flags=0):
        if not self.has_happened:
            self.has_happened = True
            os.close(os.open(new_name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, dir_fd=new_folder))
        super().rename(name, folder, new_name, new_folder, flags)


def test_a_name_that_is_taken_before_the_copy_lands_is_decided_about_again(world):
    plan = plan_copy([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.RENAME))
    assert world.run(plan, Overtaken()).is_clean
    assert sorted(tree(world.there).values()) == [b"", b"ours"]
    assert tree(world.there)[world.there + b"/a"] == b""


def test_a_name_shows_a_file_only_while_that_very_file_stands_there(world):
    folder = os.open(world.here, os.O_RDONLY)
    try:
        spot, mark = Spot(folder, b"a"), fingerprint.of_path(world.here + b"/a")
        assert spot.shows(mark)
        world.write(world.here + b"/a", b"ours, and more")
        assert not spot.shows(mark)
        os.unlink(world.here + b"/a")
        assert not spot.shows(mark)
        os.mkdir(world.here + b"/a")
        here = fingerprint.of_path(world.here + b"/a")
        world.write(world.here + b"/a/inside", b"a folder is the same whatever it holds")
        assert spot.shows(here)
    finally:
        os.close(folder)
