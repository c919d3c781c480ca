"""The corners of the engine: what file systems refuse, what strangers do in between, what a crash leaves."""

import errno
import os
from dataclasses import replace

import pytest
from ops_ground import Plain, World, tree

from cmdr.engine.errors import Drifted, Skipped, error_text
from cmdr.engine.fs import atomic_rename, contents, fingerprint, metadata, mounts, trash
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.names import free_name, numbered, shortened, temp_name
from cmdr.engine.fs.removal import remove_exactly
from cmdr.engine.fs.syscalls import EXCHANGE, Syscalls
from cmdr.engine.journal.records import Intent, ItemState, ItemUpdate
from cmdr.engine.plan.refusals import NothingToDo
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.engine.run import executor
from cmdr.engine.run.conflicts import Decider, Verdict
from cmdr.engine.run.control import Answer, Cancelled, Unattended
from cmdr.engine.run.undo import plan_undo
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import ConflictPolicy, Decision, Kind, Place, Plan, PlanItem, Root, StepName, Verb


@pytest.fixture
def world(tmp_path):
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    made.write(made.here + b"/a", b"text a")
    return made


@pytest.fixture
def folder(world):
    fd = os.open(world.here, os.O_RDONLY)
    yield fd
    os.close(fd)


def failing(call, number, after=0):
    """A disk on which one kind of call fails, from the Nth time on."""

    class Failing(Syscalls):
        left = after

    def fail(self, *args):
        if self.left > 0:
            self.left -= 1
            return getattr(Syscalls, call)(self, *args)
        raise OSError(number, os.strerror(number))

    setattr(Failing, call, fail)
    return Failing()


def test_numbers_go_before_the_extension_and_names_stay_possible():
    assert numbered(b"a.tar.gz", 2) == b"a.tar (2).gz"
    assert numbered(b".bashrc", 1) == b".bashrc (1)"
    assert numbered(b"x." + b"e" * 200, 1) == b"x." + b"e" * 200 + b" (1)"
    assert len(numbered(b"x" * 255, 1)) == 255
    assert free_name(b"a", {b"a (1)", b"a (2)"}.__contains__) == b"a (3)"
    assert shortened("üü".encode(), 3) == "ü".encode()
    assert shortened(b"\xff\xff\xff", 2) == b"\xff\xff"


def test_errors_are_said_in_plain_words():
    assert error_text(OSError(errno.ENOSPC, "x")) == "the disk is full"
    assert error_text(OSError(errno.EDOM, "x")) == os.strerror(errno.EDOM)
    assert error_text(OSError("something else")) == "something else"


@pytest.mark.parametrize(
    "step",
    [
        StepName.COPY,
        StepName.MAKE,
        StepName.RENAME,
        StepName.SWAP,
        StepName.TRASH,
        StepName.REMOVE,
        StepName.TWIN,
        StepName.LINK,
        StepName.CREATE,
    ],
)
@pytest.mark.parametrize("kind", [Kind.FILE, Kind.LINK])
def test_an_item_that_makes_no_sense_stops_the_run_before_any_change(world, step, kind):
    info = os.stat(world.there)
    roots = (Root(world.there, info.st_dev, info.st_ino),)
    item = PlanItem(step, kind, target=Place(world.there, b"x"))
    if step in (StepName.CREATE, StepName.LINK, StepName.MAKE):
        item = PlanItem(step, kind, source=Place(world.there, b"x"))
    with pytest.raises(ValueError):
        world.run(Plan(Verb.COPY, (item,), roots))
    assert os.listdir(world.there) == []


def test_a_taken_name_gives_way_to_a_number_even_for_folders():
    mark = fingerprint.of_path(b"/")
    item = PlanItem(StepName.COPY, Kind.FILE, Place(b"/", b"x"), Place(b"/", b"y"), mark)
    decider = Decider(ConflictPolicy.RENAME, Unattended())
    assert decider.decide(item, None, mark) is Verdict.RENAME
    same = mark._replace(kind=Kind.FILE)
    assert decider.decide(replace(item, fingerprint=same), None, same) is Verdict.RENAME
    with pytest.raises(Skipped, match="a folder has that name"):
        Decider(ConflictPolicy.SKIP, Unattended()).decide(item, None, mark)
    with pytest.raises(Skipped, match="a file has that name"):
        Decider(ConflictPolicy.SKIP, Unattended()).decide(item, None, mark._replace(kind=Kind.SPECIAL))


