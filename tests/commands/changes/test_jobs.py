"""Scans as jobs: seen by whoever started or joined them, and stopped on demand."""

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.model.job import JobState, ScanJob

OTHER = Principal("agent", "somebody-else", token=True)


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    (tmp_path / "state").mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(tmp_path / "state"), engine=True, **how)


def running(at, owner="agent:tester"):
    """A scan that is under way and will not end by itself."""
    scan = ScanJob("j_scan", b"/srv", "i_one", owner)
    at.commander.indexing._scans._jobs[scan.id] = scan
    return scan


async def test_a_scan_is_cancelled_by_whoever_started_it_and_by_the_person(shelf):
    async with shelf() as at:
        for ask in (at.agent, at.person):
            scan = running(at)
            answer = await ask("command", id="job.cancel", args={"job": scan.id})
            assert answer == f"OK: Cancelling {scan.id}: what was read stays, marked partial"
            assert scan.is_cancelled
            assert (await at.agent("job_progress", jobId=scan.id)).startswith("OK: cancelling: ")


async def test_a_scan_that_is_over_or_somebody_elses_is_not_cancelled(shelf):
    async with shelf() as at:
        scan = running(at)
        assert (await at.ask(OTHER, "job.cancel", {"job": scan.id})).startswith("ERROR: No job j_scan.")
        scan.joined.add(OTHER.id)
        assert "started by somebody else" in await at.ask(OTHER, "job.cancel", {"job": scan.id})
        assert not scan.is_cancelled
        scan.state = JobState.DONE
        assert await at.agent("job.cancel", job=scan.id) == "ERROR: Nothing to cancel: the scan is done."


async def test_a_cancelled_scan_really_ends(shelf):
    async with shelf() as at:
        for number in range(300):
            (at.root / "left" / "src" / f"d{number}").mkdir()
        await at.agent("index", root=at.path())
        scan = at.commander.indexing.scans()[-1]
        await at.agent("job.cancel", job=scan.id)
        assert await at.commander.indexing.finished(scan, 15)
        assert scan.state is JobState.CANCELLED


async def test_whoever_joins_a_scan_sees_how_far_it_is(shelf):
    async with shelf() as at:
        scan = running(at)
        assert (await at.ask(OTHER, "job_progress", {"jobId": scan.id})).startswith("ERROR: ")
        scan.joined.add(OTHER.id)
        assert (await at.ask(OTHER, "job_progress", {"jobId": scan.id})).startswith("OK: running: ")
        assert "j_scan" in await at.ask(OTHER, "jobs.list", {})
        assert "j_scan" in await at.person("jobs.list")


@pytest.mark.parametrize("order", ["job.pause", "job.resume", "job.rollback", "job.retry"])
async def test_a_scan_is_told_from_an_operation(shelf, order):
    async with shelf() as at:
        scan = running(at)
        assert (
            await at.person(order, job=scan.id)
            == f"ERROR: {scan.id} reads a tree: it can be cancelled, and nothing else."
        )
