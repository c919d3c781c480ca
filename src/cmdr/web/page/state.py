"""The state that the page draws: panes, jobs and what waits for the person, read from the workspace."""

import asyncio
import time

from cmdr.core.agents.activity import SeenCall
from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.principals import Access
from cmdr.core.errors import UnknownCommand
from cmdr.core.flow.change import ANSWERS, FOLDER_ANSWERS
from cmdr.core.panes.agent_tabs import SHARED
from cmdr.core.settings import PANES
from cmdr.http.browser_login import BROWSER
from cmdr.model.job import Job, Question, ScanJob
from cmdr.model.names import display_name, printable, to_wire
from cmdr.model.panes.pane import Pane, totals
from cmdr.model.panes.tab import Tab
from cmdr.model.panes.workspace import Dialog
from cmdr.model.plans.plan_list import length_of
from cmdr.model.plans.plan_text import chosen_of, facts_of, title_of, word_to_type
from cmdr.model.plans.proposal import Proposal
from cmdr.model.units import count, human_size, iso_time
from cmdr.web.page.actions import actions_tag
from cmdr.web.page.rows import Rows, Window, Windows, announce

ACTIVITY_SHOWN_S = 4.0
MAX_JOBS = 30
MAX_LINE_CHARS = 160
_MOVES = frozenset("switch_pane swap_panes toggle_hidden compare_panes find.go".split())
"""What changes a view without naming a pane."""
_WINDOWS = frozenset(("file.quickLook", "file.getInfo"))
"""What names a pane, and opens a window."""
_FLAGS = {
    "keyBar": "appearance.key_bar",
    "colours": "appearance.file_colours",
    "activity": "agents.activity",
    "search": "general.quick_search",
    "parentRow": "general.parent_row",
    "wrap": "advanced.viewer_wrap",
}


async def page_state(commander: Commander, rows: Rows, windows: Windows) -> dict[str, Json]:
    """What there is to see, with the rows that this page looks at."""
    workspace = commander.workspace
    rev = commander.events.rev  # of before: what changes while one pane waits for its facts must be asked for again
    both = [_pane(commander, rows, pane, windows.get(pane.side, Window())) for pane in workspace.panes]
    panes: dict[str, Json] = dict(
        zip((pane.side.value for pane in workspace.panes), await asyncio.gather(*both), strict=True)
    )
    return {
        "rev": rev,
        "focused": workspace.focused.value,
        "hidden": workspace.show_hidden,
        "panes": panes,
        "dialogs": [_dialog(dialog) for dialog in workspace.dialogs if dialog.proposal is None],
        "proposals": _proposals(commander),
        "edits": _edits(commander),
        "jobs": _jobs(commander),
        "scans": _scans(commander),
        "unasked": _unasked(commander),
        "stopped": commander.policy.agents_stopped,
        "activity": _activity(commander),
        "theme": _theme(commander),
        "actions": actions_tag(commander),
    }


async def _pane(commander: Commander, rows: Rows, pane: Pane, window: Window) -> Json:
    start, shown = await rows.of(pane.side, pane.tab, window)
    tab = pane.tab
    space = commander.space.at(tab.path, lambda: announce(commander))
    return {
        "path": to_wire(tab.path),
        "title": printable(tab.found.title, 80) if tab.found else "",
        "tabs": [_tab(each) for each in pane.tabs],
        "tab": tab.id,
        "sort": tab.sort.by.value,
        "order": tab.sort.direction.value,
        "view": tab.view.value,
        "filter": tab.filter,
        "count": len(tab.listing),
        "cursor": tab.cursor,
        "onParent": tab.on_parent_row,
        "hasParent": tab.has_parent and commander.settings.flag("general.parent_row"),
        "selected": tab.selection.count,
        "totals": totals(tab),
        "free": "" if space is None else f"{human_size(space.free)} free",
        "problem": tab.problem,
        "start": start,
        "rows": shown,
        "byItself": tab in commander.agent_fronts.brought,
        "letsAgentsIn": tab.lets_agents_in,
    }


def _tab(tab: Tab) -> Json:
    return {"id": tab.id, "name": _tab_name(tab), "pinned": tab.pinned, "agent": printable(tab.agent_name, 40)}


def _tab_name(tab: Tab) -> str:
    return printable(tab.found.title, 40) if tab.found else to_wire(tab.path.rpartition(b"/")[2] or b"/")


def _dialog(dialog: Dialog) -> Json:
    return {
        "id": dialog.id,
        "type": dialog.type.value,
        "mine": dialog.opened_by == BROWSER.id,
        "by": printable(dialog.opened_by.partition(":")[2], 60) if dialog.opened_by.startswith("agent:") else "",
        "path": None if dialog.path is None else to_wire(dialog.path),
    }


def _activity(commander: Commander) -> str:
    seen = next((seen for seen in reversed(commander.activity.recent) if not _is_aside(commander, seen)), None)
    if seen is None or (seen.result and time.time() - seen.started > ACTIVITY_SHOWN_S):
        return ""
    return call_line(seen)


