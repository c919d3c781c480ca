"""Unpacking: what comes out of archives, honest and hostile, by way of the real engine."""

import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from dataclasses import replace

import pytest
from archive_ground import CRC, FLAGS, METHOD, OFFSET, PACKED, SIZE, Put, tar_of, with_field, zip_of
from ops_ground import FaultySyscalls, Plain, World, mounted, tree

from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.records import NoRecord
from cmdr.engine.plan import archive_plan
from cmdr.engine.plan.archive_plan import plan_unpack
from cmdr.engine.plan.refusals import (
    ChangedSince,
    NotEnoughSpace,
    NothingToDo,
    NotUnpacked,
    PlanRefused,
    TooMany,
    Unreadable,
)
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.engine.run.control import Answer, Cancelled, Unattended
from cmdr.engine.run.operation import Operation
from cmdr.engine.run.resume import plan_resume
from cmdr.engine.run.undo import plan_undo
from cmdr.model.history import OperationState
from cmdr.model.plans.plan import ConflictPolicy, Decision, Kind, Plan, StepName
from cmdr.model.plans.plan_list import line_of, page_of
from cmdr.model.plans.plan_text import chosen_of, summary_of, title_of


@pytest.fixture
def world(tmp_path):
    made = World(os.fsencode(tmp_path), os.fsencode(tmp_path))
    made.reset()
    return made


@pytest.fixture
def journal(world):
    made = world.journal()
    yield made
    made.close()


def given(world, data, name=b"given.zip"):
    return world.write(world.here + b"/" + name, data)


def unpacked(world, data, policy=ConflictPolicy.SKIP, name=b"given.zip"):
    """Plan and run; the plan, the outcome, and what there is below the folder of its own."""
    plan = plan_unpack([given(world, data, name)], world.there, Choices(policy=policy))
    outcome = world.run(plan)
    return plan, outcome, below(world)


def below(world):
    return {path[len(world.there) + 1 :]: text for path, text in tree(world.there).items()}


def left_out(plan):
    return {item.member.name: item.reason for item in plan.items if item.step is StepName.NOTHING}


def test_loose_files_get_a_folder_named_after_the_archive(world):
    plan, outcome, found = unpacked(world, zip_of(Put("a", b"one"), Put("sub/b", b"two")))
    assert found == {b"given": b"/", b"given/a": b"one", b"given/sub": b"/", b"given/sub/b": b"two"}
    assert outcome.is_clean
    assert title_of(plan) == f"Unpack 2 folders, 2 files, 6 B to {os.fsdecode(world.there)}"
    assert f"from {os.fsdecode(world.here)}/given.zip" in summary_of(plan)
    assert chosen_of(plan) == f"{os.fsdecode(world.here)}/given.zip"


def test_an_archive_with_one_folder_brings_its_own(world):
    _, _, found = unpacked(world, tar_of(Put("./", kind="folder"), Put("./top/a", b"one")), name=b"x.tar")
    assert found == {b"top": b"/", b"top/a": b"one"}


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        (b"a.b.tar.gz", b"a.b"),
        (b"A.TGZ", b"A"),
        (b"x.jar", b"x"),
        (b"plain", b"plain unpacked"),
        (b".zip", b".zip unpacked"[1:]),
        (b"...", b"archive unpacked"),
    ],
)
def test_the_folder_is_named_as_the_archive_without_its_ending(world, name, folder):
    _, _, found = unpacked(world, zip_of(Put("a"), Put("b")), name=name)
    assert set(found) == {folder, folder + b"/a", folder + b"/b"}


@pytest.mark.parametrize("press", ["", "gz", "bz2", "xz"])
def test_a_tar_keeps_times_and_plain_permissions_and_no_owner(world, press):
    puts = (Put("t", kind="folder", mode=0o7500), Put("t/run", b"#!", mode=0o6755), Put("t/l", kind="link", link="run"))
    plan, outcome, _ = unpacked(world, tar_of(*puts, press=press), name=b"t.tar")
    top = world.there + b"/t"
    assert stat.S_IMODE(os.stat(top).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(top + b"/run").st_mode) == 0o755
    assert {os.lstat(path).st_mtime for path in (top, top + b"/run", top + b"/l")} == {981173106}
    assert (os.stat(top).st_uid, os.stat(top + b"/run").st_uid) == (os.getuid(), os.getuid())
    assert outcome.is_clean
    assert Plan.decode(plan.encoded).digest == plan.digest


HOSTILE_NAMES = {
    "../out": "its name leads out of the folder",
    "a/../../out": "its name leads out of the folder",
    "/etc/passwd": "its name is that of a place outside",
    "C:/x": "its name is that of a place outside",
    "x" * 256: "no file can have its name",
    "d/" * 10_000 + "deep": "its name is longer than any name may be",
    "d/" * 300 + "deep": "it lies too deep in folders",
    "nul\0byte": "no file can have its name",
    "": "it has no name",
}


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
def test_a_name_that_no_file_may_have_is_left_out_and_told(world, name):
    outside = tree(world.top)
    plan, outcome, found = unpacked(world, zip_of(Put(name, b"evil"), Put("good", b"good"), Put("fine", b"fine")))
    assert list(left_out(plan).values()) == [HOSTILE_NAMES[name]]
    assert found == {b"given": b"/", b"given/good": b"good", b"given/fine": b"fine"}
    assert {path for path in tree(world.top) if not path.startswith((world.there, world.here))} == {
        path for path in outside if not path.startswith((world.there, world.here))
    }
    assert outcome.is_clean
    told = "\n".join(summary_of(plan))
    assert f"1 will be skipped: {HOSTILE_NAMES[name]}" in told
    assert all(len(line) < 600 for line in page_of(plan, 0, 10).lines)


