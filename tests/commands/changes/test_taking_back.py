"""Taking back a row of the jobs: what it did is undone, all of it, and the row says so."""

import os

import pytest

from cmdr.core.changes.engine import Engine
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.plan.transfer_plan import plan_copy
from cmdr.engine.run.control import Unattended


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


@pytest.fixture
def cut_short(small_tree, tmp_path):
    """A copy of two files that had come to the first."""
    engine = Engine(Journal(bytes(tmp_path / "journal.db")), Crashing())
    paths = [os.fsencode(small_tree / "left" / name) for name in ("a9.txt", "a10.txt")]
    with pytest.raises(Crash):
        engine.run(plan_copy(paths, os.fsencode(small_tree / "right")), "person:terminal", Unattended())
    engine._journal.close()


async def over(at, id):
    job = next(job for job in at.commander.jobs.all() if job.id == id)
    await at.commander.jobs.finished(job)
    return job


@pytest.mark.parametrize("goes_on", [False, True])
async def test_the_row_of_an_interrupted_copy_takes_back_all_of_it(desk, cut_short, goes_on):
    async with desk(engine=True) as at:
        (job,) = at.commander.jobs.interrupted()
        if goes_on:
            on = await at.person("job.retry", job=job.id)
            assert (await over(at, on.split("job: ")[1])).state == "done"
            assert sorted(os.listdir(at.root / "right")) == ["a10.txt", "a9.txt", "other.txt"]
        answer = await at.person("job.rollback", job=job.id)
        assert answer.startswith("OK: Taking back")
        assert (await over(at, answer.split("job: ")[1])).state == "done"
        assert os.listdir(at.root / "right") == ["other.txt"]
        assert job.outcome == "interrupted: 1 of 2 done; " + ("continued" if goes_on else "taken back")
        assert (await at.person("job.rollback", job=job.id)).startswith("ERROR: Operation 1 was already undone")
