"""Planning: what is refused, what is called out, and that nothing is touched."""

import errno
import os
import sys
from contextlib import ExitStack

import pytest
from ops_ground import World, devices, tree

from cmdr.engine.fs import fingerprint
from cmdr.engine.plan import survey, targets, transfer_plan
from cmdr.engine.plan.new_plan import plan_link, plan_mkdir, plan_mkfile, plan_write
from cmdr.engine.plan.refusals import (
    BadName,
    ChangedSince,
    InsideItself,
    NotAFolder,
    NotEnoughSpace,
    NothingToDo,
    NotInTrash,
    NoTrash,
    NotThere,
    PlanRefused,
    SameTarget,
    TargetTaken,
    TooMany,
    Unreadable,
)
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.restore_plan import plan_restore
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.engine.run.control import Cancelled
from cmdr.files.protected import Protection
from cmdr.model.plans.plan import ConflictPolicy, Decision, Kind, StepName, Totals


def test_a_copy_counts_every_file_and_touches_nothing(world):
    before = tree(world.top)
    plan = plan_copy([world.here + b"/a", world.here + b"/tree"], world.there)
    assert plan.totals == Totals(3, 2, 9)
    assert [item.step for item in plan.items] == [
        StepName.COPY,
        StepName.MAKE,
        StepName.COPY,
        StepName.MAKE,
        StepName.COPY,
    ]
    assert plan.need_bytes > 0
    assert plan.free_bytes is not None
    assert tree(world.top) == before


def test_a_move_on_one_volume_is_one_rename_for_a_whole_tree(world):
    plan = plan_move([world.here + b"/tree"], world.there)
    assert [item.step for item in plan.items] == [StepName.RENAME]
    assert plan.totals == Totals(2, 2, 4)


def test_an_unknown_or_changed_source_is_refused(world):
    with pytest.raises(NotThere, match="does not exist"):
        plan_copy([world.here + b"/none"], world.there)
    with pytest.raises(NotThere):
        plan_copy([world.here + b"/none/x"], world.there)
    with pytest.raises(NotAFolder):
        plan_copy([world.here + b"/a/x"], world.there)
    seen = {world.here + b"/a": fingerprint.of_path(world.here + b"/a")}
    plan_copy([world.here + b"/a"], world.there, Choices(expected=seen))
    world.write(world.here + b"/a", b"longer than before")
    with pytest.raises(ChangedSince):
        plan_copy([world.here + b"/a"], world.there, Choices(expected=seen))


def test_fingerprints_of_nothing_are_none(world):
    assert fingerprint.of_path(world.here + b"/none") is None
    assert fingerprint.of_path(world.here + b"/a/none") is None


def test_a_folder_is_not_put_into_itself(world):
    for to in (b"/tree", b"/tree/sub"):
        with pytest.raises(InsideItself):
            plan_copy([world.here + b"/tree"], world.here + to)


def test_two_sources_never_get_one_name(world):
    world.write(world.here + b"/other/a", b"x")
    with pytest.raises(SameTarget):
        plan_copy([world.here + b"/a", world.here + b"/other/a"], world.there)


def test_two_spellings_are_one_name_where_case_is_ignored(world, monkeypatch):
    world.write(world.here + b"/x/A", b"x")
    plan_copy([world.here + b"/a", world.here + b"/x/A"], world.there)
    monkeypatch.setattr("cmdr.engine.plan.transfer_plan.is_caseless", lambda folder: True)
    with pytest.raises(SameTarget):
        plan_copy([world.here + b"/a", world.here + b"/x/A"], world.there)
    world.write(world.here + "/x/é".encode(), b"x")
    world.write(world.here + "/y/e\u0301".encode(), b"x")
    with pytest.raises(SameTarget):
        plan_copy([world.here + "/x/é".encode(), world.here + "/y/e\u0301".encode()], world.there)


