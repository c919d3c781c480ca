"""Folders that are missing on the way to a target: shown, made, joined and taken back with what goes into them."""

import os
from contextlib import suppress

import pytest
from ops_ground import FaultySyscalls, World, tree

from cmdr.engine.plan.new_plan import plan_link, plan_mkdir, plan_mkfile, plan_write
from cmdr.engine.plan.refusals import (
    BadName,
    ChangedSince,
    InsideItself,
    NotAFolder,
    NothingToDo,
    SameTarget,
    TooMany,
    TopFolder,
)
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.files.protected import Protection
from cmdr.model.plans.plan import ConflictPolicy, Plan, Totals
from cmdr.model.plans.plan_list import page_of
from cmdr.model.plans.plan_text import summary_of, title_of


@pytest.fixture
def world(tmp_path):
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    made.write(made.here + b"/a", b"contents of a")
    made.write(made.here + b"/b", b"contents of b")
    made.write(made.here + b"/tree/c", b"contents of c")
    return made


def made(plan: Plan) -> list[bytes]:
    return [item.target.path for item in plan.made_folders]


@pytest.mark.parametrize("relocate", [plan_copy, plan_move])
def test_missing_folders_are_made_with_what_goes_into_them_and_undone_with_it(world, journal, relocate):
    before = tree(world.top)
    plan = relocate([world.here + b"/a", world.here + b"/tree"], world.there + b"/sorted/new")
    assert made(plan) == [world.there + b"/sorted", world.there + b"/sorted/new"]
    assert plan.totals.files == 2
    assert tree(world.top) == before, "planning touches nothing"
    outcome = world.run(plan, recorder=journal)
    assert outcome.is_clean
    assert tree(world.there)[world.there + b"/sorted/new/a"] == b"contents of a"
    assert tree(world.there)[world.there + b"/sorted/new/tree/c"] == b"contents of c"
    assert world.run(plan_undo(journal.operation(outcome.operation)), recorder=journal).is_clean
    apart = (world.journal_path, world.home)
    after = {path: text for path, text in tree(world.top).items() if not path.startswith(apart)}
    assert after == {path: text for path, text in before.items() if not path.startswith(apart)}


def test_a_folder_that_came_meanwhile_is_joined_and_survives_the_undo(world, journal):
    plans = [plan_move([world.here + b"/" + name], world.there + b"/sorted/" + name) for name in (b"a", b"b")]
    outcomes = [world.run(plan, recorder=journal) for plan in plans]
    assert all(outcome.is_clean for outcome in outcomes)
    assert not outcomes[1].skipped
    world.run(plan_undo(journal.operation(outcomes[1].operation)), recorder=journal)
    assert os.listdir(world.there) == [b"sorted"]
    assert os.listdir(world.there + b"/sorted") == [b"a"]
    world.run(plan_undo(journal.operation(outcomes[0].operation)), recorder=journal)
    assert os.listdir(world.there) == []


def test_a_link_that_took_the_name_of_a_new_folder_leads_nobody_astray(world):
    plan = plan_move([world.here + b"/a"], world.there + b"/new")
    os.mkdir(world.top + b"/elsewhere")
    os.symlink(world.top + b"/elsewhere", world.there + b"/new")
    outcome = world.run(plan)
    assert not outcome.is_clean
    assert os.listdir(world.top + b"/elsewhere") == []
    assert tree(world.here)[world.here + b"/a"] == b"contents of a"


def test_new_things_make_the_folders_they_need(world, journal):
    plans = [
        plan_mkdir(world.there + b"/1/2/folder"),
        plan_mkfile(world.there + b"/3/4/file", b"text"),
        plan_write(world.there + b"/5/6/written", b"text"),
        plan_link(world.there + b"/7/8/soft", b"file"),
        plan_link(world.there + b"/9/10/hard", world.here + b"/a", hard=True),
    ]
    outcomes = [world.run(plan, recorder=journal) for plan in plans]
    assert all(outcome.is_clean for outcome in outcomes)
    assert [os.path.lexists(plan.subject.target.path) for plan in plans] == [True] * 5
    for outcome in reversed(outcomes):
        world.run(plan_undo(journal.operation(outcome.operation)), recorder=journal)
    assert os.listdir(world.there) == []