def _is_aside(commander: Commander, seen: SeenCall) -> bool:
    """Whether an agent only moves about in tabs of its own: of the person's panes nothing has changed."""
    name = seen.about if seen.command == "command" else seen.command
    try:
        command = commander.registry.find(name)
    except UnknownCommand:
        return False
    takes_pane = any(parameter.name == "pane" for parameter in command.parameters)
    is_view = command.access is Access.VIEW and not command.lasting and command.name not in _WINDOWS
    return is_view and (takes_pane or command.name in _MOVES) and commander.settings.text(PANES) != SHARED


def call_line(seen: SeenCall) -> str:
    """One call of an agent in a line; the words in it are the agent's."""
    about = f" {printable(seen.about)}" if seen.about else ""
    return f"{printable(seen.caller, 40)}: {seen.command}{about}"


def _theme(commander: Commander) -> dict[str, Json]:
    """The settings that decide how the page looks and listens."""
    settings = commander.settings
    flags: dict[str, Json] = {name: settings.flag(key) for name, key in _FLAGS.items()}
    return {"name": settings.text("appearance.theme"), "notify": settings.text("agents.notify"), **flags}


def _jobs(commander: Commander) -> list[Json]:
    """The newest jobs and every one that is not over or not looked at, oldest first."""
    jobs = commander.jobs.all()
    newest = len(jobs) - MAX_JOBS
    told = [job for at, job in enumerate(jobs) if at >= newest or not (job.state.is_over and job.is_seen)]
    return [job_json(commander, job) for job in told]


def job_json(commander: Commander, job: Job) -> Json:
    """A job as the page draws it."""
    progress = job.progress
    share = progress.bytes_done / progress.bytes_total if progress.bytes_total else 0.0
    left = progress.seconds_left
    return {
        "id": job.id,
        "title": job.title,
        "state": job.state.value,
        "over": job.state.is_over,
        "interrupted": job in commander.jobs.interrupted(),
        "share": round(share, 3),
        "items": f"{progress.items_done:,} of {progress.items_total:,}",
        "bytes": f"{human_size(progress.bytes_done)} of {human_size(progress.bytes_total)}",
        "rate": f"{human_size(int(progress.rate))}/s" if progress.rate else "",
        "left": None if left is None else round(left),
        "current": progress.current,
        "question": _question(job.question),
        "asks": job.asks,
        "waitsBehind": job.waits_behind,
        "isStopped": job.is_stopped,
        "isSeen": job.is_seen,
        "outcome": job.outcome,
        "problems": [*job.problems],
        "operation": job.operation,
        "canRetry": job.can_retry,
        "output": job.output,
    }


def _unasked(commander: Commander) -> Json:
    """What an agent did last because a rule admits it, as long as nothing newer was done."""
    latest = commander.rules.latest
    if latest is None:
        return None
    return {"operation": latest.operation, "line": printable(latest.words, MAX_LINE_CHARS), "rule": latest.rule}


def _scans(commander: Commander) -> list[Json]:
    """The trees that are being read into an index."""
    return [_scan(scan) for scan in commander.scans() if not scan.state.is_over]


def _scan(scan: ScanJob) -> Json:
    return {
        "id": scan.id,
        "title": f"Reading {display_name(scan.root)}",
        "share": None if scan.percent is None else round(scan.percent / 100, 3),
        "entries": f"{scan.entries:,} entries",
    }


def _question(question: Question | None) -> Json:
    if question is None:
        return None
    if question.inside:
        return {
            "id": question.id,
            "answers": {**FOLDER_ANSWERS},
            "folder": display_name(question.target),
            "there": "",
            "thereFacts": question.inside,
            "new": "",
            "newFacts": question.shown,
        }
    return {
        "id": question.id,
        "answers": {**ANSWERS},
        "folder": None,
        "there": display_name(question.target),
        "thereFacts": f"{human_size(question.target_size)}, {iso_time(question.target_modified_ns)}",
        "new": display_name(question.source),
        "newFacts": f"{human_size(question.source_size)}, {iso_time(question.source_modified_ns)}",
    }


def _proposals(commander: Commander) -> list[Json]:
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


def proposal_json(proposal: Proposal) -> dict[str, Json]:
    """Everything one needs to decide, drawn from the plan that would run and from nothing else."""
    plan = proposal.plan
    title, *facts = facts_of(plan)
    return {
        "id": proposal.id,
        "state": proposal.state.value,
        "title": title.text,
        "facts": [{"text": fact.text, "tone": fact.tone} for fact in facts],
        "by": _speaker(proposal.proposed_by),
        "byAgent": not proposal.proposed_by.startswith("person:"),
        "reason": proposal.reason,
        "digest": plan.digest,
        "word": word_to_type(plan),
        "steps": length_of(plan),
    }


def _edits(commander: Commander) -> list[Json]:
    """Every proposed edit in a line, oldest first."""
    return [
        {
            "id": case.id,
            "path": case.subject if case.is_of_many else display_name(case.one.new_path),
            "by": printable(case.review.agent, 60),
            "changes": count(case.changes, "change"),
        }
        for case in commander.services.waiting_reviews()
    ]


def _speaker(principal: str) -> str:
    return printable(principal.partition(":")[2], 60)