def test_a_file_system_that_keeps_no_account_of_holes_is_read_whole(world, monkeypatch):
    path = world.here + b"/sparse"
    with open(path, "wb") as file:
        file.truncate(1 << 20)
    with open(path, "rb") as file:
        info = os.fstat(file.fileno())
        assert list(contents.extents(file.fileno(), info)) == []

        def refuse(*_):
            raise OSError(errno.EINVAL, "no")

        monkeypatch.setattr(contents.os, "lseek", refuse)
        assert list(contents.extents(file.fileno(), info)) == [(0, 1 << 20)]
    open(world.here + b"/empty", "wb").close()
    monkeypatch.undo()
    assert world.run(plan_copy([path, world.here + b"/empty"], world.there)).is_clean
    assert os.stat(world.there + b"/sparse").st_size == 1 << 20


def test_a_real_disk_error_while_copying_fails_the_file(world):
    outcome = world.run(plan_copy([world.here + b"/a"], world.there), failing("copy_range", errno.EIO))
    assert outcome.failed[0].reason == "the disk reported an error"


def test_what_cannot_be_kept_is_said(world, monkeypatch):
    path = world.here + b"/a"
    os.setxattr(path, "user.one", b"1")
    os.symlink(b"x", world.here + b"/link")

    class Poor(Syscalls):
        def set_attribute(self, fd, name, value):
            raise OSError(errno.EOPNOTSUPP, "no")

        def set_mode(self, fd, mode):
            raise OSError(errno.EPERM, "no")

        def set_times(self, fd, atime_ns, mtime_ns):
            raise OSError(errno.EPERM, "no")

        def set_link_times(self, *_):
            raise OSError(errno.EPERM, "no")

        def set_link_owner(self, *_):
            raise OSError(errno.EPERM, "no")

    if os.getuid() == 0:
        os.chown(world.here + b"/link", 1234, 1234, follow_symlinks=False)
        os.setxattr(world.here + b"/link", "trusted.note", b"x", follow_symlinks=False)
    outcome = world.run(plan_copy([path, world.here + b"/link"], world.there), Poor())
    said = [text for _, text in outcome.warnings]
    assert said[:3] == ["attribute user.one", "permissions", "times"]
    if os.getuid() == 0:
        assert sorted(said[3:]) == ["attribute trusted.note", "owner", "times"]


def test_attributes_that_cannot_be_listed_or_read(world, monkeypatch):
    path = world.here + b"/a"
    os.setxattr(path, "user.one", b"1")

    def say(number):
        def refuse(*_, **__):
            raise OSError(number, "no")

        return refuse

    def lost():
        outcome = world.run(plan_copy([path], world.there, Choices(policy=ConflictPolicy.RENAME)))
        return [text for _, text in outcome.warnings] or [item.reason for item in outcome.failed]

    monkeypatch.setattr(metadata.os, "listxattr", say(errno.EOPNOTSUPP))
    assert lost() == []
    monkeypatch.setattr(metadata.os, "listxattr", say(errno.EIO))
    assert lost() == ["the disk reported an error"]
    monkeypatch.undo()
    monkeypatch.setattr(metadata.os, "getxattr", say(errno.ENODATA))
    assert lost() == ["attribute user.one"]
    monkeypatch.setattr(metadata.os, "getxattr", say(errno.EIO))
    assert lost() == ["the disk reported an error"]


def test_attributes_of_links_that_cannot_be_listed_are_none(world, monkeypatch):
    os.symlink(b"x", world.here + b"/link")
    real = os.listxattr

    def refuse(path, **more):
        if isinstance(path, bytes):
            raise OSError(errno.EOPNOTSUPP, "no")
        return real(path, **more)

    monkeypatch.setattr(metadata.os, "listxattr", refuse)
    assert world.run(plan_copy([world.here + b"/link"], world.there)).is_clean


def test_the_top_of_a_volume_is_found_even_where_looking_up_is_forbidden(folder, monkeypatch):
    top = mounts.top_of(folder)
    os.close(top)
    real = os.open

    def refuse(path, *rest, **more):
        if path == b"..":
            raise PermissionError(13, "no")
        return real(path, *rest, **more)

    monkeypatch.setattr(mounts.os, "open", refuse)
    top = mounts.top_of(folder)
    assert os.path.sameopenfile(top, folder)
    os.close(top)


