"""A file that is written to in place, with its size and time kept, has changed: nothing destroys what it holds."""

import errno
import os
import shutil
import subprocess
import tempfile

import pytest
from ops_ground import FaultySyscalls, Plain, World, mounted, tree

from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.records import ItemState
from cmdr.engine.plan.attribute_plan import plan_attributes
from cmdr.engine.plan.new_plan import plan_link, plan_mkfile, plan_write
from cmdr.engine.plan.refusals import NotTakenBack
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.engine.run.versions import COMPARED_BYTES
from cmdr.model.plans.attributes import AttributeWish
from cmdr.model.plans.file_mode import ModeChange
from cmdr.model.plans.plan import ConflictPolicy, StepName


def write_in_place(path, text):
    """What containers, tag editors and synchronisers do: other contents, the same size, the time put back."""
    before = os.stat(path)
    assert before.st_size == len(text)
    with open(path, "r+b") as file:
        file.write(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = os.stat(path)
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)


@pytest.fixture(scope="module", params=["ext4", "xfs"])
def disk(request):
    """A file system of its own kind in an image; the way a real disk counts its changes."""
    top = tempfile.mkdtemp(prefix="image-", dir="/tmp")
    image, at = f"{top}/image", f"{top}/at"
    os.mkdir(at)
    with open(image, "wb") as file:
        file.truncate(400 << 20)
    try:
        make = subprocess.run([f"mkfs.{request.param}", "-q", image], capture_output=True)
        mount = subprocess.run(["mount", "-o", "loop", image, at], capture_output=True)
        if make.returncode or mount.returncode:
            pytest.skip(f"no {request.param} can be mounted here")
    except OSError:
        shutil.rmtree(top)
        pytest.skip(f"no {request.param} here")
    try:
        yield os.fsencode(at)
    finally:
        if os.path.ismount(at):
            subprocess.run(["umount", "-l", at], check=True)
        shutil.rmtree(top)


@pytest.fixture
def apart():
    """Two volumes."""
    with mounted() as paths:
        if not paths:
            pytest.skip("mounting is not allowed here")
        made = World(paths[0], paths[1])
        made.reset()
        made.write(made.here + b"/a", b"12345")
        yield made


def undo(world, journal, outcome, **how):
    return world.run(plan_undo(*journal.runs(outcome.operation)), recorder=journal, **how)


def test_an_undone_copy_that_was_written_to_stays(world, journal):
    outcome = world.run(plan_copy([world.here + b"/a", world.here + b"/tree"], world.there), recorder=journal)
    write_in_place(world.there + b"/a", b"56789")
    plan = plan_undo(journal.operation(outcome.operation))
    assert [item.reason for item in plan.items if item.step is StepName.NOTHING] == [
        "it has changed since, so it is left alone"
    ]
    world.run(plan, recorder=journal)
    assert tree(world.there) == {world.there + b"/a": b"56789"}


@pytest.mark.parametrize("way", ["undone", "deleted", "replaced"])
def test_so_it_is_on_every_file_system(disk, way):
    world = World(disk, disk)
    world.reset()
    world.write(world.here + b"/a", b"12345")
    journal = world.journal()
    try:
        copied = world.run(plan_copy([world.here + b"/a"], world.there), recorder=journal)
        delete = plan_delete([world.there + b"/a"])
        replace = plan_write(world.there + b"/a", b"other")
        write_in_place(world.there + b"/a", b"56789")
        match way:
            case "undone":
                with pytest.raises(NotTakenBack, match="has changed since"):
                    undo(world, journal, copied)
            case "deleted":
                assert world.run(delete).drifted
            case "replaced":
                assert world.run(replace).drifted
        assert tree(world.there) == {world.there + b"/a": b"56789"}
        assert world.leftovers() == []
    finally:
        journal.close()


def test_a_copy_undone_between_the_question_and_the_yes_is_not_lost(world, journal):
    outcome = world.run(plan_copy([world.here + b"/a"], world.there), recorder=journal)
    plan = plan_undo(journal.operation(outcome.operation))
    write_in_place(world.there + b"/a", b"56789")
    assert world.run(plan).drifted
    assert tree(world.there) == {world.there + b"/a": b"56789"}


