"""After the person's answer: what is told of a change, and of the way back, is true and says what to do next."""

import os

import yaml

from cmdr.core.changes import jobs


async def approved(at, answer):
    """Say yes to what an answer proposes, and wait for its end."""
    proposal = answer.split("proposal: ")[1].split()[0]
    digest = yaml.safe_load(await at.person("proposal.show", proposal=proposal))["digest"]
    await at.person("approve", proposal=proposal, digest=digest)
    return proposal, await at.agent("await", proposal=proposal)


async def test_an_undo_that_a_later_step_stands_in_the_way_of_names_the_file_and_that_step(desk):
    # It used to be "cannot be undone: it has changed since", without a file or a way on.
    async with desk(engine=True) as at:
        await approved(at, await at.agent("rename", path=at.path("left/a9.txt"), newName="b.txt"))
        await approved(at, await at.agent("rename", path=at.path("left/a10.txt"), newName="other.txt"))
        await approved(at, await at.agent("rename", path=at.path("left/b.txt"), newName="c.txt"))
        told = await at.agent("undo", operation=1)
        assert told == (
            f"ERROR: Operation 1 cannot be undone: {at.path('left/b.txt')}: it has changed since, so it is left alone. "
            "Operation 3 changed it too: undo that one first."
        )
        await approved(at, await at.agent("undo", operation=3))
        _, told = await approved(at, await at.agent("undo", operation=1))
        assert told.startswith("OK: Approved. undo done: 1 file")
        assert (at.root / "left/a9.txt").exists()


async def test_an_undo_of_what_somebody_else_changed_names_the_file_alone(desk):
    async with desk(engine=True) as at:
        await approved(at, await at.agent("rename", path=at.path("left/a9.txt"), newName="b.txt"))
        os.rename(at.root / "left/b.txt", at.root / "left/c.txt")
        told = await at.agent("undo", operation=1)
        assert told.endswith(f"{at.path('left/b.txt')}: it has changed since, so it is left alone.")


async def test_a_folder_that_went_elsewhere_later_is_known_as_the_reason_too(desk):
    async with desk(engine=True) as at:
        await approved(at, await at.agent("rename", path=at.path("left/docs/guide.md"), newName="g.md"))
        await approved(at, await at.agent("rename", path=at.path("left/docs"), newName="papers"))
        assert (await at.agent("undo", operation=1)).endswith("Operation 2 changed it too: undo that one first.")


async def test_an_operation_that_is_not_there_says_where_to_look(desk):
    async with desk(engine=True) as at:
        told = await at.agent("undo", operation=99)
        assert told == (
            "ERROR: There is no operation 99 in the journal. "
            'The history has what there is: command {"id": "history"}, or cmdr history.'
        )


async def test_what_did_nothing_does_not_say_that_undo_takes_it_back(desk):
    async with desk(engine=True) as at:
        answer = await at.agent("copy", paths=[at.path("left/a9.txt")], to=at.path("right"), onConflict="skip")
        (at.root / "left/a9.txt").write_text("changed since")
        _, told = await approved(at, answer)
        assert "operation: 1 (nothing to undo)" in told
        answer = await at.agent("copy", paths=[at.path("left/a10.txt")], to=at.path("right"))
        assert "operation: 2 (undo takes it back)" in (await approved(at, answer))[1]


async def test_a_late_await_tells_what_is_known_when_the_job_is_forgotten(desk, monkeypatch):
    # It used to be an error, "No job …", about a change that had long been made.
    monkeypatch.setattr(jobs, "KEPT", 0)
    async with desk(engine=True) as at:
        first, _ = await approved(at, await at.agent("mkdir", path=at.path("left/one")))
        await approved(at, await at.agent("mkdir", path=at.path("left/two")))
        told = await at.agent("await", proposal=first)
        assert told.startswith('OK: Approved. "')
        assert 'the history has what came of it: command {"id": "history"}' in told


async def test_a_new_folder_with_a_path_and_a_name_stands_in_that_path(desk):
    # The name used to be ignored.
    async with desk(engine=True) as at:
        await approved(at, await at.agent("mkdir", path=at.path("left/docs"), name="notes"))
        assert (at.root / "left/docs/notes").is_dir()
        await approved(at, await at.agent("mkfile", path="docs", name="new.txt"))
        assert (at.root / "left/docs/new.txt").exists()
        assert "is no name" in await at.agent("mkdir", path=at.path("left"), name="a/b")
