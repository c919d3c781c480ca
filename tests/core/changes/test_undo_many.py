"""Several operations are undone as one job: it can be cancelled, gone on with, and never does more than was said."""

import os
import threading

from tests.commands.agents.agents_at_work import CLAUDE, did, tree_of, undo

from cmdr.core.changes import undo_many
from cmdr.core.dispatch.principals import PERSON
from cmdr.model.job import JobState


class Gate:
    """Holds each run of a plan until it is let through."""

    def __init__(self, at, monkeypatch):
        self._run = at.commander.engine.run
        self._passes = threading.Semaphore(0)
        self.reached = []
        monkeypatch.setattr(at.commander.engine, "run", self)

    def __call__(self, plan, *more):
        self.reached.append(plan)
        self._passes.acquire()
        return self._run(plan, *more)

    def open(self, times=1):
        """Let so many through."""
        self._passes.release(times)


async def three_copies(at):
    for name in ("a9.txt", "a10.txt", "package.json"):
        await did(at, CLAUDE, "copy", paths=[at.path(f"left/{name}")], to=at.path("right"))


async def begun(at, **which):
    return at.commander.jobs.get((await at.data("agents.undo", **which))["job"], PERSON)


async def until(at, is_so):
    while not is_so():
        await at.commander.events.beyond(at.commander.events.rev)


async def test_it_is_one_visible_job_that_tells_how_far_it_is(desk, monkeypatch):
    async with desk(engine=True) as at:
        await three_copies(at)
        gate = Gate(at, monkeypatch)
        job = await begun(at, client="claude")
        assert job.title.startswith("Undo 3 operations of claude since ")
        assert (job.state, job.started_by, job.progress.items_total) == (JobState.RUNNING, PERSON.id, 3)
        await until(at, lambda: job.progress.current)
        assert job.progress.current == "operation 3"
        gate.open()
        await until(at, lambda: job.progress.current == "operation 2")
        assert job.progress.items_done == 1
        # The next is planned only when the one before is done.
        assert [plan.undoes for plan in gate.reached] in ([3], [3, 2])
        gate.open(2)
        await at.commander.jobs.finished(job)
        assert (job.state, job.progress.items_done, job.progress.current) == (JobState.DONE, 3, "")


async def test_cancelling_stops_between_two_operations_and_it_can_go_on(desk, monkeypatch, small_tree):
    async with desk(engine=True) as at:
        before = tree_of(small_tree)
        await three_copies(at)
        gate = Gate(at, monkeypatch)
        job = await begun(at, client="claude")
        gate.open()
        await until(at, lambda: job.progress.current == "operation 2")
        await at.person("job.cancel", job=job.id)
        gate.open(9)
        await at.commander.jobs.finished(job)
        assert job.state is JobState.CANCELLED
        assert job.outcome == "cancelled: 1 of 3 operations undone, 1 item"
        assert job.problems == ("undone: 3", "not undone: 2, 1")
        assert not (small_tree / "right/package.json").exists()
        assert (small_tree / "right/a10.txt").exists()
        job = await undo(at, client="claude")
        assert job.outcome == "2 operations undone, 2 items"
        assert tree_of(small_tree) == before


async def test_cancelled_while_it_plans_nothing_more_begins(desk, monkeypatch, small_tree):
    async with desk(engine=True) as at:
        await three_copies(at)
        plan = at.commander.engine.undo_plan

        async def slow(operation):
            made = await plan(operation)
            at.commander.jobs.cancel(job)
            return made

        monkeypatch.setattr(at.commander.engine, "undo_plan", slow)
        job = await begun(at, client="claude")
        await at.commander.jobs.finished(job)
        assert job.outcome == "cancelled: 0 of 3 operations undone, 0 items"
        assert job.problems == ("not undone: 3, 2, 1",)


async def test_only_one_runs_at_a_time(desk, monkeypatch):
    async with desk(engine=True) as at:
        await three_copies(at)
        gate = Gate(at, monkeypatch)
        job = await begun(at, operations=[3])
        assert f"ERROR: Job {job.id} is still undoing." in await at.person("agents.undo", client="claude")
        gate.open(9)
        await at.commander.jobs.finished(job)
        assert (await undo(at, client="claude")).state is JobState.DONE


