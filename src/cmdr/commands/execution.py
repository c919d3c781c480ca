"""Python for agents, in a kernel behind walls, each run shown to the person first."""

import asyncio

from cmdr.commands.shell import MOST, PATIENCE, approved_job, wait_until
from cmdr.core.agents.grants import Grant
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.model.plans.proposal import ProposalState
from cmdr.model.results.jobs import NotAnsweredYet, RunEnded
from cmdr.model.results.result import Result


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
