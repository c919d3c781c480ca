"""Indexed things as JSON, with a link to each: what the REST routes answer. Unknown is null, never 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cmdr.commands.folder_glance import FEW
from cmdr.core.parameter import Json
from cmdr.index.owners import user
from cmdr.index.reporting.reports import Report, ReportRow
from cmdr.index.shelves.catalogue import SavedQuery
from cmdr.index.shelves.handles import node_handle
from cmdr.model.job import Job
from cmdr.model.names import to_wire
from cmdr.model.scan_job import ScanJob
from cmdr.model.shell_session import ShellSession
from cmdr.model.units import iso_time

if TYPE_CHECKING:
    from cmdr.index.asking.explanation import Explanation
    from cmdr.index.library import IndexInfo
    from cmdr.index.node import Node
    from cmdr.index.shelves.setshelf import SetInfo, SetMember
    from cmdr.index.view_rows import Totals

Form = dict[str, Json]


def session_form(session: ShellSession, index: str | None) -> Form:
    """A ShellSession."""
    parts = to_wire(session.cwd).strip("/").split("/")
    return {
        "sessionId": session.id,
        "cwd": to_wire(session.cwd),
        "indexId": index,
        "breadcrumb": ["/", *[part for part in parts if part]],
        "units": session.units,
        "limit": session.limit or FEW,
    }


def totals_form(totals: Totals | None) -> Form | None:
    """Counts below a folder; of one that was not listed nothing is known but why."""
    if totals is None:
        return None
    from cmdr.index.node import LISTED

    if totals.state not in LISTED:
        unknown = dict.fromkeys(("files", "dirs", "bytes", "allocated"))
        return {**unknown, "complete": False, "state": totals.state.name.lower()}
    return {
        "files": totals.files,
        "dirs": totals.dirs,
        "bytes": totals.bytes,
        "allocated": totals.allocated,
        "complete": totals.complete,
    }


def index_form(info: IndexInfo, url: str) -> Form:
    """An index at a glance."""
    return {
        "indexId": info.id,
        "root": to_wire(info.root),
        "epoch": info.epoch,
        "scannedAt": _time(info.scanned_ns),
        "counts": totals_form(info.totals),
        "state": info.freshness.state,
        "reason": info.freshness.reason,
        "problems": info.problems,
        "rootNodeId": info.root_node,
        "link": f"{url}/api/indexes/{info.id}",
        "tree": f"{url}/api/indexes/{info.id}/tree",
        "reports": f"{url}/api/indexes/{info.id}/reports/largest-files",
    }


def entry_form(node: Node, index: str, url: str) -> Form:
    """A ListingEntry."""
    return {
        "nodeId": node.id,
        "name": to_wire(node.name),
        "kind": node.kind,
        "size": node.size,
        "counts": totals_form(node.totals),
        "modifiedAt": _time(node.mtime_ns),
        "link": f"{url}/api/indexes/{index}/nodes/{node.id}",
    }


def node_form(node: Node, index: str, url: str) -> Form:
    """A NodeDetail."""
    link = f"{url}/api/indexes/{index}/nodes/{node.id}"
    form = entry_form(node, index, url)
    form |= {
        "path": to_wire(node.path),
        "allocated": node.allocated,
        "permissions": None if node.mode is None else f"{node.mode:04o}",
        "owner": None if node.owner is None else user(node.owner),
        "changedAt": _time(node.ctime_ns),
        "inode": node.inode,
        "hardlinked": node.hardlinked,
        "shared": node.shared,
        "brokenLink": node.broken_link,
        "children": node.children,
        "detail": f"{link}/detail",
    }
    if node.kind == "dir":
        form["tree"] = f"{url}/api/indexes/{index}/tree?parent={node.id}"
        form["reports"] = f"{url}/api/indexes/{index}/reports/growth?below={node.id}"
    elif node.kind == "file":
        form["download"] = f"{link}/download"
    return form


def scan_form(scan: ScanJob, url: str) -> Form:
    """A JobHandle of a scan."""
    return {
        "jobId": scan.id,
        "kind": "index",
        "status": scan.state.value,
        "startedAt": iso_time(int(scan.started * 1e9)),
        "progress": {
            "entries": scan.entries,
            "dirs": scan.folders,
            "bytes": scan.bytes,
            "rate": round(scan.rate),
            "percent": None if scan.percent is None else round(scan.percent, 1),
            "etaSeconds": None if scan.seconds_left is None else round(scan.seconds_left),
        },
        "indexId": scan.index,
        "problem": scan.problem or None,
        "statusUrl": f"{url}/api/jobs/{scan.id}",
    }


def job_form(job: Job, url: str) -> Form:
    """A JobHandle of an operation."""
    progress = job.progress
    return {
        "jobId": job.id,
        "kind": "operation",
        "status": job.state.value,
        "title": job.title,
        "progress": {
            "items": progress.items_done,
            "itemsTotal": progress.items_total,
            "bytes": progress.bytes_done,
            "bytesTotal": progress.bytes_total,
            "etaSeconds": None if progress.seconds_left is None else round(progress.seconds_left),
        },
        "outcome": job.outcome or None,
        "problems": [*job.problems],
        "statusUrl": f"{url}/api/jobs/{job.id}",
    }


def set_form(info: SetInfo, url: str) -> Form:
    """A ResourceSet."""
    link = f"{url}/api/resource-sets/{info.id}"
    return {
        "selectionId": info.id,
        "name": info.name,
        "indexId": info.index_id,
        "counts": info.count,
        "totalSize": info.bytes,
        "createdAt": _time(info.created_ns),
        "changedAt": _time(info.changed_ns),
        "link": link,
        "entriesUrl": f"{link}/entries",
    }


def member_form(entry: SetMember, index: str, url: str) -> Form:
    """A member of a set, as it was put in and as it is now."""
    member = entry.member
    return {
        "nodeId": entry.node,
        "path": to_wire(member.path),
        "size": member.size,
        "modifiedAt": _time(member.mtime_ns),
        "state": member.state,
        "pathNow": None if member.path_now is None else to_wire(member.path_now),
        "link": f"{url}/api/indexes/{index}/nodes/{entry.node}",
    }


def query_form(saved: SavedQuery, summary: str, url: str) -> Form:
    """A SavedQuery as a card."""
    return {
        "queryId": saved.id,
        "name": saved.name,
        "filterSummary": summary,
        "root": None if saved.root is None else to_wire(saved.root),
        "lastExecutedAt": _time(saved.last_run_ns),
        "link": f"{url}/api/queries/{saved.id}",
        "runUrl": f"{url}/api/queries/{saved.id}/run",
    }


def explanation_form(explanation: Explanation) -> Form:
    """How a filter is evaluated."""
    return {
        "normalForm": explanation.normal_form,
        "steps": [*explanation.steps],
        "rowsExamined": explanation.rows_examined,
        "rowsTotal": explanation.rows_total,
        "complete": explanation.complete,
        "notCovered": [*explanation.not_covered],
    }


def report_form(report: Report, index: str, tag: int, url: str) -> Form:
    """A page of a report."""
    form: Form = {
        "kind": report.kind,
        "total": report.total,
        "complete": report.complete,
        "notCovered": [*report.not_covered],
        "note": report.note or None,
    }
    if report.since_ns is not None:
        form |= {"since": _time(report.since_ns), "sizeBefore": report.before, "size": report.after}
    if report.spare is not None:
        form["wasted"] = report.spare.bytes
    return form | {"rows": [_report_row(row, index, tag, url) for row in report.rows]}


def _report_row(row: ReportRow, index: str, tag: int, url: str) -> Form:
    node = None if row.nid is None else node_handle(tag, row.nid)
    form: Form = {
        "label": row.label,
        "nodeId": node,
        "path": None if row.path is None else to_wire(row.path),
        "count": row.count,
        "size": row.size,
        "sizeBefore": row.before,
        "modifiedAt": _time(row.time_ns),
        "members": [to_wire(member) for member in row.members],
        "link": None if node is None else f"{url}/api/indexes/{index}/nodes/{node}",
    }
    if row.change is not None:
        form |= {"change": row.change, "kind": "dir" if row.folder else "file"}
    return form


def _time(ns: int | None) -> str | None:
    return None if ns is None else iso_time(ns)
