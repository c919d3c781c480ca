"""Indexes and what is in them, and jobs: from results to what the routes answer, with links to what is near."""

from typing import cast
from urllib.parse import urlencode

from cmdr.model.names import to_wire
from cmdr.model.results.indexes import IndexList, IndexShown, NodeDetail, NodeShown, ReportPage, SessionShown, TreePage
from cmdr.model.results.jobs import OperationStatus, ScanStatus
from cmdr.model.trees.indexes import IndexInfo
from cmdr.model.trees.node import LISTED, Node, Totals
from cmdr.model.trees.reports import ReportRow
from cmdr.model.units import iso_time
from cmdr.web.api import bodies
from cmdr.web.api.links import Links, moment


def session(shown: SessionShown, links: Links) -> bodies.Session:
    """Where a session stands."""
    cwd = to_wire(shown.cwd)
    return {
        "sessionId": shown.session,
        "cwd": cwd,
        "indexId": shown.index,
        "breadcrumb": ["/", *[part for part in cwd.split("/") if part]],
        "units": shown.units,
        "limit": shown.limit,
    }


def indexes(listed: IndexList, links: Links) -> bodies.Indexes:
    """Every index."""
    return {"indexes": [_index(info, links) for info in listed.indexes]}


def index(shown: IndexShown, links: Links) -> bodies.Index:
    """One index."""
    return _index(shown.index, links)


def _index(info: IndexInfo, links: Links) -> bodies.Index:
    link = links.index(info.id)
    return {
        "indexId": info.id,
        "root": to_wire(info.root),
        "epoch": info.epoch,
        "scannedAt": moment(info.scanned_ns),
        "counts": _counts(info.totals),
        "state": info.freshness.state,
        "reason": info.freshness.reason,
        "problems": info.problems,
        "rootNodeId": info.root_node,
        "link": link,
        "tree": f"{link}/tree",
        "reports": f"{link}/reports/largest-files",
    }


def _counts(totals: Totals | None) -> bodies.Counts | None:
    if totals is None:
        return None
    if totals.state not in LISTED:
        state = totals.state.name.lower()
        return {"files": None, "dirs": None, "bytes": None, "allocated": None, "complete": False, "state": state}
    return {
        "files": totals.files,
        "dirs": totals.dirs,
        "bytes": totals.bytes,
        "allocated": totals.allocated,
        "complete": totals.complete,
    }


def _entry(node: Node, index: str, links: Links) -> bodies.Entry:
    return {
        "nodeId": node.id,
        "name": to_wire(node.name),
        "kind": node.kind,
        "size": node.size,
        "counts": _counts(node.totals),
        "modifiedAt": moment(node.mtime_ns),
        "link": links.node(index, node.id),
    }


def _node(shown: NodeShown, links: Links) -> bodies.Node:
    node, index = shown.node, shown.index
    link = links.node(index, node.id)
    facts: bodies.NodeFacts = {
        **_entry(node, index, links),
        "path": to_wire(node.path),
        "allocated": node.allocated,
        "permissions": None if node.mode is None else f"{node.mode:04o}",
        "owner": shown.owner,
        "changedAt": moment(node.ctime_ns),
        "inode": node.inode,
        "hardlinked": node.hardlinked,
        "shared": node.shared,
        "brokenLink": node.broken_link,
        "children": node.children,
        "detail": f"{link}/detail",
    }
    body = cast("bodies.Node", facts)
    if node.kind == "dir":
        body["tree"] = f"{links.index(index)}/tree?parent={node.id}"
        body["reports"] = f"{links.index(index)}/reports/growth?below={node.id}"
    elif node.kind == "file":
        body["download"] = f"{link}/download"
    return body


def place(found: NodeShown, links: Links) -> bodies.Place:
    """The entry at a path, and its index."""
    return {**_node(found, links), "indexId": found.index}


def node(shown: NodeShown, links: Links) -> bodies.Node:
    """One entry, and of a link where it leads."""
    body = _node(shown, links)
    if shown.node.kind == "link":
        body["symlink"] = None if shown.target is None else to_wire(shown.target)
    return body


