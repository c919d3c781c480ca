"""What is left of a plan, by what is known about its items."""

import errno
import os

import pytest

from cmdr.engine.fs.metadata import restore_traits
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.records import ItemRecord, ItemState, OperationRecord
from cmdr.engine.plan.refusals import NothingToDo
from cmdr.engine.plan.survey import split
from cmdr.engine.run.resume import SoFar, plan_resume, resume_plan
from cmdr.model.history import OperationState
from cmdr.model.plans.attributes import Traits
from cmdr.model.plans.plan import Decision, Fingerprint, Kind, Place, Plan, PlanItem, Root, StepName, Verb

MARK = Fingerprint(1, 2, 3, 4, Kind.FILE)
FOLDER = Fingerprint(1, 5, 3, 4, Kind.FOLDER)
ROOTS = (Root(b"/s", 1, 1), Root(b"/t", 1, 2))


def folder(name, **more):
    return PlanItem(StepName.MAKE, Kind.FOLDER, Place(b"/s", name), Place(b"/t", name), FOLDER, **more)


def file(name, **more):
    return PlanItem(StepName.COPY, Kind.FILE, Place(b"/s", name), Place(b"/t", name), MARK, **more)


def rest(*known, verb=Verb.COPY):
    return resume_plan(Plan(verb, tuple(item for item, _ in known), ROOTS), 7, lambda: known)


def test_only_the_folders_that_something_still_comes_into_are_looked_at_again():
    done = SoFar(ItemState.LANDED, landed=FOLDER)
    left = rest(
        (folder(b"a"), done),
        (folder(b"a/in"), done),
        (file(b"a/in/x"), SoFar(ItemState.FAILED, "the disk is full")),
        (folder(b"b"), done),
        (file(b"b/y"), SoFar(ItemState.LANDED, landed=MARK)),
    )
    assert [item.place.rel for item in left.items] == [b"a", b"a/in", b"a/in/x"]
    assert [item.existing for item in left.items] == [FOLDER, FOLDER, None]
    assert left.continues == 7


@pytest.mark.parametrize("state", [ItemState.SKIPPED, ItemState.DRIFTED])
def test_a_folder_that_was_left_out_is_tried_again_with_what_goes_into_it(state):
    left = rest((folder(b"a"), SoFar(state, "why")), (file(b"a/x"), SoFar(ItemState.FAILED)))
    assert left.items == (folder(b"a"), file(b"a/x"))


def test_a_folder_that_was_joined_is_joined_again():
    left = rest((folder(b"a"), SoFar(ItemState.LANDED)), (file(b"a/x"), SoFar()))
    assert left.items == (folder(b"a", decision=Decision.MERGE), file(b"a/x"))


def test_a_folder_whose_source_is_gone_is_done():
    left = rest((folder(b"a"), SoFar(ItemState.SOURCE_REMOVED, landed=FOLDER)), (file(b"a/x"), SoFar()))
    assert left.items == (file(b"a/x"),)


def test_what_has_no_source_is_left_as_well():
    new = PlanItem(StepName.CREATE, Kind.FILE, None, Place(b"/t", b"new"), data=b"text")
    assert rest((new, SoFar(ItemState.FAILED, "the disk is full"))).items == (new,)


def test_a_second_name_knows_the_copy_that_an_earlier_run_made():
    twin = file(b"y", twin=Place(b"/t", b"x"))
    left = rest((file(b"x"), SoFar(ItemState.LANDED, landed=MARK)), (twin, SoFar()))
    assert [item.twin_mark for item in left.items] == [MARK]


def test_sources_that_a_move_had_not_come_to_are_removed_last_and_what_was_kept_stays():
    moved = file(b"x", remove_source=True)
    left = rest(
        (moved, SoFar(ItemState.LANDED, landed=MARK)),
        (file(b"y", remove_source=True), SoFar(ItemState.LANDED, "the source was kept: it changed", landed=MARK)),
        (file(b"z", remove_source=True), SoFar()),
        verb=Verb.MOVE,
    )
    assert [(item.step, item.place.rel) for item in left.items] == [(StepName.COPY, b"z"), (StepName.REMOVE, b"x")]


def test_where_all_is_done_there_is_no_rest():
    gone = PlanItem(StepName.REMOVE, Kind.FILE, Place(b"/s", b"x"), fingerprint=MARK, remove_source=True)
    with pytest.raises(NothingToDo, match="Operation 7 is complete"):
        rest((gone, SoFar(ItemState.LANDED)))


def test_a_folder_that_was_named_right_before_a_kill_is_known_by_how_it_was_staged():
    plan = Plan(Verb.COPY, (folder(b"a"),), ROOTS)
    known = ItemRecord(0, ItemState.STAGED, "", None, None, None, FOLDER, None, None)
    record = OperationRecord(7, plan, OperationState.INTERRUPTED, "", 0.0, None, (known,))
    assert plan_resume(record).items == (folder(b"a", existing=FOLDER),)


@pytest.mark.parametrize(
    ("path", "parts"),
    [(b"/x", (b"/", b"x")), (b"/a//b/", (b"/a", b"b")), (b"/a/b", (b"/a", b"b")), (b"/a//b", (b"/a", b"b"))],
)
def test_a_path_has_a_folder_and_a_name_however_it_is_written(path, parts):
    assert split(path) == parts


def test_what_cannot_be_restored_is_said(tmp_path):
    class Poor(Syscalls):
        def set_times(self, fd, atime_ns, mtime_ns):
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

        def set_attribute(self, fd, name, value):
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        traits = Traits(0o700, os.getuid(), os.getgid(), 1, 2, (("user.x", b"y"), ("system.posix_acl_access", b"")))
        assert restore_traits(Poor(), fd, traits) == ("attribute user.x", "access control list", "times")
    finally:
        os.close(fd)
