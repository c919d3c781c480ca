"""One operation in several runs: however often it stops and goes on, what it leaves is what one run would leave."""

import contextlib
import errno
import os

import pytest
from ops_ground import Denies, Stops, World, aged, devices, traits, tree

from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.records import ItemState
from cmdr.engine.plan.new_plan import plan_mkdir
from cmdr.engine.plan.refusals import NothingToDo
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import ConflictPolicy

SKIP = Choices(policy=ConflictPolicy.SKIP)
DEVICES = ["same", "other"]


@pytest.fixture(scope="module")
def worlds():
    with devices() as found:
        yield {name: World(one, two) for name, one, two in found.places()}


@pytest.fixture
def ground(worlds, request):
    if request.param not in worlds:
        pytest.skip("mounting a second file system is not allowed here")
    return worlds[request.param]


@contextlib.contextmanager
def fresh(world, *, merges=False):
    """A tree with a face of its own, and an open journal."""
    world.reset()
    world.write(world.here + b"/pick/a", b"text a")
    world.write(world.here + b"/pick/sub/b", b"text b")
    world.write(world.here + b"/pick/sub/deep/c", b"text c")
    os.mkdir(world.here + b"/pick/empty")
    os.link(world.here + b"/pick/a", world.here + b"/pick/sub/also a")
    os.symlink(b"nowhere", world.here + b"/pick/link")
    if merges:
        world.write(world.there + b"/pick/sub/own", b"stood here")
    aged(world.here)
    os.chmod(world.here + b"/pick/sub", 0o705)
    os.chmod(world.here + b"/pick/empty", 0o1711)
    journal = world.journal()
    try:
        yield journal
    finally:
        journal.close()


def looks(top):
    """Names, contents, permissions, times, attributes and which names are one file."""
    cut, files = len(top), {}
    for path in tree(top):
        files.setdefault(os.lstat(path).st_ino, []).append(path[cut:])
    one_file = {tuple(sorted(names)) for names in files.values()}
    return {p[cut:]: it for p, it in traits(top).items()}, {p[cut:]: it for p, it in tree(top).items()}, one_file


def stopped_everywhere(world, make, after, *, merges=False):
    """Stop at every look of a run, do something; how many stops there were."""
    at = 0
    while True:
        with fresh(world, merges=merges) as journal:
            before = looks(world.here)
            plan = make([world.here + b"/pick"], world.there, SKIP)
            outcome = world.run(plan, recorder=journal, control=Stops(at))
            if outcome.state is OperationState.DONE:
                return at
            after(journal, outcome, before)
        at += 1


@pytest.mark.parametrize("make", [plan_copy, plan_move])
@pytest.mark.parametrize("ground", DEVICES, indirect=True)
def test_what_was_cancelled_and_tried_again_looks_as_if_it_had_run_once(ground, make):
    if ground.top == ground.far and make is plan_move:
        pytest.skip("on one volume this is one single step")

    def after(journal, outcome, before):
        again = ground.run(outcome.retry(), recorder=journal)
        assert again.is_clean
        assert looks(ground.there) == before
        assert looks(ground.here) == (({}, {}, set()) if make is plan_move else before)
        assert ground.leftovers() == []
        assert [entry.state for entry in journal.history()] == ["done", "continued"]

    assert stopped_everywhere(ground, make, after) > 5


@pytest.mark.parametrize("make", [plan_copy, plan_move])
@pytest.mark.parametrize("ground", DEVICES, indirect=True)
def test_what_was_cancelled_and_tried_again_is_taken_back_as_one(ground, make):
    if ground.top == ground.far and make is plan_move:
        pytest.skip("on one volume this is one single step")

    def after(journal, outcome, before):
        again = ground.run(outcome.retry(), recorder=journal)
        back = ground.run(plan_undo(*journal.runs(again.operation)), recorder=journal)
        assert back.is_clean, [(item.item.place.path, item.reason) for item in back.items if item.reason]
        assert tree(ground.there) == {}
        assert looks(ground.here) == before
        assert {entry.undone_by for entry in journal.history()} == {None, back.operation}

    assert stopped_everywhere(ground, make, after) > 5