def test_whether_case_is_ignored_is_found_out_by_looking(world, monkeypatch):
    fd = os.open(world.here, os.O_RDONLY)
    try:
        assert not targets.is_caseless(fd)
        real = os.stat
        monkeypatch.setattr(targets.os, "stat", lambda name, **more: real(name.lower(), **more))
        assert targets.is_caseless(fd)
        monkeypatch.setattr(targets.fcntl, "ioctl", lambda *_: (0x40000000).to_bytes(8, sys.byteorder))
        assert targets.is_caseless(fd)
    finally:
        os.close(fd)
    empty = os.open(world.there, os.O_RDONLY)
    monkeypatch.undo()
    monkeypatch.setattr(targets.fcntl, "ioctl", lambda *_: (_ for _ in ()).throw(OSError))
    try:
        assert targets.is_caseless(empty) == (sys.platform == "darwin")
        world.write(world.there + b"/123", b"")
        assert targets.is_caseless(empty) == (sys.platform == "darwin")
    finally:
        os.close(empty)


def test_copying_onto_itself_makes_a_duplicate_and_moving_onto_itself_does_nothing(world):
    plan = plan_copy([world.here + b"/a"], world.here)
    assert plan.items[0].target.name == b"a (1)"
    plan = plan_move([world.here + b"/a"], world.here)
    assert plan.items[0].step is StepName.NOTHING
    world.run(plan_copy([world.here + b"/tree"], world.here))
    assert b"tree (1)" in os.listdir(world.here)


@pytest.mark.parametrize(
    ("policy", "decision"),
    [
        (ConflictPolicy.ASK, Decision.ASK),
        (ConflictPolicy.SKIP, Decision.LAND),
        (ConflictPolicy.OVERWRITE, Decision.REPLACE),
        (ConflictPolicy.RENAME, Decision.LAND),
        (ConflictPolicy.NEWER, Decision.REPLACE),
        (ConflictPolicy.LARGER, Decision.REPLACE),
    ],
)
def test_a_taken_name_is_decided_by_the_policy(world, policy, decision):
    standing = world.write(world.there + b"/a", b"1")
    os.utime(standing, (1, 1))
    item = plan_copy([world.here + b"/a"], world.there, Choices(policy=policy)).items[0]
    assert item.decision is decision
    assert (item.step is StepName.NOTHING) == (policy is ConflictPolicy.SKIP)
    assert (item.target.name == b"a (1)") == (policy is ConflictPolicy.RENAME)


@pytest.mark.parametrize("policy", [ConflictPolicy.NEWER, ConflictPolicy.LARGER])
def test_as_new_or_as_large_is_not_enough(world, policy):
    standing = world.write(world.there + b"/a", b"12345")
    os.utime(standing, ns=(1, os.stat(world.here + b"/a").st_mtime_ns))
    assert plan_copy([world.here + b"/a"], world.there, Choices(policy=policy)).items[0].step is StepName.NOTHING


