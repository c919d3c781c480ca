"""Proposals: what has become of them, and the person's answers, which no agent ever has."""

import json
from typing import Annotated

from cmdr.core.dispatch.answer import all_fit, first_that_fit
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.model.job import JobState
from cmdr.model.names import display_name, printable
from cmdr.model.plans.plan_list import length_of, page_of
from cmdr.model.plans.plan_text import chosen_of, summary_of, title_of, word_to_type
from cmdr.model.plans.proposal import Proposal
from cmdr.model.results.changes import Approved
from cmdr.model.units import count
from cmdr.model.yaml_text import Value, document

MOST_ITEMS = 500
"""Lines of a plan in one answer."""


@command("pending", access=Access.ACT, title="Pending proposals", plain=True)
def pending(call: Call) -> str:
    """Everything that waits for the person's answer, as JSON."""
    commander = call.commander
    proposals = [
        {
            "id": proposal.id,
            "by": proposal.proposed_by,
            "plan": title_of(proposal.plan),
            "what": chosen_of(proposal.plan),
            "digest": proposal.plan.digest,
            "reason": proposal.reason,
        }
        for proposal in commander.proposals.pending()
    ]
    edits = [
        {
            "id": case.id,
            "by": printable(case.review.agent, 60),
            "path": display_name(case.review.new_path),
            "changes": count(len(case.review.diff.hunks), "change"),
            "digest": case.review.digest,
        }
        for case in commander.rooms.waiting_reviews()
    ]
    asking = {job.id: job.question for job in commander.jobs.running() if job.question is not None}
    questions = [
        {
            "id": proposal.id,
            "title": title_of(proposal.plan),
            "taken": display_name(asking[proposal.job].target),
            "about": asking[proposal.job].about,
        }
        for proposal in commander.proposals.all()
        if proposal.job in asking
    ]
    expired = [
        {"id": proposal.id, "by": proposal.proposed_by, "plan": title_of(proposal.plan)}
        for proposal in commander.proposals.missed()
    ]
    interrupted = [
        {"id": str(job.operation), "by": job.started_by, "title": job.title, "state": job.outcome}
        for job in commander.jobs.interrupted()
    ]
    told = {"proposals": proposals, "edits": edits, "questions": questions, "interrupted": interrupted}
    return json.dumps({**told, "expired": expired, "warnings": commander.warnings.told()})


@command("pending.seen", access=Access.ACT, title="Forget expired proposals")
async def pending_seen(call: Call) -> str:
    """Take note of the proposals that expired, and of a journal that was damaged; they are not told of again."""
    call.commander.proposals.missed_seen()
    await call.commander.warnings.seen()
    return "Noted"


@command("proposal.state", access=Access.READ, title="State of a proposal", plain=True)
def proposal_state(call: Call, *, proposal: str) -> str:
    """What has become of a proposal."""
    asked = call.commander.proposals.get(proposal, call.principal)
    told: dict[str, Value] = {"id": asked.id, "plan": title_of(asked.plan), "state": asked.state.value}
    if asked.job is not None:
        told["job"] = asked.job
    return document(told)


@command("proposal.show", access=Access.ACT, title="Show proposal", plain=True)
def show(call: Call, *, proposal: str) -> str:
    """Everything one needs to know to decide about a proposal."""
    asked = call.commander.proposals.get(proposal, call.principal)
    told: dict[str, Value] = {
        "state": asked.state.value,
        "by": asked.proposed_by,
        "digest": asked.plan.digest,
        "word": word_to_type(asked.plan),
        "plan": [*all_fit(summary_of(asked.plan))],
        "steps": length_of(asked.plan),
        "reason": asked.reason,
        "job": asked.job,
    }
    return json.dumps(told, ensure_ascii=False)


@command("proposal.items", access=Access.ACT, title="List proposal", plain=True)
def items(
    call: Call,
    *,
    proposal: str,
    start: Annotated[int, Whole(0, 1 << 31)] = 0,
    count: Annotated[int, Whole(1, MOST_ITEMS)] = 200,
) -> str:
    """Some lines of everything a proposal would do, as JSON: start, total, the digest they belong to, and lines.

    There may be fewer lines than were asked for: as many as one answer holds. The next begin where these end.
    """
    plan = call.commander.proposals.get(proposal, call.principal).plan
    page = page_of(plan, start, count)
    told = {"digest": plan.digest, "start": page.start, "total": page.total, "lines": first_that_fit(page.lines)}
    return json.dumps(told, ensure_ascii=False)


@command("approve", access=Access.ACT, title="Approve proposal")
def approve(call: Call, *, proposal: str, digest: str, word: str = "") -> Approved:
    """Carry out a proposal, exactly as it was shown."""
    asked = call.commander.proposals.get(proposal, call.principal)
    needed = word_to_type(asked.plan)
    if needed is not None and word.strip().lower() != needed:
        raise CommandError(f'This is risky ({"; ".join(asked.plan.risk.reasons)}): type the word "{needed}" to go on.')
    approved = call.commander.proposals.approve(proposal, digest, call.principal)
    return Approved(proposal, approved.job, _why_it_waits(call, approved))


def _why_it_waits(call: Call, approved: Proposal) -> str:
    job = call.commander.jobs.get(approved.job, call.principal) if approved.job is not None else None
    return job.outcome if job is not None and job.state is JobState.QUEUED else ""


@command("reject", access=Access.ACT, title="Reject proposal")
def reject(call: Call, *, proposal: str) -> str:
    """Say no to a proposal; nothing is changed."""
    rejected = call.commander.proposals.reject(proposal, call.principal)
    return f"Proposal {proposal} is {rejected.state}"
