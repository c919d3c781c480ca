"""A folder that was chosen together with what lies in it is one change, counted and carried out once."""

import os

import pytest
from ops_ground import tree

from cmdr.engine.plan.sources import outermost
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.model.plans.plan import Totals


def overlapping(world):
    return [world.here + name for name in (b"/tree/sub/c", b"/tree", b"/a", b"/tree/b", b"/tree/sub", b"/tree/sub/c")]


def test_what_lies_inside_is_left_out_in_any_order(world):
    assert outermost(overlapping(world)) == [world.here + b"/tree", world.here + b"/a"]
    flat = [world.here + b"/a", world.here + b"/tree"]
    assert outermost(flat) is flat
    assert outermost([b"/", b"/usr/bin", world.here]) == [b"/", b"/usr/bin", world.here]
    assert outermost([b"/tmp", world.here]) == [b"/tmp"]


def test_links_do_not_hide_what_is_inside_or_the_same(world):
    os.symlink(b"tree", world.here + b"/link")
    through = [world.here + b"/tree/b", world.here + b"/link/b", world.here + b"/link"]
    assert outermost(through) == [world.here + b"/tree/b", world.here + b"/link"]
    assert outermost([world.here + b"/tree", world.here + b"/link/sub/c"]) == [world.here + b"/tree"]


@pytest.mark.parametrize("make", [plan_trash, plan_delete])
def test_deleting_a_folder_and_its_child_counts_and_takes_each_once(world, make):
    plan = make(overlapping(world))
    assert plan.totals == Totals(3, 2, 9)
    outcome = world.run(plan)
    assert (outcome.is_clean, outcome.totals) == (True, Totals(3, 2, 9))
    assert tree(world.here) == {}


@pytest.mark.parametrize("make", [plan_copy, plan_move])
def test_relocating_a_folder_and_its_child_takes_the_child_where_it_belongs(world, make):
    plan = make(overlapping(world), world.there)
    assert plan.totals == Totals(3, 2, 9)
    assert world.run(plan).is_clean
    assert {path[len(world.there) :] for path in tree(world.there)} == {
        b"/a",
        b"/tree",
        b"/tree/b",
        b"/tree/sub",
        b"/tree/sub/c",
    }