@pytest.mark.parametrize("ground", DEVICES, indirect=True)
def test_a_cancelled_undo_that_is_tried_again_leaves_everything_as_it_was(ground):
    at, stops = 0, 0
    while True:
        with fresh(ground, merges=True) as journal:
            before, there = looks(ground.here), tree(ground.there)
            moved = ground.run(plan_move([ground.here + b"/pick"], ground.there, SKIP), recorder=journal)
            assert moved.is_clean
            plan = plan_undo(journal.operation(moved.operation))
            back = ground.run(plan, recorder=journal, control=Stops(at))
            if back.state is OperationState.DONE:
                break
            again = ground.run(back.retry(), recorder=journal)
            assert again.is_clean, [(item.item.place.path, item.reason) for item in again.items if item.reason]
            assert looks(ground.here) == before
            assert tree(ground.there) == there
            stops += 1
        at += 1
    assert stops > 3


@pytest.mark.parametrize("ground", DEVICES, indirect=True)
def test_a_merged_folder_that_is_moved_back_has_its_own_permissions_times_and_attributes(ground):
    with fresh(ground, merges=True) as journal:
        before, there = looks(ground.here), traits(ground.there)
        moved = ground.run(plan_move([ground.here + b"/pick"], ground.there, SKIP), recorder=journal)
        assert tree(ground.here) == {}
        back = ground.run(plan_undo(journal.operation(moved.operation)), recorder=journal)
        assert back.is_clean
        assert looks(ground.here) == before
        assert traits(ground.there).keys() == there.keys()
        # And once more: taken back again, and that taken back.
        redone = ground.run(plan_undo(journal.operation(back.operation)), recorder=journal)
        assert tree(ground.here) == {}
        again = ground.run(plan_undo(journal.operation(redone.operation)), recorder=journal)
        assert again.is_clean
        assert looks(ground.here) == before


@pytest.mark.parametrize("ground", DEVICES, indirect=True)
def test_a_merged_folder_that_kept_something_gets_its_time_back_too(ground):
    with fresh(ground, merges=True) as journal:
        ground.write(ground.there + b"/pick/sub/b", b"stood here as well")
        before = looks(ground.here)
        moved = ground.run(plan_move([ground.here + b"/pick"], ground.there, SKIP), recorder=journal)
        assert list(looks(ground.here)[1]) == [b"/pick/sub/b", b"/pick/sub", b"/pick"] or moved.skipped
        back = ground.run(plan_undo(journal.operation(moved.operation)), recorder=journal)
        assert not back.failed
        assert looks(ground.here) == before


@pytest.mark.parametrize("ground", ["other"], indirect=True)
def test_a_move_whose_files_failed_is_completed_by_trying_again(ground):
    with fresh(ground) as journal:
        before = looks(ground.here)
        plan = plan_move([ground.here + b"/pick"], ground.there, SKIP)
        outcome = ground.run(plan, Denies(2, 3), journal)
        assert len(outcome.failed) == 2
        assert outcome.can_retry
        again = ground.run(outcome.retry(), recorder=journal)
        assert again.is_clean
        assert looks(ground.there) == before
        assert tree(ground.here) == {}
        assert not again.can_retry
        back = ground.run(plan_undo(*journal.runs(again.operation)), recorder=journal)
        assert back.is_clean
        assert looks(ground.here) == before


@pytest.mark.parametrize("ground", ["other"], indirect=True)
def test_hard_links_are_one_file_again_when_a_move_is_taken_back(ground):
    with fresh(ground) as journal:
        moved = ground.run(plan_move([ground.here + b"/pick"], ground.there, SKIP), recorder=journal)
        back = ground.run(plan_undo(journal.operation(moved.operation)), recorder=journal)
        assert back.is_clean
        assert not back.warnings
        assert os.path.samefile(ground.here + b"/pick/a", ground.here + b"/pick/sub/also a")