def test_a_file_written_to_after_the_question_is_not_deleted_for_good(world):
    plan = plan_delete([world.here + b"/a", world.here + b"/tree"])
    write_in_place(world.here + b"/tree/b", b"abc")
    outcome = world.run(plan)
    assert [item.item.place.name for item in outcome.drifted if item.item.kind != "folder"] == [b"b"]
    assert tree(world.here) == {world.here + b"/tree": b"/", world.here + b"/tree/b": b"abc"}


@pytest.mark.parametrize("way", [plan_copy, plan_move])
def test_a_file_written_to_after_the_question_is_neither_copied_nor_moved(world, way):
    plan = way([world.here + b"/a"], world.there)
    write_in_place(world.here + b"/a", b"56789")
    assert world.run(plan).drifted
    assert (tree(world.there), tree(world.here)[world.here + b"/a"]) == ({}, b"56789")


def test_a_source_written_to_after_it_was_copied_is_not_removed(apart):
    class Writes(Syscalls):
        """Another program writes to the source when its copy has landed."""

        def rename(self, name, folder, new_name, new_folder, flags=0):
            super().rename(name, folder, new_name, new_folder, flags)
            if new_name == b"a" and os.path.exists(apart.there + b"/a"):
                write_in_place(apart.here + b"/a", b"56789")

    outcome = apart.run(plan_move([apart.here + b"/a"], apart.there), Writes())
    assert "it has changed since the plan" in outcome.items[0].reason
    assert tree(apart.here)[apart.here + b"/a"] == b"56789"
    assert tree(apart.there)[apart.there + b"/a"] == b"12345"


def test_a_source_that_was_only_touched_after_it_was_copied_goes(apart):
    """A backup that puts back the time of its reading changes nothing but that a change was made."""

    class Touches(Syscalls):
        def rename(self, name, folder, new_name, new_folder, flags=0):
            super().rename(name, folder, new_name, new_folder, flags)
            if new_name in (b"a", b"l"):
                for name in (b"/a", b"/l"):
                    os.utime(apart.here + name, ns=(1, 1), follow_symlinks=False)

    for path in (apart.here + b"/a", apart.here + b"/l"):
        if path.endswith(b"l"):
            os.symlink(b"a", path)
        os.utime(path, ns=(1, 1), follow_symlinks=False)
    outcome = apart.run(plan_move([apart.here + b"/a", apart.here + b"/l"], apart.there), Touches())
    assert {item.state for item in outcome.items} == {ItemState.SOURCE_REMOVED}
    assert tree(apart.here) == {}


@pytest.mark.parametrize("is_at_once", [True, False])
def test_a_name_taken_and_given_back_is_a_change_of_our_own(world, journal, is_at_once):
    """A disk that fails in the middle of a deletion, and then not any more: trying again goes on."""
    world.write(world.here + b"/b", b"1")
    plan = plan_delete([world.here + b"/a", world.here + b"/b"])

    class Broken(Syscalls):
        def unlink(self, name, folder):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    outcome = world.run(plan, Broken(), recorder=journal)
    assert [item.state for item in outcome.items].count(ItemState.FAILED) == 2
    rest = outcome.retry() if is_at_once else plan_resume(journal.operation(outcome.operation))
    assert world.run(rest, recorder=journal).is_clean
    assert set(os.listdir(world.here)) == {b"tree"}


def killed(world, plan, at):
    """A process that runs a plan and dies at a call; whether it did."""
    pid = os.fork()
    if not pid:
        journal = world.journal()
        world.run(plan, FaultySyscalls(at, "kill after"), journal)
        os._exit(0)
    return os.waitpid(pid, 0)[1] != 0