@pytest.mark.parametrize("name", ["../out", "/abs", "d/" * 300 + "deep", "no\0name"], ids=range(4))
def test_a_tar_with_such_a_name_does_no_more(world, name):
    plan, _, found = unpacked(world, tar_of(Put(name, b"evil"), Put("t/good", b"good")), name=b"g.tar")
    # A zero byte ends a name in a tar.
    assert found == ({b"t": b"/", b"t/good": b"good"} if "\0" not in name else found)
    assert len(left_out(plan)) == ("\0" not in name)


def test_backslashes_are_folders_for_those_who_wrote_them_so(world):
    _, _, found = unpacked(world, zip_of(Put("a\\b", b"dos"), Put("..\\out", b"evil"), Put("c:\\x"), system=0))
    assert found == {b"a": b"/", b"a/b": b"dos"}
    _, _, found = unpacked(world, zip_of(Put("a\\b", b"unix"), Put("c")), name=b"unix.zip")
    assert found[b"unix/a\\b"] == b"unix"


def test_names_in_an_old_alphabet_become_text_and_our_own_stay_bytes(world):
    data = zip_of(Put("t/XX"), Put("t/b"))
    old = data.replace(b"t/XX", b"t/\x81\xff")
    _, _, found = unpacked(world, with_field(with_field(old, 5, 0, "<B"), 5, 0, "<B", which=1), name=b"dos.zip")
    assert "t/ü\xa0".encode() in found
    _, _, found = unpacked(world, old, ConflictPolicy.RENAME, name=b"unix.zip")
    assert b"t/\x81\xff" in found


def test_a_name_told_again_in_utf8_counts(world):
    raw = b"t/\x81"
    field = struct.pack("<2HBL", 0x7075, 5 + 4, 1, zlib.crc32(raw)) + "t/ü".encode()
    data = zip_of(Put("t/X"), Put("t/b")).replace(b"t/X", raw)
    at = data.index(b"PK\1\2")
    head = bytearray(data[at : at + 46])
    struct.pack_into("<H", head, 30, len(field))
    end = data.index(b"PK\5\6")
    tail = bytearray(data[end:])
    struct.pack_into("<L", tail, 12, end - at + len(field))
    data = data[:at] + bytes(head) + raw + field + data[at + 46 + len(raw) : end] + bytes(tail)
    _, _, found = unpacked(world, data)
    assert "t/ü".encode() in found


def test_of_a_name_that_comes_twice_the_last_one_counts(world):
    with pytest.warns(UserWarning):
        data = zip_of(Put("t/a", b"first"), Put("t/a", b"second"))
    plan, _, found = unpacked(world, data)
    assert found[b"t/a"] == b"second"
    assert left_out(plan) == {b"t/a": "the archive holds that name again, further on"}


def test_spellings_that_are_one_name_on_the_volume_do_not_meet(world, monkeypatch):
    monkeypatch.setattr("cmdr.engine.plan.unpacked_tree.is_caseless", lambda folder: True)
    plan, _, found = unpacked(world, zip_of(Put("t/A", b"1"), Put("t/a", b"2"), Put("T/b", b"3")))
    assert {name.lower() for name in found} == {b"given", b"given/t", b"given/t/a", b"given/t/b"}
    assert list(left_out(plan)) == [b"t/A"]


def test_a_file_where_a_folder_must_be_is_not_gone_through(world):
    puts = (
        Put("t/x", b"file"),
        Put("t/x/y", b"below"),
        Put("t/d", kind="folder"),
        Put("t/d", b"file"),
        Put("t/x", b""),
    )
    data = tar_of(*puts[:2], Put("t/d/e", b"e"), puts[3])
    plan, _, found = unpacked(world, data, name=b"t.tar")
    assert found == {b"t": b"/", b"t/x": b"file", b"t/d": b"/", b"t/d/e": b"e"}
    assert left_out(plan) == {b"t/x/y": "a file has the name of its folder", b"t/d": "a folder has that name"}


LINKS = {
    "a": True,
    "sub/../../t/a": False,
    "./sub/a": True,
    "..": True,
    "../..": False,
    "../../../etc/passwd": False,
    "/etc/passwd": False,
    "sub/..": False,
    "../t": True,
    "..//../x": False,
}


@pytest.mark.parametrize("text", LINKS)
@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_a_link_is_made_only_when_it_stays_inside(world, text, make):
    plan, _, found = unpacked(world, make(Put("top/in/link", kind="link", link=text), Put("top/a", b"a")), name=b"l")
    assert (b"top/in/link" in found) is LINKS[text]
    assert list(left_out(plan).values()) == ([] if LINKS[text] else ["a link that leads out of the folder"])


