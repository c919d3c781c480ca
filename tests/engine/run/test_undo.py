"""What an undo takes away goes to the trash: whole folders by one rename, and nothing of anybody else's with them."""

import os

import pytest
from ops_ground import Plain, World, mounted, tree

from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.fs.trash import NoTrashHere
from cmdr.engine.plan.new_plan import plan_link, plan_mkdir, plan_mkfile
from cmdr.engine.plan.refusals import NotTakenBack
from cmdr.engine.plan.restore_plan import plan_restore
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move, plan_trash
from cmdr.engine.run import undo as undoing
from cmdr.engine.run.undo import plan_undo
from cmdr.model.plans.plan import Kind, StepName, Totals
from cmdr.model.plans.plan_text import summary_of


def inverse(journal, outcome):
    return plan_undo(*journal.runs(outcome.operation))


def undo(world, journal, outcome):
    return world.run(inverse(journal, outcome), recorder=journal)


def below(top):
    return {path[len(top) + 1 :]: text for path, text in tree(top).items()}


def test_a_copied_file_goes_to_the_trash_and_comes_back_from_there(world, journal):
    outcome = world.run(plan_copy([world.here + b"/a"], world.there), recorder=journal)
    copy = os.stat(world.there + b"/a").st_ino
    back = undo(world, journal, outcome)
    assert tree(world.there) == {}
    assert os.stat(world.home + b"/files/a").st_ino == copy
    again = undo(world, journal, back)
    assert again.is_clean
    assert os.stat(world.there + b"/a").st_ino == copy
    assert world.leftovers() == []


def test_what_an_undo_took_away_can_be_restored_like_anything_in_the_trash(world, journal):
    outcome = world.run(plan_copy([world.here + b"/tree"], world.there), recorder=journal)
    undo(world, journal, outcome)
    assert world.run(plan_restore([world.home + b"/files/tree"])).is_clean
    assert below(world.there) == {b"tree": b"/", b"tree/b": b"123", b"tree/sub": b"/", b"tree/sub/c": b"1"}


@pytest.mark.parametrize("abilities", [Syscalls, Plain])
def test_a_copied_tree_goes_by_one_rename(world, journal, abilities):
    for number in range(300):
        world.write(world.here + b"/tree/sub/%d" % number, b"x")
    os.mkdir(world.here + b"/tree/sub/empty")
    outcome = world.run(plan_copy([world.here + b"/tree"], world.there), recorder=journal)
    before = tree(world.there)
    plan = inverse(journal, outcome)
    (item,) = plan.items
    assert (item.step, item.kind, item.totals) == (StepName.TRASH, Kind.FOLDER, Totals(302, 3, 304))
    assert not plan.risk.is_high
    assert summary_of(plan)[1:] == [f"moves to trash {os.fsdecode(world.there)}/tree"]
    back = world.run(plan, abilities(), recorder=journal)
    assert (back.totals, tree(world.there)) == (plan.totals, {})
    assert undo(world, journal, back).is_clean
    assert tree(world.there) == before


def test_a_folder_with_something_of_somebody_else_stays_with_it(world, journal):
    outcome = world.run(plan_copy([world.here + b"/tree", world.here + b"/a"], world.there), recorder=journal)
    world.write(world.there + b"/tree/mine", b"came since")
    plan = inverse(journal, outcome)
    assert {(item.step, item.place.rel) for item in plan.items} == {
        (StepName.TRASH, b"a"),
        (StepName.TRASH, b"tree/b"),
        (StepName.TRASH, b"tree/sub"),
        (StepName.REMOVE, b"tree"),
    }
    back = world.run(plan, recorder=journal)
    assert [item.reason for item in back.drifted] == ["the folder is not empty, so it was kept"]
    assert below(world.there) == {b"tree": b"/", b"tree/mine": b"came since"}
    assert undo(world, journal, back).is_clean
    assert below(world.there)[b"tree/sub/c"] == b"1"


def test_what_was_written_to_since_stays_in_its_folder(world, journal):
    outcome = world.run(plan_copy([world.here + b"/tree"], world.there), recorder=journal)
    world.write(world.there + b"/tree/sub/c", b"a new version")
    undo(world, journal, outcome)
    assert below(world.there) == {b"tree": b"/", b"tree/sub": b"/", b"tree/sub/c": b"a new version"}


def test_what_comes_after_the_question_is_not_taken_along(world, journal):
    outcome = world.run(plan_copy([world.here + b"/tree"], world.there), recorder=journal)
    plan = inverse(journal, outcome)
    world.write(world.there + b"/tree/sub/mine", b"came since")
    assert world.run(plan).skipped
    assert below(world.there)[b"tree/sub/mine"] == b"came since"


def test_folders_without_files_are_removed_and_made_again(world, journal):
    os.makedirs(world.here + b"/hollow/in/deep")
    outcome = world.run(plan_copy([world.here + b"/hollow"], world.there), recorder=journal)
    plan = inverse(journal, outcome)
    assert [(item.step, item.place.rel) for item in plan.items] == [
        (StepName.REMOVE, b"hollow/in/deep"),
        (StepName.REMOVE, b"hollow/in"),
        (StepName.REMOVE, b"hollow"),
    ]
    back = world.run(plan, recorder=journal)
    assert (tree(world.there), world.trashed()) == ({}, {})
    assert undo(world, journal, back).is_clean
    assert below(world.there) == {b"hollow": b"/", b"hollow/in": b"/", b"hollow/in/deep": b"/"}