def detail(shown: NodeDetail, links: Links) -> bodies.NodeDetail:
    """One entry, and of its contents what the caller may read."""
    body = cast("bodies.NodeDetail", node(shown, links))
    if shown.attributes is not None:
        body["attributes"] = {**shown.attributes}
        if shown.node.kind == "file":
            body["preview"] = shown.preview
            body["digest"] = shown.digest
    return body


def tree(page: TreePage, links: Links) -> bodies.Tree:
    """A page of a folder's children."""
    following = None
    if page.cursor is not None:
        asked = {
            "parent": page.parent,
            "limit": page.limit,
            "sort": page.sort,
            "order": page.order,
            "cursor": page.cursor,
        }
        following = f"{links.index(page.index)}/tree?{urlencode(asked)}"
    entries = [_entry(found, page.index, links) for found in page.entries]
    return {"total": page.total, "behind": page.behind, "entries": entries, "nextPageUrl": following}


def report(page: ReportPage, links: Links) -> bodies.Report | bodies.ReportExplained:
    """A page of a report, or what it covers."""
    made = page.report
    head: bodies.ReportHead = {
        "kind": made.kind,
        "total": made.total,
        "complete": made.complete,
        "notCovered": [*made.not_covered],
        "note": made.note or None,
        "behind": made.behind,
    }
    if made.since_ns is not None:
        head["since"] = iso_time(made.since_ns)
        head["sizeBefore"] = made.before
        head["size"] = made.after
    if made.spare_bytes is not None:
        head["wasted"] = made.spare_bytes
    if page.epochs is not None:
        return {**head, "epochs": [*page.epochs]}
    following = None
    if made.cursor is not None:
        asked: dict[str, str | None] = {
            "limit": str(page.limit),
            "cursor": made.cursor,
            "below": page.below,
            "set": page.set,
            "since": page.since,
            "keep": page.keep if page.keep != "oldest" else None,
        }
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        following = f"{links.index(page.index)}/reports/{made.kind}?{query}"
    rows = [_report_row(row, page.index, links) for row in made.rows]
    return {**head, "rows": rows, "nextPageUrl": following}


def _report_row(row: ReportRow, index: str, links: Links) -> bodies.ReportRow:
    body: bodies.ReportRow = {
        "label": row.label,
        "nodeId": row.node,
        "path": None if row.path is None else to_wire(row.path),
        "count": row.count,
        "size": row.size,
        "sizeBefore": row.before,
        "modifiedAt": moment(row.time_ns),
        "members": [to_wire(member) for member in row.members],
        "link": None if row.node is None else links.node(index, row.node),
    }
    if row.change is not None:
        body["change"] = row.change
        body["kind"] = "dir" if row.folder else "file"
    return body


def job(status: ScanStatus | OperationStatus, links: Links) -> bodies.Scan | bodies.Operation:
    """How far a job is."""
    left = None if status.seconds_left is None else round(status.seconds_left)
    if isinstance(status, ScanStatus):
        return {
            "jobId": status.job,
            "kind": "index",
            "status": status.state,
            "startedAt": iso_time(int(status.started * 1e9)),
            "progress": {
                "entries": status.entries,
                "dirs": status.folders,
                "bytes": status.bytes,
                "rate": round(status.rate),
                "percent": None if status.percent is None else round(status.percent, 1),
                "etaSeconds": left,
            },
            "indexId": status.index,
            "problem": status.problem or None,
            "statusUrl": links.job(status.job),
        }
    return {
        "jobId": status.job,
        "kind": "operation",
        "status": status.state,
        "title": status.title,
        "progress": {
            "items": status.items_done,
            "itemsTotal": status.items_total,
            "bytes": status.bytes_done,
            "bytesTotal": status.bytes_total,
            "etaSeconds": left,
        },
        "outcome": status.outcome or None,
        "problems": [*status.problems],
        "statusUrl": links.job(status.job),
    }
