"""Packing: one new archive of what was chosen, whole or not at all."""

import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from types import SimpleNamespace

import pytest
from archive_ground import looks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ops_ground import World, mounted, tree

from cmdr.core.changes.outcome_text import outcome_line, problem_lines
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.plan.archive_plan import plan_pack, plan_unpack
from cmdr.engine.plan.refusals import BadName, NotAnArchiveName, NothingToDo, SameTarget, TargetTaken
from cmdr.engine.plan.survey import Choices
from cmdr.engine.run.control import Cancelled, Unattended
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.files.archives.zip_info import zip_info
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import Plan, StepName
from cmdr.model.plans.plan_text import summary_of, title_of

KINDS = (b"out.zip", b"out.tar.gz")


@pytest.fixture
def world(tmp_path):
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    made.write(made.here + b"/pick/a", b"one" * 1000)
    made.write(made.here + b"/pick/sub/b\xff\n", b"two")
    made.write(made.here + b"/pick/" + "ü \\ %".encode(), b"three")
    os.symlink(b"/nowhere", made.here + b"/pick/link")
    os.mkdir(made.here + b"/pick/empty")
    os.chmod(made.here + b"/pick/a", 0o4750)
    for name in (b"a", b"link", b"empty", b"sub", b""):
        os.utime(made.here + b"/pick/" + name, ns=(10**18, 10**18 + 123456789), follow_symlinks=False)
    return made


@pytest.fixture
def journal(world):
    made = world.journal()
    yield made
    made.close()


def packed(world, name, *sources):
    plan = plan_pack(list(sources or [world.here + b"/pick"]), world.there + b"/" + name)
    return plan, world.run(plan)


@pytest.mark.parametrize("name", KINDS)
def test_what_is_packed_comes_out_the_same(world, name):
    plan, outcome = packed(world, name)
    assert outcome.is_clean
    assert outcome_line(outcome) == "pack done: 4 files, 3 folders, 2.9 KiB"
    os.mkdir(world.there + b"/back")
    back = world.run(plan_unpack([world.there + b"/" + name], world.there + b"/back"))
    assert [reason for _, reason in back.warnings] == []
    before, after = looks(world.here), looks(world.there + b"/back")
    mode, *rest = before[b"pick/a"]
    before[b"pick/a"] = (mode & ~0o7000, *rest)
    # The link leads out of what is packed, so it is not made again.
    del before[b"pick/link"]
    assert after == before
    assert Plan.decode(plan.encoded).digest == plan.digest


def test_a_plan_to_pack_says_what_goes_in_and_where(world):
    plan, _ = packed(world, b"out.zip")
    assert title_of(plan) == f"Pack 3 folders, 4 files, 2.9 KiB to {os.fsdecode(world.there)}/out.zip"
    assert f"from {os.fsdecode(world.here)}" in summary_of(plan)
    assert [item.step for item in plan.items] == [StepName.PACK, *[StepName.ADD] * 7]


@pytest.mark.parametrize("name", KINDS)
def test_the_same_files_make_the_same_bytes(world, name):
    packed(world, name)
    os.mkdir(world.there + b"/again")
    world.run(plan_pack([world.here + b"/pick"], world.there + b"/again/" + name))
    found = tree(world.there)
    assert found[world.there + b"/" + name] == found[world.there + b"/again/" + name]


def test_other_programs_can_read_both(world):
    for name in KINDS:
        packed(world, name)
    with zipfile.ZipFile(os.fsdecode(world.there + b"/out.zip")) as archive:
        assert archive.testzip() is None
        assert archive.read("pick/a") == b"one" * 1000
        assert "pick/ü \\ %" in archive.namelist()
    with tarfile.open(os.fsdecode(world.there + b"/out.tar.gz")) as archive:
        assert archive.extractfile("pick/a").read() == b"one" * 1000
        assert archive.getmember("pick/link").linkname == "/nowhere"
        assert {(member.uid, member.uname) for member in archive} == {(0, "")}


