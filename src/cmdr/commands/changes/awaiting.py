"""Waiting: for the person's answer, for a job, for a change."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

from cmdr.commands._text import job_counts, scan_counts
from cmdr.commands.editor.review_outcome import wait_for_outcome
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, NotThere
from cmdr.model.job import Job, JobState, ScanJob
from cmdr.model.names import to_wire
from cmdr.model.plans.plan import Verb
from cmdr.model.plans.plan_text import title_of
from cmdr.model.plans.proposal import Proposal, ProposalState
from cmdr.model.results.jobs import JobEnded, ProposalEnded, StateMoved, StillWaiting
from cmdr.model.results.result import Result, Said
from cmdr.model.results.trees import ScanEnded

MAX_TIMEOUT_S = 60
DEFAULT_TIMEOUT_S = 45
"""Seconds unless told otherwise: many clients drop a call after sixty, and the answer with it."""
PROGRESS_INTERVAL_S = 10.0
"""Seconds between signs of life; clients give up on a silent call after a few minutes."""


@command("await", access=Access.READ, toolset="ops", blocking=True)
async def await_(
    call: Call,
    *,
    proposal: str | None = None,
    job: str | None = None,
    review: str | None = None,
    rev: int | None = None,
    timeout: Annotated[int, Whole(0, MAX_TIMEOUT_S)] = DEFAULT_TIMEOUT_S,  # noqa: ASYNC109 - a parameter of the tool
) -> Result:
    """Wait, 45 s unless told, for a proposal, job or state newer than rev."""
    if review is None and proposal is not None and proposal.startswith("r_"):
        proposal, review = None, proposal  # an edit is a proposal too, and one name is enough to remember
    if sum(given is not None for given in (proposal, job, review, rev)) != 1:
        raise CommandError('await needs one of "proposal", "job", "review" or "rev".')
    if review is not None:
        return Said(await wait_for_outcome(call, call.commander.editor.reviews.get(review, call.principal), timeout))
    if rev is not None:
        return await _until(call, timeout, lambda: _newer(call, rev), lambda: f"state rev {rev}")
    if job is not None:
        if (scan := call.commander.scan_job(job, call.principal)) is not None:
            return await _until(call, timeout, lambda: _of_scan(scan), lambda: f"job {job} ({scan_counts(scan)})")
        waited = call.commander.jobs.get(job, call.principal)
        return await _until(
            call, timeout, lambda: _of_job(waited), lambda: f"job {job} ({_how_far(waited)})", lambda: waited
        )
    asked = call.commander.proposals.get(proposal or "", call.principal)
    return await _until(
        call,
        timeout,
        lambda: _of_proposal(call, asked),
        lambda: _format_proposal(call, asked),
        lambda: _job_of(call, asked),
    )


async def _until(
    call: Call,
    patience: float,
    outcome: Callable[[], Result | None],
    what: Callable[[], str],
    job: Callable[[], Job | None] = lambda: None,
) -> Result:
    await wait_until(call, lambda: outcome() is not None, patience, what)
    behind = None if (found := job()) is None or found.behind is None else found.behind.operation
    return outcome() or StillWaiting(what(), behind)


async def wait_until(call: Call, is_so: Callable[[], bool], patience: float, what: Callable[[], str]) -> None:
    """Wait until something is so, at most so long, with a sign of life now and then."""
    started = time.monotonic()
    told = 0.0
    while True:
        rev = call.events.rev
        waited = time.monotonic() - started
        if is_so() or waited >= patience:
            return
        if waited - told >= PROGRESS_INTERVAL_S:
            told = waited
            await call.progress(round(waited, 1), f"waiting for {what()}")
        with suppress(TimeoutError):
            async with asyncio.timeout(min(patience - waited, told + PROGRESS_INTERVAL_S - waited)):
                await call.events.beyond(rev)


def _newer(call: Call, rev: int) -> Result | None:
    return StateMoved(call.events.rev) if call.events.rev > rev else None


def _of_proposal(call: Call, proposal: Proposal) -> Result | None:
    if proposal.state is ProposalState.PENDING:
        return None
    if proposal.state is not ProposalState.APPROVED:
        return ProposalEnded(proposal.id, proposal.state, title_of(proposal.plan), proposal.said)
    if proposal.job is None:
        return None
    try:
        job = call.commander.jobs.get(proposal.job, call.principal)
    except NotThere:  # more jobs come and go than proposals, and only one that is over is forgotten
        return ProposalEnded(proposal.id, proposal.state, title_of(proposal.plan))
    is_new = proposal.plan.verb in (Verb.MKDIR, Verb.MKFILE)
    return _of_job(job, to_wire(proposal.plan.subject.place.path) if is_new else "")


def _job_of(call: Call, proposal: Proposal) -> Job | None:
    """What carries a proposal out; None while nobody said yes, and when it has been over for a while."""
    with suppress(NotThere):
        return None if proposal.job is None else call.commander.jobs.get(proposal.job, call.principal)
    return None


def _format_proposal(call: Call, proposal: Proposal) -> str:
    job = _job_of(call, proposal)
    if job is None:
        return f"the person to decide on proposal {proposal.id}"
    return f"proposal {proposal.id} ({_how_far(job)})"


_STANDS = {
    JobState.QUEUED: "approved, waits for its turn",
    JobState.WAITING: "asks the person something",
    JobState.PAUSED: "approved, the person has paused it",
}


def _how_far(job: Job) -> str:
    if behind := job.waits_behind_for_agents:
        return f"approved, {behind}"
    counts, stands = job_counts(job), _STANDS.get(job.state, "")
    return f"{counts}, {stands}" if stands else counts


def _of_scan(scan: ScanJob) -> Result | None:
    return ScanEnded.of(scan, scan_counts(scan)) if scan.state.is_over else None


def _of_job(job: Job, named: str = "") -> Result | None:
    return JobEnded.of(job, named) if job.state.is_over else None