def test_no_chain_of_links_leads_out(world):
    """Each of these would stay inside if names alone were looked at."""
    puts = [
        Put("t/x/y/z/up", kind="link", link="../../.."),
        Put("t/x/y/z/out", kind="link", link="up/.."),
        Put("t/x/y/z/up/passwd", b"evil"),
        Put("t/short", kind="link", link="x/y/z/up"),
        Put("t/short/a", b"evil"),
    ]
    plan, _, found = unpacked(world, tar_of(*puts), name=b"l.tar")
    assert set(found) == {b"t", b"t/x", b"t/x/y", b"t/x/y/z", b"t/x/y/z/up", b"t/short"}
    for name in found:
        assert os.path.realpath(world.there + b"/" + name).startswith(world.there + b"/t")
    assert len(left_out(plan)) == 3


def test_a_link_that_says_nothing_or_too_much_is_left_out(world):
    puts = [
        Put("t/none", kind="link"),
        Put("t/long", kind="link", link="x" * 5000),
        Put("t/a"),
        Put("t/z", kind="link"),
    ]
    puts[3].link = "a\0b"
    plan, _, found = unpacked(world, zip_of(*puts))
    assert found == {b"t": b"/", b"t/a": b""}
    assert set(left_out(plan).values()) == {"a link that leads nowhere", "a link that cannot be read: it says too much"}


def test_nothing_is_written_through_a_link_that_stands_at_the_target(world):
    os.symlink(world.here, world.there + b"/t")
    with pytest.raises(NothingToDo, match="a file has that name"):
        unpacked(world, tar_of(Put("t/a", b"evil"), Put("t/s/b", b"evil")), name=b"t.tar")
    _, _, found = unpacked(world, zip_of(Put("t/a", b"a"), Put("u/b", b"b")), ConflictPolicy.RENAME, name=b"t")
    assert not any(name.startswith(b"t/") for name in found)
    assert sorted(os.listdir(world.here)) == [b"t", b"t.tar"]


def test_nothing_is_written_through_a_link_that_came_after_the_plan(world):
    path = given(world, tar_of(Put("t/a", b"evil"), Put("t/s/b", b"evil")), name=b"t.tar")
    plan = plan_unpack([path], world.there)
    os.symlink(world.here, world.there + b"/t")
    outcome = world.run(plan)
    assert outcome.done == ()
    assert os.listdir(world.here) == [b"t.tar"]


def test_hard_links_are_second_names_of_files_in_the_archive_and_of_nothing_else(world):
    secret = world.write(world.here + b"/secret", b"secret")
    puts = [
        Put("t/a", b"one", mode=0o640),
        Put("t/b", kind="hard link", link="t/a"),
        Put("t/c", kind="hard link", link=os.fsdecode(secret)),
        Put("t/d", kind="hard link", link="../here/secret"),
        Put("t/e", kind="hard link", link="t/none"),
        Put("t/l", kind="link", link="a"),
        Put("t/f", kind="hard link", link="t/l"),
    ]
    plan, outcome, found = unpacked(world, tar_of(*puts), name=b"t.tar")
    assert set(found) == {b"t", b"t/a", b"t/b", b"t/l"}
    assert os.path.samefile(world.there + b"/t/a", world.there + b"/t/b")
    assert os.stat(secret).st_nlink == 1
    assert len(left_out(plan)) == 4
    assert plan.totals.bytes == 6
    assert plan.need_bytes == 3
    assert outcome.is_clean


def test_where_hard_links_cannot_be_the_contents_are_unpacked_again(world):
    data = tar_of(Put("t/a", b"one"), Put("t/x", b"between"), Put("t/b", kind="hard link", link="t/a"), press="gz")
    plan = plan_unpack([given(world, data)], world.there)
    outcome = world.run(plan, Plain(links=False, noreplace=True))
    assert below(world)[b"t/b"] == b"one"
    assert not os.path.samefile(world.there + b"/t/a", world.there + b"/t/b")
    assert [text for _, text in outcome.warnings] == ["hard link"]


def test_a_second_name_of_a_file_in_another_archive_is_none(world):
    first = given(world, tar_of(Put("t/a", b"one")), b"1.tar")
    second = given(world, tar_of(Put("t/b", kind="hard link", link="t/a"), Put("t/c", b"c")), b"2.tar")
    plan = plan_unpack([first, second], world.there)
    assert list(left_out(plan).values()) == ["a second name of something that is not unpacked"]
    world.run(plan)
    assert below(world) == {b"t": b"/", b"t/a": b"one", b"t/c": b"c"}


def test_two_archives_with_one_folder_join_and_no_name_is_given_twice(world):
    first = given(world, tar_of(Put("t/a", b"one")), b"1.tar")
    second = given(world, zip_of(Put("t/a", b"two"), Put("t/b", b"b")), b"2.zip")
    plan = plan_unpack([first, second], world.there)
    world.run(plan)
    assert below(world) == {b"t": b"/", b"t/a": b"one", b"t/b": b"b"}
    assert list(left_out(plan).values()) == ["another archive holds that name as well"]
    assert chosen_of(plan).endswith("1.tar and 1 more")


@pytest.mark.parametrize("kind", ["pipe", "device", "unknown"])
def test_devices_and_what_is_not_known_are_left_out(world, kind):
    plan, _, found = unpacked(world, tar_of(Put("t/odd", kind=kind), Put("t/a", b"a")), name=b"t.tar")
    assert found == {b"t": b"/", b"t/a": b"a"}
    assert len(left_out(plan)) == 1