def test_an_unreachable_home_is_not_this_volume(folder, monkeypatch):
    proc = trash._volume_of_nearest(b"/proc")
    assert trash._volume_of_nearest(b"/proc/1/nothing/\xff" + b"x" * 300) in (None, proc)
    real = os.open

    def refuse(path, *rest, **more):
        if path == b"/home":
            raise PermissionError(13, "no")
        return real(path, *rest, **more)

    monkeypatch.setattr(trash.os, "open", refuse)
    assert trash._volume_of_nearest(b"/home") is None


def test_a_stranger_in_the_place_of_a_moved_file_is_put_back(world, folder):
    mark = fingerprint.of_path(world.here + b"/a")

    class Late(Syscalls):
        def rename(self, name, folder, new_name, new_folder, flags=0):
            if name == b"a":
                os.rename(world.here + b"/a", world.here + b"/elsewhere")
                world.write(world.here + b"/a", b"stranger")
            super().rename(name, folder, new_name, new_folder, flags)

    with pytest.raises(Drifted, match="last moment"):
        atomic_rename.move_exactly(Late(), Spot(folder, b"a"), Spot(folder, b"b"), mark)
    assert tree(world.here) == {world.here + b"/a": b"stranger", world.here + b"/elsewhere": b"text a"}
    with pytest.raises(Drifted, match="since the plan"):
        atomic_rename.move_exactly(Syscalls(), Spot(folder, b"a"), Spot(folder, b"b"), mark)


def test_renaming_by_links_cleans_up_after_itself(world, folder):
    class Stuck(Plain):
        def unlink(self, name, folder):
            if name == b"a":
                raise OSError(errno.EIO, "no")
            super().unlink(name, folder)

    with pytest.raises(OSError):
        atomic_rename.place(Stuck(), Spot(folder, b"a"), Spot(folder, b"b"), Kind.FILE)
    assert os.listdir(world.here) == [b"a"]
    world.write(world.here + b"/b", b"taken")
    with pytest.raises(FileExistsError):
        atomic_rename.place(Plain(), Spot(folder, b"a"), Spot(folder, b"b"), Kind.FILE)
    os.unlink(world.here + b"/b")

    class Broken(Plain):
        def link(self, *_):
            raise OSError(errno.EIO, "no")

    with pytest.raises(OSError):
        atomic_rename.place(Broken(), Spot(folder, b"a"), Spot(folder, b"b"), Kind.FILE)
    os.mkdir(world.here + b"/d")
    atomic_rename.place(Plain(), Spot(folder, b"d"), Spot(folder, b"e"), Kind.FOLDER)
    assert sorted(os.listdir(world.here)) == [b"a", b"e"]


def test_a_placeholder_is_given_up_for_a_stranger(world, folder):
    class Taken(Plain):
        def __init__(self):
            super().__init__(links=False)

        def discard(self, fd):
            super().discard(fd)
            os.unlink(world.here + b"/b")
            world.write(world.here + b"/b", b"stranger")

    with pytest.raises(FileExistsError):
        atomic_rename.place(Taken(), Spot(folder, b"a"), Spot(folder, b"b"), Kind.FILE)
    assert tree(world.here) == {world.here + b"/a": b"text a", world.here + b"/b": b"stranger"}
    os.unlink(world.here + b"/b")

    class Stuck(Plain):
        def __init__(self):
            super().__init__(links=False)

        def rename(self, *args):
            raise OSError(errno.EINVAL if args[-1] else errno.EIO, "no")

    with pytest.raises(OSError):
        atomic_rename.place(Stuck(), Spot(folder, b"a"), Spot(folder, b"b"), Kind.FILE)
    assert tree(world.here) == {world.here + b"/a": b"text a"}


def test_a_replacement_that_is_not_what_was_shown_is_refused(world, folder):
    world.write(world.here + b"/b", b"old")
    mark = fingerprint.of_path(world.here + b"/b")
    with pytest.raises(Drifted):
        atomic_rename.replace(Syscalls(), Spot(folder, b"a"), Spot(folder, b"b"), mark._replace(size=99), None)
    with pytest.raises(OSError):
        atomic_rename.replace(failing("rename", errno.EIO), Spot(folder, b"a"), Spot(folder, b"b"), mark, None)


