"""The trash: looked into like any folder, and left again the way one came."""

import os

import pytest

from cmdr.model.plans.plan import Decision


@pytest.fixture
def trash(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "data").mkdir(mode=0o700)
    return tmp_path / "data" / "Trash" / "files"


async def carried_out(at, name, **arguments):
    """What the person chose to do, approved."""
    told = await at.person(name, **arguments)
    assert told.startswith("OK: "), told
    proposal = at.commander.proposals.pending()[-1]
    await at.person("approve", proposal=proposal.id, digest=proposal.plan.digest)
    job = at.commander.jobs.all()[-1]
    await at.commander.jobs.finished(job)
    return job


async def test_what_was_trashed_is_found_in_the_trash_and_goes_back_to_its_place(desk, trash):
    async with desk(engine=True) as at:
        folder = at.root / "left" / "deep"
        folder.mkdir()
        (folder / "letter.txt").write_text("dear")
        await carried_out(at, "delete", paths=[str(folder / "letter.txt")])
        folder.rmdir()  # the way back is made again
        assert await at.person("nav_to_trash") == (f"OK: Navigated to {trash}\ntotalFiles: 1 rev: {at.tab().rev}")
        job = await carried_out(at, "restore")
        assert (folder / "letter.txt").read_text() == "dear"
        assert os.listdir(trash) == []
        assert job.outcome == "restore done: 1 file, 1 folder, 4 B"
        await carried_out(at, "undo")
        assert os.listdir(trash) == ["letter.txt"]


async def test_a_taken_place_is_asked_about_and_nothing_is_lost(desk, trash):
    async with desk(engine=True) as at:
        letter = at.root / "left" / "letter.txt"
        letter.write_text("old")
        await carried_out(at, "delete", paths=[str(letter)])
        letter.write_text("new")
        told = await at.person("restore", paths=[str(trash / "letter.txt")])
        assert told.startswith("OK: ")
        proposal = at.commander.proposals.pending()[-1]
        assert [item.decision for item in proposal.plan.items] == [Decision.ASK]
        assert letter.read_text() == "new"


async def test_an_agent_may_propose_it_and_decides_nothing(desk, trash):
    async with desk(engine=True) as at:
        letter = at.root / "left" / "letter.txt"
        letter.write_text("x")
        await carried_out(at, "delete", paths=[str(letter)])
        told = await at.agent("restore", paths=[str(trash / "letter.txt")], reason="you asked for it")
        assert "proposal" in told
        assert not letter.exists()


async def test_what_is_not_in_a_trash_cannot_be_restored(desk, trash):
    async with desk(engine=True) as at:
        told = await at.person("restore", paths=[at.path("left/docs")])
        assert told.startswith("ERROR: ")
        assert "trash" in told


async def test_a_trash_in_which_nothing_ever_was_is_told_as_empty(desk, trash):
    async with desk(engine=True) as at:
        assert await at.person("nav_to_trash") == "ERROR: The trash of this volume is empty."
