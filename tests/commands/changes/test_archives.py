"""Packing and unpacking as commands: what is proposed, what an agent may look into, and what comes of a yes."""

import io
import os
import tarfile
import zipfile

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.plans.plan_text import summary_of, word_to_type
from cmdr.model.root_spec import RootSpec


def zipped(at, name, **members):
    path = at.root / "left" / name
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in members.items():
            archive.writestr(member.replace("__", "/"), text)
    return str(path)


def pending(at):
    return at.commander.proposals.pending()[-1]


async def said_yes(at):
    """Approve what was proposed last, and wait for it."""
    proposal = pending(at)
    word = word_to_type(proposal.plan)
    extra = {"word": word} if word else {}
    await at.person("approve", proposal=proposal.id, digest=proposal.plan.digest, **extra)
    job = at.commander.jobs.all()[-1]
    await at.commander.jobs.finished(job)
    return job


async def test_an_archive_is_unpacked_into_a_folder_of_its_own_in_the_other_pane(desk):
    async with desk(engine=True) as at:
        path = zipped(at, "given.zip", a="one", sub__b="two")
        answer = await at.person("unpack", paths=[path])
        assert "Unpack dialog opened" in answer
        job = await said_yes(at)
        assert (at.root / "right/given/sub/b").read_text() == "two"
        assert job.outcome == "unpack done: 2 files, 2 folders, 6 B"
        await at.person("undo")
        await said_yes(at)
        assert not (at.root / "right/given").exists()


async def test_the_selection_is_unpacked_where_it_is_said(desk):
    async with desk(engine=True) as at:
        zipped(at, "given.zip", a="one")
        await at.person("refresh")
        await at.person("move_cursor", pane="left", to="given.zip")
        answer = await at.person("unpack", to=at.path("left/new"))
        assert "chosen in the pane: " + at.path("left/given.zip") in answer
        await said_yes(at)
        assert (at.root / "left/new/given/a").read_text() == "one"


async def test_a_file_that_is_no_archive_is_told_so(desk):
    async with desk(engine=True) as at:
        answer = await at.person("unpack", paths=[at.path("left/README.md")])
        assert answer.startswith("ERROR: ")
        assert "it is not an archive that cmdr knows: zip, tar, tar.gz, tar.bz2 and tar.xz" in answer


async def test_files_are_packed_into_an_archive_named_after_them(desk):
    async with desk(engine=True) as at:
        answer = await at.person("pack", paths=[at.path("left/docs")])
        assert f"archive: {at.path('right/docs.zip')}" in answer
        job = await said_yes(at)
        assert job.outcome == "pack done: 1 file, 2 folders, 10 B"
        with zipfile.ZipFile(at.root / "right/docs.zip") as archive:
            assert archive.namelist() == ["docs/", "docs/deep/", "docs/guide.md"]
        assert f"archive: {at.path('right/docs (1).zip')}" in await at.person("pack", paths=[at.path("left/docs")])
        several = [at.path("left/a9.txt"), at.path("left/a10.txt")]
        assert f"archive: {at.path('right/left.zip')}" in await at.person("pack", paths=several)
        await at.person("undo")
        await said_yes(at)
        assert not (at.root / "right/docs.zip").exists()


async def test_an_archive_goes_where_it_is_said(desk):
    async with desk(engine=True) as at:
        await at.person("pack", paths=[at.path("left/docs")], to=at.path("left/new/x.tar.gz"))
        await said_yes(at)
        with tarfile.open(at.root / "left/new/x.tar.gz") as archive:
            assert len(archive.getmembers()) == 3
        assert f"archive: {at.path('left/src/docs.zip')}" in await at.person(
            "pack", paths=[at.path("left/docs")], to=at.path("left/src")
        )
        assert f"archive: {at.path('left/other/docs.zip')}" in await at.person(
            "pack", paths=[at.path("left/docs")], to=at.path("left/other") + "/"
        )
        assert "Let the name end in .zip or .tar.gz" in await at.person(
            "pack", paths=[at.path("left/docs")], to=at.path("left/x.rar")
        )


@pytest.fixture
def walled(desk, small_tree):
    """A desk whose agents reach the left folder, and may change it."""
    return lambda: desk(engine=True, sandbox=Sandbox((RootSpec(bytes(small_tree / "left")),)))


