"""A copy or move of a tree that was killed: gone on with it is as if nothing had been, taken back nothing is left."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import FaultySyscalls, World, aged, devices, stride, traits, tree

from cmdr.engine.plan.refusals import NothingToDo
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.model.plans.plan import ConflictPolicy

SKIP = Choices(policy=ConflictPolicy.SKIP)
FOLDERS, FILES = 30, 2


@pytest.fixture(scope="module")
def worlds():
    with devices() as found:
        yield {label: World(one, two) for label, one, two in found.places()}


def a_tree(world):
    """Folders in folders, each with permissions, a time and an attribute of its own."""
    folder = world.here + b"/pick"
    for number in range(FOLDERS):
        folder = os.path.dirname(folder) if number % 4 == 3 else folder + b"/d%d" % number
        for file in range(FILES):
            world.write(folder + b"/%d-%d" % (number, file), b"contents %d %d" % (number, file))
    aged(world.here)


def looks(top):
    cut = len(top)
    return {path[cut:]: it for path, it in traits(top).items()}, {path[cut:]: it for path, it in tree(top).items()}


def killed(world, make, at):
    """Plan, kill at a call, start again; the open journal and whether it was killed at all."""
    world.reset()
    a_tree(world)
    plan = make([world.here + b"/pick"], world.there, SKIP)
    child = os.fork()
    if child == 0:
        world.run(plan, FaultySyscalls(at, "kill before"), world.journal())
        os._exit(7)
    was_killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 7
    world.recover()
    return world.journal(), was_killed


def every_point(worlds, device, make, after):
    """Do something after kills all over a run; how many there were."""
    if device not in worlds:
        pytest.skip("mounting a second file system is not allowed here")
    world, at, killed_at = worlds[device], 5, 0
    while True:
        journal, was_killed = killed(world, make, at)
        try:
            if not was_killed:
                return killed_at
            after(world, journal)
        finally:
            journal.close()
        killed_at, at = killed_at + 1, at + stride(41)


def gone_on(world, journal):
    (entry,) = journal.interrupted()
    try:
        rest = plan_resume(journal.operation(entry.id))
    except NothingToDo:
        # Killed when all was done: only the last word was missing.
        return entry.id
    outcome = world.run(rest, recorder=journal)
    assert outcome.is_clean
    return outcome.operation


def taken_back(world, journal, number, before):
    outcome = world.run(plan_undo(*journal.runs(number)), recorder=journal)
    assert outcome.is_clean, [(item.item.place.path, item.reason) for item in outcome.items if item.reason]
    assert tree(world.there) == {}
    assert looks(world.here) == before
    assert {entry.undone_by for entry in journal.history()} == {None, outcome.operation}


@pytest.fixture(scope="module")
def wanted(worlds):
    world = worlds["same"]
    world.reset()
    a_tree(world)
    return looks(world.here)


WAYS = [("same", plan_copy), ("other", plan_copy), ("other", plan_move)]


@pytest.mark.parametrize(("device", "make"), WAYS)
def test_folders_that_were_in_flight_when_a_copy_was_killed_get_their_mode_and_times(worlds, wanted, device, make):
    def after(world, journal):
        gone_on(world, journal)
        assert looks(world.there) == wanted

    assert every_point(worlds, device, make, after) > 5


@pytest.mark.parametrize(("device", "make"), WAYS)
def test_taking_back_a_killed_copy_leaves_no_empty_folders(worlds, wanted, device, make):
    def after(world, journal):
        (entry,) = journal.interrupted()
        if journal.operation(entry.id).items:
            taken_back(world, journal, entry.id, wanted)

    assert every_point(worlds, device, make, after) > 5


@pytest.mark.parametrize(("device", "make"), WAYS)
def test_taking_back_what_was_killed_and_went_on_takes_back_both_parts(worlds, wanted, device, make):
    def after(world, journal):
        taken_back(world, journal, gone_on(world, journal), wanted)

    assert every_point(worlds, device, make, after) > 5
