"""Permissions, times and owners as people and agents ask for them."""

import os
import stat
import time
from datetime import datetime

import pytest

from cmdr.commands.changes import attributes
from cmdr.model.plans.plan_text import summary_of, word_to_type


def made(at, *names, mode=0o644, when=1_700_000_000):
    for name in names:
        path = at.root / "left" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        path.chmod(mode)
        os.utime(path, (when, when))
    return [at.path(f"left/{name}") for name in names]


def pending(at):
    return at.commander.proposals.pending()[-1]


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


async def carried_out(at, name, **arguments):
    """What was asked for, approved by the person."""
    told = await at.person(name, **arguments)
    assert told.startswith("OK: "), told
    asked = pending(at)
    typed = {"word": word} if (word := word_to_type(asked.plan)) else {}
    await at.person("approve", proposal=asked.id, digest=asked.plan.digest, **typed)
    job = at.commander.jobs.all()[-1]
    await at.commander.jobs.finished(job)
    return job


async def test_modes_are_changed_told_in_the_history_and_taken_back(desk):
    async with desk(engine=True) as at:
        one, two = made(at, "one.sh", "two.sh")
        job = await carried_out(at, "attributes", paths=[one, two], mode="+x")
        assert (mode_of(one), mode_of(two)) == (0o755, 0o755)
        assert (job.title, job.outcome) == ("Change attributes of 2 files", "attributes of 2 files changed")
        assert f"attributes {one}" in await at.person("history")
        await carried_out(at, "undo")
        assert (mode_of(one), mode_of(two)) == (0o644, 0o644)


async def test_an_agent_learns_what_each_gets_and_waits_for_the_person(desk):
    async with desk(engine=True) as at:
        paths = made(at, *(f"n{number}" for number in range(7)))
        answer = await at.agent("command", id="attributes", args={"paths": paths, "mode": "600"})
        assert answer.splitlines()[0] == "OK: Attributes dialog opened. Waiting for user confirmation."
        assert answer.splitlines()[-6:] == [*(f"n{n}: rw-r--r-- → rw-------" for n in range(5)), "and 2 more"]
        assert mode_of(paths[0]) == 0o644
        assert summary_of(pending(at).plan)[0] == "Change attributes of 7 files"


async def test_what_is_inside_folders_changes_only_when_that_is_said(desk):
    async with desk(engine=True) as at:
        made(at, "box/in/deep.txt")
        top = at.path("left/box")
        os.chmod(top, 0o755)
        os.chmod(os.path.join(top, "in"), 0o755)
        await carried_out(at, "attributes", paths=[top], mode="go=")
        assert (mode_of(top), mode_of(os.path.join(top, "in"))) == (0o700, 0o755)
        job = await carried_out(at, "attributes", paths=[top], mode="go=", into=True)
        assert job.outcome == "attributes of 1 file, 1 folder changed; 1 skipped"
        assert mode_of(os.path.join(top, "in", "deep.txt")) == 0o600


@pytest.mark.parametrize("text", ["2024-02-03T04:05:06", "2024-02-03 04:05:06", "2024-02-03T04:05:06.250000"])
async def test_a_time_is_that_of_here_unless_it_says_otherwise(desk, text):
    async with desk(engine=True) as at:
        (path,) = made(at, "letter")
        await carried_out(at, "attributes", paths=[path], modified=text)
        assert os.stat(path).st_mtime == datetime.fromisoformat(text).timestamp()
        await carried_out(at, "attributes", paths=[path], modified="2024-05-03T04:05:06Z")
        assert os.stat(path).st_mtime == 1_714_709_106


async def test_a_time_may_be_now_or_that_of_another_file(desk):
    async with desk(engine=True) as at:
        path, other = made(at, "letter", "other")
        os.utime(other, ns=(5, 1_234_567_890_123_456_789))
        await carried_out(at, "attributes", paths=[path], modified=other)
        assert os.stat(path).st_mtime_ns == 1_234_567_890_123_456_789
        await carried_out(at, "attributes", paths=[path], modified="now")
        assert abs(os.stat(path).st_mtime - time.time()) < 300
        assert "ERROR" in await at.person("attributes", paths=[path], modified="nowhere at all")


