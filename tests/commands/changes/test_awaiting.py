"""A job that failed is told as an error, whoever waits for it."""

from tests.commands.conftest import AGENT

from cmdr.core.dispatch.call import Call
from cmdr.model.job import Job, JobState
from cmdr.model.results.jobs import JobEnded


async def test_whoever_waits_for_a_job_that_failed_gets_an_error_with_all_it_knows(desk):
    async with desk() as at:
        job = Job("j_bad", "Copy 1 file", AGENT.id, frozenset(), JobState.FAILED, outcome="copy failed: 1 file")
        at.commander.jobs._all[job.id] = job
        answer = await at.commander.perform(
            at.commander.registry.find("await"), {"job": job.id}, Call(at.commander, AGENT)
        )
        assert answer.failed
        assert isinstance(answer.result, JobEnded)
        assert answer.text == "ERROR: Approved. copy failed: 1 file"