@pytest.mark.parametrize("ground", ["same"], indirect=True)
def test_a_folder_that_took_the_place_of_one_made_before_is_left_alone(ground):
    with fresh(ground) as journal:
        plan = plan_copy([ground.here + b"/pick"], ground.there, SKIP)
        outcome = ground.run(plan, Denies(1), journal)
        os.rename(ground.there + b"/pick", ground.there + b"/mine")
        os.mkdir(ground.there + b"/pick")
        again = ground.run(outcome.retry(), recorder=journal)
        assert [item.item.kind for item in again.drifted] == ["folder", "file"]
        assert os.listdir(ground.there + b"/pick") == []


@pytest.mark.parametrize("ground", ["same"], indirect=True)
def test_an_operation_that_went_on_after_it_was_taken_back_stands_for_itself(ground):
    with fresh(ground) as journal:
        plan = plan_copy([ground.here + b"/pick"], ground.there, SKIP)
        outcome = ground.run(plan, Denies(1), journal)
        back = ground.run(plan_undo(journal.operation(outcome.operation)), recorder=journal)
        again = ground.run(outcome.retry(), recorder=journal)
        assert [run.id for run in journal.runs(again.operation)] == [again.operation]
        assert [run.id for run in journal.runs(outcome.operation)] == [outcome.operation]
        last = ground.run(plan_undo(*journal.runs(again.operation)), recorder=journal)
        undone_by = {entry.id: entry.undone_by for entry in journal.history()}
        assert undone_by[outcome.operation] == back.operation
        assert undone_by[again.operation] == last.operation


@pytest.mark.parametrize("ground", ["same"], indirect=True)
def test_what_failed_before_the_program_was_killed_is_tried_again_when_it_goes_on(ground):
    with fresh(ground) as journal:
        plan = plan_copy([ground.here + b"/pick"], ground.there, SKIP)
        before = looks(ground.here)
        outcome = ground.run(plan, Denies(1), journal)
        journal.finish(outcome.operation, OperationState.INTERRUPTED)
        rest = plan_resume(journal.operation(outcome.operation))
        assert [item.kind for item in rest.items] == ["folder", "file"]
        assert ground.run(rest, recorder=journal).is_clean
        # The second name was made while there was no first one.
        names, contents, _ = looks(ground.there)
        assert (names, contents) == before[:2]
        with pytest.raises(NothingToDo):
            plan_resume(journal.operation(outcome.operation + 1))


@pytest.mark.parametrize("ground", ["same"], indirect=True)
def test_a_deleted_empty_folder_comes_back_as_it_was(ground):
    with fresh(ground) as journal:
        before = traits(ground.here)
        gone = ground.run(plan_delete([ground.here + b"/pick/empty"]), recorder=journal)
        back = ground.run(plan_undo(journal.operation(gone.operation)), recorder=journal)
        assert back.is_clean
        assert traits(ground.here)[ground.here + b"/pick/empty"] == before[ground.here + b"/pick/empty"]
        assert [item.state for item in back.items] == [ItemState.LANDED]


@pytest.mark.parametrize("ground", ["same"], indirect=True)
def test_a_folder_that_cannot_be_looked_at_is_removed_without_its_traits(ground, monkeypatch):
    class Closed(Syscalls):
        def open_folder(self, name, folder):
            if name == b"empty":
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return super().open_folder(name, folder)

    with fresh(ground) as journal:
        gone = ground.run(plan_delete([ground.here + b"/pick/empty"]), Closed(), journal)
        (item,) = journal.operation(gone.operation).items
        assert item.traits is None
        made = ground.run(plan_mkdir(ground.here + b"/pick/empty"), recorder=journal)
        monkeypatch.setattr(os, "listxattr", lambda _: (_ for _ in ()).throw(OSError(errno.EIO, "broken")))
        gone = ground.run(plan_undo(journal.operation(made.operation)), recorder=journal)
        (item,) = journal.operation(gone.operation).items
        assert item.traits is None
