"""A job that asks steps aside: what touches other places runs on, what touches the same says behind what it waits."""

import asyncio
import contextlib

import pytest
from tests.commands.conftest import AGENT

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


async def test_an_approved_change_that_waits_behind_a_question_says_behind_which(asking, small_tree):
    """After the person had said yes, the agent heard that it still waits for the person."""
    async with asking() as it:
        id, job = await it.proposed("delete", paths=[it.at.path("right/README.md")])
        await it.until(lambda: job.behind is it.job)
        number = it.job.operation
        told = await it.at.agent("await", proposal=id, timeout=0)
        assert told == (
            f"OK: still waiting for proposal {id} (approved, waits behind operation {number}, which asks the person)."
            " Await it again."
        )
        assert (await it.at.commander.ask(AGENT, "await", {"job": job.id, "timeout": 0})).json["behind"] == number
        assert f"waits behind operation {number}, which asks the person" in await it.at.agent("jobs.show", job=job.id)
        shown = await it.at.person("jobs.list")
        assert f"waits behind operation {number} (copy 1 file" in shown and "which asks you" in shown
        followed = await it.at.data("job.follow", job=job.id)
        assert followed["waitsBehind"].startswith(f"waits behind operation {number} (copy 1 file")
        assert "still runs" in await it.at.person("undo", operation=number)
        await it.at.person("job.answer", job=it.job.id, question=it.job.question.id, answer="skip")
        await asyncio.wait_for(it.jobs.finished(job), 30)
        assert not (small_tree / "right" / "README.md").exists()


async def test_an_accepted_edit_that_waits_behind_a_question_says_so_to_both(asking, small_tree, monkeypatch):
    monkeypatch.setattr("cmdr.commands.editor.review.REVIEW_TIMEOUT_S", 0.2)
    async with asking() as it:
        edit = {"path": it.at.path("right/README.md"), "contents": "edited"}
        call = asyncio.create_task(it.at.commander.run(WRITER, "open_diff", edit))
        await it.until(lambda: it.at.commander.editor.reviews.waiting)
        (case,) = it.at.commander.editor.reviews.waiting
        assert (await call).startswith("OK: still waiting for the person.")
        number = it.job.operation
        accepted = await it.at.person("review.accept", review=case.id, digest=case.review.digest)
        assert f"; it waits behind operation {number} (copy 1 file" in accepted
        assert accepted.endswith("which asks you")
        told = await it.at.commander.run(WRITER, "await", {"review": case.id, "timeout": 0})
        assert told == (
            f"OK: accepted, waits behind operation {number}, which asks the person.\nreview: {case.id} (await it)"
        )
        await it.at.person("job.cancel", job=it.job.id)
        told = await it.at.commander.run(WRITER, "await", {"review": case.id, "timeout": 30})
        assert told.startswith("OK: FILE_SAVED, operation ")
        assert (small_tree / "right" / "README.md").read_text() == "edited"


async def test_what_an_agent_awaits_when_its_job_was_paused_by_the_person(asking):
    async with asking() as it:
        it.jobs.stop_agents()
        id, job = await it.proposed("copy", paths=[it.at.path("left/a9.txt")], to=it.at.path("right"))
        assert job.state is JobState.PAUSED
        told = await it.at.agent("await", proposal=id, timeout=0)
        assert "0 of 1 item, 0b of 7b, approved, the person has paused it" in told
        it.jobs.go_on(job)
        await asyncio.wait_for(it.jobs.finished(job), 30)
        assert await it.at.person("job.seen", job=job.id) == f"OK: {job.id} is known"
