"""Indexes: read a tree once, and know it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from cmdr.commands.how_far import job_line, scan_counts
from cmdr.commands.shell_sessions import place_in
from cmdr.commands.telling import size_text
from cmdr.core.call import Call
from cmdr.core.errors import CommandError, NotThere
from cmdr.core.parameter import Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.files.facts import link_target
from cmdr.index.errors import Gone, IndexFault
from cmdr.index.query.nodes import user_name
from cmdr.model.names import printable, to_wire
from cmdr.model.results.indexes import IndexList, IndexShown
from cmdr.model.results.result import Result
from cmdr.model.results.trees import ScanProgress, ScanStarted
from cmdr.model.trees.indexes import WalkOptions
from cmdr.model.units import count, iso_time
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.core.trees.indexing import Indexing
    from cmdr.index.query.queries import IndexQueries
    from cmdr.model.trees.node import Node, Totals


@command("index", access=Access.VIEW, toolset="index", idempotent=True)
async def index(
    call: Call,
    *,
    root: str,
    depth_limit: Annotated[int | None, Whole(1)] = None,
    follow_symlinks: bool = False,
) -> ScanStarted:
    """Scan a tree, as a job."""
    options = WalkOptions(depth_limit, follow_symlinks)
    job = await call.commander.indexing.scan(place_in(call, root), options, call.principal)
    return ScanStarted(job.root, job.id, job.index, call.commander.base_url)


@command("index.list", access=Access.READ, toolset="index", programs_only=True)
async def list_indexes(call: Call) -> IndexList:
    """Every index."""
    library = await call.commander.indexing.library()
    return IndexList(await in_thread(library.indexes))


@command("index.info", access=Access.READ, toolset="index", programs_only=True)
async def index_info(call: Call, *, index_id: str) -> IndexShown:
    """An index: how big, how fresh."""
    library = await call.commander.indexing.library()
    return IndexShown(await in_thread(library.info, index_id))


@command("job_progress", access=Access.READ, toolset="index", idempotent=True)
async def job_progress(call: Call, *, job_id: str) -> Result | str:
    """How far a job is."""
    if (scan := call.commander.indexing.job(job_id, call.principal)) is not None:
        return ScanProgress.of(scan, scan_counts(scan), call.commander.base_url)
    job = call.commander.jobs.get(job_id, call.principal)
    told = job_line(job)
    return told if job.state.is_over else f"{told}\nstatus: {call.commander.base_url}/api/jobs/{job.id}"


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
                node, target = await in_thread(_looked_up, answers, node_id)
            except Gone:
                raise
            except IndexFault:
                continue
            return _told(call, info.id, node, target)
        raise CommandError(f"No index knows the node {printable(node_id, 40)}.")
    place = place_in(call, path or "")
    found = await indexing.ask_of_entry(place, lambda answers: (answers.indexed.record.id, *_looked_up(answers, place)))
    if found is None:
        raise await _unknown(indexing, place)
    return _told(call, *found)


def _looked_up(answers: IndexQueries, place: str | bytes) -> tuple[Node, bytes | None]:
    """A node and, if it is a link, where it leads."""
    node = answers.node(place)
    return node, link_target(node.path)


async def _unknown(indexing: Indexing, place: bytes) -> CommandError:
    """Why no index knows a place, and what to do next."""
    if not await in_thread(os.path.lexists, place):
        return NotThere(f"{to_wire(place)} does not exist. Look for it with query_run.")
    above = os.path.dirname(place)
    if await indexing.covering(above) is not None:
        return CommandError(
            f'{to_wire(place)} is newer than its index. Repeat in a moment, or index {{"root": …}} again.'
        )
    return CommandError(f'{to_wire(place)} is in no index. Run index {{"root": "{to_wire(above)}"}} first, or use cd.')


def _inside(children: int | None, totals: Totals) -> str:
    """What is in a folder, or why nobody knows."""
    if children is None:
        from cmdr.index.query.coverage import UNLISTED

        return f"children: unknown, {UNLISTED[totals.state]}"
    more = "" if totals.complete else " (at least)"
    return f"children: {children} below: {count(totals.files, 'file')}, {count(totals.dirs, 'dir')}{more}"


def _told(call: Call, index: str, node: Node, target: bytes | None) -> str:
    leads = "" if target is None else f" → {quoted_name(to_wire(target))}"
    size = size_text(node.size, "bytes")
    told = [f"{quoted_name(to_wire(node.path))}{leads}", f"nodeId: {node.id} kind: {node.kind} size: {size}"]
    if node.allocated is not None:
        told[1] += f" allocated: {node.allocated}b"
    if node.mtime_ns is not None and node.owner is not None:
        told.append(f"modified: {iso_time(node.mtime_ns)} mode: {node.mode:04o} owner: {user_name(node.owner)}")
    if node.totals is not None:
        told.append(_inside(node.children, node.totals))
    for is_so, word in (
        (node.hardlinked, "hard links"),
        (node.shared, "counted elsewhere"),
        (node.broken_link, "broken"),
    ):
        if is_so:
            told.append(f"note: {word}")
    url = f"{call.commander.base_url}/api/indexes/{index}"
    told.append(f"link: {url}/nodes/{node.id}" + (" (+ /detail, /download)" if node.kind == "file" else " (+ /detail)"))
    if node.kind == "dir":
        told.append(f"list: {url}/tree?parent={node.id} growth: {url}/reports/growth?below={node.id}")
    return "\n".join(told)
