"""Indexes: read a tree once, and know it."""

from typing import Annotated

from cmdr.commands.shell_sessions import place_in
from cmdr.commands.telling import size_text
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.index.errors import Gone, IndexFault
from cmdr.index.node import Node
from cmdr.index.walk import WalkOptions
from cmdr.model.job import JobState
from cmdr.model.names import to_wire
from cmdr.model.scan_job import ScanJob
from cmdr.model.units import iso_time


@command("index", access=Access.VIEW, toolset="index", idempotent=True)
async def index(
    call: Call,
    *,
    root: str,
    depth_limit: Annotated[int | None, Whole()] = None,
    follow_symlinks: bool = False,
) -> str:
    """Scan a tree, as a job, for cd, query_run and report."""
    options = WalkOptions(depth_limit, follow_symlinks)
    job = await call.commander.indexing.scan(place_in(call, root), options, call.principal)
    url = call.commander.base_url
    return (
        f"Indexing {to_wire(job.root)}\njobId: {job.id} indexId: {job.index}\n"
        f"status: {url}/api/jobs/{job.id} index: {url}/api/indexes/{job.index}"
    )


@command("job_progress", access=Access.READ, toolset="index", idempotent=True)
async def job_progress(call: Call, *, job_id: str) -> str:
    """How far a job is."""
    scan = call.commander.indexing.job(job_id, call.principal)
    if scan is not None:
        return scan_line(scan)
    job = call.commander.jobs.get(job_id, call.principal)
    progress = job.progress
    told = f"{job.state}: {job.title}, {progress.items_done} of {progress.items_total} items"
    return f"{told}\n{job.outcome}" if job.outcome else told


def scan_line(scan: ScanJob) -> str:
    """A scan in one or two lines."""
    told = f"{scan.state}: {scan.entries} entries, {scan.folders} dirs, {size_text(scan.bytes)} in {scan.seconds:.1f} s"
    if scan.state is JobState.RUNNING:
        told += f", {scan.rate:.0f}/s" + (f", {scan.percent:.0f}%" if scan.percent is not None else "")
    if scan.problem:
        told += f"\n{scan.problem}"
    return f"{told}\nindexId: {scan.index}"


@command("inspect", access=Access.READ, toolset="index", idempotent=True)
async def inspect(call: Call, *, node_id: str | None = None, path: str | None = None) -> str:
    """Metadata of one entry."""
    if (node_id is None) == (path is None):
        raise CommandError('inspect needs "nodeId" or "path".')
    indexing = call.commander.indexing
    library = await indexing.library()
    if node_id is not None:
        for info in await in_thread(library.indexes):
            answers = await in_thread(library.get, info.id)
            try:
                return _told(call, info.id, await in_thread(answers.node, node_id))
            except Gone:
                raise
            except IndexFault:
                continue
        raise CommandError(f"No index knows the node {node_id[:40]}.")
    place = place_in(call, path or "")
    found = await indexing.covering(place)
    if found is None:
        raise CommandError(f'No index covers {to_wire(place)}. Run index {{"root": …}} first, or use cd.')
    return _told(call, found.indexed.record.id, await in_thread(found.node, place))


def _told(call: Call, index: str, node: Node) -> str:
    told = [f"{to_wire(node.path)}", f"nodeId: {node.id} kind: {node.kind} size: {size_text(node.size, 'bytes')}"]
    if node.allocated is not None:
        told[1] += f" allocated: {node.allocated}b"
    if node.mtime_ns is not None:
        told.append(f"modified: {iso_time(node.mtime_ns)} mode: {node.mode:04o} owner: {node.owner}")
    if node.totals is not None:
        totals = node.totals
        more = "" if totals.complete else " (at least)"
        told.append(f"children: {node.children} below: {totals.files} files, {totals.dirs} dirs{more}")
    for is_so, word in (
        (node.hardlinked, "hard links"),
        (node.shared, "counted elsewhere"),
        (node.broken_link, "broken"),
    ):
        if is_so:
            told.append(f"note: {word}")
    told.append(f"link: {call.commander.base_url}/api/indexes/{index}/nodes/{node.id}")
    return "\n".join(told)
