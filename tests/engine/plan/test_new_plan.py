"""Several files written as one operation: each as it was seen, or left out; the room for all of them is counted."""

import hashlib

import pytest
from ops_ground import World

from cmdr.engine.plan import new_plan
from cmdr.engine.plan.new_plan import Writing, plan_writes
from cmdr.engine.plan.refusals import ChangedSince, NotEnoughSpace, TargetTaken


@pytest.fixture
def world(tmp_path):
    made = World(bytes(tmp_path), bytes(tmp_path))
    made.reset()
    for name in (b"a", b"b"):
        made.write(made.there + b"/" + name, name)
    return made


def seen(content):
    return hashlib.sha256(content).hexdigest()


def test_what_is_as_it_was_seen_is_planned_and_the_others_are_told(world):
    plan, refused = plan_writes(
        [
            Writing(world.there + b"/a", b"new a", seen(b"a")),
            Writing(world.there + b"/b", b"new b", seen(b"something else")),
            Writing(world.there + b"/b", b"new b", is_new=True),
            Writing(world.there + b"/x/y", b"new y", is_new=True),
            Writing(world.there + b"/x/z", b"new z", is_new=True),
        ]
    )
    assert {number: type(why) for number, why in refused.items()} == {1: ChangedSince, 2: TargetTaken}
    assert [item.target.path.removeprefix(world.there) for item in plan.items] == [b"/x", b"/a", b"/x/y", b"/x/z"]
    assert world.run(plan).is_clean
    with open(world.there + b"/b", "rb") as file:
        assert file.read() == b"b"


def test_when_nothing_is_as_it_was_seen_there_is_no_plan(world):
    plan, refused = plan_writes([Writing(world.there + b"/a", b"new", seen(b"other"))])
    assert (plan, len(refused)) == (None, 1)


@pytest.mark.parametrize("room", [7, 2])
def test_the_room_for_all_of_them_is_counted_before_anything_is_written(world, monkeypatch, room):
    monkeypatch.setattr(new_plan, "free_bytes", lambda folder: room)
    with pytest.raises(NotEnoughSpace):
        plan_writes([Writing(world.there + b"/" + name, b"12345") for name in (b"a", b"b")])