@pytest.mark.parametrize("is_written_to", [False, True])
def test_a_deletion_that_was_killed_goes_on_but_not_over_what_was_written_meanwhile(world, is_written_to):
    for name in (b"b", b"c"):
        world.write(world.here + b"/" + name, b"12345")
    plan = plan_delete([world.here + b"/" + name for name in (b"a", b"b", b"c")])
    at = 1
    while killed(world, plan, at) and os.path.exists(world.here + b"/a"):
        # Each time the sweep puts back what the killed one had in hand: a change of our own.
        (number,) = world.recover().interrupted
        journal = world.journal()
        plan = plan_resume(journal.operation(number))
        journal.close()
        at += 1
    (number,) = world.recover().interrupted
    if is_written_to:
        write_in_place(world.here + b"/c", b"56789")
    journal = world.journal()
    try:
        outcome = world.run(plan_resume(journal.operation(number)), recorder=journal)
    finally:
        journal.close()
    assert outcome.is_clean is not is_written_to
    left = {path: text for path, text in tree(world.here).items() if b"tree" not in path}
    assert left == ({world.here + b"/c": b"56789"} if is_written_to else {})
    assert world.leftovers() == []


def test_what_a_killed_deletion_had_in_hand_under_one_name_is_left_under_the_others_and_told(world):
    """How a file looks without a name that was being taken was never written down: for good goes only what is known."""
    for name in (b"/x", b"/y"):
        os.link(world.here + b"/a", world.here + name)
    at = 0
    while os.path.exists(world.here + b"/a"):
        at += 1
        assert killed(world, plan_delete([world.here + name for name in (b"/a", b"/x", b"/y")]), at)
        (number,) = world.recover().interrupted
    journal = world.journal()
    try:
        outcome = world.run(plan_resume(journal.operation(number)), recorder=journal)
    finally:
        journal.close()
    assert [item.item.place.name for item in outcome.drifted] == [b"x", b"y"]
    assert world.run(plan_delete([world.here + b"/x", world.here + b"/y"])).is_clean