def test_a_folder_that_was_joined_stays_and_what_was_joined_to_it_goes(world, journal):
    world.write(world.there + b"/tree/own", b"was there")
    outcome = world.run(plan_copy([world.here + b"/tree"], world.there), recorder=journal)
    undo(world, journal, outcome)
    assert below(world.there) == {b"tree": b"/", b"tree/own": b"was there"}
    assert sorted(os.listdir(world.home + b"/files")) == [b"b", b"sub"]


def test_a_folder_that_cannot_be_looked_into_is_not_taken_as_a_whole(world, journal, monkeypatch):
    outcome = world.run(plan_copy([world.here + b"/tree"], world.there), recorder=journal)
    real = os.listdir

    def listdir(at):
        if os.fstat(at).st_ino == os.stat(world.there + b"/tree").st_ino:
            raise PermissionError
        return real(at)

    monkeypatch.setattr(os, "listdir", listdir)
    plan = inverse(journal, outcome)
    monkeypatch.undo()
    assert {(item.step, item.place.rel) for item in plan.items} == {
        (StepName.TRASH, b"tree/b"),
        (StepName.TRASH, b"tree/sub"),
        (StepName.REMOVE, b"tree"),
    }


def test_new_files_folders_and_links(world, journal):
    made = [
        world.run(plan_mkfile(world.there + b"/n/file", b"text"), recorder=journal),
        world.run(plan_mkdir(world.there + b"/folder"), recorder=journal),
        world.run(plan_link(world.there + b"/soft", b"nowhere"), recorder=journal),
        world.run(plan_link(world.there + b"/hard", world.here + b"/a", hard=True), recorder=journal),
    ]
    for outcome in made:
        assert undo(world, journal, outcome).is_clean
    assert tree(world.there) == {}
    assert sorted(os.listdir(world.home + b"/files")) == [b"hard", b"n", b"soft"]
    with open(world.here + b"/a", "rb") as file:
        assert file.read() == b"12345"


def no_trash(*_):
    raise NoTrashHere("nobody may write there")


def test_where_there_is_no_trash_a_copy_goes_only_beside_its_unchanged_original(world, journal, monkeypatch):
    monkeypatch.setattr(undoing, "locate", no_trash)
    outcome = world.run(plan_copy([world.here + b"/a", world.here + b"/tree"], world.there), recorder=journal)
    os.chmod(world.there + b"/a", 0o600)
    os.chmod(world.here + b"/tree/b", 0o600)
    plan = inverse(journal, outcome)
    reason = "its volume has no trash, and its source is not there as it was, so it is left alone"
    assert {(item.step, item.place.rel, item.reason) for item in plan.items} == {
        (StepName.NOTHING, b"a", reason),
        (StepName.NOTHING, b"tree/b", reason),
        (StepName.REMOVE, b"tree/sub/c", ""),
        (StepName.REMOVE, b"tree/sub", ""),
        (StepName.REMOVE, b"tree", ""),
    }
    back = world.run(plan, recorder=journal)
    assert below(world.there) == {b"a": b"12345", b"tree": b"/", b"tree/b": b"123"}
    monkeypatch.undo()
    assert undo(world, journal, back).is_clean
    assert below(world.there)[b"tree/sub/c"] == b"1"


def test_a_new_file_stays_where_there_is_no_trash(world, journal, monkeypatch):
    monkeypatch.setattr(undoing, "locate", no_trash)
    outcome = world.run(plan_mkfile(world.there + b"/n", b"text"), recorder=journal)
    with pytest.raises(NotTakenBack, match="no trash"):
        inverse(journal, outcome)


def test_on_a_volume_of_its_own_it_is_that_volume_s_trash(world):
    with mounted(count=2) as paths:
        if not paths:
            pytest.skip("mounting is not allowed here")
        apart = World(paths[0], paths[1])
        apart.reset()
        apart.write(apart.here + b"/tree/b", b"123")
        journal = apart.journal()
        try:
            outcome = apart.run(plan_copy([apart.here + b"/tree"], apart.there), recorder=journal)
            back = undo(apart, journal, outcome)
            assert back.is_clean
            assert below(apart.far + b"/.Trash-%d/files" % os.getuid()) == {b"tree": b"/", b"tree/b": b"123"}
            assert undo(apart, journal, back).is_clean
            assert below(apart.there) == {b"tree": b"/", b"tree/b": b"123"}
        finally:
            journal.close()


def test_a_folder_that_was_moved_goes_back_with_what_it_holds_by_now_and_that_is_told(world, journal):
    moved = world.run(plan_move([world.here + b"/tree"], world.there), recorder=journal)
    for number in range(5):
        world.write(world.there + b"/tree/new %d" % number, b"12")
    plan = inverse(journal, moved)
    assert plan.totals == Totals(7, 2, 14)
    back = world.run(plan, recorder=journal)
    assert (back.totals, len(os.listdir(world.here + b"/tree"))) == (plan.totals, 7)


def test_a_trashed_folder_comes_back_with_what_it_holds(world, journal):
    trashed = world.run(plan_trash([world.here + b"/tree"], Choices(trash_home=world.home)), recorder=journal)
    plan = inverse(journal, trashed)
    assert plan.totals == Totals(2, 2, 4)
    assert world.run(plan, recorder=journal).is_clean
    assert below(world.here)[b"tree/sub/c"] == b"1"


def test_a_folder_that_nobody_can_count_is_told_as_it_was(world, journal, monkeypatch):
    moved = world.run(plan_move([world.here + b"/tree"], world.there), recorder=journal)

    def unreadable(*_, **__):
        raise PermissionError

    monkeypatch.setattr(undoing, "look_inside", unreadable)
    assert inverse(journal, moved).totals == moved.plan.totals
