"""Removing for good: only beside what it was made of, and only while that is still there."""

import os

import pytest
from ops_ground import World, tree

from cmdr.engine.fs import fingerprint
from cmdr.engine.journal.records import ItemState
from cmdr.model.plans.plan import Place, Plan, PlanItem, Root, StepName, Verb
from cmdr.model.plans.plan_item import Member


@pytest.fixture
def world(tmp_path):
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    made.write(made.here + b"/unpacked", b"text")
    made.write(made.here + b"/archive", b"packed text")
    os.mkdir(made.here + b"/empty")
    return made


def removal(world, name, beside, **more):
    found = os.stat(world.here)
    marks = [fingerprint.of_path(world.here + b"/" + one) for one in (name, beside)]
    places = [Place(world.here, one) for one in (name, beside)]
    item = PlanItem(StepName.REMOVE, marks[0].kind, *places, *marks, **more)
    return Plan(Verb.UNDO, (item,), (Root(world.here, found.st_dev, found.st_ino),))


def test_what_came_out_of_an_archive_stays_when_the_archive_has_changed(world):
    plan = removal(world, b"unpacked", b"archive", member=Member(b"unpacked", size=4))
    world.write(world.here + b"/archive", b"another one")
    (result,) = world.run(plan).items
    assert (result.state, result.reason) == (
        ItemState.DRIFTED,
        "its archive is gone or has changed, so this was kept",
    )
    assert tree(world.here)[world.here + b"/unpacked"] == b"text"


def test_an_empty_folder_goes_beside_the_one_it_was_made_of(world):
    plan = removal(world, b"empty", b"empty")
    (result,) = world.run(plan).items
    assert result.state.is_done
    assert not os.path.lexists(world.here + b"/empty")