@pytest.mark.parametrize("abilities", [Syscalls, Plain])
@pytest.mark.parametrize("way", ["trash", "delete", "rename", "move", "replace"])
def test_the_names_of_one_file_go_together(world, journal, way, abilities):
    """Every step on one of its names changes how the file looks under the others."""
    for name in (b"/x", b"/y", b"/z"):
        os.link(world.here + b"/a", world.here + name)
    names = [world.here + name for name in (b"/a", b"/x", b"/y", b"/z")]
    match way:
        case "trash":
            plan = plan_trash(names, Choices(trash_home=world.home))
        case "delete":
            plan = plan_delete(names)
        case "rename":
            plan = plan_rename([(name, b"new " + os.path.basename(name)) for name in names])
        case "move":
            plan = plan_move(names, world.there)
        case "replace":
            world.write(world.there + b"/a", b"old")
            for name in (b"/x", b"/y", b"/z"):
                os.link(world.there + b"/a", world.there + name)
            plan = plan_copy(names, world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    before = {**tree(world.here), **tree(world.there)}
    outcome = world.run(plan, abilities(), recorder=journal)
    assert outcome.is_clean, [(item.item.place.path, item.reason) for item in outcome.items if item.reason]
    if way != "delete":
        assert undo(world, journal, outcome).is_clean
        assert {**tree(world.here), **tree(world.there)} == before


def test_the_names_of_one_file_move_to_another_volume_together(apart):
    os.link(apart.here + b"/a", apart.here + b"/b")
    outcome = apart.run(plan_move([apart.here + b"/a", apart.here + b"/b"], apart.there))
    assert outcome.is_clean
    assert tree(apart.here) == {}
    assert os.stat(apart.there + b"/a").st_nlink == 2


def test_what_was_renamed_linked_and_dressed_since_is_undone_all_the_same(world, journal):
    """Our own later changes, taken back, and attributes: none of them wrote to the copy."""
    copied = world.run(plan_copy([world.here + b"/a"], world.there), recorder=journal)
    renamed = world.run(plan_rename([(world.there + b"/a", b"b")]), recorder=journal)
    wish = AttributeWish(ModeChange.of("u+x"))
    dressed = world.run(plan_attributes([world.there + b"/b"], Choices(attributes=wish)), recorder=journal)
    linked = world.run(plan_link(world.there + b"/c", world.there + b"/b", hard=True), recorder=journal)
    for outcome in (linked, dressed, renamed, copied):
        assert undo(world, journal, outcome).is_clean
    assert tree(world.there) == {}
    assert sorted(world.trashed().values()) == [b"12345", b"12345"]


def test_a_new_file_is_known_by_its_contents(world, journal):
    made = world.run(plan_mkfile(world.there + b"/n", b"first"), recorder=journal)
    os.chmod(world.there + b"/n", 0o600)
    back = undo(world, journal, made)
    assert back.is_clean
    assert undo(world, journal, back).is_clean
    write_in_place(world.there + b"/n", b"other")
    made = world.run(plan_mkfile(world.there + b"/m", b"first"), recorder=journal)
    write_in_place(world.there + b"/m", b"other")
    with pytest.raises(NotTakenBack, match="has changed since"):
        undo(world, journal, made)


def test_what_is_too_long_to_compare_goes_to_the_trash_with_what_was_written(world, journal):
    with open(world.here + b"/large", "wb") as file:
        file.truncate(COMPARED_BYTES + 1)
    outcome = world.run(plan_copy([world.here + b"/large"], world.there), recorder=journal)
    before = os.stat(world.there + b"/large")
    with open(world.there + b"/large", "r+b") as file:
        file.write(b"written since")
    os.utime(world.there + b"/large", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert undo(world, journal, outcome).is_clean
    with open(world.home + b"/files/large", "rb") as file:
        assert file.read(13) == b"written since"


@pytest.mark.parametrize("source", ["gone", "changed", "unreadable"])
def test_what_nothing_is_left_to_compare_with_goes_to_the_trash(world, journal, source, monkeypatch):
    outcome = world.run(plan_copy([world.here + b"/a"], world.there), recorder=journal)
    write_in_place(world.there + b"/a", b"56789")
    if source == "gone":
        os.unlink(world.here + b"/a")
    elif source == "changed":
        world.write(world.here + b"/a", b"a new version")
    else:
        monkeypatch.setattr(Syscalls, "open", FaultySyscalls(1, errno.EACCES).open)
    plan = plan_undo(journal.operation(outcome.operation))
    monkeypatch.undo()
    assert world.run(plan).is_clean
    assert list(world.trashed().values()) == [b"56789"]


def test_a_moved_file_that_was_written_to_goes_back_as_it_is(world, journal):
    outcome = world.run(plan_move([world.here + b"/a"], world.there), recorder=journal)
    write_in_place(world.there + b"/a", b"56789")
    assert undo(world, journal, outcome).is_clean
    assert tree(world.here)[world.here + b"/a"] == b"56789"


def test_a_file_moved_across_volumes_and_written_to_goes_back_as_it_is(apart):
    journal = apart.journal()
    try:
        outcome = apart.run(plan_move([apart.here + b"/a"], apart.there), recorder=journal)
        write_in_place(apart.there + b"/a", b"56789")
        assert undo(apart, journal, outcome).is_clean
    finally:
        journal.close()
    assert tree(apart.here) == {apart.here + b"/a": b"56789"}


def test_what_a_restart_found_landed_is_compared_when_it_is_undone(world):
    """How a copy looked when it got its name was never written down if the program died then."""
    at = 1
    while True:
        assert killed(world, plan_copy([world.here + b"/a"], world.there), at)
        (number,) = world.recover().interrupted
        if os.path.exists(world.there + b"/a"):
            break
        at += 1
    write_in_place(world.there + b"/a", b"56789")
    journal = world.journal()
    try:
        with pytest.raises(NotTakenBack, match="has changed since"):
            plan_undo(journal.operation(number))
    finally:
        journal.close()


def test_a_file_written_to_after_it_was_shown_is_not_overwritten(world):
    world.write(world.there + b"/a", b"old 1")
    plan = plan_copy([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    write_in_place(world.there + b"/a", b"old 2")
    outcome = world.run(plan)
    assert [item.reason for item in outcome.drifted] == ["the name was taken after the plan was made"]
    assert tree(world.there)[world.there + b"/a"] == b"old 2"
