"""Over HTTP: sessions, indexes, nodes, trees, reports and jobs."""

import json
from typing import Annotated

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
from cmdr.files.preview import extended_attributes, preview
from cmdr.index.reports import KINDS
from cmdr.model.filter import SortKey
from cmdr.model.names import to_wire
from cmdr.model.sorting import Direction

PAGE = 50


@command("rest_session", access=Access.READ, toolset="index", route="GET /api/sessions/{sessionId}")
async def session(call: Call, *, session_id: str) -> str:
    """A session: where it stands, and in which index."""
    found = call.commander.indexing.session(session_id, call.principal, b"/")
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
    answers = await call.commander.indexing.covering(target)
    if answers is None:
        raise NotThere(f"No index covers {to_wire(target)}. Index it first.")
    index = answers.indexed.record.id
    return json.dumps(
        node_form(await in_thread(answers.node, target), index, call.commander.base_url) | {"indexId": index}
    )


@command("rest_node", access=Access.READ, toolset="index", route="GET /api/indexes/{indexId}/nodes/{nodeId}")
async def node(call: Call, *, index_id: str, node_id: str) -> str:
    """An entry: its metadata, and links to what is in it."""
    library = await call.commander.indexing.library()
    answers = await in_thread(library.get, index_id)
    return json.dumps(node_form(await in_thread(answers.node, node_id), index_id, call.commander.base_url))


@command("rest_detail", access=Access.READ, toolset="index", route="GET /api/indexes/{indexId}/nodes/{nodeId}/detail")
async def detail(call: Call, *, index_id: str, node_id: str) -> str:
    """An entry with its extended attributes, and the beginning of a text file for callers with a token."""
    library = await call.commander.indexing.library()
    answers = await in_thread(library.get, index_id)
    found = await in_thread(answers.node, node_id)
    form: Form = node_form(found, index_id, call.commander.base_url)
    attributes: dict[str, Json] = {**await in_thread(extended_attributes, found.path)}
    form["attributes"] = attributes
    if call.principal.token and found.kind == "file":
        reach = reach_of(call)
        form["preview"] = await in_thread(preview, reach, found.path)
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
    library = await call.commander.indexing.library()
    answers = await in_thread(library.get, index_id)
    place = parent or to_wire(answers.indexed.record.root)
    page = await in_thread(answers.children, place, limit, cursor, sort, order is Direction.DESC)
    url = call.commander.base_url
    following = None
    if page.cursor is not None:
        following = f"{url}/api/indexes/{index_id}/tree?parent={place}&limit={limit}&sort={sort}&order={order}"
        following += f"&cursor={page.cursor}"
    entries: list[Json] = [entry_form(found, index_id, url) for found in page.nodes]
    return json.dumps({"total": page.total, "entries": entries, "nextPageUrl": following})


@command("rest_report", access=Access.READ, toolset="index", route="GET /api/indexes/{indexId}/reports/{kind}")
async def report(
    call: Call,
    *,
    index_id: str,
    kind: str,
    limit: Annotated[int, Whole(0, 1000)] = PAGE,
    below: str | None = None,
    format: str | None = None,
) -> str:
    """A report over an index; `format=explain` says what it covers."""
    library = await call.commander.indexing.library()
    kind = {"largest": "largest-files"}.get(kind, kind)
    if kind not in KINDS:
        raise CommandError(f'No report "{kind[:40]}". There are: {", ".join(KINDS)}.')
    made = await in_thread(library.report, index_id, kind, limit, below)
    form = report_form(made)
    if format == "explain":
        form = {key: form[key] for key in ("kind", "total", "complete", "notCovered", "note")}
    return json.dumps(form)


@command("rest_job", access=Access.READ, toolset="index", route="GET /api/jobs/{jobId}")
async def job(call: Call, *, job_id: str) -> str:
    """A job: how far it is. With `Accept: text/event-stream` every step is told."""
    url = call.commander.base_url
    scan = call.commander.indexing.job(job_id, call.principal)
    if scan is not None:
        return json.dumps(scan_form(scan, url))
    return json.dumps(job_form(call.commander.jobs.get(job_id, call.principal), url))
