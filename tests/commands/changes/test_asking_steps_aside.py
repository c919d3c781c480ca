"""A job that asks steps aside: what touches other places runs on, what touches the same says behind what it waits."""

import asyncio
import contextlib

import pytest

from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.job import JobState
from cmdr.model.root_spec import RootSpec

WRITER = Principal("agent", "writer", token=True)


class Asking:
    """A desk on which a copy asks about a taken name, and nobody answers."""

    def __init__(self, at, job):
        self.at, self.job, self.jobs = at, job, at.commander.jobs

    async def until(self, is_so):
        events = self.at.commander.events
        while not is_so():
            await asyncio.wait_for(events.beyond(events.rev), 60)

    async def approve(self, proposal):
        staged = self.at.commander.proposals.get(proposal, PERSON)
        answer = await self.at.commander.ask(PERSON, "approve", {"proposal": staged.id, "digest": staged.plan.digest})
        return self.jobs.get(answer.json["job"], PERSON), answer

    async def change(self, name, /, **arguments):
        """A change of the person's own, approved; its job."""
        await self.at.person(name, **arguments)
        (waiting,) = self.at.commander.proposals.pending()
        return (await self.approve(waiting.id))[0]

    async def proposed(self, name, /, **arguments):
        """An agent's change, approved; the proposal's id and its job."""
        await self.at.agent(name, **arguments)
        (waiting,) = self.at.commander.proposals.pending()
        return waiting.id, (await self.approve(waiting.id))[0]


@pytest.fixture
def asking(desk, small_tree):
    @contextlib.asynccontextmanager
    async def opened():
        (small_tree / "right" / "README.md").write_text("there already")
        async with desk(engine=True, sandbox=Sandbox((RootSpec(bytes(small_tree)),))) as at:
            it = Asking(at, None)
            it.job = await it.change("copy", paths=[at.path("left/README.md")], to=at.path("right"))
            await it.until(lambda: it.job.state is JobState.WAITING)
            yield it

    return opened


async def test_a_question_that_nobody_answers_holds_up_no_folder_copy_or_edit(asking, small_tree):
    """F5 onto a taken name and Esc at the question: the next F7, an approved copy and an accepted edit never began."""
    async with asking() as it:
        made = await it.change("mkdir", name="new")
        await asyncio.wait_for(it.jobs.finished(made), 30)
        assert (small_tree / "left" / "new").is_dir()
        _, copied = await it.proposed("copy", paths=[it.at.path("left/a9.txt")], to=it.at.path("right"))
        await asyncio.wait_for(it.jobs.finished(copied), 30)
        assert (small_tree / "right" / "a9.txt").exists()
        edited = small_tree / "left" / "a10.txt"
        call = asyncio.create_task(
            it.at.commander.run(WRITER, "open_diff", {"path": str(edited), "contents": "other\n"})
        )
        await it.until(lambda: it.at.commander.editor.reviews.waiting)
        (case,) = it.at.commander.editor.reviews.waiting
        accepted = it.at.person("review.accept", review=case.id, digest=case.review.digest)
        assert (await asyncio.wait_for(accepted, 30)).startswith("OK: Accepted")
        assert (await asyncio.wait_for(call, 30)).startswith("OK: FILE_SAVED, operation ")
        assert it.job.state is JobState.WAITING
        assert (small_tree / "right" / "README.md").read_text() == "there already"