def test_a_pipe_in_a_zip_is_left_out(world):
    plan, _, found = unpacked(world, zip_of(Put("t/odd", kind="pipe"), Put("t/a", b"a")))
    assert left_out(plan) == {b"t/odd": "pipes and devices are not unpacked"}
    assert found == {b"t": b"/", b"t/a": b"a"}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_every_usual_way_of_packing_is_known(world, method):
    _, outcome, found = unpacked(world, zip_of(Put("t/a", b"one" * 9999, method=method), Put("t/b", method=method)))
    assert found == {b"t": b"/", b"t/a": b"one" * 9999, b"t/b": b""}
    assert outcome.is_clean


def test_what_is_encrypted_or_packed_otherwise_is_told(world):
    data = with_field(zip_of(Put("t/locked", b"x"), Put("t/odd", b"y"), Put("t/a", b"a")), FLAGS, 1, "<H")
    plan, _, found = unpacked(world, with_field(data, METHOD, 99, "<H", which=1))
    assert found == {b"t": b"/", b"t/a": b"a"}
    assert left_out(plan) == {
        b"t/locked": "it is encrypted, and cmdr cannot open it",
        b"t/odd": "it is packed in a way that cmdr does not know",
    }


def test_never_more_is_written_than_was_declared(world):
    bomb = with_field(zip_of(Put("t/bomb", b"\0" * 50_000_000), Put("t/a", b"a")), SIZE, 10)
    plan, outcome, found = unpacked(world, bomb)
    assert plan.totals.bytes == 11
    assert found == {b"t": b"/", b"t/a": b"a"}
    assert [item.reason for item in outcome.failed] == ["the archive is damaged here: it holds more than the list says"]
    assert world.leftovers() == []


@pytest.mark.parametrize(
    ("at", "value", "told"),
    [
        (SIZE, 999, "it ends in the middle: it is cut short, or damaged"),
        (CRC, 99, "its contents are damaged"),
        (PACKED, 1, "it ends in the middle: it is cut short, or damaged"),
    ],
)
def test_a_damaged_member_fails_alone(world, at, value, told):
    data = with_field(zip_of(Put("t/bad", b"contents" * 50), Put("t/a", b"a")), at, value)
    _, outcome, found = unpacked(world, data)
    assert found == {b"t": b"/", b"t/a": b"a"}
    assert [item.reason for item in outcome.failed] == [f"the archive is damaged here: {told}"]
    assert outcome.can_retry


def test_broken_bytes_in_a_member_fail_alone(world):
    data = bytearray(zip_of(Put("t/bad", os.urandom(5000), method=0), Put("t/worse", b"x" * 5000), Put("t/a", b"a")))
    data[1000] ^= 0xFF
    worse = data.index(b"t/worse") + 7
    data[worse : worse + 6] = b"\xff" * 6
    _, outcome, found = unpacked(world, bytes(data))
    assert found == {b"t": b"/", b"t/a": b"a"}
    assert len(outcome.failed) == 2


def test_a_member_that_is_not_where_the_list_says_fails_alone(world):
    data = zip_of(Put("t/bad", b"b" * 100, method=0), Put("t/a", b"a"))
    _, outcome, found = unpacked(world, data.replace(b"PK\3\4", b"PK\3\5", 1))
    assert found == {b"t": b"/", b"t/a": b"a"}
    assert [item.reason for item in outcome.failed] == ["the archive is damaged here: it is not where the list says"]


def test_members_that_lie_over_each_other_are_refused(world):
    data = zip_of(Put("t/a", b"a" * 500, method=0), Put("t/b", b"b"), Put("t/c", b"c"))
    first = zip_of(Put("t/a", b"a" * 500, method=0))
    assert first
    for which in (1, 2):
        with pytest.raises(NotUnpacked, match="lie over each other"):
            plan_unpack([given(world, with_field(data, OFFSET, 40, which=which))], world.there)
    with pytest.raises(NotUnpacked, match="lie over each other"):
        plan_unpack([given(world, with_field(data, OFFSET, len(data), which=2))], world.there)


def test_a_bomb_that_says_what_it_is_finds_no_room(world):
    bomb = with_field(zip_of(Put("t/bomb", b"\0" * 5000), Put("t/a", b"a")), SIZE, 0xFFFFFFF0)
    many = zip_of(*(Put(f"t/{number}", b"x") for number in range(3)))
    for which in range(3):
        many = with_field(many, SIZE, 0xFFFFFFF0, which=which)
    assert plan_unpack([given(world, bomb)], world.there).totals.bytes > 4_000_000_000
    free, os.fstatvfs = os.fstatvfs, lambda fd: os.statvfs_result((1, 1, 1, 1, 1, 1, 1, 1, 0, 255))
    try:
        with pytest.raises(NotEnoughSpace):
            plan_unpack([given(world, many)], world.there)
    finally:
        os.fstatvfs = free


