"""Proposals: what has become of them, and the person's answers and names, which no agent ever gives."""

import os
from typing import Annotated

from cmdr.commands.changes.planning import with_real_places
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.engine.plan.new_plan import plan_mkdir, plan_mkfile
from cmdr.model.job import JobState
from cmdr.model.names import from_wire, to_wire
from cmdr.model.plans.plan import Verb
from cmdr.model.plans.plan_list import length_of, page_of
from cmdr.model.plans.plan_text import summary_of, title_of, word_to_type
from cmdr.model.plans.proposal import Proposal
from cmdr.model.results.changes import Approved
from cmdr.model.results.proposals import (
    ProposalItems,
    ProposalShown,
)
from cmdr.model.results.result import PlainText, Said
from cmdr.model.yaml_text import Value, document

MAX_ITEMS = 500
"""Lines of a plan in one answer."""
_PLANNED = {Verb.MKDIR: plan_mkdir, Verb.MKFILE: plan_mkfile}


@command("proposal.state", access=Access.READ, title="State of a proposal")
def proposal_state(call: Call, *, proposal: str) -> PlainText:
    """What has become of a proposal."""
    asked = call.commander.proposals.get(proposal, call.principal)
    told: dict[str, Value] = {"id": asked.id, "plan": title_of(asked.plan), "state": asked.state.value}
    if asked.job is not None:
        told["job"] = asked.job
    return PlainText(document(told))


@command("proposal.show", access=Access.ACT, title="Show proposal")
def show(call: Call, *, proposal: str) -> ProposalShown:
    """Everything one needs to know to decide about a proposal."""
    asked = call.commander.proposals.get(proposal, call.principal)
    return ProposalShown(
        asked.state,
        asked.proposed_by,
        asked.plan.digest,
        word_to_type(asked.plan),
        tuple(summary_of(asked.plan)),
        length_of(asked.plan),
        asked.reason,
        asked.job,
    )


@command("proposal.items", access=Access.ACT, title="List proposal")
def items(
    call: Call,
    *,
    proposal: str,
    start: Annotated[int, Whole(0, 1 << 31)] = 0,
    count: Annotated[int, Whole(1, MAX_ITEMS)] = 200,
) -> ProposalItems:
    """Some lines of everything a proposal would do, as JSON: start, total, the digest they belong to, and lines."""
    plan = call.commander.proposals.get(proposal, call.principal).plan
    page = page_of(plan, start, count)
    return ProposalItems(plan.digest, page.start, page.total, tuple(page.lines))


@command("approve", access=Access.ACT, title="Approve proposal")
async def approve(call: Call, *, proposal: str, digest: str, word: str = "") -> Approved:
    """Carry out a proposal, exactly as it was shown."""
    asked = call.commander.proposals.get(proposal, call.principal)
    needed = word_to_type(asked.plan)
    if needed is not None and word.strip().lower() != needed:
        raise CommandError(f'This is risky ({"; ".join(asked.plan.risk.reasons)}): type the word "{needed}" to go on.')
    approved = await call.commander.proposals.approve(proposal, digest, call.principal)
    return Approved(proposal, approved.job, _why_it_waits(call, approved))


def _why_it_waits(call: Call, approved: Proposal) -> str:
    job = call.commander.jobs.get(approved.job, call.principal) if approved.job is not None else None
    if job is None or job.state is not JobState.QUEUED:
        return ""
    return job.waits_behind if job.is_held else job.outcome


@command("reject", access=Access.ACT, title="Reject proposal")
def reject(call: Call, *, proposal: str, reason: str = "") -> Said:
    """Say no to a proposal; nothing is changed. Whoever proposed it gets the reason."""
    rejected = call.commander.proposals.reject(proposal, call.principal, reason)
    return Said(f"Proposal {proposal} is {rejected.state}")


@command("proposal.name", access=Access.ACT, title="Name what is created")
async def name_proposal(call: Call, *, proposal: str, name: str) -> Said:
    """Give the folder or file that a proposal creates another name."""
    commander = call.commander
    asked = commander.proposals.get(proposal, call.principal)
    plan = asked.plan
    planned = _PLANNED.get(plan.verb)
    if planned is None or plan.totals.bytes:
        raise CommandError("Only a new folder or an empty new file can be given another name here.")
    new = os.path.join(os.path.dirname(plan.subject.place.path), from_wire(name))
    if "/" in name:
        raise CommandError('A name holds no "/".')
    protection = commander.sandbox.protection
    renamed = await in_thread(lambda: with_real_places(planned(new, protection=protection), protection))
    commander.proposals.replan(proposal, renamed, call.principal)
    return Said(f"Named {to_wire(new)}")
