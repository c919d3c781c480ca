"""Shell commands and code for agents, behind walls, each shown to the person first."""

import asyncio
from collections.abc import Callable
from typing import Annotated, TypeVar

from cmdr.commands.changes.awaiting import wait_until
from cmdr.core.agents.grants import Grant
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.job import Job
from cmdr.model.names import from_wire
from cmdr.model.plans.command_plan import CodePlan, CommandPlan
from cmdr.model.plans.proposal import Proposal, ProposalState
from cmdr.model.results.jobs import NotAnsweredYet, RunEnded
from cmdr.model.results.result import Result

DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S = 30, 600
ANSWER_TIMEOUT_S = 50.0
"""Seconds a call waits for the person's answer; clients give up on silence after a minute."""
P = TypeVar("P", CommandPlan, CodePlan)


@command("shell_run", access=Access.ACT, toolset="shell", title="Run a command", destructive=True, blocking=True)
async def shell_run(
    call: Call,
    *,
    command: str,
    cwd: Annotated[str | None, Doc("default the first root")] = None,
    timeout: Annotated[int, Whole(1, MAX_TIMEOUT_S), Doc("seconds")] = DEFAULT_TIMEOUT_S,  # noqa: ASYNC109 - a parameter of the tool
) -> Result:
    """Run a shell command in a sandbox: only the roots, no network. The person is asked first."""
    shells, principal = call.commander.shells, call.principal
    shells.check_quota(principal)
    plan = await shells.plan(command, None if cwd is None else from_wire(cwd), timeout, principal)
    job = await _run(call, plan, shells.begin, "the command")
    return job if isinstance(job, NotAnsweredYet) else RunEnded(job.id, job.state, job.outcome, job.output)


@command("execute_code", access=Access.ACT, toolset="shell", title="Run Python", destructive=True, blocking=True)
async def execute_code(call: Call, *, code: str) -> Result:
    """Run Python in your own sandboxed kernel, which remembers. The person is asked first."""
    commander, principal = call.commander, call.principal
    commander.shells.check_quota(principal)
    plan = await commander.code.plan(code, call.connection or principal.id, principal)
    job = await _run(call, plan, commander.code.begin, "the code")
    if isinstance(job, NotAnsweredYet):
        return job
    call.parts.extend(commander.code.parts_of(job))
    return RunEnded(job.id, job.state, job.outcome)


async def _run(call: Call, plan: P, begin: Callable[[P, str], Job], what: str) -> Job | NotAnsweredYet:
    """The job of a plan once it is over: begun at once where that was granted, else when the person says yes."""
    commander, principal = call.commander, call.principal
    granted = commander.policy.grants.has(principal, Grant.SHELL) and not plan.unkept
    if granted or principal.is_person:
        job = begin(plan, principal.id)
    else:
        proposal = await commander.proposals.propose(plan, principal)
        await wait_until(
            call,
            lambda: proposal.state is not ProposalState.PENDING,
            ANSWER_TIMEOUT_S,
            lambda: "the person's answer",
        )
        id = _approved_job(proposal)
        if id is None:
            return NotAnsweredYet(proposal.id)
        job = commander.jobs.get(id, principal)
    try:
        await wait_until(call, lambda: job.state.is_over, MAX_TIMEOUT_S + 60.0, lambda: what)
    except asyncio.CancelledError:
        commander.jobs.cancel(job)  # nobody is left to read the answer
        raise
    return job


def _approved_job(proposal: Proposal) -> str | None:
    """The job of a proposal, None while the person has not answered; an error when they said no."""
    if proposal.state is ProposalState.PENDING:
        return None
    if proposal.state is not ProposalState.APPROVED:
        no = "The person said no" if proposal.state is ProposalState.REJECTED else f"The request was {proposal.state}"
        words = f': "{proposal.said}"' if proposal.said else ""
        raise CommandError(f"{no}{words}. Nothing was run.")
    return proposal.job