def test_more_names_than_can_be_shown_are_refused(world, monkeypatch):
    monkeypatch.setattr(archive_plan, "MOST_MEMBERS", 3)
    with pytest.raises(TooMany, match="names in given"):
        plan_unpack([given(world, zip_of(*(Put(f"t/{number}") for number in range(4))))], world.there)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"7z\xbc\xaf\x27\x1c rest", "cmdr cannot unpack 7z; it knows zip, tar, tar.gz, tar.bz2 and tar.xz"),
        (b"Rar!\x1a\x07\x00 rest", "cmdr cannot unpack rar"),
        (b"\x28\xb5\x2f\xfd rest", "cmdr cannot unpack zst"),
        (b"plain text", "it is not an archive that cmdr knows"),
        (b"", "it is not an archive that cmdr knows"),
        (zlib.compress(b"x" * 2000, wbits=31), "it is one packed file, not an archive of several"),
        (zip_of(Put("a", b"a" * 999, method=0))[:500], "cut short"),
        (tar_of(Put("t/a", b"a" * 9999))[:5000], "cut short"),
        (tar_of(Put("t/a", os.urandom(99999)), press="gz")[:5000], "cut short"),
        (tar_of(Put("t/a", b"a" * 99999), press="xz")[:-40], "cut short"),
    ],
    ids=range(10),
)
def test_what_cannot_be_unpacked_is_refused_kindly(world, data, told):
    with pytest.raises(NotUnpacked, match=re.escape(told)):
        plan_unpack([given(world, data)], world.there)
    assert tree(world.there) == {}


def test_folders_and_what_is_gone_or_not_readable_are_refused(world):
    with pytest.raises(NotUnpacked, match="it is not a file"):
        plan_unpack([world.here], world.there)
    with pytest.raises(PlanRefused):
        plan_unpack([world.here + b"/none"], world.there)
    with pytest.raises(NothingToDo, match="nothing is in it"):
        plan_unpack([given(world, zip_of())], world.there)
    with pytest.raises(NothingToDo, match="leads out"):
        plan_unpack([given(world, zip_of(Put("../x")))], world.there)


@pytest.mark.parametrize("broken", ["open", "pread"])
def test_a_disk_that_does_not_read_is_told_so(world, monkeypatch, broken):
    path, real = given(world, zip_of(Put("a"))), getattr(os, broken)

    def failing(*args, **kwargs):
        if broken == "pread" or args[0] == b"given.zip":
            raise OSError(5, "Input/output error")
        return real(*args, **kwargs)

    monkeypatch.setattr(os, broken, failing)
    with pytest.raises(Unreadable, match="the disk reported an error"):
        plan_unpack([path], world.there)


def test_a_disk_that_does_not_read_on_is_told_so(world, monkeypatch):
    path, real, calls = given(world, tar_of(Put("t/a", b"x" * 10**6), Put("t/b"))), os.pread, []

    def failing(*args):
        calls.append(args)
        if len(calls) > 2:
            raise OSError(5, "Input/output error")
        return real(*args)

    monkeypatch.setattr(os, "pread", failing)
    with pytest.raises(Unreadable, match="the disk reported an error"):
        plan_unpack([path], world.there)


def test_an_archive_exchanged_while_it_is_planned_is_refused(world, monkeypatch):
    path = given(world, zip_of(Put("a", b"x")))
    real = os.open

    def exchanging(name, *args, **kwargs):
        if name == b"given.zip":
            os.rename(world.write(world.here + b"/other", zip_of(Put("b"))), path)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(os, "open", exchanging)
    with pytest.raises(ChangedSince):
        plan_unpack([path], world.there)


@pytest.mark.parametrize("how", ["changed", "exchanged", "gone", "a link"])
def test_an_archive_that_is_another_by_then_is_left_alone(world, how):
    path = given(world, zip_of(Put("t/a", b"one"), Put("t/b", b"two")))
    plan = plan_unpack([path], world.there)
    if how == "changed":
        world.write(path, zip_of(Put("t/a", b"evil"), Put("t/b", b"two")))
        os.utime(path, ns=(1, 1))
    else:
        os.rename(path, path + b".old")
    if how == "exchanged":
        world.write(path, zip_of(Put("t/a", b"evil"), Put("t/b", b"two")))
    if how == "a link":
        os.symlink(path + b".old", path)
    outcome = world.run(plan)
    assert len(outcome.drifted) == len(plan.items)
    assert {item.reason for item in outcome.drifted[1:]} == {"the archive has changed since the plan"}
    assert tree(world.there) == {}


class _During(Unattended):
    """Does something when so many bytes have come."""

    def __init__(self, act, after=1):
        self._act, self._after = act, after

    def progress(self, progress):
        if progress.bytes_done >= self._after and self._act is not None:
            act, self._act = self._act, None
            act()


def test_an_archive_that_changes_under_way_is_not_gone_on_with(world):
    path = given(world, zip_of(Put("t/a", os.urandom(3 << 20), method=0), Put("t/b", b"two")))
    plan = plan_unpack([path], world.there)

    def change():
        with open(path, "r+b") as file:
            file.write(b"PK")
        os.utime(path, ns=(5, 5))

    outcome = world.run(plan, control=_During(change))
    assert {item.reason for item in outcome.drifted} == {"the archive has changed since the plan"}
    assert below(world) == {b"t": b"/"}
    assert world.leftovers() == []


