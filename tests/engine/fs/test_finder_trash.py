"""The trash of macOS: chosen by the platform, and honest about what can be put back. One call stands in for Apple's."""

import os
import sys

import pytest
from ops_ground import World, tree

from cmdr.engine.fs import finder_trash
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.records import Intent, ItemState
from cmdr.engine.plan.refusals import NothingToDo, NotInTrash
from cmdr.engine.plan.restore_plan import plan_restore
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_trash
from cmdr.engine.run.crash_recovery import recover
from cmdr.engine.run.undo import plan_undo
from cmdr.model.plans.plan import ConflictPolicy


class Finder(Syscalls):
    """Does what the library's call does: puts a file into the trash, under another name when that is taken."""

    def __init__(self, bin: bytes) -> None:
        self.bin = bin
        self.before = lambda: None

    def send_to_trash(self, path):
        self.before()
        os.makedirs(self.bin, exist_ok=True)
        name = os.path.basename(path)
        while os.path.lexists(self.bin + b"/" + name):
            name += b" 12.34.56"
        os.rename(path, self.bin + b"/" + name)


class Refusing(Finder):
    """Says no, or says yes and does nothing."""

    def __init__(self, problem: OSError | None) -> None:
        super().__init__(b"")
        self.problem = problem

    def send_to_trash(self, path):
        if self.problem:
            raise self.problem


@pytest.fixture
def world(tmp_path, monkeypatch):
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    made.write(made.here + b"/a", b"a")
    made.write(made.here + b"/folder/b", b"b")
    monkeypatch.setenv("HOME", os.fsdecode(made.top))
    monkeypatch.setattr(finder_trash, "is_the_trash", lambda: True)
    return made


def trash_all(world, finder, journal):
    return world.run(plan_trash([world.here + b"/a", world.here + b"/folder"]), finder, journal)


def test_only_macos_uses_the_finder():
    assert finder_trash.is_the_trash("darwin")
    assert not finder_trash.is_the_trash("linux")
    assert finder_trash.is_the_trash() == (sys.platform == "darwin")


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has the call")
def test_elsewhere_the_call_does_not_exist(world):
    with pytest.raises(OSError, match="not implemented"):
        Syscalls().send_to_trash(world.here + b"/a")


def test_files_go_to_the_finder_and_undo_brings_back_what_can_be_found_there(world, journal):
    before = tree(world.here)
    world.write(world.top + b"/.Trash/a", b"an older a")
    outcome = trash_all(world, Finder(world.top + b"/.Trash"), journal)
    assert outcome.is_clean
    assert tree(world.here) == {}
    assert world.trashed() == {}
    back = world.run(plan_undo(journal.operation(outcome.operation)), recorder=journal)
    assert back.is_clean
    assert tree(world.here) == before
    assert tree(world.top + b"/.Trash") == {world.top + b"/.Trash/a": b"an older a"}


def test_what_the_finder_hides_can_only_be_put_back_there_and_undo_says_so(world, journal):
    outcome = trash_all(world, Finder(world.top + b"/hidden from us"), journal)
    assert outcome.is_clean
    assert [item.kept for item in outcome.items] == [None, None]
    with pytest.raises(NothingToDo, match="the Finder has it in its Trash and only you can take it out there"):
        plan_undo(journal.operation(outcome.operation))


def test_a_file_that_merely_has_the_same_number_on_another_volume_is_not_taken_for_ours(world, monkeypatch):
    world.write(world.top + b"/.Trash/x", b"x")
    fd = os.open(world.here, os.O_RDONLY)
    try:
        found = os.stat(world.top + b"/.Trash/x")
        mark = finder_trash.Fingerprint(found.st_dev + 1, found.st_ino, 1, 1, "file")
        assert finder_trash.find(mark, fd) is None
    finally:
        os.close(fd)


def test_restoring_from_the_finders_trash_is_refused_because_it_keeps_no_notes(world, journal):
    trash_all(world, Finder(world.top + b"/.Trash"), journal)
    with pytest.raises(NotInTrash, match="Move it to where it belongs"):
        plan_restore([world.top + b"/.Trash/a"])


def test_a_file_that_changed_meanwhile_is_not_handed_over(world, journal):
    plan = plan_trash([world.here + b"/a"])
    world.write(world.here + b"/a", b"something else")
    outcome = world.run(plan, Finder(world.top + b"/.Trash"), journal)
    assert [item.reason for item in outcome.drifted] == ["it has changed since the plan"]
    assert set(os.listdir(world.here)) == {b"a", b"folder"}


@pytest.mark.parametrize(
    ("finder", "reason"),
    [
        (Refusing(OSError("The user cancelled")), "The user cancelled"),
        (Refusing(PermissionError(1, "no")), "this is not permitted here"),
        (Refusing(None), "the Finder left it where it is"),
    ],
)
def test_a_finder_that_says_no_is_believed(world, journal, finder, reason):
    outcome = world.run(plan_trash([world.here + b"/a"]), finder, journal)
    assert [item.reason for item in (*outcome.failed, *outcome.drifted)] == [reason]
    assert os.path.exists(world.here + b"/a")


@pytest.mark.parametrize("is_taken", [True, False])
def test_a_crash_while_the_finder_works_is_judged_by_what_is_still_there(world, journal, is_taken):
    plan = plan_trash([world.here + b"/a"])
    operation = journal.begin(plan, "me")
    journal.intend(operation, [Intent(0, b".cmdr-tmp-0000000000000000", plan.items[0].source)])
    if is_taken:
        os.rename(world.here + b"/a", world.top + b"/taken")
    recover(journal, Syscalls(), trash_home=world.home)
    (item,) = journal.operation(operation).items
    assert item.state is (ItemState.LANDED if is_taken else ItemState.PLANNED)


def test_what_an_overwrite_displaces_is_kept_where_undo_finds_it(world, journal):
    world.write(world.there + b"/a", b"old")
    plan = plan_copy([world.here + b"/a"], world.there, Choices(ConflictPolicy.OVERWRITE))
    outcome = world.run(plan, Finder(world.top + b"/.Trash"), journal)
    assert list(world.trashed().values()) == [b"old"]
    assert world.run(plan_undo(journal.operation(outcome.operation)), recorder=journal).is_clean
    assert tree(world.there) == {world.there + b"/a": b"old"}