def test_a_swap_by_way_of_a_third_name_goes_back_when_it_fails(world, folder):
    world.write(world.here + b"/b", b"text b")
    before = tree(world.here)

    def spots():
        return Spot(folder, b"a"), Spot(folder, b"b"), Spot(folder, temp_name())

    class Third(Plain):
        def __init__(self, at):
            super().__init__(noreplace=True)
            self.at = at

        def rename(self, *args):
            if args[-1] != EXCHANGE:
                self.at -= 1
                if self.at == 0:
                    raise OSError(errno.EIO, "no")
            super().rename(*args)

    for at in (1, 2, 3):
        with pytest.raises(OSError):
            atomic_rename.swap(Third(at), *spots(), Kind.FILE, Kind.FILE)
        assert tree(world.here) == before
    with pytest.raises(OSError):
        atomic_rename.swap(failing("rename", errno.EIO), *spots(), Kind.FILE, Kind.FILE)
    atomic_rename.swap(Third(0), *spots(), Kind.FILE, Kind.FILE)
    assert tree(world.here) == {world.here + b"/a": b"text b", world.here + b"/b": b"text a"}


def test_removing_puts_back_what_it_could_not_remove(world, folder):
    mark = fingerprint.of_path(world.here + b"/a")
    with pytest.raises(OSError):
        remove_exactly(failing("unlink", errno.EIO), Spot(folder, b"a"), mark, Spot(folder, temp_name()))
    assert os.listdir(world.here) == [b"a"]
    os.mkdir(world.here + b"/d")
    with pytest.raises(OSError):
        spot = Spot(folder, b"d")
        remove_exactly(failing("rmdir", errno.EIO), spot, spot.found, Spot(folder, temp_name()))


def test_a_trash_that_cannot_be_made_costs_nothing(world):
    outcome = world.run(
        plan_trash([world.here + b"/a"], Choices(trash_home=world.home)), failing("mkdir", errno.EACCES, 2)
    )
    assert outcome.failed[0].reason == "permission denied"
    assert os.listdir(world.here) == [b"a"]
    outcome = world.run(
        plan_trash([world.here + b"/a"], Choices(trash_home=world.home)), failing("write", errno.ENOSPC)
    )
    assert outcome.failed[0].reason == "the disk is full"
    assert world.leftovers() == []


def test_a_note_that_cannot_be_removed_is_seen_to_at_the_next_start(world):
    journal = world.journal()
    plan = plan_trash([world.here + b"/a"], Choices(trash_home=world.home))
    os.unlink(world.here + b"/a")
    world.write(world.here + b"/a", b"another")

    class Stuck(Syscalls):
        def rename(self, *_):
            raise OSError(errno.EIO, "no")

        def unlink(self, *_):
            raise OSError(errno.EIO, "no")

    plan = plan_trash([world.here + b"/a"], Choices(trash_home=world.home))
    assert world.run(plan, Stuck(), journal).failed
    journal.close()
    assert len(world.leftovers()) == 1
    assert len(world.recover().removed) == 1
    assert world.leftovers() == []


def test_a_cancel_while_landing_keeps_the_rest_and_stops(world):
    for name in (b"1", b"2", b"3"):
        world.write(world.here + b"/many/" + name, b"new " + name)
    plan = plan_copy([world.here + b"/many"], world.there)

    class Stops(Unattended):
        def ask(self, conflict):
            raise Cancelled

    class Late(Syscalls):
        def sync_data(self, fd):
            super().sync_data(fd)
            if not os.path.exists(world.there + b"/many/2"):
                world.write(world.there + b"/many/2", b"theirs")

    outcome = world.run(plan, Late(), control=Stops())
    assert outcome.state is OperationState.CANCELLED
    assert tree(world.there)[world.there + b"/many/1"] == b"new 1"
    assert tree(world.there)[world.there + b"/many/2"] == b"theirs"
    assert world.leftovers() == []


def test_files_that_vanish_or_change_between_plan_and_run_are_left_alone(world):
    os.symlink(b"x", world.here + b"/link")
    world.write(world.here + b"/tree/f", b"f")
    sources = [world.here + b"/link", world.here + b"/a", world.here + b"/tree"]
    copy, rename = plan_copy(sources, world.there), plan_rename([(world.here + b"/a", b"z")])
    away, gone = plan_trash([world.here + b"/a"], Choices(trash_home=world.home)), plan_delete([world.here + b"/a"])
    os.unlink(world.here + b"/link")
    world.write(world.here + b"/a", b"changed")
    os.rename(world.here + b"/tree", world.here + b"/was")
    os.mkdir(world.here + b"/tree")
    outcome = world.run(copy)
    assert (len(outcome.drifted), len(outcome.failed)) == (3, 1)
    for plan in (rename, away, gone):
        assert len(world.run(plan).drifted) == 1
    assert tree(world.here)[world.here + b"/a"] == b"changed"


