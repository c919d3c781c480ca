"""Commands for agents, behind walls, each shown to the person first."""

import asyncio
import time
from collections.abc import Callable
from typing import Annotated

from cmdr.core.agents.grants import Grant
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Doc, Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.model.names import from_wire
from cmdr.model.plans.proposal import Proposal, ProposalState
from cmdr.model.results.jobs import NotAnsweredYet, RunEnded
from cmdr.model.results.result import Result

USUAL, MOST = 30, 600
PATIENCE = 50.0
"""Seconds a call waits for the person's answer; clients give up on silence after a minute."""
TELL_EVERY = 10.0


@command("shell_run", access=Access.ACT, toolset="shell", title="Run a command", destructive=True, blocking=True)
async def shell_run(
    call: Call,
    *,
    command: str,
    cwd: Annotated[str | None, Doc("default the first root")] = None,
    timeout: Annotated[int, Whole(1, MOST), Doc("seconds")] = USUAL,  # noqa: ASYNC109 - a parameter of the tool
) -> Result:
    """Run a shell command in a sandbox: only the roots, no network. The person is asked first."""
    shells, principal = call.commander.shells, call.principal
    shells.check_room(principal)
    plan = await shells.plan(command, None if cwd is None else from_wire(cwd), timeout, principal)
    granted = call.commander.policy.grants.has(principal, Grant.SHELL) and not plan.unkept
    if granted or principal.is_person:
        job = shells.begin(plan, principal.id)
    else:
        proposal = call.commander.proposals.add(plan, principal)
        await wait_until(call, lambda: proposal.state is not ProposalState.PENDING, PATIENCE, "the person's answer")
        job_id = approved_job(proposal)
        if job_id is None:
            return NotAnsweredYet(proposal.id)
        job = call.commander.jobs.get(job_id, principal)
    try:
        await wait_until(call, lambda: job.state.is_over, MOST + 60.0, "the command")
    except asyncio.CancelledError:
        call.commander.jobs.cancel(job)  # nobody is left to read the answer
        raise
    return RunEnded(job.id, job.state, job.outcome, job.output)


def approved_job(proposal: Proposal) -> str | None:
    """The job of a proposal, None while the person has not answered; an error when they said no."""
    if proposal.state is ProposalState.PENDING:
        return None
    if proposal.state is not ProposalState.APPROVED:
        no = "The person said no" if proposal.state is ProposalState.REJECTED else f"The request was {proposal.state}"
        raise CommandError(f"{no}. Nothing was run.")
    return proposal.job


async def wait_until(call: Call, is_so: Callable[[], bool], patience: float, what: str) -> None:
    """Wait until something is so, at most so long, with a sign of life now and then."""
    started = told = time.monotonic()
    while not is_so():
        now = time.monotonic()
        if now - started >= patience:
            return
        if now - told >= TELL_EVERY:
            told = now
            await call.progress(round(now - started, 1), f"waiting for {what}")
        try:
            wait = min(started + patience, told + TELL_EVERY) - now
            async with asyncio.timeout(wait):
                await call.events.beyond(call.events.rev)
        except TimeoutError:
            continue


@command("execute_code", access=Access.ACT, toolset="shell", title="Run Python", destructive=True, blocking=True)
async def execute_code(call: Call, *, code: str) -> Result:
    """Run Python in your own sandboxed kernel, which remembers. The person is asked first."""
    commander, principal = call.commander, call.principal
    commander.shells.check_room(principal)
    plan = await commander.code.plan(code, call.connection or principal.id, principal)
    granted = commander.policy.grants.has(principal, Grant.SHELL) and not plan.unkept
    if granted or principal.is_person:
        job = commander.code.begin(plan, principal.id)
    else:
        proposal = commander.proposals.add(plan, principal)
        await wait_until(call, lambda: proposal.state is not ProposalState.PENDING, PATIENCE, "the person's answer")
        id = approved_job(proposal)
        if id is None:
            return NotAnsweredYet(proposal.id)
        job = commander.jobs.get(id, principal)
    try:
        await wait_until(call, lambda: job.state.is_over, MOST + 60.0, "the code")
    except asyncio.CancelledError:
        commander.jobs.cancel(job)  # nobody is left to read the answer
        raise
    call.parts.extend(commander.code.parts_of(job))
    return RunEnded(job.id, job.state, job.outcome)
