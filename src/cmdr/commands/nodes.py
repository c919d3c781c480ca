"""Entries of indexes, for programs: found by path, looked at, and listed a page at a time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated

from cmdr.commands.reach import reach_of
from cmdr.commands.shell_sessions import place_in
from cmdr.core.call import Call
from cmdr.core.errors import NotThere
from cmdr.core.parameter import Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.files.facts import link_target
from cmdr.files.preview import digest as digest_of
from cmdr.files.preview import extended_attributes, preview
from cmdr.index.query.nodes import user_name
from cmdr.model.filters.filter import SortKey
from cmdr.model.names import to_wire
from cmdr.model.panes.sorting import Direction
from cmdr.model.results.indexes import NodeDetail, NodeShown, TreePage

if TYPE_CHECKING:
    from cmdr.model.trees.node import Node

PAGE = 50
"""Rows of a page, unless more or fewer are asked for."""
SMALL = 1 << 20
"""A file of at most so many bytes is read for its digest unasked."""


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
    node, target = await _looked_up(call, index_id, node_id)
    return NodeShown(index_id, node, _owner(node), target)


@command("node.detail", access=Access.READ, toolset="index", contents=True, programs_only=True)
async def detail(call: Call, *, index_id: str, node_id: str, digest: bool = False) -> NodeDetail:
    """An entry; for callers that may `fs_read` it also its extended attributes, how a text begins, and the digest of
    a small file, or of any with `digest=true`."""
    node, target = await _looked_up(call, index_id, node_id)
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
        known = await in_thread(digest_of, reach, node.path, None if digest else SMALL, stop.is_set)
    finally:
        stop.set()
    return NodeDetail(index_id, node, _owner(node), target, attributes, beginning, known)


@command("tree.page", access=Access.READ, toolset="index", programs_only=True)
async def tree_page(
    call: Call,
    *,
    index_id: str,
    parent: str | None = None,
    limit: Annotated[int, Whole(0, 1000)] = PAGE,
    cursor: str | None = None,
    sort: SortKey = "name",
    order: Direction = Direction.ASC,
) -> TreePage:
    """The children of a folder, a page at a time."""
    answers = await call.commander.indexing.open(index_id)
    above = await in_thread(answers.node, parent or answers.indexed.record.root)
    page = await in_thread(answers.children, above.id, limit, cursor, sort, order is Direction.DESC)
    total = None if above.children is None else page.total  # a folder that could not be listed is not empty
    return TreePage(index_id, above.id, total, page.nodes, page.cursor, limit, sort, order)


async def _looked_up(call: Call, index_id: str, node_id: str) -> tuple[Node, bytes | None]:
    """A node and, if it is a link, where it leads."""
    answers = await call.commander.indexing.open(index_id)
    node = await in_thread(answers.node, node_id)
    return node, await in_thread(link_target, node.path) if node.kind == "link" else None


def _owner(node: Node) -> str | None:
    return None if node.owner is None else user_name(node.owner)