def test_an_archive_cut_off_under_way_has_changed(world):
    path = given(world, zip_of(Put("t/a", os.urandom(3 << 20), method=0), Put("t/b", b"two")))
    plan = plan_unpack([path], world.there)
    outcome = world.run(plan, control=_During(lambda: os.truncate(path, 1 << 20)))
    assert len(outcome.drifted) == 2
    assert world.leftovers() == []


def test_an_archive_that_does_not_open_any_more_fails(world):
    path = given(world, zip_of(Put("t/a", b"one")))
    plan = plan_unpack([path], world.there)

    class Closed(Syscalls):
        def open(self, name, folder):
            raise PermissionError(13, "Permission denied")

    assert [item.reason for item in world.run(plan, Closed()).failed] == ["permission denied"]


def test_an_archive_that_reads_differently_now_is_damaged(world):
    path = given(world, zip_of(Put("t/a", b"one")))
    plan = plan_unpack([path], world.there)

    class Garbled(Syscalls):
        def read(self, fd, count, offset):
            return b"\0" * len(super().read(fd, count, offset))

    outcome = world.run(plan, Garbled())
    assert [item.reason.split(":")[0] for item in outcome.failed] == ["the archive is damaged"]


def standing(world):
    old = {b"/t/a": b"old", b"/t/sub/b": b"old b", b"/t/own": b"mine"}
    for name, text in old.items():
        world.write(world.there + name, text)
    os.utime(world.there + b"/t/a", (10**9 * 2, 10**9 * 2))
    return zip_of(Put("t/a", b"new"), Put("t/sub/b", b"newer b"), Put("t/c", b"c"))


def test_taken_names_are_skipped(world):
    plan, outcome, found = unpacked(world, standing(world))
    assert (found[b"t/a"], found[b"t/sub/b"], found[b"t/c"], found[b"t/own"]) == (b"old", b"old b", b"c", b"mine")
    assert len(outcome.skipped) == 2
    assert "2 will be skipped: the name is taken" in summary_of(plan)


def test_taken_names_are_replaced_and_the_old_files_kept(world):
    plan, _, found = unpacked(world, standing(world), ConflictPolicy.OVERWRITE)
    assert (found[b"t/a"], found[b"t/sub/b"]) == (b"new", b"newer b")
    assert sorted(world.trashed().values()) == [b"old", b"old b"]
    assert len(plan.overwrites) == 2


def test_only_what_is_older_or_smaller_is_replaced(world):
    data = standing(world)
    plan, _, found = unpacked(world, data, ConflictPolicy.NEWER)
    assert (found[b"t/a"], found[b"t/sub/b"]) == (b"old", b"old b")
    plan, _, found = unpacked(world, data, ConflictPolicy.LARGER)
    assert (found[b"t/a"], found[b"t/sub/b"]) == (b"old", b"newer b")
    assert [item.decision for item in plan.items if item.kind is Kind.FILE].count(Decision.REPLACE) == 1


def test_taken_names_get_a_number(world):
    world.write(world.there + b"/t/a (1)", b"mine too")
    os.mkdir(world.there + b"/t/c")
    puts = zip_of(Put("t/a", b"new"), Put("t/a (2)", b"named so"), Put("t/own/x", b"x"), Put("t/c", b"c"))
    standing(world)
    _, _, found = unpacked(world, puts, ConflictPolicy.RENAME)
    assert found[b"t/a"] == b"old"
    assert found[b"t/a (2)"] == b"new"
    assert found[b"t/own (1)/x"] == b"x"
    assert found[b"t/c (1)"] == b"c"


def test_a_folder_or_a_file_in_the_way_leaves_out_what_would_be_there(world):
    world.write(world.there + b"/t/d", b"a file")
    os.mkdir(world.there + b"/t/f")
    os.mkfifo(world.there + b"/t/p")
    data = zip_of(Put("t/d/x", b"x"), Put("t/d/s/y", b"y"), Put("t/f", b"f"), Put("t/p", b"p"), Put("t/a", b"a"))
    plan, _, found = unpacked(world, data)
    assert found[b"t/a"] == b"a"
    reasons = [item.reason for item in plan.items if item.step is StepName.NOTHING]
    assert reasons == [
        *("a file has that name", "its folder is not made", "its folder is not made"),
        *("a folder has that name", "a file has that name"),
    ]


