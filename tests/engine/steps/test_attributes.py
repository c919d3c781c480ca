"""Other permissions, owners and times: planned, carried out, taken back, and stopped anywhere in between."""

import contextlib
import errno
import os
import shutil
import stat
import subprocess
import tempfile
from dataclasses import replace

import pytest
from ops_ground import FaultySyscalls, World

from cmdr.core.changes.outcome_text import outcome_line
from cmdr.engine.fs.atomic_rename import Spot
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.records import Intent, ItemState, NoRecord
from cmdr.engine.plan.attribute_plan import Powers, plan_attributes
from cmdr.engine.plan.large_plan import make_plan
from cmdr.engine.plan.refusals import NotForAgents, NothingToDo, NotTakenBack
from cmdr.engine.plan.survey import Choices
from cmdr.engine.run.control import Cancelled, Unattended
from cmdr.engine.run.crash_recovery import recover
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.engine.steps import attributes
from cmdr.files.file_stat import gid_of, group_name, uid_of, user_name
from cmdr.files.protected import Protection
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.model.history import OperationState
from cmdr.model.plans.attributes import AttributeWish
from cmdr.model.plans.file_mode import ModeChange
from cmdr.model.plans.plan import Kind, Place, Plan, PlanItem, StepName, Verb
from cmdr.model.plans.plan_list import page_of
from cmdr.model.plans.plan_text import summary_of, word_to_type

NOBODY = 65534
LATER = 1_600_000_000_000_000_000
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


@pytest.fixture
def world():
    # Not in the folder of the tests, which lets in nobody else.
    top = tempfile.mkdtemp(prefix="attributes-", dir="/tmp").encode()
    os.chmod(top, 0o755)
    made = World(top, top)
    made.reset()
    for name in (b"a", b"b", b"tree/c", b"tree/sub/d"):
        path = made.write(made.here + b"/" + name, b"text of " + name)
        os.chmod(path, 0o644)
        os.utime(path, ns=(10**18, 10**18))
    for name in (b"tree", b"tree/sub"):
        os.chmod(made.here + b"/" + name, 0o755)
    yield made
    subprocess.run(["chmod", "-R", "u+rwX", top], check=True)
    shutil.rmtree(top)


@pytest.fixture
def journal(world):
    made = world.journal()
    yield made
    made.close()


@contextlib.contextmanager
def without_rights():
    if os.getuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def wish(mode=None, *, agent=False, **more):
    wanted = AttributeWish(None if mode is None else ModeChange.of(mode), **more)
    return Choices(attributes=wanted, privacy=PrivatePlaces(homes=()) if agent else None)


def plan(world, *names, mode=None, powers=None, **more):
    return plan_attributes([world.here + b"/" + name for name in names], wish(mode, **more), powers)


def mode_of(world, name):
    return stat.S_IMODE(os.lstat(world.here + b"/" + name).st_mode)


def modes(world):
    return {name: mode_of(world, name) for name in (b"a", b"b", b"tree", b"tree/c", b"tree/sub", b"tree/sub/d")}


def undo(world, journal, outcome):
    return world.run(plan_undo(journal.operation(outcome.operation)), recorder=journal)


def swept(world, journal):
    return recover(journal, Syscalls(), trash_home=world.home)


# Planning


def test_the_plan_lists_what_each_has_and_what_it_gets(world):
    found = plan(world, b"a", b"b", mode="+x")
    assert found.verb is Verb.ATTRIBUTES
    assert [item.step for item in found.items] == [StepName.ATTRIBUTES] * 2
    assert summary_of(found)[0] == "Change attributes of 2 files"
    assert page_of(found, 0, 9).lines[0].split()[-4:] == [
        os.fsdecode(world.here) + "/a:",
        "rw-r--r--",
        "→",
        "rwxr-xr-x",
    ]
    assert any(line.endswith("a: rw-r--r-- → rwxr-xr-x") for line in summary_of(found))
    assert word_to_type(found) is None
    assert Plan.decode(found.encoded) == found


