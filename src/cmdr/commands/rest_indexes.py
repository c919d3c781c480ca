"""Over HTTP: sessions, indexes, nodes, trees, reports and jobs."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from cmdr.commands.reach import reach_of
from cmdr.commands.rest_forms import (
    Form,
    entry_form,
    index_form,
    job_form,
    node_form,
    report_form,
    scan_form,
    session_form,
)
from cmdr.commands.shell_sessions import place_in
from cmdr.core.call import Call
from cmdr.core.errors import CommandError, NotThere
from cmdr.core.parameter import Json, Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.files.facts import link_target
from cmdr.files.preview import digest as digest_of
from cmdr.files.preview import extended_attributes, preview
from cmdr.index.reporting.reports import KINDS, Keep
from cmdr.model.filters.filter import SortKey
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.sorting import Direction

if TYPE_CHECKING:
    from cmdr.index.asking.answers import Answers
    from cmdr.index.node import Node

PAGE = 50
SMALL = 1 << 20
"""A file of at most so many bytes is read for its digest unasked."""


@command("rest_session", access=Access.READ, toolset="index", route="GET /api/sessions/{sessionId}")
async def session(call: Call, *, session_id: str) -> str:
    """A session: where it stands, and in which index."""
    found = call.commander.indexing.sessions.find(session_id, call.principal)
    answers = await call.commander.indexing.covering(found.cwd)
    return json.dumps(session_form(found, answers.indexed.record.id if answers else None))


@command("rest_indexes", access=Access.READ, toolset="index", route="GET /api/indexes")
async def indexes(call: Call) -> str:
    """Every index."""
    library = await call.commander.indexing.library()
    found: list[Json] = [index_form(info, call.commander.base_url) for info in await in_thread(library.indexes)]
    return json.dumps({"indexes": found})


@command("rest_index", access=Access.READ, toolset="index", route="GET /api/indexes/{indexId}")
async def index(call: Call, *, index_id: str) -> str:
    """An index: how big, how fresh."""
    library = await call.commander.indexing.library()
    return json.dumps(index_form(await in_thread(library.info, index_id), call.commander.base_url))


@command("rest_place", access=Access.READ, toolset="index", route="GET /api/places")
async def place(call: Call, *, path: str) -> str:
    """Which index knows a path, and as which node."""
    target = place_in(call, path)
    found = await call.commander.indexing.ask_of_entry(
        target, lambda answers: (answers.node(target), answers.indexed.record.id)
    )
    if found is None:
        raise NotThere(f"No index knows {to_wire(target)}. Index it first.")
    node, index = found
    return json.dumps(node_form(node, index, call.commander.base_url) | {"indexId": index})


@command("rest_node", access=Access.READ, toolset="index", route="GET /api/indexes/{indexId}/nodes/{nodeId}")
async def node(call: Call, *, index_id: str, node_id: str) -> str:
    """An entry: its metadata, and links to what is in it."""
    answers = await call.commander.indexing.open(index_id)
    return json.dumps((await _entry(call, answers, node_id))[1])


async def _entry(call: Call, answers: Answers, node_id: str) -> tuple[Node, Form]:
    """A node and its form, with where a link leads."""
    found = await in_thread(answers.node, node_id)
    form = node_form(found, answers.indexed.record.id, call.commander.base_url)
    if found.kind == "link":
        target = await in_thread(link_target, found.path)
        form["symlink"] = None if target is None else to_wire(target)
    return found, form


@command(
    "rest_detail",
    access=Access.READ,
    toolset="index",
    contents=True,
    route="GET /api/indexes/{indexId}/nodes/{nodeId}/detail",
)
async def detail(call: Call, *, index_id: str, node_id: str, digest: bool = False) -> str:
    """An entry; for callers that may `fs_read` it also its extended attributes, how a text begins, and the digest of
    a small file, or of any with `digest=true`."""
    answers = await call.commander.indexing.open(index_id)
    found, form = await _entry(call, answers, node_id)
    commander = call.commander
    if not commander.policy.shows(commander.registry.find("fs_read"), call.principal):
        return json.dumps(form)
    reach = reach_of(call)
    attributes: dict[str, Json] = {**await in_thread(extended_attributes, reach, found.path)}
    form["attributes"] = attributes
    if found.kind == "file":
        form["preview"] = await in_thread(preview, reach, found.path)
        stop = threading.Event()
        try:
            most = None if digest else SMALL
            form["digest"] = await in_thread(digest_of, reach, found.path, most, stop.is_set)
        finally:
            stop.set()
    return json.dumps(form)


@command("rest_tree", access=Access.READ, toolset="index", route="GET /api/indexes/{indexId}/tree")
async def tree(
    call: Call,
    *,
    index_id: str,
    parent: str | None = None,
    limit: Annotated[int, Whole(0, 1000)] = PAGE,
    cursor: str | None = None,
    sort: SortKey = "name",
    order: Direction = Direction.ASC,
) -> str:
    """The children of a folder, a page at a time."""
    answers = await call.commander.indexing.open(index_id)
    above = await in_thread(answers.node, parent or answers.indexed.record.root)
    place = above.id
    page = await in_thread(answers.children, place, limit, cursor, sort, order is Direction.DESC)
    url = call.commander.base_url
    following = None
    if page.cursor is not None:
        asked = {"parent": place, "limit": limit, "sort": sort, "order": order, "cursor": page.cursor}
        following = f"{url}/api/indexes/{index_id}/tree?{urlencode(asked)}"
    entries: list[Json] = [entry_form(found, index_id, url) for found in page.nodes]
    total = None if above.children is None else page.total  # a folder that could not be listed is not empty
    return json.dumps({"total": total, "entries": entries, "nextPageUrl": following})


@command("rest_report", access=Access.READ, toolset="index", route="GET /api/indexes/{indexId}/reports/{kind}")
async def report(
    call: Call,
    *,
    index_id: str,
    kind: str,
    limit: Annotated[int, Whole(0, 1000)] = PAGE,
    cursor: str | None = None,
    below: str | None = None,
    set: str | None = None,
    since: str | None = None,
    keep: Keep = "oldest",
    format: str | None = None,
) -> str:
    """A report over an index, a folder in it or a set, a page at a time; `format=explain` says what it covers.
    Growth begins at `since`: an epoch, a date, or an age such as 7d. Of duplicates the oldest is told first, or the
    newest with `keep=newest`."""
    library = await call.commander.indexing.library()
    kind = {"largest": "largest-files"}.get(kind, kind)
    if kind not in KINDS:
        raise CommandError(f'No report "{printable(kind, 40)}". There are: {", ".join(KINDS)}.')
    answers = await call.commander.indexing.open(index_id)
    if set is not None:
        set = await call.commander.indexing.sets.find(set, call.principal)
    made = await in_thread(library.report, index_id, kind, limit, below, set, since, cursor, keep=keep)
    url = call.commander.base_url
    form = report_form(made, index_id, answers.tag, url)
    if format == "explain":
        form = {key: value for key, value in form.items() if key != "rows"}
        return json.dumps(form | {"epochs": [*await in_thread(library.epochs, index_id)]})
    more = {"limit": str(limit), "cursor": made.cursor, "below": below, "set": set, "since": since}
    more["keep"] = keep if keep != "oldest" else None
    asked = urlencode({name: value for name, value in more.items() if value is not None})
    form["nextPageUrl"] = f"{url}/api/indexes/{index_id}/reports/{kind}?{asked}" if made.cursor else None
    return json.dumps(form)


@command("rest_job", access=Access.READ, toolset="index", route="GET /api/jobs/{jobId}")
async def job(call: Call, *, job_id: str) -> str:
    """A job: how far it is. With `Accept: text/event-stream` every step is told."""
    url = call.commander.base_url
    scan = call.commander.indexing.job(job_id, call.principal)
    if scan is not None:
        return json.dumps(scan_form(scan, url))
    return json.dumps(job_form(call.commander.jobs.get(job_id, call.principal), url))
