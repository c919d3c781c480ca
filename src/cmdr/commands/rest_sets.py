"""Over HTTP: resource sets and saved queries."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

from cmdr.commands.rest_forms import explanation_form, member_form, query_form, set_form
from cmdr.commands.sets import SAMPLES, index_of
from cmdr.commands.shell_sessions import place_in
from cmdr.core.call import Call
from cmdr.core.errors import NotThere
from cmdr.core.parameter import Also, Json, Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.model.filters.filter import Question
from cmdr.model.filters.filter_given import given_filter, placed
from cmdr.model.filters.filter_json import from_json, to_json
from cmdr.model.filters.filter_text import to_text
from cmdr.model.names import to_wire
from cmdr.model.results.trees import SetPage

if TYPE_CHECKING:
    from cmdr.index.asking.answers import Answer, Answers
    from cmdr.index.shelves.catalogue import SavedQuery
    from cmdr.index.shelves.setshelf import SetShelf

PAGE = 50


async def _found(call: Call, named: str) -> tuple[SetShelf, str]:
    """The shelf and the id of a set that the caller may see, by its id or name."""
    found = await call.commander.indexing.sets.find(named, call.principal)
    return (await call.commander.indexing.library()).sets, found


@command("rest_sets", access=Access.READ, toolset="index", route="GET /api/resource-sets")
async def sets(call: Call) -> str:
    """Your sets."""
    found = await call.commander.indexing.sets.all(call.principal)
    forms: list[Json] = [set_form(info, call.commander.base_url) for info in found]
    return json.dumps({"sets": forms})


@command("rest_set_create", access=Access.VIEW, toolset="index", route="POST /api/resource-sets")
async def create(
    call: Call,
    *,
    name: str,
    nodes: Annotated[list[str] | None, Also(("paths",))] = None,
    index_id: str | None = None,
) -> str:
    """Make a set of nodes: ids, or paths."""
    library = await call.commander.indexing.library()
    places: list[str | bytes] = [*(nodes or ())]
    index = index_id or await index_of(call, places)
    name = await call.commander.indexing.sets.new_name(name, call.principal)
    info = await in_thread(library.sets.create, index, name, places)
    await call.commander.indexing.sets.own(info.id, call.principal)
    return json.dumps(set_form(info, call.commander.base_url))


@command("rest_set", access=Access.READ, toolset="index", route="GET /api/resource-sets/{setId}")
async def one(call: Call, *, set_id: str) -> str:
    """A set at a glance, with a few of its members."""
    shelf, set_id = await _found(call, set_id)
    info, url = await in_thread(shelf.info, set_id), call.commander.base_url
    page = await in_thread(shelf.page, set_id, SAMPLES)
    sample: list[Json] = [member_form(entry, info.index_id, url) for entry in page.members]
    return json.dumps(set_form(info, url) | {"sample": sample})


@command("rest_set_rename", access=Access.VIEW, toolset="index", route="PATCH /api/resource-sets/{setId}")
async def rename(call: Call, *, set_id: str, name: str) -> str:
    """Give a set another name."""
    shelf, set_id = await _found(call, set_id)
    if (await in_thread(shelf.info, set_id)).name != name:
        name = await call.commander.indexing.sets.new_name(name, call.principal)
    return json.dumps(set_form(await in_thread(shelf.rename, set_id, name), call.commander.base_url))


@command("rest_set_delete", access=Access.VIEW, toolset="index", route="DELETE /api/resource-sets/{setId}")
async def delete(call: Call, *, set_id: str) -> str:
    """Forget a set; the files in it stay."""
    shelf, set_id = await _found(call, set_id)
    await in_thread(shelf.delete, set_id)
    return json.dumps({"deleted": set_id})


@command("rest_set_entries", access=Access.READ, toolset="index", route="GET /api/resource-sets/{setId}/entries")
async def entries(
    call: Call, *, set_id: str, limit: Annotated[int, Whole(0, 1000)] = PAGE, cursor: str | None = None
) -> SetPage:
    """The members of a set, a page at a time, and what has become of each."""
    shelf, set_id = await _found(call, set_id)
    info = await in_thread(shelf.info, set_id)
    page = await in_thread(shelf.page, set_id, limit, cursor)
    url = call.commander.base_url
    members = tuple(member_form(entry, info.index_id, url) for entry in page.members)
    return SetPage(page.total, members, page.cursor, f"{url}/api/resource-sets/{set_id}/entries?limit={limit}")


@command("rest_set_add", access=Access.VIEW, toolset="index", route="POST /api/resource-sets/{setId}/entries")
async def add(call: Call, *, set_id: str, nodes: Annotated[list[str], Also(("paths",))]) -> str:
    """Put nodes into a set."""
    shelf, set_id = await _found(call, set_id)
    return json.dumps(set_form(await in_thread(shelf.add, set_id, nodes), call.commander.base_url))


@command("rest_set_change", access=Access.VIEW, toolset="index", route="PATCH /api/resource-sets/{setId}/entries")
async def change(call: Call, *, set_id: str, add: list[str] | None = None, remove: list[str] | None = None) -> str:
    """Put nodes into a set and take others out, all or none."""
    shelf, set_id = await _found(call, set_id)
    return json.dumps(set_form(await in_thread(shelf.change, set_id, add or (), remove or ()), call.commander.base_url))


@command("rest_set_remove", access=Access.VIEW, toolset="index", route="DELETE /api/resource-sets/{setId}/entries")
async def remove(call: Call, *, set_id: str, nodes: Annotated[list[str], Also(("paths",))]) -> str:
    """Take nodes out of a set."""
    shelf, set_id = await _found(call, set_id)
    return json.dumps(set_form(await in_thread(shelf.take_out, set_id, nodes), call.commander.base_url))


@command("rest_queries", access=Access.READ, toolset="index", route="GET /api/queries")
async def queries(call: Call) -> str:
    """Your saved queries."""
    url = call.commander.base_url
    forms: list[Json] = [
        query_form(saved, to_text(from_json(json.loads(saved.filter))), url)
        for saved in await call.commander.indexing.queries.all(call.principal)
    ]
    return json.dumps({"queries": forms})


@command("rest_query_save", access=Access.VIEW, toolset="index", route="POST /api/queries")
async def save(call: Call, *, name: str, filter: dict[str, object] | str, root: str | None = None) -> str:
    """Save a query: its filter as JSON or as a line of text, and the folder it is about."""
    wanted = given_filter(filter)
    place = None if root is None else place_in(call, root)
    saved = await call.commander.indexing.queries.save(name, Question(wanted), call.principal, place)
    return json.dumps(query_form(saved, to_text(wanted), call.commander.base_url))


@command("rest_query", access=Access.READ, toolset="index", route="GET /api/queries/{queryId}")
async def query(
    call: Call, *, query_id: str, format: str | None = None, index_id: str | None = None, below: str | None = None
) -> str:
    """A saved query with its filter; `format=explain` says how it is evaluated, in the folder it was saved for, else
    over the newest index, unless named."""
    saved, question = await call.commander.indexing.queries.get(query_id, call.principal)
    form = query_form(saved, to_text(question.filter), call.commander.base_url)
    form["filter"] = to_json(question.filter)
    if format == "explain":
        _, answer = await _asked(call, saved, question, index_id, below)
        form["explain"] = explanation_form(answer.explanation)
    return json.dumps(form)


@command("rest_query_run", access=Access.VIEW, toolset="index", route="POST /api/queries/{queryId}/run")
async def run(call: Call, *, query_id: str, index_id: str | None = None, below: str | None = None) -> str:
    """Run a saved query in the folder it was saved for, else over the newest index, unless one is named; what it finds
    becomes a set."""
    library = await call.commander.indexing.library()
    saved, question = await call.commander.indexing.queries.get(query_id, call.principal)
    answers, answer = await _asked(call, saved, question, index_id, below)
    await call.commander.indexing.queries.note_run(saved)
    info = await in_thread(library.sets.create_from, answers.indexed.record.id, saved.name, answer)
    await call.commander.indexing.sets.own(info.id, call.principal, passing=True)
    return json.dumps({"queryId": saved.id, **set_form(info, call.commander.base_url)})


async def _asked(
    call: Call, saved: SavedQuery, question: Question, index_id: str | None, below: str | None
) -> tuple[Answers, Answer]:
    """The answer to a saved query, and the index that gave it."""
    indexing = call.commander.indexing
    wanted = await indexing.sets.named_in(question.filter, call.principal)
    if index_id is None and below is None and saved.root is not None:
        answers, _ = await indexing.ensure(saved.root, call.principal)
        return answers, await in_thread(answers.ask, placed(wanted, to_wire(saved.root)), saved.root)
    answers = await indexing.open(index_id or await _any_index(call))
    return answers, await in_thread(answers.ask, wanted, below)


async def _any_index(call: Call) -> str:
    library = await call.commander.indexing.library()
    scanned = [info for info in await in_thread(library.indexes) if info.epoch is not None]
    if not scanned:
        raise NotThere("Nothing is indexed yet. Index a folder first.")
    return max(scanned, key=lambda info: info.scanned_ns or 0).id


@command("rest_query_delete", access=Access.VIEW, toolset="index", route="DELETE /api/queries/{queryId}")
async def delete_query(call: Call, *, query_id: str) -> str:
    """Forget a saved query."""
    await call.commander.indexing.queries.delete(query_id, call.principal)
    return json.dumps({"deleted": query_id})