def test_what_would_not_change_is_left_out_and_links_stay_as_they_are(world):
    os.chmod(world.here + b"/b", 0o755)
    os.symlink(b"a", world.here + b"/link")
    os.symlink(b"c", world.here + b"/tree/link")
    found = plan(world, b"a", b"b", b"link", b"tree", mode="a+x", inside=True)
    changed = [item.place.rel for item in found.items if item.step is StepName.ATTRIBUTES]
    assert changed == [b"a", b"tree/c", b"tree/sub/d"]
    left = {item.place.rel: item.reason for item in found.items if item.step is StepName.NOTHING}
    assert left == {
        b"b": "it has these attributes already",
        b"link": "links stay as they are",
        b"tree": "it has these attributes already",
    }
    assert found.subject.place.rel == b"a"


def test_nothing_to_change_is_refused_with_the_first_reason(world):
    with pytest.raises(NothingToDo, match="/a: it has these attributes already"):
        plan(world, b"a", mode="644")


def test_a_folder_comes_after_what_it_holds_even_when_both_were_named(world):
    names = [b"tree", b"tree/sub", b"tree/sub/d", b"tree/c"]
    assert [item.place.path for item in plan(world, *names, mode="go=").items] == [
        world.here + b"/" + name for name in (b"tree/sub/d", b"tree/sub", b"tree/c", b"tree")
    ]
    inside = plan(world, *names, mode="go=", inside=True)
    assert [item.place.rel for item in inside.items] == [b"tree/c", b"tree/sub/d", b"tree/sub", b"tree"]
    assert inside.subject.place.rel == b"tree"
    assert plan(world, b"tree", mode="go=").totals.folders == 1


def test_a_file_with_two_names_is_changed_once(world):
    os.link(world.here + b"/a", world.here + b"/tree/twin")
    found = plan(world, b"a", b"tree", mode="600", inside=True)
    left = [(item.place.rel, item.reason) for item in found.items if item.step is StepName.NOTHING]
    assert left == [(b"tree/twin", "it is another name of a file in this plan")]
    assert world.run(found).is_clean


def test_what_is_risky_is_named_and_needs_the_word(world):
    assert plan(world, b"a", mode="u+s").risk.reasons == ("set-user-ID or set-group-ID: 1",)
    assert plan(world, b"a", b"b", mode="a+w").risk.reasons == ("writable for everybody: 2",)
    assert word_to_type(plan(world, b"a", mode="a+w")) == "attributes"