@pytest.mark.parametrize(("program", "name"), [(["unzip", "-qo"], b"out.zip"), (["tar", "xzf"], b"out.tar.gz")])
def test_the_usual_programs_unpack_them(world, program, name):
    if shutil.which(program[0]) is None:
        pytest.skip(f"{program[0]} is not installed")
    os.unlink(world.here + b"/pick/sub/b\xff\n")
    packed(world, name)
    into = world.there + b"/into"
    os.mkdir(into)
    subprocess.run([*program, world.there + b"/" + name], cwd=into, check=True, capture_output=True)
    assert {path: held for path, (_, _, held) in looks(into).items()} == {
        path: held for path, (_, _, held) in looks(world.here).items()
    }


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["zip", "-qry"], b"real.zip"),
        (["tar", "czf"], b"real.tar.gz"),
        (["tar", "cjf"], b"real.tar.bz2"),
        (["tar", "cJf"], b"real.tar.xz"),
        (["tar", "-H", "posix", "-cf"], b"real.tar"),
        (["tar", "-H", "v7", "-cf"], b"v7.tar"),
    ],
    ids=lambda it: it if isinstance(it, str) else None,
)
def test_what_the_usual_programs_pack_comes_out_the_same(world, command, name):
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    os.unlink(world.here + b"/pick/link")
    long = b"pick/" + b"d" * 80 + b"/" + b"e" * 90
    if b"v7" not in name:
        world.write(world.here + b"/" + long, b"long")
    os.symlink(b"a", world.here + b"/pick/inside")
    os.link(world.here + b"/pick/a", world.here + b"/pick/twin")
    made = subprocess.run(
        [*command, world.there + b"/" + name, b"pick"], cwd=world.here, capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip(f"this {command[0]} cannot do that: {made.stderr[:100]!r}")
    outcome = world.run(plan_unpack([world.there + b"/" + name], world.there))
    assert outcome.is_clean
    assert {path: held for path, (_, _, held) in looks(world.there).items() if path != name} == {
        path: held for path, (_, _, held) in looks(world.here).items()
    }


NAMES = st.binary(min_size=1, max_size=12).filter(
    lambda name: name not in (b".", b"..") and not set(name) & set(b"/\0")
)
TREES = st.recursive(
    st.one_of(st.binary(max_size=3000), st.sampled_from([b"x" * 70_000])),
    lambda inside: st.dictionaries(NAMES, inside, max_size=4),
    max_leaves=8,
)


def _made(path, what):
    if isinstance(what, bytes):
        with open(path, "wb") as file:
            file.write(what)
    else:
        os.mkdir(path)
        for name, inside in what.items():
            _made(path + b"/" + name, inside)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(what=TREES, name=st.sampled_from(KINDS), top=NAMES)
def test_any_tree_comes_out_as_it_was_packed(what, name, top):
    with tempfile.TemporaryDirectory() as folder:
        world = World(os.fsencode(folder), os.fsencode(folder))
        world.reset()
        _made(world.here + b"/" + top, {b"top": what})
        assert world.run(plan_pack([world.here + b"/" + top], world.there + b"/" + name)).is_clean
        into = world.there + b"/into"
        assert world.run(plan_unpack([world.there + b"/" + name], into)).is_clean
        assert looks(into) == looks(world.here)


@pytest.mark.parametrize("name", [b"out.rar", b"out", b".zip", b".tar.gz", b"out.tar.xz"])
def test_a_name_must_say_what_kind_of_archive_is_wanted(world, name):
    with pytest.raises(NotAnArchiveName, match=r"\.zip or \.tar\.gz"):
        packed(world, name)


def test_nothing_is_replaced_and_nothing_is_packed_twice(world):
    world.write(world.there + b"/out.zip", b"mine")
    with pytest.raises(TargetTaken):
        packed(world, b"out.zip")
    world.write(world.here + b"/more/pick/a", b"other")
    with pytest.raises(SameTarget, match="Pack them one after the other"):
        packed(world, b"new.zip", world.here + b"/pick", world.here + b"/more/pick")
    with pytest.raises(NothingToDo):
        plan_pack([], world.there + b"/new.zip")
    with pytest.raises(BadName):
        plan_pack([world.here + b"/pick"], b"out.zip")


def test_a_name_that_is_taken_meanwhile_stays(world):
    plan = plan_pack([world.here + b"/pick"], world.there + b"/out.zip")
    world.write(world.there + b"/out.zip", b"mine")
    outcome = world.run(plan)
    assert tree(world.there) == {world.there + b"/out.zip": b"mine"}
    assert len(outcome.skipped) == len(plan.items)
    assert not outcome.can_retry


def test_a_name_that_is_taken_at_the_last_moment_stays(world):
    plan = plan_pack([world.here + b"/pick"], world.there + b"/out.zip")

    class Late(Unattended):
        def progress(self, progress):
            world.write(world.there + b"/out.zip", b"mine")

    outcome = world.run(plan, control=Late())
    assert tree(world.there) == {world.there + b"/out.zip": b"mine"}
    assert outcome.done == ()
    assert world.leftovers() == []


def test_missing_folders_are_made_and_an_archive_may_lie_in_what_it_packs(world):
    plan = plan_pack([world.here + b"/pick"], world.here + b"/pick/new/out.tar.gz")
    assert world.run(plan).is_clean
    with tarfile.open(os.fsdecode(world.here + b"/pick/new/out.tar.gz")) as archive:
        assert len(archive.getmembers()) == 7


def test_specials_and_what_may_not_be_read_are_told_and_left_out(world, monkeypatch):
    os.mkfifo(world.here + b"/pick/pipe")
    world.write(world.here + b"/pick/locked/x", b"x")
    real_access, real_open = os.access, os.open
    monkeypatch.setattr(os, "access", lambda name, *a, **k: name != b"a" and real_access(name, *a, **k))

    def closed(name, *args, **kwargs):
        if name == b"locked":
            raise PermissionError(13, "Permission denied")
        return real_open(name, *args, **kwargs)

    monkeypatch.setattr(os, "open", closed)
    plan, outcome = packed(world, b"out.zip")
    assert outcome.is_clean
    assert {(item.place.name, item.reason) for item in plan.items if item.step is StepName.NOTHING} == {
        (b"pipe", "pipes, sockets and devices are not packed"),
        (b"a", "you may not read it"),
        (b"locked", "you may not read it"),
    }
    assert "2 will be skipped: you may not read it" in summary_of(plan)


class _Failing(Syscalls):
    """A disk that does not read one file, or only its beginning."""

    def __init__(self, name, after=0, act=None):
        self._name, self._after, self._act, self._fd = name, after, act, None

    def open(self, name, folder):
        if name == self._name and not self._after and self._act is None:
            raise PermissionError(13, "Permission denied")
        fd = super().open(name, folder)
        if name == self._name:
            self._fd = fd
        return fd

    def read(self, fd, count, offset):
        if fd == self._fd and offset >= self._after:
            if self._act is None:
                raise OSError(5, "Input/output error")
            self._act()
        return super().read(fd, count, offset)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("after", [0, 1 << 20])
def test_a_file_that_does_not_read_is_not_in_the_archive_and_the_job_says_so(world, name, after):
    world.write(world.here + b"/pick/b", os.urandom(3 << 20))
    plan = plan_pack([world.here + b"/pick"], world.there + b"/" + name)
    outcome = world.run(plan, _Failing(b"b", after))
    why = "the disk reported an error" if after else "permission denied"
    assert [item.reason for item in outcome.drifted] == [f"it is not in the archive: {why}"]
    assert not outcome.is_clean
    assert not outcome.can_retry
    assert problem_lines(outcome)[0].endswith(f"pick/b: it is not in the archive: {why}")
    os.mkdir(world.there + b"/back")
    assert world.run(plan_unpack([world.there + b"/" + name], world.there + b"/back")).is_clean
    assert set(looks(world.there + b"/back")) == set(looks(world.here)) - {b"pick/b", b"pick/link"}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("how", ["shorter", "longer"])
def test_a_file_that_changes_while_it_is_packed_is_not_in_the_archive(world, name, how):
    path = world.write(world.here + b"/pick/b", os.urandom(3 << 20))

    def change():
        if how == "shorter":
            os.truncate(path, 10)
        else:
            with open(path, "ab") as file:
                file.write(b"more")

    plan = plan_pack([world.here + b"/pick"], world.there + b"/" + name)
    outcome = world.run(plan, _Failing(b"b", 1 << 20, change))
    assert [item.item.place.name for item in outcome.drifted] == [b"b"]
    assert world.run(plan_unpack([world.there + b"/" + name], world.there + b"/back")).is_clean
    assert b"pick/b" not in looks(world.there + b"/back")


def test_what_was_exchanged_since_the_plan_is_not_in_the_archive(world):
    plan = plan_pack([world.here + b"/pick"], world.there + b"/out.zip")
    for name in (b"a", b"link"):
        os.unlink(world.here + b"/pick/" + name)
        os.symlink(b"/etc/passwd", world.here + b"/pick/" + name)
    os.rmdir(world.here + b"/pick/empty")
    shutil.rmtree(world.here + b"/pick/sub")
    outcome = world.run(plan)
    assert len(outcome.drifted) == 5
    with zipfile.ZipFile(os.fsdecode(world.there + b"/out.zip")) as archive:
        assert archive.namelist() == ["pick/", "pick/ü \\ %"]


@pytest.mark.parametrize("name", KINDS)
def test_a_full_disk_leaves_nothing_behind_and_it_can_be_tried_again(name):
    with mounted("64m", 1) as big, mounted("1m", 1) as small:
        if not big or not small:
            pytest.skip("mounting a small file system is not allowed here")
        world = World(big[0], small[0])
        world.reset()
        world.write(world.here + b"/pick/a", os.urandom(3 << 20))
        world.write(world.here + b"/pick/b", b"b")
        outcome = world.run(plan_pack([world.here + b"/pick"], world.there + b"/" + name))
        assert {item.reason for item in outcome.failed} == {"the disk is full"}
        assert outcome.done == ()
        assert tree(world.there) == {}
        assert world.leftovers() == []
        assert len(outcome.retry().items) == len(outcome.plan.items)


def test_an_archive_that_does_not_reach_the_disk_is_not_made(world):
    class Lost(Syscalls):
        def sync_data(self, fd):
            raise OSError(5, "Input/output error")

    plan = plan_pack([world.here + b"/pick"], world.there + b"/out.zip")
    outcome = world.run(plan, Lost())
    assert {item.reason for item in outcome.failed} == {"the disk reported an error", "the archive was not made"}
    assert tree(world.there) == {}
    assert world.leftovers() == []


@pytest.mark.parametrize("name", KINDS)
def test_a_stopped_one_leaves_nothing_behind_and_begins_anew(world, journal, name):
    world.write(world.here + b"/pick/b", os.urandom(5 << 20))

    class Stops(Unattended):
        done = 0

        def progress(self, progress):
            self.done = progress.bytes_done

        def checkpoint(self):
            if self.done > 2 << 20:
                raise Cancelled

    plan = plan_pack([world.here + b"/pick"], world.there + b"/" + name)
    stopped = world.run(plan, recorder=journal, control=Stops())
    assert stopped.state is OperationState.CANCELLED
    assert tree(world.there) == {}
    assert world.leftovers() == []
    rest = plan_resume(journal.operation(stopped.operation))
    assert len(rest.items) == len(plan.items)
    assert world.run(rest, recorder=journal).is_clean
    assert world.run(plan_unpack([world.there + b"/" + name], world.there + b"/back")).is_clean


def test_undo_moves_it_to_the_trash_and_can_be_taken_back(world, journal):
    plan = plan_pack([world.here + b"/pick"], world.there + b"/out.zip")
    first = world.run(plan, recorder=journal)
    before = tree(world.there)
    back = plan_undo(journal.operation(first.operation))
    assert (back.totals.files, back.totals.bytes) == (1, len(before[world.there + b"/out.zip"]))
    undone = world.run(back, recorder=journal)
    assert tree(world.there) == {}
    assert list(world.trashed().values()) == list(before.values())
    world.run(plan_undo(journal.operation(undone.operation)), recorder=journal)
    assert tree(world.there) == before


def test_progress_counts_the_bytes_that_go_in_and_never_goes_back(world):
    for number in range(300):
        world.write(world.here + b"/pick/many/%d" % number, b"x" * 1000)
    seen = []

    class Watched(Unattended):
        def progress(self, progress):
            seen.append(progress.bytes_done)

    plan = plan_pack([world.here + b"/pick"], world.there + b"/out.zip")
    world.run(plan, control=Watched())
    assert seen == sorted(seen)
    assert seen[-1] == plan.totals.bytes


class _Guarded:
    """Private is what is called so."""

    def real(self, folder):
        return os.fsencode(os.readlink(f"/proc/self/fd/{folder}"))

    def reason_of(self, path, found):
        return "is private" if path.endswith(b"/a") else ""

    reason_here = reason_of

    def below(self, folder):
        return []


def test_private_sources_of_an_agent_are_a_risk(world):
    plan = plan_pack([world.here + b"/pick"], world.there + b"/out.zip", Choices(privacy=_Guarded()))
    assert [item.place.name for item in plan.protected] == [b"a"]
    assert plan.risk.is_high


def test_a_zip_that_was_not_finished_never_writes_into_another_file(world, tmp_path):
    """An archive that is forgotten tries to finish itself; by then the number of its file may be another's."""
    from cmdr.engine.fs.archive_writer import ZipWriter

    path = tmp_path / "one"
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    writer = ZipWriter(Syscalls(), fd)
    writer.mark()
    writer.begin_file(b"a", os.fstat(fd))
    writer.write(b"some")
    writer.let_go()
    size = path.stat().st_size
    del writer
    os.close(fd)
    assert path.stat().st_size == size


def test_when_nothing_can_be_packed_there_is_no_archive(world):
    plan = plan_pack([world.here + b"/pick"], world.there + b"/out.zip")
    os.rename(world.here, world.here + b" away")
    os.makedirs(world.here + b"/pick")
    outcome = world.run(plan)
    assert outcome.done == ()
    assert len(outcome.drifted) == len(plan.items)
    assert tree(world.there) == {}
    assert world.leftovers() == []


def test_a_time_that_a_zip_cannot_tell_is_left_to_its_old_clock(world):
    os.utime(world.here + b"/pick/a", (1 << 33, 1 << 33))
    packed(world, b"out.zip")
    with zipfile.ZipFile(os.fsdecode(world.there + b"/out.zip")) as archive:
        assert archive.getinfo("pick/a").date_time[0] == 2107


def test_a_zip_that_is_sent_describes_its_files_as_before(world):
    info = zip_info("pick/a", os.stat(world.here + b"/pick/a"))
    assert info.external_attr >> 16 == os.stat(world.here + b"/pick/a").st_mode


@pytest.mark.parametrize(("seconds", "year"), [(1e300, 2107), (-1e300, 1980)])
def test_a_time_that_no_calendar_counts_is_the_nearest_that_an_archive_can_hold(seconds, year):
    info = zip_info("a", SimpleNamespace(st_mtime=seconds, st_mode=0o100644))
    assert info.date_time[0] == year