def test_the_archive_itself_is_never_replaced(world):
    os.mkdir(world.there + b"/t")
    path = world.write(world.there + b"/t/me.zip", zip_of(Put("t/me.zip", b"evil"), Put("t/a", b"a")))
    plan = plan_unpack([path], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    world.run(plan)
    assert below(world)[b"t/me.zip"] != b"evil"
    assert list(left_out(plan).values()) == ["it would take the place of the archive itself"]


def test_a_person_is_asked_with_the_size_and_time_of_the_member(world):
    data, asked = standing(world), []

    class Asked(Unattended):
        def ask(self, conflict):
            asked.append(conflict.item.arriving)
            return Answer(ConflictPolicy.OVERWRITE)

    plan = plan_unpack([given(world, data)], world.there)
    assert len(plan.questions) == 2
    world.run(plan, control=Asked())
    assert below(world)[b"t/a"] == b"new"
    assert [mark.size for mark in asked] == [3, 7]
    assert len({mark.mtime_ns for mark in asked}) == 1


def test_a_folder_that_cannot_be_looked_into_is_told(world, monkeypatch):
    data = standing(world)
    real = os.open

    def closed(name, *args, **kwargs):
        if name == b"t":
            raise PermissionError(13, "Permission denied")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(os, "open", closed)
    with pytest.raises(Unreadable, match="permission denied"):
        plan_unpack([given(world, data)], world.there)


def test_missing_folders_on_the_way_are_made(world):
    plan = plan_unpack([given(world, zip_of(Put("a", b"a")))], world.there + b"/new/deep")
    world.run(plan)
    assert below(world)[b"new/deep/given/a"] == b"a"
    assert len(plan.made_folders) == 2


def test_a_link_to_an_archive_is_followed_and_named(world):
    path = given(world, zip_of(Put("t/a", b"a")))
    os.symlink(path, world.here + b"/link")
    plan = plan_unpack([world.here + b"/link"], world.there)
    assert plan.archives == (path,)
    world.run(plan)
    assert below(world)[b"t/a"] == b"a"


def test_protected_names_inside_are_named(world):
    plan = plan_unpack([given(world, zip_of(Put(".git/hooks/x", b"evil"), Put(".bashrc", b"evil")))], world.there)
    assert {item.member.name for item in plan.protected} >= {b".git/hooks/x", b".bashrc"}
    assert plan.risk.is_high


def test_a_program_that_runs_as_its_owner_lands_without_that(world):
    unpacked(world, zip_of(Put("t/su", b"x", mode=0o4755), Put("t/g", b"x", mode=0o2755)))
    assert {stat.S_IMODE(os.stat(world.there + name).st_mode) for name in (b"/t/su", b"/t/g")} == {0o755}


def test_undo_moves_what_was_unpacked_to_the_trash_and_can_be_taken_back_itself(world, journal):
    data = zip_of(Put("t/a", b"one", mode=0o640), Put("t/s/b", b"two"), Put("t/l", kind="link", link="a"))
    plan = plan_unpack([given(world, data)], world.there)
    first = world.run(plan, recorder=journal)
    before = tree(world.there)
    undone = world.run(plan_undo(journal.operation(first.operation)), recorder=journal)
    assert tree(world.there) == {}
    assert os.listdir(world.home + b"/files") == [b"t"]
    again = world.run(plan_undo(journal.operation(undone.operation)), recorder=journal)
    assert again.is_clean
    assert tree(world.there) == before
    assert stat.S_IMODE(os.stat(world.there + b"/t/a").st_mode) == 0o640


def test_undo_leaves_what_has_changed_and_trashes_when_the_archive_is_gone(world, journal):
    path = given(world, zip_of(Put("t/a", b"one"), Put("t/b", b"two")))
    first = world.run(plan_unpack([path], world.there), recorder=journal)
    world.write(world.there + b"/t/b", b"my own")
    os.unlink(path)
    world.run(plan_undo(journal.operation(first.operation)), recorder=journal)
    assert below(world) == {b"t": b"/", b"t/b": b"my own"}
    assert list(world.trashed().values()) == [b"one"]


def test_undo_gives_replaced_files_back(world, journal):
    data = standing(world)
    before = tree(world.there)
    plan = plan_unpack([given(world, data)], world.there, Choices(policy=ConflictPolicy.OVERWRITE))
    first = world.run(plan, recorder=journal)
    world.run(plan_undo(journal.operation(first.operation)), recorder=journal)
    assert tree(world.there) == before


class _Stops(Unattended):
    """Says stop when so many bytes have come."""

    def __init__(self, after):
        self._after, self._done = after, 0

    def progress(self, progress):
        self._done = progress.bytes_done

    def checkpoint(self):
        if self._done >= self._after:
            raise Cancelled


@pytest.mark.parametrize("press", ["", "gz"])
def test_what_was_stopped_goes_on_from_there(world, journal, press):
    puts = [Put("t", kind="folder", mode=0o750), *(Put(f"t/{number}", os.urandom(600_000)) for number in range(5))]
    plan = plan_unpack([given(world, tar_of(*puts, press=press))], world.there)
    stopped = world.run(plan, recorder=journal, control=_Stops(1_500_000))
    assert stopped.state is OperationState.CANCELLED
    assert world.leftovers() == []
    assert 0 < len([name for name in below(world) if name != b"t"]) < 5
    rest = plan_resume(journal.operation(stopped.operation))
    assert rest.continues == stopped.operation
    done = world.run(rest, recorder=journal)
    assert done.is_clean
    assert below(world) == {b"t": b"/", **{os.fsencode(put.name): put.data for put in puts[1:]}}
    assert (stat.S_IMODE(os.stat(world.there + b"/t").st_mode), os.stat(world.there + b"/t").st_mtime) == (
        0o750,
        981173106,
    )
    world.run(plan_undo(*journal.runs(done.operation)), recorder=journal)
    assert tree(world.there) == {}


def test_progress_counts_the_bytes_that_come_out(world):
    seen = []

    class Watched(Unattended):
        def progress(self, progress):
            seen.append((progress.bytes_done, progress.bytes_total))

    plan = plan_unpack([given(world, zip_of(Put("t/a", b"x" * 3_000_000), Put("t/b", b"y" * 10)))], world.there)
    world.run(plan, control=Watched())
    assert seen[-1] == (3_000_010, 3_000_010)
    assert any(0 < done < total for done, total in seen)


def test_a_full_disk_leaves_whole_files_only():
    with mounted("64m", 1) as big, mounted("1m", 1) as small:
        if not big or not small:
            pytest.skip("mounting a small file system is not allowed here")
        world = World(big[0], small[0])
        world.reset()
        data = zip_of(*(Put(f"t/{number}", bytes([65 + number]) * 400_000) for number in range(6)))
        path = given(world, data)
        free, os.fstatvfs = os.fstatvfs, lambda fd: os.statvfs(big[0])
        try:
            plan = plan_unpack([path], world.there)
        finally:
            os.fstatvfs = free
        outcome = world.run(plan)
        assert {item.reason for item in outcome.failed} == {"the disk is full"}
        assert {len(text) for name, text in below(world).items() if name != b"t"} == {400_000}
        assert world.leftovers() == []


def test_what_was_unpacked_is_read_back_when_that_is_wished(world):
    path = given(world, zip_of(Put("t/a", b"one" * 500_000)))
    plan = plan_unpack([path], world.there)
    assert Operation(plan, Syscalls(), NoRecord(), verify=True).run(Unattended()).is_clean

    class Forgetful(Syscalls):
        def read(self, fd, count, offset):
            data = super().read(fd, count, offset)
            return data.replace(b"one", b"two") if b"one" in data else data

    world.reset()
    plan = plan_unpack([given(world, zip_of(Put("t/a", b"one" * 500_000)))], world.there)
    outcome = Operation(plan, Forgetful(), NoRecord(), verify=True).run(Unattended())
    assert [item.reason for item in outcome.failed] == ["the copy does not read back the same"]


def test_large_members_are_on_the_disk_before_they_land(world):
    plan = plan_unpack([given(world, tar_of(Put("t/a", os.urandom(5 << 20))))], world.there)
    counting = FaultySyscalls()
    assert world.run(plan, counting).is_clean


def test_times_that_cannot_be_kept_are_told(world):
    data = tar_of(Put("t", kind="folder"), Put("t/a", b"a"), Put("t/l", kind="link", link="a"))

    class Timeless(Syscalls):
        def set_times(self, fd, atime_ns, mtime_ns):
            raise PermissionError(1, "Operation not permitted")

        def set_link_times(self, name, folder, atime_ns, mtime_ns):
            raise PermissionError(1, "Operation not permitted")

    outcome = world.run(plan_unpack([given(world, data)], world.there), Timeless())
    assert [text for _, text in outcome.warnings] == ["times", "times", "times"]


def test_a_time_that_the_archive_does_not_tell_is_that_of_the_moment(world):
    data = bytearray(zip_of(Put("t/a", b"a"), Put("t/l", kind="link", link="a")))
    for which in (0, 1):
        data = bytearray(with_field(bytes(data), 12, 0, "<L", which=which))
    _, outcome, _ = unpacked(world, bytes(data))
    assert outcome.is_clean
    assert os.lstat(world.there + b"/t/a").st_mtime > 10**9


def test_a_plan_for_fewer_levels_leaves_out_what_lies_deeper(world):
    plan = plan_unpack([given(world, zip_of(Put("t/a/b/c"), Put("t/d")))], world.there, Choices(limits=Limits(depth=2)))
    assert left_out(plan) == {b"t/a/b/c": "it lies too deep in folders"}


def test_a_line_of_the_list_names_what_stays_in_the_archive(world):
    plan = plan_unpack([given(world, zip_of(Put("../\x1b]0;x\x07", b""), Put("t/a")))], world.there)
    line = line_of(plan.items[0], plan)
    assert line.endswith("given.zip: ../\\u{1b}]0;x\\u{7} (left alone: its name leads out of the folder)")
    assert "\x1b" not in line


def test_a_time_before_all_times_or_after_them_is_kept_within_bounds(world):
    put = Put("t/a", b"a")
    data = tar_of(put, format=tarfile.USTAR_FORMAT)
    _, outcome, _ = unpacked(world, data, name=b"t.tar")
    assert outcome.is_clean


def test_two_files_in_one_folder_are_replaced_and_both_kept(world):
    for name in (b"/t/a", b"/t/b"):
        world.write(world.there + name, b"old" + name)
    _, _, found = unpacked(world, zip_of(Put("t/a", b"1"), Put("t/b", b"2")), ConflictPolicy.OVERWRITE)
    assert (found[b"t/a"], found[b"t/b"]) == (b"1", b"2")
    assert len(world.trashed()) == 2


def test_a_plan_without_an_archive_is_none(world):
    plan = plan_unpack([given(world, zip_of(Put("t/a", b"1")))], world.there)
    items = tuple(replace(item, fingerprint=None) if item.step is StepName.COPY else item for item in plan.items)
    with pytest.raises(ValueError, match="needs a member of an archive"):
        world.run(replace(plan, items=items))


def test_many_archives_together_may_not_hold_more_than_one_plan_does(world):
    paths = [given(world, zip_of(Put("a"), Put("b")), b"%d.zip" % number) for number in range(3)]
    with pytest.raises(TooMany, match="more than 5 files"):
        plan_unpack(paths, world.there, Choices(limits=Limits(leaves=5)))
    assert plan_unpack(paths, world.there, Choices(limits=Limits(leaves=6))).totals.files == 6
