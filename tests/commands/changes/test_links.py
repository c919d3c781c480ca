"""Links: proposed with where they lead, made as they were shown, and taken back."""

import os

import pytest

from cmdr.model.plans.plan_list import page_of
from cmdr.model.plans.plan_text import summary_of, word_to_type


@pytest.fixture(autouse=True)
def trash(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "data").mkdir(mode=0o700)


async def asked(at, **wish):
    told = await at.person("link", **wish)
    assert told.startswith("OK: Link dialog opened"), told
    return at.commander.proposals.pending()[-1]


async def carried_out(at, proposal):
    await at.person("approve", proposal=proposal.id, digest=proposal.plan.digest)
    job = at.commander.jobs.all()[-1]
    await at.commander.jobs.finished(job)
    return job.outcome


async def test_the_entry_under_the_cursor_is_linked_in_the_other_pane_and_undo_removes_the_link(desk):
    async with desk(engine=True) as at:
        await at.person("move_cursor", pane="left", to="a9.txt")
        proposal = await asked(at)
        link, file = at.path("right/a9.txt"), at.path("left/a9.txt")
        assert summary_of(proposal.plan) == [f"Link {link} to {file}"]
        assert await carried_out(at, proposal) == "link done: 1 file"
        assert os.readlink(link) == file
        await at.person("undo")
        await carried_out(at, at.commander.proposals.pending()[-1])
        assert not os.path.lexists(link)
        assert os.path.exists(file)


async def test_a_relative_link_leads_there_from_its_own_folder_even_through_a_link_on_the_way(desk):
    async with desk(engine=True) as at:
        (at.root / "short").symlink_to(at.root / "right", target_is_directory=True)
        await carried_out(at, await asked(at, to="a9.txt", path=at.path("short") + "/nine", kind="relative"))
        link = at.root / "right" / "nine"
        assert os.readlink(link) == "../left/a9.txt"
        assert link.resolve() == at.root.resolve() / "left" / "a9.txt"


async def test_a_hard_link_is_a_further_name_of_the_same_file(desk):
    async with desk(engine=True) as at:
        proposal = await asked(at, to="a9.txt", kind="hard")
        link, file = at.path("right/a9.txt"), at.path("left/a9.txt")
        assert summary_of(proposal.plan) == [f"Give {file} the further name {link}"]
        assert page_of(proposal.plan, 0, 9).lines[0].endswith(f"{file} also as {link}")
        await carried_out(at, proposal)
        assert os.path.samefile(link, file)
        assert not os.path.islink(link)


async def test_a_link_that_leads_nowhere_yet_may_be_made_and_is_told(desk):
    async with desk(engine=True) as at:
        told = await at.agent("link", to="later.txt", path="soon")
        assert "\nnothing stands there yet" in told
        (proposal,) = at.commander.proposals.pending()
        assert page_of(proposal.plan, 0, 9).lines == (
            f"{'':12}{at.path('left/soon')} leads to {at.path('left/later.txt')}",
        )


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        ({"to": "a9.txt", "path": "a10.txt"}, "a10.txt"),
        ({"to": "none", "path": "new", "kind": "hard"}, "Path not found"),
        ({"to": "docs", "path": "new", "kind": "hard"}, "make a symbolic link instead"),
        ({"to": "/proc/self/status", "path": "new", "kind": "hard"}, "is on another disk"),
        ({"to": "a9.txt", "path": "new", "kind": "soft"}, '"kind" must be one of symbolic, relative, hard'),
    ],
    ids=["taken", "missing", "folder", "device", "kind"],
)
async def test_what_cannot_be_linked_is_told_before_anybody_is_asked(desk, wish, told):
    async with desk(engine=True) as at:
        answer = await at.person("link", **wish)
        assert answer.startswith("ERROR: ")
        assert told in answer
        assert at.commander.proposals.pending() == []


async def test_an_agent_gives_a_secret_no_other_name_and_a_person_may(desk):
    async with desk(engine=True) as at:
        (at.root / "left" / "id_ed25519").write_text("S")
        (at.root / "keys").symlink_to(at.root / "left", target_is_directory=True)
        for path in ("left/id_ed25519", "keys/id_ed25519"):
            told = await at.agent("link", to=at.path(path), path=at.path("left/notes"), kind="hard")
            assert told.startswith(f"ERROR: {at.path(path)} holds keys")
        assert await asked(at, to="id_ed25519", kind="hard")


async def test_a_link_onto_a_place_that_others_obey_is_named_as_protected(desk):
    async with desk(engine=True) as at:
        (at.root / "left" / ".git" / "hooks").mkdir(parents=True)
        await at.agent("link", to="a9.txt", path=at.path("left/.git/hooks/pre-commit"))
        (proposal,) = at.commander.proposals.pending()
        assert any(line.startswith("protected: ") for line in summary_of(proposal.plan))
        assert word_to_type(proposal.plan) == "link"