async def test_what_somebody_undid_meanwhile_counts_as_undone(desk, monkeypatch):
    async with desk(engine=True) as at:
        await three_copies(at)
        gate = Gate(at, monkeypatch)
        job = await begun(at, client="claude")
        gate.open(9)
        await did(at, PERSON, "undo", operation=1)
        await at.commander.jobs.finished(job)
        assert (job.state, job.problems) == (JobState.DONE, ())


async def test_an_operation_that_fails_stops_it_and_stays_in_the_list(desk, monkeypatch, small_tree):
    async with desk(engine=True) as at:
        await three_copies(at)
        run = at.commander.engine.run

        def changed(plan, *more):
            if plan.undoes == 2:
                (small_tree / "right/a10.txt").write_text("in the last moment")
            return run(plan, *more)

        monkeypatch.setattr(at.commander.engine, "run", changed)
        job = await undo(at, client="claude")
        assert job.state is JobState.FAILED
        assert "stopped at operation 2: nothing" not in job.outcome
        assert job.outcome.startswith("1 of 3 operations undone, 1 item; stopped at operation 2: ")
        assert (small_tree / "right/a10.txt").read_text() == "in the last moment"
        assert (small_tree / "right/a9.txt").exists()
        (failed,) = [each for each in at.commander.jobs.all() if each.state is JobState.FAILED and each is not job]
        assert failed.title.startswith("Undo")


async def test_what_the_journal_does_not_call_an_agents_any_more_is_left(desk, monkeypatch, small_tree):
    async with desk(engine=True) as at:
        await three_copies(at)
        deeds = (await at.commander.turns.select(client="claude")).deeds

        async def begun_by(operation):
            return PERSON.id

        monkeypatch.setattr(at.commander.engine, "begun_by", begun_by)
        job = at.commander.undo_many.begin(deeds, PERSON, "three")
        await at.commander.jobs.finished(job)
        assert "the journal does not say any more that it is an agent's" in job.outcome
        assert (small_tree / "right/package.json").exists()


async def test_a_mistake_of_ours_is_told_and_ends_it(desk, monkeypatch):
    async with desk(engine=True) as at:
        await three_copies(at)

        async def broken(operation):
            raise RuntimeError("broken")

        monkeypatch.setattr(at.commander.engine, "undo_plan", broken)
        job = await undo(at, client="claude")
        assert job.state is JobState.FAILED
        assert job.outcome.endswith("stopped at cmdr failed inside; its log says how.")
        assert job.problems == ("not undone: 3, 2, 1",)


async def test_the_end_of_the_program_ends_it_between_two_operations(desk, monkeypatch, small_tree):
    async with desk(engine=True) as at:
        await three_copies(at)
        gate = Gate(at, monkeypatch)
        job = await begun(at, client="claude")
        await until(at, lambda: job.progress.current)
        gate.open(9)
    assert job.state is JobState.CANCELLED
    assert (small_tree / "right/a9.txt").exists()


async def test_many_numbers_are_cut(desk, monkeypatch):
    monkeypatch.setattr(undo_many, "MAX_NUMBERS", 1)
    async with desk(engine=True) as at:
        await three_copies(at)
        os.truncate(at.path("right/package.json"), 1)
        job = await undo(at, client="claude")
        assert job.problems == ("not undone: 3 and 2 more",)


async def test_what_a_person_let_go_on_is_undone_with_what_the_agent_began(desk, monkeypatch, small_tree):
    async with desk(engine=True) as at:
        before = tree_of(small_tree)
        names = [at.path(f"left/{name}") for name in ("a9.txt", "a10.txt", "README.md", "package.json")]
        answer = await at.commander.ask(CLAUDE, "copy", {"paths": names, "to": at.path("right")})
        proposal = at.commander.proposals.get(answer.result.proposal, PERSON)
        gate = Gate(at, monkeypatch)
        await at.person("approve", proposal=proposal.id, digest=proposal.plan.digest)
        job = at.commander.jobs.get(proposal.job, PERSON)
        at.commander.jobs.cancel(job)
        gate.open(9)
        await at.commander.jobs.finished(job)
        assert (job.state, job.can_retry) == (JobState.CANCELLED, True)
        again = await at.commander.jobs.retry(job, PERSON.id)
        await at.commander.jobs.finished(again)
        assert again.state is JobState.DONE
        (row,) = (await at.data("agents"))["rows"]
        assert {one["operation"] for one in row["turns"][0]["operations"]} == {job.operation, again.operation}
        done = await undo(at, client="claude")
        assert done.state is JobState.DONE
        assert tree_of(small_tree) == before