async def test_what_means_nothing_is_told_kindly(desk):
    async with desk(engine=True) as at:
        (path,) = made(at, "letter")
        for wish, told in [
            ({}, 'ERROR: attributes needs "mode", "modified", "owner" or "group".'),
            ({"mode": "999"}, 'ERROR: "999" is no mode. Write it as 644 or 0755, or as u+x, go-w, a=rX.'),
            ({"owner": "nobody at all"}, 'ERROR: There is no user "nobody at all" here. Give a name or a number.'),
            ({"group": "-1"}, 'ERROR: There is no group "-1" here. Give a name or a number.'),
            ({"mode": "644"}, f"ERROR: Nothing would change. {path}: it has these attributes already."),
        ]:
            assert await at.person("attributes", paths=[path], **wish) == told


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
async def test_giving_a_file_away_needs_the_typed_word(desk):
    async with desk(engine=True) as at:
        (path,) = made(at, "letter")
        job = await carried_out(at, "attributes", paths=[path], owner="4242", group="4343")
        assert job.outcome == "attributes of 1 file changed"
        found = os.stat(path)
        assert (found.st_uid, found.st_gid) == (4242, 4343)
        await at.person("attributes", paths=[path], owner="root")
        assert word_to_type(pending(at).plan) == "attributes"
        assert "RISK: given to another owner: 1" in summary_of(pending(at).plan)
        assert any("owner 4242:4343 → root:4343" in line for line in summary_of(pending(at).plan))


async def test_agents_may_not_change_owners_set_id_bits_or_open_up_secrets(desk):
    async with desk(engine=True) as at:
        (path,) = made(at, "tool")
        (secret,) = made(at, ".ssh/id_ed25519", mode=0o600)
        for wish, told in [
            ({"paths": [path], "owner": "root"}, "ERROR: Agents may not change owners. Ask the person to do it."),
            ({"paths": [path], "group": "root"}, "ERROR: Agents may not change owners. Ask the person to do it."),
            ({"paths": [path], "mode": "4755"}, "agents may not set set-user-ID, set-group-ID or sticky bits of files"),
            ({"paths": [secret], "mode": "644"}, "agents may not open up what is private"),
            ({"paths": [at.path("left/.ssh")], "mode": "go+r", "into": True}, "agents may not open up what is private"),
            ({"paths": [path], "modified": "/etc/shadow"}, "ERROR"),
        ]:
            assert told in await at.agent("attributes", **wish)
        assert at.commander.proposals.pending() == []
        assert (await at.agent("attributes", paths=[path], mode="+x")).startswith("OK")
        assert word_to_type(pending(at).plan) == "attributes"
        await at.person("attributes", paths=[path], mode="+x")
        assert word_to_type(pending(at).plan) is None


async def test_an_agents_reference_file_must_be_within_its_reach(desk):
    async with desk(engine=True) as at:
        (path,) = made(at, "tool")
        answer = await at.agent("attributes", paths=[path], modified="/usr/bin/env")
        assert answer.startswith("ERROR")


def test_the_mask_is_read_where_the_system_tells_it():
    before = os.umask(0o027)
    try:
        assert attributes._mask() in (0o027, 0o022)
    finally:
        os.umask(before)


async def test_of_two_changes_of_one_file_the_later_is_undone_first(desk):
    async with desk(engine=True) as at:
        (path,) = made(at, "tool")
        await carried_out(at, "attributes", paths=[path], mode="600")
        await carried_out(at, "attributes", paths=[path], mode="700")
        told = await at.person("undo", operation=1)
        assert told.endswith("Operation 2 changed it too: undo that one first.")
        await carried_out(at, "undo", operation=2)
        await carried_out(at, "undo", operation=1)
        assert mode_of(path) == 0o644
