"""What waits for the person's answer, as the page needs it to ask."""

from cmdr.core.commander import Commander
from cmdr.core.entrance.browser_login import BROWSER
from cmdr.core.parameter import Json
from cmdr.model.names import display_name, printable
from cmdr.model.plans.plan_list import length_of
from cmdr.model.plans.plan_text import chosen_of, summary_of, title_of, word_to_type
from cmdr.model.plans.proposal import Proposal, expired_text
from cmdr.model.units import count


def proposals_waiting(commander: Commander) -> list[Json]:
    """Every proposal in a line, oldest first."""
    return [
        {
            "id": proposal.id,
            "title": title_of(proposal.plan),
            "what": chosen_of(proposal.plan),
            "by": _speaker(proposal.proposed_by),
            "mine": proposal.proposed_by == BROWSER.id,
        }
        for proposal in commander.proposals.pending()
    ]


def expired_unseen(commander: Commander) -> dict[str, Json]:
    """What agents proposed and nobody answered in time: how many, and the line that tells of them."""
    titles = [title_of(proposal.plan) for proposal in commander.proposals.missed()]
    return {"count": len(titles), "told": expired_text(titles) if titles else ""}


def interrupted_waiting(commander: Commander) -> list[Json]:
    """Every operation that was cut short and waits for a word, in a line."""
    return [
        {"id": job.id, "title": job.title, "state": job.outcome, "by": _speaker(job.started_by)}
        for job in commander.jobs.interrupted()
    ]


def proposal_whole(proposal: Proposal) -> dict[str, Json]:
    """Everything one needs to decide, drawn from the plan that would run and from nothing else."""
    plan = proposal.plan
    title, *facts = summary_of(plan)
    return {
        "id": proposal.id,
        "state": proposal.state.value,
        "title": title,
        "facts": [*facts],
        "by": _speaker(proposal.proposed_by),
        "byAgent": not proposal.proposed_by.startswith("person:"),
        "reason": proposal.reason,
        "digest": plan.digest,
        "word": word_to_type(plan),
        "steps": length_of(plan),
        "asksAgain": plan.asks_again,
    }


def edits_waiting(commander: Commander) -> list[Json]:
    """Every proposed edit in a line, oldest first."""
    return [
        {
            "id": case.id,
            "path": display_name(case.review.new_path),
            "by": printable(case.review.agent, 60),
            "changes": count(len(case.review.diff.hunks), "change"),
        }
        for case in commander.rooms.waiting_reviews()
    ]


def _speaker(principal: str) -> str:
    return printable(principal.partition(":")[2], 60)
