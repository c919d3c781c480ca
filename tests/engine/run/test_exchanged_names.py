"""Names that trade places: a person sees every file with its old and its new name, before, after and when undoing."""

import os

import pytest
from ops_ground import World, tree

from cmdr.engine.plan.refusals import RenamedInside, SameTarget
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy
from cmdr.engine.run.undo import plan_undo
from cmdr.files.protected import Protection
from cmdr.model.plans.plan import ConflictPolicy, Plan, StepName, Totals
from cmdr.model.plans.plan_list import length_of, lines_at, page_of, places_of
from cmdr.model.plans.plan_text import chosen_of, summary_of, title_of


@pytest.fixture
def world(tmp_path):
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    for name in (b"draft", b"final", b"third"):
        made.write(made.here + b"/" + name, name * 2)
    return made


def renaming(world, **names):
    return plan_rename([(world.here + b"/" + old.encode(), new.encode()) for old, new in names.items()])


def listed(plan):
    return [line.strip() for line in page_of(plan, 0, 100).lines]


def test_a_swap_names_both_files_and_counts_both(world):
    plan = renaming(world, draft="final", final="draft")
    assert [item.step for item in plan.items] == [StepName.SWAP]
    assert summary_of(plan) == [
        "Rename 2 files, 20 B",
        f"from {os.fsdecode(world.here)}",
        "draft → final",
        "final → draft",
    ]
    here = os.fsdecode(world.here)
    assert listed(plan) == [f"10 B  {here}/draft → final", f"10 B  {here}/final → draft"]
    assert length_of(plan) == 2
    assert lines_at(plan, places_of(plan, "→ draft")) == [f"      10 B  {here}/final → draft"]
    assert chosen_of(plan) == f"{here}/draft → final and 1 more"
    assert Plan.decode(plan.encoded).totals == plan.totals == Totals(2, 0, 20)


def test_a_ring_of_three_shows_where_each_one_goes(world, journal):
    before = tree(world.here)
    plan = renaming(world, draft="final", final="third", third="draft")
    assert title_of(plan) == "Rename 3 files, 30 B"
    assert summary_of(plan)[2:] == ["draft → final", "final → third", "third → draft"]
    outcome = world.run(plan, recorder=journal)
    assert outcome.totals == Totals(3, 0, 30)
    assert tree(world.here)[world.here + b"/draft"] == b"thirdthird"
    undoing = plan_undo(journal.operation(outcome.operation))
    here = os.fsdecode(world.here)
    assert sorted(summary_of(undoing)[1:]) == [f"puts back {here}/{name}" for name in ("draft", "final", "third")]
    assert title_of(undoing).endswith("3 files, 30 B")
    assert world.run(undoing, recorder=journal).is_clean
    assert tree(world.here) == before


def test_rings_stand_beside_each_other_and_beside_plain_renames(world):
    for name in (b"a", b"b", b"c"):
        world.write(world.here + b"/" + name, name)
    os.mkdir(world.here + b"/folder")
    plan = renaming(world, a="b", b="a", draft="final", final="draft", c="d", third="folder", folder="third")
    told = {"a → b", "b → a", "draft → final", "final → draft", "c → d", "third → folder", "folder → third"}
    assert set(summary_of(plan)[2:]) == told
    assert plan.totals == Totals(6, 1, 33)
    assert length_of(plan) == 7


def test_a_swap_with_a_file_in_the_trash_is_told_as_putting_back(world, journal):
    world.write(world.there + b"/draft", b"old")
    copy = plan_copy([world.here + b"/draft"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    undoing = plan_undo(journal.operation(world.run(copy, recorder=journal).operation))
    assert [item.step for item in undoing.items] == [StepName.SWAP]
    assert summary_of(undoing)[1:] == [f"puts the earlier {os.fsdecode(world.there)}/draft back"]


def test_a_protected_name_in_a_ring_is_told_of_all_of_it(world):
    world.write(world.here + b"/.bashrc", b"x")
    pairs = [(world.here + b"/draft", b".bashrc"), (world.here + b"/.bashrc", b"draft")]
    plan = plan_rename(pairs, protection=Protection())
    here = os.fsdecode(world.here)
    told = [line for line in summary_of(plan) if line.startswith("protected")]
    assert told == [
        f"protected: {here}/draft → {here}/.bashrc (runs when a shell starts)",
        f"protected: {here}/.bashrc → {here}/draft (runs when a shell starts)",
    ]


def test_all_pairs_that_want_one_name_are_told_at_once(world):
    with pytest.raises(SameTarget) as refused:
        renaming(world, draft="same", final="same", third="same")
    here = os.fsdecode(world.here)
    assert str(refused.value) == (
        f"{here}/draft and {here}/final would both become {here}/same; "
        f"{here}/draft and {here}/third would both become {here}/same. "
        "Give each a name of its own, as {n} does in a pattern."
    )


def test_nothing_is_renamed_inside_a_folder_that_gets_another_name(world):
    world.write(world.here + b"/folder/inside", b"x")
    pairs = [(world.here + b"/folder", b"other"), (world.here + b"/folder/inside", b"new")]
    with pytest.raises(RenamedInside):
        plan_rename(pairs)
    assert plan_rename(pairs[1:]).totals.files == 1