def test_files_and_folders_never_replace_each_other(world):
    os.mkdir(world.there + b"/a")
    world.write(world.there + b"/tree", b"a file")
    plan = plan_copy([world.here + b"/a", world.here + b"/tree"], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    assert [item.reason for item in plan.items] == ["a folder has that name", "a file has that name"]
    plan = plan_copy([world.here + b"/tree"], world.there, Choices(policy=ConflictPolicy.RENAME))
    assert plan.items[0].target.name == b"tree (1)"


def test_a_single_file_may_get_another_name(world):
    assert plan_copy([world.here + b"/a"], world.there, Choices(as_name=b"z")).items[0].target.name == b"z"
    with pytest.raises(BadName):
        plan_copy([world.here + b"/a"], world.there, Choices(as_name=b"x/y"))
    with pytest.raises(BadName):
        plan_copy([world.here + b"/a", world.here + b"/tree"], world.there, Choices(as_name=b"z"))
    with pytest.raises(BadName):
        plan_copy([b"relative"], world.there)


def test_the_caps_hold(world):
    with pytest.raises(TooMany):
        plan_copy([world.here + b"/a"] * 3, world.there, Choices(limits=Limits(top=2)))
    with pytest.raises(TooMany):
        plan_copy([world.here + b"/tree"], world.there, Choices(limits=Limits(leaves=1)))
    for plan in (plan_trash, plan_delete):
        with pytest.raises(TooMany):
            plan([world.here + b"/tree"], Choices(limits=Limits(depth=1)))
    with pytest.raises(NothingToDo):
        plan_copy([], world.there)


def test_no_room_is_said_before_the_first_byte(world, monkeypatch):
    class Full:
        f_bavail, f_frsize, f_flag = 0, 4096, 0

    monkeypatch.setattr(os, "fstatvfs", lambda fd: Full)
    with pytest.raises(NotEnoughSpace) as refused:
        plan_copy([world.here + b"/a"], world.there)
    assert refused.value.free == 0
    with pytest.raises(NotEnoughSpace):
        plan_write(world.here + b"/a", b"new")
    plan_move([world.here + b"/a"], world.there)


def test_planning_can_be_stopped(world):
    def stop():
        raise Cancelled

    with pytest.raises(Cancelled):
        plan_copy([world.here + b"/tree"], world.there, Choices(check=stop))


def test_protected_places_are_called_out(world):
    own = Protection((world.there + b"/own",))
    world.write(world.here + b"/.bashrc", b"x")
    os.mkdir(world.there + b"/own")
    for name in (b".bashrc", b"a"):
        plan = plan_copy([world.here + b"/" + name], world.there + b"/own", Choices(protection=own))
        assert plan.protected
        assert plan.risk.is_high
    assert not plan_copy([world.here + b"/a"], world.there, Choices(protection=own)).protected
    assert plan_move([world.here + b"/.bashrc"], world.there, Choices(protection=own)).protected
    reason = own.reason
    assert reason(b"/home/u/.ssh/authorized_keys") and reason(b"/p/.git/hooks/pre-commit") and reason(b"/p/CLAUDE.md")
    assert not reason(b"/home/u/notes.txt")
    assert plan_mkfile(world.there + b"/run", b"", mode=0o755).protected
    assert not plan_mkfile(world.there + b"/run", b"", mode=0o644).protected


def test_half_a_folder_is_called_out_when_it_is_many(world):
    for number in range(12):
        world.write(world.here + b"/many/%d" % number, b"")
    chosen = [world.here + b"/many/%d" % number for number in range(11)]
    assert plan_trash(chosen, Choices(trash_home=world.home)).emptied == (world.here + b"/many",)
    assert plan_delete(chosen).emptied
    assert plan_move(chosen, world.there).emptied
    assert not plan_copy(chosen, world.there).emptied
    assert not plan_trash([world.here + b"/a"], Choices(trash_home=world.home)).emptied


def test_a_volume_without_a_trash_is_refused(world):
    world.write(world.home + b"/files", b"not a folder")
    with pytest.raises(NoTrash, match="is not a folder"):
        plan_trash([world.here + b"/a"], Choices(trash_home=world.home))


def test_deletion_names_every_single_file_children_first(world):
    plan = plan_delete([world.here + b"/tree"])
    assert [item.source.rel for item in plan.items] == [b"tree/b", b"tree/sub/c", b"tree/sub", b"tree"]


def test_pipes_are_reported_not_copied(world):
    os.mkfifo(world.here + b"/pipe")
    plan = plan_copy([world.here + b"/pipe"], world.there)
    assert (plan.items[0].step, plan.items[0].kind) == (StepName.NOTHING, Kind.SPECIAL)
    assert plan_move([world.here + b"/pipe"], world.there).items[0].step is StepName.RENAME


def test_mounted_volumes_inside_a_tree_are_not_emptied():
    with devices() as found:
        if found.two is None:
            pytest.skip("mounting a second file system is not allowed here")
        world = World(os.path.dirname(found.one), os.path.dirname(found.one))
        world.write(found.two + b"/precious", b"x")
        top = os.path.dirname(found.two)
        plan = plan_delete([top])
        assert b"precious" not in [item.source.name for item in plan.items]
        assert any(item.step is StepName.NOTHING for item in plan.items)
        there = os.fsencode(os.path.realpath("/dev/shm")) + b"/ops-mounted"
        os.mkdir(there)
        try:
            plan = plan_move([top], there)
            assert b"precious" not in [item.source.name for item in plan.items]
        finally:
            os.rmdir(there)


def test_unreadable_things_are_refused_with_the_reason(world, monkeypatch):
    real = os.stat

    def stat(path, **more):
        if path == b"a":
            raise PermissionError(13, "no")
        return real(path, **more)

    monkeypatch.setattr(os, "stat", stat)
    with pytest.raises(Unreadable, match="permission denied"):
        plan_copy([world.here + b"/a"], world.there)
    monkeypatch.undo()

    def refuse(*_):
        raise PermissionError(13, "no")

    monkeypatch.setattr(survey.os, "listdir", refuse)
    with pytest.raises(Unreadable):
        plan_delete([world.here + b"/tree"])
    monkeypatch.undo()
    monkeypatch.setattr(survey, "FOLDER_FLAGS", os.O_WRONLY)
    with pytest.raises(Unreadable):
        plan_trash([world.here + b"/tree"], Choices(trash_home=world.home))
    monkeypatch.undo()
    real_open = os.open
    monkeypatch.setattr(
        survey.os,
        "open",
        lambda path, *rest, **more: refuse() if path == world.there else real_open(path, *rest, **more),
    )
    with pytest.raises(Unreadable):
        plan_copy([world.here + b"/a"], world.there)


@pytest.mark.parametrize("problem", [FileNotFoundError(2, "gone"), PermissionError(13, "no")])
def test_a_name_that_vanishes_while_planning_is_no_part_of_the_plan(world, monkeypatch, problem):
    real = os.stat

    def stat(path, **more):
        if more.get("dir_fd") is not None and path != b"tree":
            raise problem
        return real(path, **more)

    monkeypatch.setattr(survey.os, "stat", stat)
    if problem.errno == 2:
        assert len(plan_delete([world.here + b"/tree"]).items) == 1
    else:
        with pytest.raises(Unreadable):
            plan_delete([world.here + b"/tree"])


def test_renames_are_checked_against_what_is_there(world):
    world.write(world.here + b"/b", b"x")
    with pytest.raises(TargetTaken):
        plan_rename([(world.here + b"/a", b"b")])
    with pytest.raises(NothingToDo):
        plan_rename([(world.here + b"/a", b"a")])
    with pytest.raises(SameTarget):
        plan_rename([(world.here + b"/a", b"z"), (world.here + b"/b", b"z")])
    with pytest.raises(SameTarget):
        plan_rename([(world.here + b"/a", b"y"), (world.here + b"/a", b"z")])
    for name in (b"", b".", b"..", b"x/y", b"x" * 256, b"x\0"):
        with pytest.raises(BadName):
            plan_rename([(world.here + b"/a", name)])


def test_new_things_need_a_free_name(world):
    for plan in (plan_mkdir, plan_mkfile):
        with pytest.raises(TargetTaken):
            plan(world.here + b"/a")
    with pytest.raises(TargetTaken):
        plan_link(world.here + b"/a", b"x")
    with pytest.raises(Unreadable):
        plan_link(world.here + b"/new", world.here + b"/tree", hard=True)


def test_writing_is_bound_to_what_the_writer_saw(world):
    import hashlib

    path = world.here + b"/a"
    seen = fingerprint.of_path(path)
    good = hashlib.sha256(b"12345").hexdigest()
    for expected in (None, seen, good, good.upper()):
        assert plan_write(path, b"new", expected).items[0].decision is Decision.REPLACE
    with pytest.raises(ChangedSince):
        plan_write(path, b"new", "0" * 64)
    with pytest.raises(ChangedSince):
        plan_write(world.here + b"/none", b"new", good)
    world.write(path, b"changed!")
    with pytest.raises(ChangedSince):
        plan_write(path, b"new", seen)
    with pytest.raises(TargetTaken):
        plan_write(world.here + b"/tree", b"new")
    os.symlink(b"a", world.here + b"/link")
    assert plan_write(world.here + b"/link", b"new").items[0].target.name == b"a"
    assert plan_write(world.here + b"/fresh", b"new").items[0].decision is Decision.LAND


def test_a_file_that_cannot_be_hashed_is_not_written(world, monkeypatch):
    from cmdr.engine.plan import new_plan

    real = os.open

    def refuse(path, *rest, **more):
        if path == b"a":
            raise PermissionError(13, "no")
        return real(path, *rest, **more)

    monkeypatch.setattr(new_plan.os, "open", refuse)
    with pytest.raises(Unreadable):
        plan_write(world.here + b"/a", b"new", "0" * 64)


def test_only_files_in_a_trash_can_be_restored(world):
    with pytest.raises(NotInTrash):
        plan_restore([world.here + b"/a"])
    world.write(world.top + b"/T/files/x", b"1")
    os.mkdir(world.top + b"/T/info")
    with pytest.raises(NotInTrash):
        plan_restore([world.top + b"/T/files/x"])
    for note in (b"", b"nonsense", b"[Trash Info]\n", b"[Trash Info]\nPath=\n", b"[Trash Info]\nPath=/a/../b\n"):
        world.write(world.top + b"/T/info/x.trashinfo", note)
        with pytest.raises(NotInTrash):
            plan_restore([world.top + b"/T/files/x"])


def test_every_refusal_says_what_why_and_what_next(world):
    try:
        plan_copy([world.here + b"/\xff\x1b"], world.there)
    except PlanRefused as refused:
        assert "\x1b" not in str(refused)
        assert "\\xff" in str(refused)
        assert str(refused).endswith(".")


def test_a_link_that_is_exchanged_while_it_is_read_is_refused(world, monkeypatch):
    def exchanged(path):
        raise OSError(errno.ELOOP, "Too many levels of symbolic links")

    monkeypatch.setattr(os.path, "realpath", exchanged)
    with pytest.raises(Unreadable, match="a folder on the way has become a link"):
        plan_write(world.here + b"/a", b"new")


def test_many_chosen_files_are_not_all_held_in_memory_while_they_are_planned(world):
    names = [b"%d" % number for number in range(3)]
    chosen = [world.write(world.here + b"/" + name, name) for name in names]
    with ExitStack() as stack:
        sources = survey.Survey(Limits(), survey.go_on, stack).sources([*chosen, chosen[0]], None)
        assert next(sources).place.name == b"0"
        os.unlink(chosen[2])
        assert next(sources).place.name == b"1"
        with pytest.raises(NotThere):
            next(sources)


def test_two_spellings_of_one_name_clash_inside_a_folder_that_is_yet_to_be_made(world, monkeypatch):
    monkeypatch.setattr(transfer_plan, "is_caseless", lambda _: True)
    world.write(world.here + b"/both/Name", b"1")
    world.write(world.here + b"/both/name", b"2")
    with pytest.raises(SameTarget, match="both/Name"):
        plan_copy([world.here + b"/both"], world.there)


def test_the_file_that_took_a_name_first_is_named_in_the_refusal(world):
    first = world.write(world.here + b"/one/same", b"1")
    second = world.write(world.here + b"/two/same", b"2")
    with pytest.raises(SameTarget) as refused:
        plan_copy([first, second], world.there)
    assert str(refused.value).startswith(f"{os.fsdecode(first)} and {os.fsdecode(second)} would both become")