def test_what_stands_in_the_way_or_is_no_name_is_refused(world):
    os.symlink(b"nowhere", world.there + b"/dangling")
    for way, why in (
        (world.here + b"/a/x", NotAFolder),
        (world.there + b"/dangling", NotAFolder),
        (world.there + b"/dangling/x", NotAFolder),
        (world.there + b"/none/../x", BadName),
    ):
        with pytest.raises(why):
            plan_move([world.here + b"/b"], way)
    with pytest.raises(TopFolder, match="top of the file system"):
        plan_move([b"//"], world.there)
    with pytest.raises(InsideItself):
        plan_move([world.here + b"/tree"], world.here + b"/tree/new/deep")
    with pytest.raises(TooMany):
        plan_move([world.here + b"/a"], world.there + b"/1/2/3", Choices(limits=Limits(depth=2)))
    with pytest.raises(ChangedSince):
        plan_write(world.there + b"/new/file", b"text", "0" * 64)


def test_two_files_of_one_name_cannot_both_go_into_a_new_folder(world):
    other = world.write(world.here + b"/other/a", b"another a")
    with pytest.raises(SameTarget):
        plan_copy([world.here + b"/a", other], world.there + b"/new")


def test_protected_places_are_called_out_on_the_way(world):
    plan = plan_mkdir(world.there + b"/kept/new", protection=Protection((world.there + b"/kept",)))
    assert plan.risk.is_high
    assert world.there + b"/kept" in [item.target.path for item in plan.protected]


def test_the_person_is_shown_the_folders_that_are_made(world):
    plan = plan_move([world.here + b"/a"], world.there + b"/sorted/new")
    there = os.fsdecode(world.there)
    assert title_of(plan) == f"Move 1 file, 13 B to {there}/sorted/new"
    told = summary_of(plan)
    assert f"creates folder: {there}/sorted" in told
    assert f"creates folder: {there}/sorted/new" in told
    assert page_of(plan, 0, 1).lines[0].endswith(f"{there}/sorted/ (created: it is missing)")
    new = plan_mkdir(world.there + b"/x/y")
    assert summary_of(new) == [f"Create folder {there}/x/y", f"creates folder: {there}/x"]
    assert new.totals == Totals(0, 1, 0)
    full = plan_mkfile(world.there + b"/x/file", b"12345")
    assert title_of(full) == f"Create file {there}/x/file"
    assert not any(line.endswith("/x/") for line in summary_of(full)[1:-1])
    assert new.only([0]).subject == new.items[0], "what is left of a plan may be the way alone"


def test_an_interrupted_move_into_new_folders_is_resumed(world):
    choices = Choices(policy=ConflictPolicy.SKIP)
    sources = [world.here + b"/a", world.here + b"/b"]

    class Dies(Exception):
        pass

    class Dying(FaultySyscalls):
        def _step(self, name):
            if super()._step(name):
                raise Dies
            return False

    counting = FaultySyscalls()
    world.run(plan_move(sources, world.there + b"/one/two", choices), counting)
    for step in range(1, counting.count):
        world.reset()
        for name in (b"a", b"b"):
            world.write(world.here + b"/" + name, b"contents of " + name)
        journal = world.journal()
        with pytest.raises(Dies):
            world.run(plan_move(sources, world.there + b"/one/two", choices), Dying(step), journal)
        journal.close()
        world.recover()
        journal = world.journal()
        with suppress(NothingToDo):  # it stopped after the last change
            world.run(plan_resume(journal.operation(1)), recorder=journal)
        journal.close()
        held = [text for path, text in tree(world.top).items() if path.endswith((b"/a", b"/b"))]
        assert sorted(held) == [b"contents of a", b"contents of b"], step
        assert tree(world.there)[world.there + b"/one/two/b"] == b"contents of b", step
