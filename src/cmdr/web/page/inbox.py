"""The inbox as the page draws it: how much waits, every row, and all of one row."""

import json
import zlib
from collections.abc import Sequence

from cmdr.core.commander import Commander
from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import NotThere
from cmdr.model.job import Job
from cmdr.model.names import printable
from cmdr.model.results.inbox import Inbox, InboxKind, InboxRow
from cmdr.web.page.review import review_json
from cmdr.web.page.state import job_json, proposal_json

PLANS = frozenset({InboxKind.PROPOSAL, InboxKind.COMMAND, InboxKind.TRUST})
"""Kinds that are a plan with a digest."""
_TO_ANSWER = PLANS | {InboxKind.EDIT, InboxKind.QUESTION, InboxKind.PAUSED, InboxKind.INTERRUPTED}
"""Kinds that wait for an answer; the others only have to be seen."""
DIFF_ROWS = 200
MAX_LINE_CHARS = 120


def waiting_rows(commander: Commander) -> Sequence[InboxRow]:
    """What waits; a question about the person's own plan stands before them already."""
    return [row for row in commander.inbox.rows().rows if row.by or row.kind not in PLANS]


def inbox_summary(commander: Commander) -> dict[str, Json]:
    """What every state tells of it: how much there is, what came last, and a tag that changes with every row."""
    rows = waiting_rows(commander)
    last = max(rows, key=lambda row: row.since, default=None)
    return {
        "answers": sum(row.kind in _TO_ANSWER for row in rows),
        "sees": sum(row.kind not in _TO_ANSWER for row in rows),
        "tag": _tag(rows),
        "last": None if last is None else {"id": last.id, "since": last.since, "line": line_of(last)},
    }


def line_of(row: InboxRow) -> str:
    """A row in a bounded line: what the person's desktop may show of it."""
    told = " · ".join(part for part in (row.what, row.detail) if part)
    return printable(f"{row.by}: {told}" if row.by else told, MAX_LINE_CHARS)


def inbox_json(commander: Commander) -> dict[str, Json]:
    """Every row."""
    rows = waiting_rows(commander)
    return {"tag": _tag(rows), "rows": [_row(row) for row in rows]}


def entry_json(commander: Commander, caller: Principal, id: str) -> dict[str, Json]:
    """All of one row: the plan, the edit or the job that it is about."""
    for row in waiting_rows(commander):
        if row.id == id:
            return {"row": _row(row), **_about(commander, caller, row)}
    raise NotThere(f"{printable(id, 40)} waits no longer: it was answered elsewhere, or is over.")


def _about(commander: Commander, caller: Principal, row: InboxRow) -> dict[str, Json]:
    if row.kind in PLANS:
        return {"plan": proposal_json(commander.proposals.get(row.id, caller))}
    if row.kind is InboxKind.EDIT:
        case = commander.editor.reviews.get(row.id, caller)
        return {"edit": review_json(case, 0, DIFF_ROWS, unified=True, folded=True)}
    job = _job_of(commander, row)
    return {} if job is None else {"job": job_json(commander, job)}


def _job_of(commander: Commander, row: InboxRow) -> Job | None:
    for job in (*commander.jobs.all(), *commander.jobs.interrupted()):
        if job.id == row.id or (row.kind is InboxKind.INTERRUPTED and row.id == f"operation {job.operation}"):
            return job
    return None


def _row(row: InboxRow) -> Json:
    told = Inbox((row,)).data()["rows"]
    assert isinstance(told, list)
    return told[0]


def _tag(rows: Sequence[InboxRow]) -> str:
    told = [[row.id, row.kind, row.digest, row.detail, row.question, row.rule, list(row.answers)] for row in rows]
    return f"{zlib.crc32(json.dumps(told).encode()):x}"