async def test_an_agent_proposes_and_only_the_person_says_yes(walled):
    async with walled() as at:
        path = zipped(at, "given.zip", a="one")
        answer = await at.agent("unpack", paths=[path], to=at.path("left"))
        assert answer.startswith("OK: Unpack dialog opened")
        assert not (at.root / "left/given").exists()
        assert (await at.agent("pack", paths=[at.path("left/docs")], to=at.path("left/d.zip"))).startswith("OK: ")


async def test_an_agent_may_not_look_into_an_archive_out_of_its_reach(walled):
    async with walled() as at:
        secret = at.root / "right" / "secret.zip"
        with zipfile.ZipFile(secret, "w") as archive:
            archive.writestr("a", "x")
        for path in (secret, "/etc/passwd"):
            answer = await at.agent("unpack", paths=[str(path)], to=at.path("left"))
            assert answer.startswith("ERROR: ")
            assert "outside" in answer
        os.symlink(secret, at.root / "left" / "link.zip")
        answer = await at.agent("unpack", paths=[at.path("left/link.zip")], to=at.path("left"))
        assert "is not a file, so it cannot be unpacked" in answer
        assert at.commander.proposals.pending() == []


async def test_an_agent_may_not_unpack_to_where_it_may_not_write(walled, small_tree):
    async with walled() as at:
        path = zipped(at, "given.zip", a="one")
        assert "outside" in await at.agent("unpack", paths=[path], to=at.path("right"))
        assert (await at.agent("unpack", paths=[path], to=at.path("left/new/deep"))).startswith("OK: ")
    fixed = Principal("agent", "reader", roots=(RootSpec(bytes(small_tree / "left"), read_only=True),))
    async with walled() as at:
        assert "ERROR" in await at.ask(fixed, "unpack", {"paths": [path], "to": at.path("left")})


async def test_an_archive_in_a_private_place_stays_closed_to_agents(walled):
    async with walled() as at:
        (at.root / "left" / ".ssh").mkdir()
        (at.root / "left" / "x.zip").write_bytes(b"")
        path = zipped(at, ".ssh/keys.zip", a="x")
        assert "ERROR" in await at.agent("unpack", paths=[path], to=at.path("left"))


async def test_protected_names_in_an_archive_need_the_typed_word(walled):
    async with walled() as at:
        path = zipped(at, "given.zip", **{".git__hooks__x": "evil", ".bashrc": "evil", "plain": "x"})
        await at.agent("unpack", paths=[path], to=at.path("left"))
        plan = pending(at).plan
        assert word_to_type(plan) == "unpack"
        told = [line for line in summary_of(plan) if line.startswith("protected:")]
        assert any(".git/hooks/x" in line for line in told)
        assert any(".bashrc" in line for line in told)
        assert not any("plain" in line for line in told)


async def test_secrets_that_an_agent_packs_are_a_risk(walled):
    async with walled() as at:
        (at.root / "left" / "id_ed25519").write_text("S")
        await at.agent("pack", paths=[at.path("left/id_ed25519")], to=at.path("left/x.zip"))
        assert word_to_type(pending(at).plan) == "pack"
        await at.person("pack", paths=[at.path("left/id_ed25519")], to=at.path("left/y.zip"))
        assert word_to_type(pending(at).plan) is None


async def test_what_an_archive_hides_behind_a_link_to_a_protected_folder_is_named(desk):
    async with desk(engine=True) as at:
        (at.root / "left" / ".git" / "hooks").mkdir()
        os.symlink(at.root / "left" / ".git", at.root / "right" / "innocent")
        path = zipped(at, "given.zip", hooks__pre="evil")
        await at.person("unpack", paths=[path], to=at.path("right/innocent"))
        assert word_to_type(pending(at).plan) == "unpack"


async def test_large_archives_are_planned_by_a_process_of_their_own(desk, monkeypatch):
    monkeypatch.setattr("cmdr.commands.changes.planning.LARGE", 5)
    async with desk(engine=True) as at:
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w:gz") as archive:
            for number in range(30):
                info = tarfile.TarInfo(f"t/{number}")
                archive.addfile(info)
        (at.root / "left/many.tar.gz").write_bytes(made.getvalue())
        await at.person("unpack", paths=[at.path("left/many.tar.gz")])
        assert pending(at).plan.totals.files == 30
        await at.person("pack", paths=[at.path("left")], to=at.path("right/all.zip"))
        assert pending(at).plan.totals.files > 5