def test_a_source_that_may_not_be_opened_fails_alone(world):
    outcome = world.run(plan_copy([world.here + b"/a"], world.there), failing("open", errno.EACCES))
    assert outcome.failed[0].reason == "permission denied"


def test_a_file_that_lands_and_is_taken_at_once_is_reported(world):
    class Thief(Syscalls):
        def rename(self, name, folder, new_name, new_folder, flags=0):
            super().rename(name, folder, new_name, new_folder, flags)
            if new_name == b"a":
                os.unlink(b"a", dir_fd=new_folder)
                world.write(world.there + b"/a", b"stranger")

    outcome = world.run(plan_copy([world.here + b"/a"], world.there), Thief())
    assert outcome.drifted
    assert tree(world.there) == {world.there + b"/a": b"stranger"}


def test_a_replaced_file_that_is_taken_at_once_is_reported(world):
    world.write(world.there + b"/a", b"old")

    class Thief(Syscalls):
        def rename(self, name, folder, new_name, new_folder, flags=0):
            super().rename(name, folder, new_name, new_folder, flags)
            if flags != EXCHANGE:
                os.unlink(world.there + b"/a")
                world.write(world.there + b"/a", b"stranger")

    plan = plan_move([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    assert world.run(plan, Thief()).drifted
    assert tree(world.there) == {world.there + b"/a": b"stranger"}
    assert list(world.trashed().values()) == [b"old"]


def test_folder_attributes_that_cannot_be_set_are_said(world):
    world.write(world.here + b"/tree/f", b"f")
    outcome = world.run(plan_copy([world.here + b"/tree"], world.there), failing("set_times", errno.EIO, 1))
    assert [text for _, text in outcome.warnings] == ["folder attributes (the disk reported an error)"]

    class Unsure(Syscalls):
        times = 0

        def sync_folder(self, fd):
            self.times += 1
            if self.times > 2:
                raise OSError(errno.EIO, "no")

    outcome = world.run(plan_copy([world.here + b"/tree"], world.there, Choices(as_name=b"again")), Unsure())
    assert [text for _, text in outcome.warnings] == ["folder attributes (the disk reported an error)"]


def test_directories_without_a_sync_call_are_fine_and_broken_ones_are_not(folder, monkeypatch):
    def say(number):
        def refuse(fd):
            raise OSError(number, "no")

        return refuse

    monkeypatch.setattr(os, "fsync", say(errno.EINVAL))
    Syscalls().sync_folder(folder)
    monkeypatch.setattr(os, "fsync", say(errno.EIO))
    with pytest.raises(OSError):
        Syscalls().sync_folder(folder)


# What a crash leaves, told to the journal by hand.


def begun(world, plan, *facts):
    journal = world.journal()
    number = journal.begin(plan, "")
    for fact in facts:
        (journal.intend if isinstance(fact, Intent) else journal.note)(number, [fact])
    journal.close()
    return number


def state_of(world, number, index=0):
    journal = world.journal()
    try:
        return journal.operation(number).items[index].state
    finally:
        journal.close()


def test_a_name_that_is_not_ours_is_never_swept(world):
    plan = plan_copy([world.here + b"/a"], world.there)
    precious = world.write(world.there + b"/precious", b"x")
    begun(world, plan, Intent(0, b"precious", plan.items[0].target))
    world.recover()
    assert os.path.exists(precious)


def test_a_displaced_original_is_brought_to_the_trash_even_without_a_slot(world):
    plan = plan_copy([world.here + b"/a"], world.there)
    temp = temp_name()
    world.write(world.there + b"/" + temp, b"the only copy of the old file")
    other = fingerprint.of_path(world.here + b"/a")
    begun(
        world,
        plan,
        Intent(0, temp, plan.items[0].target),
        ItemUpdate(0, ItemState.STAGED, staged=other, temp_gone=False),
    )
    report = world.recover()
    assert len(report.rescued) == 1
    assert list(world.trashed().values()) == [b"the only copy of the old file"]
    assert world.leftovers() == []


def test_a_parked_original_goes_back_or_to_the_trash(world):
    plan = plan_delete([world.here + b"/a"])
    temp = temp_name()
    os.rename(world.here + b"/a", world.here + b"/" + temp)
    number = begun(world, plan, Intent(0, temp, plan.items[0].source, parks=True))
    assert len(world.recover().put_back) == 1
    assert tree(world.here) == {world.here + b"/a": b"text a"}
    assert state_of(world, number) is ItemState.PLANNED
    plan = plan_delete([world.here + b"/a"])
    os.rename(world.here + b"/a", world.here + b"/" + temp)
    world.write(world.here + b"/a", b"a new one")
    begun(world, plan, Intent(0, temp, plan.items[0].source, parks=True))
    assert len(world.recover().rescued) == 1
    assert tree(world.here) == {world.here + b"/a": b"a new one"}
    assert list(world.trashed().values()) == [b"text a"]
    plan = plan_delete([world.here + b"/a"])
    os.link(world.here + b"/a", world.here + b"/" + temp)
    begun(world, plan, Intent(0, temp, plan.items[0].source, parks=True))
    assert len(world.recover().put_back) == 1
    assert tree(world.here) == {world.here + b"/a": b"a new one"}


def test_a_swap_that_stopped_between_two_links_is_taken_back(world):
    """By way of a third name: the first file is parked, the second has both names already."""
    first, second = (world.write(world.there + b"/" + name, b"the " + name) for name in (b"first", b"second"))
    marks = fingerprint.of_path(first), fingerprint.of_path(second)
    places = Place(world.there, b"first"), Place(world.there, b"second")
    found = os.stat(world.there)
    root = Root(world.there, found.st_dev, found.st_ino)
    item = PlanItem(StepName.SWAP, Kind.FILE, *places, *marks)
    temp = temp_name()
    os.rename(first, world.there + b"/" + temp)
    os.link(second, first)
    number = begun(world, Plan(Verb.UNDO, (item,), (root,)), Intent(0, temp, places[0], parks=True))
    assert len(world.recover().put_back) == 1
    assert tree(world.there) == {first: b"the first", second: b"the second"}
    assert state_of(world, number) is ItemState.PLANNED


def test_what_lay_in_a_trash_that_is_gone_itself_cannot_be_brought_back(world):
    journal = world.journal()
    try:
        done = world.run(plan_trash([world.here + b"/a"], Choices(trash_home=world.home)), recorder=journal)
        os.rename(world.home, world.home + b" elsewhere")
        with pytest.raises(NothingToDo, match="it is not in the trash any more"):
            plan_undo(journal.operation(done.operation))
    finally:
        journal.close()


def test_an_exchange_that_stopped_half_way_is_finished(world):
    world.write(world.there + b"/a", b"old")
    plan = plan_move([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    folder = os.open(world.there, os.O_RDONLY)
    can = trash.Trash(Syscalls(), trash.TrashSite(world.home, b""))
    kept = can.choose(b"a")
    can.close()
    source = os.open(world.here, os.O_RDONLY)
    Syscalls().rename(b"a", source, b"a", folder, EXCHANGE)
    os.close(source)
    os.close(folder)
    number = begun(world, plan, Intent(0, temp_name(), plan.items[0].source, kept, parks=True))
    assert len(world.recover().rescued) == 1
    assert tree(world.there) == {world.there + b"/a": b"text a"}
    assert list(world.trashed().values()) == [b"old"]
    assert state_of(world, number) is ItemState.LANDED
    journal = world.journal()
    assert world.run(plan_undo(journal.operation(number))).is_clean
    journal.close()
    assert tree(world.there) == {world.there + b"/a": b"old"}


def test_a_volume_that_is_away_is_looked_at_again_next_time(world):
    plan = plan_copy([world.here + b"/a"], world.there)
    temp = temp_name()
    world.write(world.there + b"/" + temp, b"half")
    begun(world, plan, Intent(0, temp, plan.items[0].target))
    os.rename(world.there, world.far + b"/away")
    report = world.recover()
    assert report.unreachable
    os.rename(world.far + b"/away", world.there)
    assert len(world.recover().removed) == 1
    assert os.listdir(world.there) == []
    assert world.recover().removed == []


def test_undo_says_what_it_cannot_find_any_more(world):
    world.write(world.there + b"/a", b"old")
    journal = world.journal()
    plan = plan_copy([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    outcome = world.run(plan, recorder=journal)
    record = journal.operation(outcome.operation)
    os.unlink(outcome.items[0].kept.place.path)
    with pytest.raises(Exception, match="has changed since"):
        plan_undo(record)
    os.rename(world.there, world.far + b"/away")
    with pytest.raises(Exception, match="has changed since"):
        plan_undo(record)
    journal.close()
    assert plan.items[0].decision is Decision.REPLACE


def test_a_displaced_file_that_can_go_neither_on_nor_back_is_rescued_at_the_next_start(world):
    world.write(world.there + b"/a", b"old and precious")

    class Stuck(Syscalls):
        exchanges = 0

        def rename(self, name, folder, new_name, new_folder, flags=0):
            self.exchanges += flags == EXCHANGE
            if flags != EXCHANGE or self.exchanges > 1:
                raise OSError(errno.EIO, "no")
            super().rename(name, folder, new_name, new_folder, flags)

    journal = world.journal()
    plan = plan_copy([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    assert world.run(plan, Stuck(), journal).failed
    journal.close()
    assert b"old and precious" in tree(world.there).values()
    report = world.recover()
    assert len(report.rescued) == 1
    assert list(world.trashed().values()) == [b"old and precious"]
    assert world.leftovers() == []


def test_what_could_not_be_cleaned_up_is_swept_at_the_next_start(world):
    world.write(world.there + b"/a", b"old")

    class Stuck(Syscalls):
        def copy_range(self, *_):
            raise OSError(errno.EIO, "no")

        def unlink(self, *_):
            raise OSError(errno.EIO, "no")

    journal = world.journal()
    plan = plan_copy([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    assert world.run(plan, Stuck(), journal).failed
    journal.close()
    assert len(world.leftovers()) == 2
    world.recover()
    assert world.leftovers() == []
    assert tree(world.there) == {world.there + b"/a": b"old"}


def test_a_second_number_is_found_when_the_first_is_taken_meanwhile(world):
    copy = plan_copy([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.RENAME))
    move = plan_move([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.RENAME))
    world.write(world.there + b"/a", b"1")
    world.write(world.there + b"/a (1)", b"2")
    assert world.run(copy).items[0].target.name == b"a (2)"

    class Late(Syscalls):
        def rename(self, name, folder, new_name, new_folder, flags=0):
            if not os.path.exists(world.there + b"/a (3)"):
                world.write(world.there + b"/a (3)", b"3")
            super().rename(name, folder, new_name, new_folder, flags)

    assert world.run(move, Late()).items[0].target.name == b"a (4)"
    assert len(tree(world.there)) == 5


def test_a_swap_needs_both_files(world):
    plan = plan_rename([(world.here + b"/a", b"z")])
    broken = replace(plan, items=(replace(plan.items[0], step=StepName.SWAP),))
    with pytest.raises(ValueError, match="two files"):
        world.run(broken)


def test_a_trash_item_is_nothing_without_its_intent(world):
    from cmdr.engine.steps.trash import Trash

    plan = plan_trash([world.here + b"/a"], Choices(trash_home=world.home))
    with pytest.raises(ValueError, match="intent"):
        _ = Trash(None, 0, plan.items[0], b"").slot


def test_a_folder_removed_right_after_it_was_made_is_reported(world):
    class Thief(Syscalls):
        def mkdir(self, name, folder, mode=0o700):
            super().mkdir(name, folder, mode)
            os.rmdir(name, dir_fd=folder)

    os.mkdir(world.here + b"/tree")
    assert world.run(plan_copy([world.here + b"/tree"], world.there), Thief()).drifted


def test_a_restored_file_needs_no_note_and_a_stuck_note_is_swept(world):
    from cmdr.engine.plan.restore_plan import plan_restore

    for spoil in (True, False):
        kept = world.run(plan_trash([world.here + b"/a"], Choices(trash_home=world.home))).items[0].kept
        plan = plan_restore([kept.place.path])
        if spoil:
            os.unlink(kept.note_place.path)
        journal = world.journal()
        assert world.run(plan, failing("unlink", errno.EIO), journal).is_clean
        journal.close()
        world.recover()
        assert world.leftovers() == []
        assert tree(world.here) == {world.here + b"/a": b"text a"}


def test_items_under_a_root_that_is_gone_are_left_alone(world):
    world.write(world.here + b"/b", b"b")
    plans = [plan_delete([world.here + b"/a"]), plan_rename([(world.here + b"/a", b"b"), (world.here + b"/b", b"a")])]
    os.rename(world.here, world.top + b"/away")
    os.mkdir(world.here)
    for plan in plans:
        assert world.run(plan).drifted


def test_a_rename_by_links_that_stopped_between_the_names_is_taken_back(world):
    plan = plan_rename([(world.here + b"/a", b"z")])
    os.link(world.here + b"/a", world.here + b"/z")
    number = begun(world, plan, Intent(0, temp_name(), plan.items[0].source, parks=True))
    world.recover()
    assert tree(world.here) == {world.here + b"/a": b"text a"}
    assert state_of(world, number) is ItemState.PLANNED


@pytest.mark.skipif(os.getuid() != 0, reason="only root has links of other owners")
def test_the_owner_of_a_link_is_kept(world):
    os.symlink(b"x", world.here + b"/link")
    os.chown(world.here + b"/link", 1234, 1234, follow_symlinks=False)
    assert world.run(plan_copy([world.here + b"/link"], world.there)).is_clean
    assert os.lstat(world.there + b"/link").st_uid == 1234


def test_an_undo_can_itself_be_undone(world):
    world.write(world.here + b"/tree/sub/f", b"f")
    journal = world.journal()
    copied = world.run(plan_copy([world.here + b"/tree"], world.there), recorder=journal)
    before = tree(world.there)
    undone = world.run(plan_undo(journal.operation(copied.operation)), recorder=journal)
    assert tree(world.there) == {}
    assert world.run(plan_undo(journal.operation(undone.operation)), recorder=journal).is_clean
    assert tree(world.there) == before
    journal.close()


def test_a_link_that_fails_for_real_fails_the_replacement(world):
    world.write(world.there + b"/a", b"old")

    class Broken(Plain):
        def link(self, *_):
            raise OSError(errno.EIO, "no")

    plan = plan_copy([world.here + b"/a"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    assert world.run(plan, Broken()).failed
    assert tree(world.there) == {world.there + b"/a": b"old"}


def test_a_copy_that_changed_before_its_twin_came_is_not_linked(world):
    os.link(world.here + b"/a", world.here + b"/b")

    plan = plan_copy([world.here + b"/a", world.here + b"/b"], world.there)

    class Edits(Unattended):
        def checkpoint(self):
            if os.path.exists(world.there + b"/a"):
                world.write(world.there + b"/a", b"edited meanwhile")

    outcome = world.run(plan, control=Edits())
    assert [text for _, text in outcome.warnings] == ["hard link"]
    assert tree(world.there)[world.there + b"/b"] == b"text a"


def test_a_file_that_changes_after_the_answer_is_asked_about_again(world):
    world.write(world.there + b"/a", b"old")
    asked = []

    class Person(Unattended):
        def ask(self, conflict):
            asked.append(conflict.existing.size)
            return Answer(ConflictPolicy.OVERWRITE)

    class Late(Syscalls):
        def sync_data(self, fd):
            super().sync_data(fd)
            if len(asked) == 1:
                world.write(world.there + b"/a", b"old, edited")

    outcome = world.run(plan_copy([world.here + b"/a"], world.there), Late(), control=Person())
    assert outcome.is_clean
    assert asked == [3, 11]
    assert list(world.trashed().values()) == [b"old, edited"]
    assert world.leftovers() == []


def test_a_file_that_just_lost_another_of_its_names_is_copied_all_the_same(world, monkeypatch):
    """The undo of half a move took one name away and then refused the other: taking it had changed the file."""
    monkeypatch.setattr(executor, "GROUP_ITEMS", 1)
    os.link(world.here + b"/a", world.here + b"/also a")
    root = Root(world.here, *_identity(world.here)), Root(world.there, *_identity(world.there))
    mark = fingerprint.of_path(world.here + b"/a")
    plan = Plan(
        Verb.UNDO,
        (
            PlanItem(StepName.TRASH, Kind.FILE, Place(world.here, b"a"), fingerprint=mark),
            PlanItem(StepName.COPY, Kind.FILE, Place(world.here, b"also a"), Place(world.there, b"back"), mark),
        ),
        root,
    )
    outcome = world.run(plan)
    assert [(fate.state, fate.reason) for fate in outcome.items] == [(ItemState.LANDED, "")] * 2
    assert tree(world.there) == {world.there + b"/back": b"text a"}


def _identity(path):
    found = os.stat(path)
    return found.st_dev, found.st_ino
