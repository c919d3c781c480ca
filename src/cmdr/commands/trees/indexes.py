"""Indexes: read a tree once, and know it; its entries one by one, its folders page by page; export."""

from __future__ import annotations

import os
import platform
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from cmdr.commands._paths import reach_of
from cmdr.commands._text import job_line, scan_counts, size_text
from cmdr.commands.trees.sessions import place_in
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, NotThere
from cmdr.core.threads import in_thread
from cmdr.files.contents import digest as digest_of
from cmdr.files.contents import extended_attributes, preview
from cmdr.files.file_stat import link_target
from cmdr.index.errors import Gone, IndexFault
from cmdr.index.query.nodes import user_name
from cmdr.model.filters.filter import SortKey
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.sorting import Direction
from cmdr.model.results.indexes import IndexList, IndexShown, NodeDetail, NodeShown, TreePage
from cmdr.model.results.result import Result, Said
from cmdr.model.results.trees import ScanProgress, ScanStarted
from cmdr.model.trees.indexes import WalkOptions
from cmdr.model.units import count, iso_time
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.core.trees.indexing import Indexing
    from cmdr.index.query.queries import IndexQueries
    from cmdr.model.trees.node import Node, Totals


PAGE_SIZE = 50
"""Rows of a page, unless more or fewer are asked for."""
MAX_DIGESTED_BYTES = 1 << 20
"""A file of at most so many bytes is read for its digest unasked."""


@command("index", access=Access.VIEW, toolset="index", idempotent=True)
async def index(
    call: Call,
    *,
    root: str,
    depth_limit: Annotated[int | None, Whole(1)] = None,
    follow_symlinks: bool = False,
) -> ScanStarted:
    """Scan or crawl a directory tree, as a job."""
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
async def job_progress(call: Call, *, job_id: str) -> Result:
    """How far a job is."""
    if (scan := call.commander.indexing.job(job_id, call.principal)) is not None:
        return ScanProgress.of(scan, scan_counts(scan), call.commander.base_url)
    job = call.commander.jobs.get(job_id, call.principal)
    told = job_line(job)
    return Said(told if job.state.is_over else f"{told}\nstatus: {call.commander.base_url}/api/jobs/{job.id}")


@command("inspect", access=Access.READ, toolset="index", idempotent=True)
async def inspect(call: Call, *, node_id: str | None = None, path: str | None = None) -> Said:
    """Details and metadata of a file or folder."""
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
            return Said(_format_node(call, info.id, node, target))
        raise CommandError(f"No index knows the node {printable(node_id, 40)}.")
    place = place_in(call, path or "")
    found = await indexing.ask_of_entry(place, lambda answers: (answers.indexed.record.id, *_looked_up(answers, place)))
    if found is None:
        raise await _unknown(indexing, place)
    return Said(_format_node(call, *found))


def _looked_up(answers: IndexQueries, place: str | bytes) -> tuple[Node, bytes | None]:
    """A node as of now and, if it is a link, where it leads."""
    if isinstance(place, str):
        with suppress(Gone):  # as far as is known
            answers.row(place)
        answers = answers.as_of(None, place)
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
        from cmdr.index.query.coverage import UNLISTED  # noqa: PLC0415

        return f"children: unknown, {UNLISTED[totals.state]}"
    more = "" if totals.complete else " (at least)"
    return f"children: {children} below: {count(totals.files, 'file')}, {count(totals.dirs, 'dir')}{more}"


def _format_node(call: Call, index: str, node: Node, target: bytes | None) -> str:
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


@command("index.export", access=Access.ACT, title="Export an index as Parquet")
async def index_export(call: Call, *, root: str, to: str) -> Said:
    """Write what the index of a tree knows as Parquet, below a folder, by host and root."""
    from cmdr.index.fleets.parquet_export import export

    indexing = call.commander.indexing
    place = await in_thread(os.path.realpath, place_in(call, root))
    answers, _ = await indexing.ensure(place, call.principal)
    folder = place_in(call, to)
    try:
        made = await in_thread(export, answers, place, os.fsdecode(folder), platform.node())
    except OSError as error:
        raise CommandError(f"The export cannot be written to {to_wire(folder)}: {error.strerror}.") from error
    return Said(f"{made.rows} entries in {size_text(made.bytes)}: {to_wire(os.fsencode(made.folder))}")


@command("node.find", access=Access.READ, toolset="index", programs_only=True)
async def find(call: Call, *, path: str) -> NodeShown:
    """Which index knows a path, and as which node."""
    target = place_in(call, path)
    found = await call.commander.indexing.ask_of_entry(
        target, lambda answers: (answers.indexed.record.id, answers.node(target))
    )
    if found is None:
        raise NotThere(f"No index knows {to_wire(target)}. Index it first.")
    index, node = found
    return NodeShown(index, node, _owner(node))


@command("node.show", access=Access.READ, toolset="index", programs_only=True)
async def show(call: Call, *, index_id: str, node_id: str) -> NodeShown:
    """An entry: its metadata, and links to what is in it."""
    node, target = await _node_in(call, index_id, node_id)
    return NodeShown(index_id, node, _owner(node), target)


@command("node.detail", access=Access.READ, toolset="index", contents=True, programs_only=True)
async def detail(call: Call, *, index_id: str, node_id: str, digest: bool = False) -> NodeDetail:
    """An entry; for callers that may `fs_read` it also its extended attributes, how a text begins, and the digest of
    a small file, or of any with `digest=true`."""
    node, target = await _node_in(call, index_id, node_id)
    commander = call.commander
    if not commander.policy.shows(commander.registry.find("fs_read"), call.principal):
        return NodeDetail(index_id, node, _owner(node), target)
    reach = reach_of(call)
    attributes = await in_thread(extended_attributes, reach, node.path)
    if node.kind != "file":
        return NodeDetail(index_id, node, _owner(node), target, attributes)
    beginning = await in_thread(preview, reach, node.path)
    stop = threading.Event()
    try:
        known = await in_thread(digest_of, reach, node.path, None if digest else MAX_DIGESTED_BYTES, stop.is_set)
    finally:
        stop.set()
    return NodeDetail(index_id, node, _owner(node), target, attributes, beginning, known)


@command("tree.page", access=Access.READ, toolset="index", programs_only=True)
async def tree_page(
    call: Call,
    *,
    index_id: str,
    parent: str | None = None,
    limit: Annotated[int, Whole(0, 1000)] = PAGE_SIZE,
    cursor: str | None = None,
    sort: SortKey = "name",
    order: Direction = Direction.ASC,
) -> TreePage:
    """The children of a folder, a page at a time."""
    answers = await call.commander.indexing.open(index_id, parent)
    above = await in_thread(answers.node, parent or answers.indexed.record.root)
    page = await in_thread(answers.children, above.id, limit, cursor, sort, order is Direction.DESC)
    total = None if above.children is None else page.total  # a folder that could not be listed is not empty
    return TreePage(index_id, above.id, total, page.nodes, page.cursor, limit, sort, order, answers.behind)


async def _node_in(call: Call, index_id: str, node_id: str) -> tuple[Node, bytes | None]:
    """A node and, if it is a link, where it leads."""
    answers = await call.commander.indexing.open(index_id, node_id)
    node = await in_thread(answers.node, node_id)
    return node, await in_thread(link_target, node.path) if node.kind == "link" else None


def _owner(node: Node) -> str | None:
    return None if node.owner is None else user_name(node.owner)
