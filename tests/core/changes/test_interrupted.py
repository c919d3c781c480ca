"""After a crash an operation waits among the jobs for a word: go on, take back, or leave it."""

import os
from contextlib import asynccontextmanager

import pytest

from cmdr.core.changes.engine import Engine
from cmdr.core.changes.interrupted import Interrupted
from cmdr.core.changes.jobs import Jobs
from cmdr.core.errors import CommandError
from cmdr.core.events import Events
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.journal.records import ItemState, ItemUpdate
from cmdr.engine.plan.refusals import NothingToDo
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete
from cmdr.engine.run.control import Unattended
from cmdr.model.panes.workspace import Workspace


class Crash(BaseException):
    """The program ends here."""


class Crashing(Syscalls):
    """Ends the program when the second file is to land."""

    landed = 0

    def rename(self, *what):
        self.landed += 1
        if self.landed == 2:
            raise Crash
        super().rename(*what)


@asynccontextmanager
async def cut_short(tmp_path, audit):
    """Jobs after a restart: a copy of three files had come to the first."""
    for name in "abc":
        (tmp_path / "from" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "from" / name).write_text(name)
    (tmp_path / "to").mkdir()
    paths = [os.fsencode(tmp_path / "from" / name) for name in "abc"]
    before = Engine(Journal(os.fsencode(tmp_path / "journal.db")), Crashing())
    with pytest.raises(Crash):
        before.run(plan_copy(paths, os.fsencode(tmp_path / "to")), "agent:tester", Unattended())
    await before.close()
    engine = Engine(Journal(os.fsencode(tmp_path / "journal.db")))
    await engine.start()
    jobs = Jobs(engine.run, Events(Workspace.at(b"/", b"/")), audit)
    await jobs.adopt_interrupted(engine)
    try:
        yield jobs, engine
    finally:
        await jobs.close(5)
        await engine.close()


def landed(top):
    return sorted(os.listdir(top / "to"))


async def test_an_interrupted_operation_is_shown_and_says_what_can_be_done(tmp_path, audit):
    async with cut_short(tmp_path, audit) as (jobs, _):
        (job,) = jobs.interrupted()
        assert job.title == f"Copy {tmp_path}/from/a and 2 more to {tmp_path}/to"
        assert (job.state, job.outcome, job.can_retry, job.started_by) == (
            "failed",
            "interrupted: 1 of 3 done",
            True,
            "agent:tester",
        )
        assert jobs.running() == []
        assert landed(tmp_path) == ["a"]


async def test_trying_again_goes_on_with_the_rest_once(tmp_path, audit):
    async with cut_short(tmp_path, audit) as (jobs, engine):
        (job,) = jobs.interrupted()
        on = await jobs.retry(job, "person:terminal")
        await jobs.finished(on)
        assert (on.state, landed(tmp_path)) == ("done", ["a", "b", "c"])
        assert (job.state, job.outcome) == ("cancelled", "interrupted: 1 of 3 done; continued")
        assert jobs.interrupted() == []
        with pytest.raises(CommandError, match="nothing to retry"):
            await jobs.retry(job, "person:terminal")
        await jobs.close(5)
        assert await engine.interrupted() == []


async def test_cancelling_leaves_it_and_it_is_not_asked_about_again(tmp_path, audit):
    async with cut_short(tmp_path, audit) as (jobs, engine):
        (job,) = jobs.interrupted()
        jobs.cancel(job)
        assert (job.state, job.outcome) == ("cancelled", "interrupted: 1 of 3 done; left as it is")
        await jobs.close(5)
        assert await engine.interrupted() == []
        assert landed(tmp_path) == ["a"]


async def test_what_was_done_can_be_taken_back(tmp_path, audit):
    async with cut_short(tmp_path, audit) as (jobs, engine):
        (job,) = jobs.interrupted()
        jobs.cancel(job)
        back = jobs.start(await engine.undo_plan(job.operation), "person:terminal")
        await jobs.finished(back)
        assert landed(tmp_path) == []


async def test_ending_the_program_without_a_word_asks_again_next_time(tmp_path, audit):
    async with cut_short(tmp_path, audit) as (jobs, engine):
        await jobs.close(5)
        assert len(await engine.interrupted()) == 1


async def test_a_single_file_is_named_as_what_it_is(tmp_path):
    engine = Engine(Journal(os.fsencode(tmp_path / "journal.db")))
    try:
        (tmp_path / "a").write_text("a")
        engine._journal.begin(plan_delete([os.fsencode(tmp_path / "a")]), "person:terminal")
        await engine.start()
        (job,) = await Interrupted().adopt(engine)
        assert job.title == f"Delete {tmp_path}/a"
    finally:
        await engine.close()


async def test_taking_back_after_going_on_takes_back_both_parts(tmp_path, audit):
    async with cut_short(tmp_path, audit) as (jobs, engine):
        (job,) = jobs.interrupted()
        on = await jobs.retry(job, "person:terminal")
        await jobs.finished(on)
        assert {entry.id: entry.state for entry in await engine.history()}[job.operation] == "continued"
        back = jobs.start(await engine.undo_plan(job.operation), "person:terminal")
        await jobs.finished(back)
        assert (back.state, landed(tmp_path)) == ("done", [])
        for number in (job.operation, on.operation):
            with pytest.raises(CommandError, match=f"already undone, by operation {back.operation}"):
                await engine.undo_plan(number)


async def test_what_still_runs_is_not_taken_back(tmp_path, audit):
    async with cut_short(tmp_path, audit) as (jobs, engine):
        (job,) = jobs.interrupted()
        number = engine._journal.begin(await engine.resume_plan(job.operation), "person:terminal")
        with pytest.raises(CommandError, match=f"Operation {number} still runs"):
            await engine.undo_plan(job.operation)


async def test_an_interrupted_operation_that_was_taken_back_does_not_ask_again(tmp_path, audit):
    async with cut_short(tmp_path, audit) as (jobs, engine):
        (job,) = jobs.interrupted()
        back = jobs.start(await engine.undo_plan(job.operation), "person:terminal")
        await jobs.finished(back)
        assert await engine.interrupted() == []
        jobs.cancel(job, takes_back=True)
        assert job.outcome == "interrupted: 1 of 3 done; taken back"


async def test_what_was_killed_when_all_was_done_is_said_to_be_complete(tmp_path, audit):
    async with cut_short(tmp_path, audit) as (jobs, engine):
        (job,) = jobs.interrupted()
        engine._journal.note(job.operation, [ItemUpdate(index, ItemState.LANDED) for index in range(3)])
        with pytest.raises(NothingToDo, match="complete"):
            await jobs.retry(job, "person:terminal")
        assert job.outcome == "interrupted: 1 of 3 done; it was complete"
        assert jobs.interrupted() == []


async def test_a_rename_is_named_with_its_new_name(tmp_path):
    engine = Engine(Journal(os.fsencode(tmp_path / "journal.db")))
    try:
        (tmp_path / "a").write_text("a")
        engine._journal.begin(plan_rename([(os.fsencode(tmp_path / "a"), b"b")]), "person:terminal")
        await engine.start()
        (job,) = await Interrupted().adopt(engine)
        assert job.title == f"Rename {tmp_path}/a → b"
    finally:
        await engine.close()