def test_a_protected_place_is_marked(world):
    world.write(world.here + b"/.bashrc", b"x")
    os.chmod(world.here + b"/.bashrc", 0o600)
    choices = replace(wish("644"), protection=Protection())
    found = plan_attributes([world.here + b"/.bashrc"], choices)
    assert [item.protected for item in found.protected] == ["runs when a shell starts"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody who cannot read it")
def test_what_cannot_be_read_inside_is_told_and_the_folder_is_still_planned(world):
    top = world.here
    give_all(world.here, NOBODY)
    os.chmod(top + b"/tree/sub", 0o000)
    with without_rights():
        found = plan(world, b"tree", mode="u+rwX", inside=True)
    assert [(item.place.rel, item.step, item.reason) for item in found.items] == [
        (b"tree/sub", StepName.NOTHING, "what is inside cannot be read; repeat this when it can"),
        (b"tree/sub", StepName.ATTRIBUTES, ""),
        (b"tree", StepName.NOTHING, "it has these attributes already"),
    ]


def give_all(top, uid):
    for folder, folders, files in os.walk(top, topdown=False):
        for name in folders + files:
            os.chown(folder + b"/" + name, uid, -1, follow_symlinks=False)
    os.chown(top, uid, -1)


@is_root
def test_what_is_mounted_inside_stays_as_it_is(world):
    os.mkdir(world.here + b"/tree/mount")
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", world.here + b"/tree/mount"], capture_output=True)
    if done.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        found = plan(world, b"tree", mode="go=", inside=True)
    finally:
        subprocess.run(["umount", world.here + b"/tree/mount"], check=True)
    assert [item.reason for item in found.items if item.step is StepName.NOTHING] == [
        "another volume is mounted here, so it stays as it is"
    ]


def test_what_the_system_would_not_let_us_do_is_left_out_beforehand(world):
    me, group = os.getuid(), os.getgid()
    own = Powers(me or 1, frozenset({group}))
    if not me:
        for name in (b"a", b"b"):
            os.chown(world.here + b"/" + name, 1, group)
    for wanted, why in [
        ({"uid": 4242}, "only root may give it to another owner"),
        ({"gid": 4242}, "you are not in the group 4242"),
    ]:
        with pytest.raises(NothingToDo, match=why):
            plan(world, b"a", powers=own, **wanted)
    stranger = Powers(4242, frozenset({4242}))
    with pytest.raises(NothingToDo, match=r"it belongs to .*; only they or root may change it"):
        plan(world, b"a", mode="600", powers=stranger)
    alone = Powers(me or 1, frozenset({4242}))
    with pytest.raises(NothingToDo, match="set-group-ID would be dropped"):
        plan(world, b"a", mode="g+s", powers=alone)
    assert plan(world, b"a", mode="600", powers=own).totals.files == 1


def test_names_of_owners():
    assert uid_of("root") == gid_of("root") == 0
    assert (user_name(0), group_name(0)) == ("root", "root")
    assert (user_name(4_000_000), group_name(4_000_000)) == ("4000000", "4000000")
    assert (user_name(2**40), group_name(2**40)) == (str(2**40), str(2**40))
    assert (uid_of("12345"), gid_of("12345")) == (12345, 12345)
    assert (uid_of("no such user"), gid_of("-1"), uid_of(str(2**32 - 1)), uid_of("a\0b")) == (None,) * 4


def test_agents_may_not_give_set_id_bits_owners_or_open_up_what_is_private(world):
    path = world.write(world.here + b"/.ssh/id_ed25519", b"secret")
    os.chmod(path, 0o600)
    for name, wanted, why in [
        (b"a", {"mode": "u+s"}, "agents may not set set-user-ID"),
        (b"a", {"mode": "+t"}, "agents may not set set-user-ID, set-group-ID or sticky"),
        (b".ssh/id_ed25519", {"mode": "644"}, "agents may not open up what is private"),
    ]:
        with pytest.raises(NotForAgents, match=why):
            plan(world, name, agent=True, **wanted)
    if os.geteuid() == 0:
        with pytest.raises(NotForAgents, match="agents may not change owners"):
            plan(world, b"a", agent=True, uid=4242)
    (tighter,) = plan(world, b".ssh/id_ed25519", mode="400", agent=True).items
    assert tighter.protected == "holds keys or is run by other programs"
    (shared,) = plan(world, b"tree", mode="g+s", agent=True).items
    assert not shared.protected


def test_what_an_agent_makes_runnable_is_protected_and_what_a_person_does_is_not(world):
    assert [item.protected for item in plan(world, b"a", mode="+x", agent=True).items] == [
        "becomes a program that can be run"
    ]
    assert not plan(world, b"a", mode="+x").protected
    assert not plan(world, b"a", mode="600", agent=True).protected


def test_a_plan_without_a_wish_is_a_mistake(world):
    with pytest.raises(ValueError, match="which attributes"):
        plan_attributes([world.here + b"/a"], Choices())
    assert make_plan(Verb.ATTRIBUTES, [world.here + b"/a"], None, wish("600")).totals.files == 1


# Running and taking back


def test_a_tree_gets_its_modes_and_undo_gives_the_old_ones_back(world, journal):
    before = modes(world)
    outcome = world.run(plan(world, b"a", b"tree", mode="go=", inside=True), recorder=journal)
    assert outcome.is_clean
    assert modes(world) == {**dict.fromkeys(before, 0o600), b"b": 0o644, b"tree": 0o700, b"tree/sub": 0o700}
    back = plan_undo(journal.operation(outcome.operation))
    assert summary_of(back)[0] == "Undo attributes (operation 1): 2 folders, 3 files"
    assert f"gives {os.fsdecode(world.here)}/a its attributes back: rw------- → rw-r--r--" in summary_of(back)
    again = world.run(back, recorder=journal)
    assert again.is_clean
    assert modes(world) == before
    redone = world.run(plan_undo(journal.operation(again.operation)), recorder=journal)
    assert redone.is_clean
    assert modes(world)[b"tree/sub/d"] == 0o600


def test_only_the_wished_time_changes_and_undo_restores_it_to_the_nanosecond(world, journal):
    path = world.here + b"/a"
    os.utime(path, ns=(123_456_789, 987_654_321))
    outcome = world.run(plan(world, b"a", b"tree", modified_ns=LATER), recorder=journal)
    assert outcome.is_clean
    found = os.stat(path)
    assert (found.st_atime_ns, found.st_mtime_ns) == (123_456_789, LATER)
    assert os.stat(world.here + b"/tree").st_mtime_ns == LATER
    assert undo(world, journal, outcome).is_clean
    assert os.stat(path).st_mtime_ns == 987_654_321


@is_root
def test_another_owner_is_given_and_taken_back_with_the_bits_it_cost(world, journal):
    path = world.here + b"/a"
    os.chmod(path, 0o4755)
    outcome = world.run(plan(world, b"a", uid=4242, gid=4343), recorder=journal)
    assert outcome.is_clean
    found = os.stat(path)
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (4242, 4343, 0o755)
    assert undo(world, journal, outcome).is_clean
    found = os.stat(path)
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (0, 0, 0o4755)


@is_root
def test_a_person_without_rights_shuts_a_tree_and_undo_opens_it_again(world, journal):
    """A folder that lets nobody in is changed last, and taken back first."""
    give_all(world.here, NOBODY)
    before = modes(world)
    with without_rights():
        found = plan(world, b"a", b"tree", mode="000", inside=True)
        outcome = world.run(found, recorder=journal)
        assert outcome.is_clean, [(item.item.place.rel, item.reason) for item in outcome.failed]
        with pytest.raises(PermissionError):
            os.listdir(world.here + b"/tree")
        back = plan_undo(journal.operation(outcome.operation))
        assert [item.place.rel for item in back.items] == [b"tree", b"tree/sub", b"tree/sub/d", b"tree/c", b"a"]
        assert world.run(back, recorder=journal).is_clean
    assert modes(world) == before


@is_root
def test_folders_inside_each_other_that_were_named_one_by_one_are_shut_and_opened(world, journal):
    give_all(world.here, NOBODY)
    before = modes(world)
    with without_rights():
        outcome = world.run(plan(world, b"tree", b"tree/sub", b"tree/sub/d", mode="000"), recorder=journal)
        assert outcome.is_clean
        assert undo(world, journal, outcome).is_clean
    assert modes(world) == before


@is_root
def test_what_nobody_can_read_is_changed_all_the_same(world, journal):
    give_all(world.here, NOBODY)
    os.chmod(world.here + b"/a", 0o000)
    os.chmod(world.here + b"/b", 0o000)
    with without_rights():
        assert world.run(plan(world, b"a", mode="644"), recorder=journal).is_clean
        assert world.run(plan(world, b"b", mode="200"), recorder=journal).is_clean
    assert (mode_of(world, b"a"), mode_of(world, b"b")) == (0o644, 0o200)


def test_a_pipe_is_changed_without_being_opened(world, journal):
    os.mkfifo(world.here + b"/pipe", 0o600)
    outcome = world.run(plan(world, b"pipe", mode="640"), recorder=journal)
    assert outcome.is_clean
    assert mode_of(world, b"pipe") == 0o640


def test_what_changed_since_the_plan_is_left_alone(world):
    planned = plan(world, b"a", b"b", b"tree", mode="700")
    os.chmod(world.here + b"/a", 0o640)
    world.write(world.here + b"/b", b"other text")
    os.rename(world.here + b"/tree", world.here + b"/gone")
    outcome = world.run(planned)
    assert [item.reason for item in outcome.drifted] == [
        "it has changed since the plan",
        "it has changed since the plan",
        "it is not there any more",
    ]
    assert (mode_of(world, b"a"), mode_of(world, b"b")) == (0o640, 0o644)


def test_a_link_that_took_the_name_is_never_followed(world):
    planned = plan(world, b"a", b"tree", mode="go=", inside=True)
    os.rename(world.here + b"/a", world.here + b"/real")
    os.symlink(b"b", world.here + b"/a")
    os.rename(world.here + b"/tree/sub", world.here + b"/aside")
    os.symlink(b"../aside", world.here + b"/tree/sub")
    outcome = world.run(planned)
    assert [item.item.place.rel for item in outcome.done] == [b"tree/c", b"tree"]
    assert mode_of(world, b"b") == mode_of(world, b"real") == mode_of(world, b"aside/d") == 0o644
    assert mode_of(world, b"aside") == 0o755


def test_a_root_that_went_away_is_noticed_before_anything_changes(world):
    planned = plan(world, b"tree/c", mode="600")
    os.rename(world.here + b"/tree", world.here + b"/aside")
    os.mkdir(world.here + b"/tree")
    (item,) = world.run(planned).drifted
    assert "is not the one that was planned" in item.reason
    assert mode_of(world, b"aside/c") == 0o644


def test_undo_leaves_what_somebody_changed_since(world, journal):
    outcome = world.run(plan(world, b"a", b"b", mode="600"), recorder=journal)
    os.chmod(world.here + b"/a", 0o660)
    back = plan_undo(journal.operation(outcome.operation))
    assert [(item.step, item.place.rel) for item in back.items] == [
        (StepName.NOTHING, b"a"),
        (StepName.ATTRIBUTES, b"b"),
    ]
    os.chmod(world.here + b"/b", 0o660)
    with pytest.raises(NotTakenBack, match="it has changed since"):
        plan_undo(journal.operation(outcome.operation))
    assert world.run(back).drifted[0].item.place.rel == b"b"
    os.unlink(world.here + b"/a")
    os.rename(world.here, world.top + b"/elsewhere")
    with pytest.raises(NotTakenBack, match="it has changed since"):
        plan_undo(journal.operation(outcome.operation))


def test_undo_of_a_mode_keeps_what_was_written_since_and_its_time(world, journal):
    outcome = world.run(plan(world, b"a", mode="600"), recorder=journal)
    world.write(world.here + b"/a", b"written since")
    os.utime(world.here + b"/a", ns=(5, 777))
    assert undo(world, journal, outcome).is_clean
    assert (mode_of(world, b"a"), os.stat(world.here + b"/a").st_mtime_ns) == (0o644, 777)


def test_undo_gives_a_folder_its_mode_and_time_back_after_names_in_it_came_and_went(world, journal):
    was = os.stat(world.here + b"/tree")
    outcome = world.run(plan(world, b"tree", mode="700", modified_ns=LATER), recorder=journal)
    world.write(world.here + b"/tree/new", b"made since")
    assert undo(world, journal, outcome).is_clean
    now = os.stat(world.here + b"/tree")
    assert (now.st_mode, now.st_mtime_ns) == (was.st_mode, was.st_mtime_ns)
    assert os.path.exists(world.here + b"/tree/new")


# Errors, stops and crashes


class Failing(Syscalls):
    """A disk that refuses some calls, from the Nth on and for so often."""

    def __init__(self, name, number=errno.EIO, after=0, times=1):
        def fail(*args):
            nonlocal after, times
            after -= 1
            if after >= 0 or times <= 0:
                return getattr(Syscalls, name)(self, *args)
            times -= 1
            raise OSError(number, os.strerror(number))

        setattr(self, name, fail)


def test_a_change_that_fails_half_way_is_taken_back(world, journal):
    planned = plan(world, b"a", mode="600", modified_ns=LATER)
    (item,) = world.run(planned, Failing("set_held_times"), journal).failed
    assert item.reason == "the disk reported an error"
    assert mode_of(world, b"a") == 0o644


def test_a_change_that_cannot_be_taken_back_now_is_at_the_next_start(world, journal):
    class Stuck(Failing):
        def set_held_mode(self, held, mode):
            if mode == 0o644:
                raise OSError(errno.EIO, "no")
            super().set_held_mode(held, mode)

    planned = plan(world, b"a", mode="600", modified_ns=LATER)
    outcome = world.run(planned, Stuck("set_held_times"), journal)
    assert mode_of(world, b"a") == 0o600
    assert swept(world, journal).put_back == [world.here + b"/a"]
    assert mode_of(world, b"a") == 0o644
    assert outcome.failed
    assert swept(world, journal).put_back == []


def test_a_volume_that_does_not_keep_what_it_was_given_is_told(world):
    class Forgetful(Syscalls):
        def set_held_mode(self, held, mode):
            pass

    (item,) = world.run(plan(world, b"a", mode="600"), Forgetful()).failed
    assert item.reason == "this volume does not keep these attributes"


@pytest.mark.skipif(shutil.which("chattr") is None, reason="there is no chattr here")
def test_an_immutable_file_says_so_and_the_others_change(world):
    path = world.here + b"/a"
    if subprocess.run(["chattr", "+i", path], capture_output=True).returncode:
        pytest.skip("this file system has no immutable files")
    try:
        outcome = world.run(plan(world, b"a", b"b", mode="600"))
    finally:
        subprocess.run(["chattr", "-i", path], check=True)
    assert [item.reason for item in outcome.failed] == ["this is not permitted here"]
    assert (mode_of(world, b"a"), mode_of(world, b"b")) == (0o644, 0o600)


def test_what_the_disk_did_not_confirm_can_be_tried_again_and_taken_back(world, journal):
    planned = plan(world, b"a", b"b", mode="600")
    outcome = world.run(planned, Failing("sync_folder"), journal)
    (item,) = outcome.failed
    assert "the disk did not confirm it" in item.reason
    again = world.run(outcome.retry(), recorder=journal)
    assert again.is_clean
    assert [item.item.place.rel for item in again.done] == [b"a"]
    back = plan_undo(*journal.runs(outcome.operation))
    assert sorted(item.place.rel for item in back.items) == [b"a", b"b"]
    assert world.run(back, recorder=journal).is_clean
    assert (mode_of(world, b"a"), mode_of(world, b"b")) == (0o644, 0o644)


class Stops(Unattended):
    """A person who says stop at a certain look."""

    def __init__(self, after):
        self.left = after

    def checkpoint(self):
        self.left -= 1
        if self.left < 0:
            raise Cancelled


def test_a_stopped_change_goes_on_and_is_taken_back_as_one(world, journal):
    before = modes(world)
    planned = plan(world, b"a", b"b", b"tree", mode="go=", inside=True)
    outcome = world.run(planned, recorder=journal, control=Stops(3))
    assert outcome.state is OperationState.CANCELLED
    rest = plan_resume(journal.operation(outcome.operation))
    assert 0 < len(rest.items) < len(planned.items)
    assert rest.subject is not None
    assert world.run(rest, recorder=journal).is_clean
    assert mode_of(world, b"tree/sub/d") == 0o600
    assert world.run(plan_undo(*journal.runs(outcome.operation)), recorder=journal).is_clean
    assert modes(world) == before


@is_root
def test_a_kill_right_after_a_folder_was_shut_can_still_be_taken_back(world):
    """What is inside had been written down as changed before the folder let nobody in."""
    give_all(world.here, NOBODY)
    os.chown(world.top, NOBODY, -1)
    before = modes(world)
    counting = FaultySyscalls()
    with without_rights():
        world.run(plan(world, b"tree", mode="000", inside=True), counting, NoRecord())
    total = counting.count
    for at in range(1, total + 1):
        for name, mode in before.items():
            os.chmod(world.here + b"/" + name, mode)
        child = os.fork()
        if child == 0:
            os.setresuid(NOBODY, NOBODY, NOBODY)
            try:
                own = world.journal()
                world.run(plan(world, b"tree", mode="000", inside=True), FaultySyscalls(at, "kill after"), own)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        child = os.fork()
        if child == 0:
            os.setresuid(NOBODY, NOBODY, NOBODY)
            try:
                world.recover()
                own = world.journal()
                for entry in own.interrupted():
                    with contextlib.suppress(NothingToDo):
                        world.run(plan_undo(*own.runs(entry.id)), recorder=own)
                own.close()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert modes(world) == before, at


@is_root
def test_a_change_of_owner_that_a_crash_cut_in_two_is_put_back(world, journal):
    path = world.here + b"/a"
    os.chmod(path, 0o6755)
    planned = plan(world, b"a", mode="600", uid=4242)
    number = journal.begin(planned, "")
    journal.intend(number, [Intent(0, b".cmdr-tmp-0123456789abcdef", planned.items[0].source)])
    os.chown(path, 4242, -1)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o755
    report = swept(world, journal)
    assert (report.put_back, report.interrupted) == ([path], [number])
    found = os.stat(path)
    assert (found.st_uid, stat.S_IMODE(found.st_mode)) == (0, 0o6755)


def test_a_start_leaves_what_is_another_file_now_and_finds_what_was_done(world, journal):
    world.write(world.here + b"/e", b"text")
    planned = plan(world, b"a", b"b", b"e", b"tree/c", b"tree", mode="600", modified_ns=LATER)
    number = journal.begin(planned, "")
    temps = [b".cmdr-tmp-0123456789abcde%d" % at for at in range(5)]
    journal.intend(number, [Intent(at, temps[at], item.source) for at, item in enumerate(planned.items)])
    order = [item.place.path.removeprefix(world.here + b"/") for item in planned.items]
    # One is done, two were exchanged for files that look changed or half so, one is gone, one was not begun.
    done = world.here + b"/tree/c"
    os.chmod(done, 0o600)
    os.utime(done, ns=(0, LATER))
    os.unlink(world.here + b"/a")
    for name, mode in ((b"/b", 0o644), (b"/e", 0o600)):
        os.rename(world.here + name, world.here + b"/old" + name[1:])
        world.write(world.here + name, b"stranger")
        os.chmod(world.here + name, mode)
        os.utime(world.here + name, ns=(0, LATER))
    assert swept(world, journal).put_back == []
    states = {order[item.index]: item.state for item in journal.operation(number).items}
    assert states == {**dict.fromkeys((b"a", b"b", b"e", b"tree"), ItemState.PLANNED), b"tree/c": ItemState.LANDED}
    assert mode_of(world, b"b") == 0o644


def test_a_half_changed_pipe_is_put_back_without_being_opened(world):
    path = world.here + b"/pipe"
    os.mkfifo(path, 0o600)
    (item,) = plan(world, b"pipe", mode="640", modified_ns=LATER).items
    os.chmod(path, 0o640)
    folder = os.open(world.here, os.O_RDONLY)
    try:
        assert attributes.revert_half_done(Syscalls(), Spot(folder, b"pipe"), item)
    finally:
        os.close(folder)
    assert mode_of(world, b"pipe") == 0o600


def test_an_item_about_attributes_needs_them():
    place = Place(b"/", b"x")
    with pytest.raises(ValueError, match="needs attributes"):
        attributes.change_of(PlanItem(StepName.ATTRIBUTES, Kind.FILE, place))


def test_the_outcome_names_what_was_changed(world):
    assert outcome_line(world.run(plan(world, b"a", b"tree", mode="go="))) == "attributes of 1 file, 1 folder changed"


def test_a_pipe_that_fails_half_way_is_put_back_without_being_opened(world):
    os.mkfifo(world.here + b"/pipe", 0o600)
    outcome = world.run(plan(world, b"pipe", mode="640", modified_ns=LATER), Failing("set_held_times"))
    assert outcome.failed
    assert mode_of(world, b"pipe") == 0o600
