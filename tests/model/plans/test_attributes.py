"""Attributes and what becomes of them, in words."""

from cmdr.model.plans.attributes import AttributeChange, Attributes, AttributeWish, is_same_time
from cmdr.model.plans.file_mode import ModeChange

BEFORE = Attributes(0o644, 1, 1, 1_700_000_000_123_456_789)


def changed(before=BEFORE, *, is_folder=False, **wish):
    return AttributeChange(before, AttributeWish(**wish).of(before, is_folder=is_folder))


def test_only_what_is_wished_for_changes():
    assert changed(mode=ModeChange.of("755")).after == BEFORE._replace(mode=0o755)
    assert changed(modified_ns=5).after == BEFORE._replace(mtime_ns=5)
    assert changed(uid=7, gid=8).after == BEFORE._replace(uid=7, gid=8)
    assert changed().after == BEFORE


def test_another_owner_takes_the_set_id_bits_of_a_program_unless_they_are_written_out():
    program = BEFORE._replace(mode=0o4755)
    assert changed(program, uid=7).after.mode == 0o755
    assert changed(program, uid=7, mode=ModeChange.of("u+s")).after.mode == 0o4755
    assert changed(program, uid=1).after.mode == 0o4755
    assert changed(program, uid=7, is_folder=True).after.mode == 0o4755


def test_a_change_is_told_as_ls_tells_permissions(monkeypatch):
    assert changed(mode=ModeChange.of("+x")).told == "rw-r--r-- → rwxr-xr-x"
    whole = AttributeChange(BEFORE._replace(owner="ann:staff"), Attributes(0o600, 2, 2, 0, "bob:staff"))
    mode, owner, time = whole.told.split(", ")
    assert (mode, owner) == ("rw-r--r-- → rw-------", "owner ann:staff → bob:staff")
    assert time.startswith("modified 2023-11-1")


def test_what_needs_more_than_a_yes():
    assert list(changed(mode=ModeChange.of("755")).risks) == []
    assert list(changed(mode=ModeChange.of("u+s")).risks) == ["set-user-ID or set-group-ID"]
    assert list(changed(mode=ModeChange.of("a+w")).risks) == ["writable for everybody"]
    assert list(changed(uid=9).risks) == ["given to another owner"]
    assert list(changed(BEFORE._replace(mode=0o4755), mode=ModeChange.of("u+s"), gid=9).risks) == [
        "set-user-ID or set-group-ID"
    ]


def test_a_time_that_a_file_system_cuts_short_is_still_the_wanted_one():
    wanted = 1_700_000_001_123_456_789
    assert is_same_time(wanted, wanted)
    assert is_same_time(wanted, wanted // 10**9 * 10**9)
    assert is_same_time(wanted, wanted // (2 * 10**9) * 2 * 10**9)
    assert not is_same_time(wanted, wanted + 1)
    assert not is_same_time(wanted, wanted - 5 * 10**9)
