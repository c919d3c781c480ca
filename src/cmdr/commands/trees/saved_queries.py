"""Saved queries: told as cards, shown with their filter, changed, run again and forgotten."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated

from cmdr.commands.trees.contents import ask_index
from cmdr.commands.trees.sessions import place_in
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Unlisted, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, NotThere
from cmdr.core.threads import in_thread
from cmdr.core.trees.list_pages import LISTED, MAX_LISTED, page_behind
from cmdr.model.filters.filter import Question
from cmdr.model.filters.filter_json import to_json
from cmdr.model.filters.filter_text import given_filter, placed, to_text
from cmdr.model.filters.filter_words import directions
from cmdr.model.names import printable, to_wire
from cmdr.model.results.indexes import Forgotten, QueryCard, QueryList, QueryRan, QueryShown
from cmdr.model.results.result import Said
from cmdr.model.units import count
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.index.query.queries import IndexQueries, QueryResult
    from cmdr.model.trees.queries import SavedQuery

MAX_FILTER_CHARS = 2000


@command("query_list", access=Access.READ, toolset="index", ids=("query-get",), idempotent=True)
async def query_list(
    call: Call,
    *,
    query: str | None = None,
    cursor: Annotated[str | None, Unlisted()] = None,
    limit: Annotated[int, Whole(0, LISTED, cut=True), Unlisted()] = LISTED,
) -> Said:
    """Saved queries or searches, or one with its filter."""
    queries, url = call.commander.indexing.queries, call.commander.base_url
    if query is not None:
        saved, question = await queries.get(query, call.principal)
        told = json.dumps(to_json(question.filter))
        line = printable(to_text(question.filter), MAX_FILTER_CHARS)
        return Said(f"{saved.name}: {line}{_below(saved)}\n{told}\nlink: {url}/api/queries/{saved.id} (+ /run)")
    known = await queries.all(call.principal)
    page = page_behind(known, limit, cursor)
    lines = [f"{one.name}: {_card(one)}; POST {url}/api/queries/{one.id}/run" for one in page.items]
    if page.cursor is not None:
        lines.append(f"… {page.after} more: {url}/api/queries?cursor={page.cursor}")
    return Said("\n".join([count(len(known), "saved query", "saved queries"), *lines]))


@command("savedQuery.list", access=Access.READ, toolset="index", programs_only=True)
async def list_saved(
    call: Call, *, limit: Annotated[int, Whole(0, MAX_LISTED)] = LISTED, cursor: str | None = None
) -> QueryList:
    """Your saved queries, by name, a page at a time."""
    known = await call.commander.indexing.queries.all(call.principal)
    page = page_behind(known, limit, cursor)
    return QueryList(page.items, len(known), page.cursor, limit)


@command("savedQuery.save", access=Access.VIEW, toolset="index", programs_only=True)
async def save(call: Call, *, name: str, filter: dict[str, object] | str, root: str | None = None) -> QueryCard:
    """Save a query: its filter as JSON or as a line of text, and the folder it is about."""
    wanted = Question(given_filter(filter))
    place = None if root is None else place_in(call, root)
    return QueryCard(await call.commander.indexing.queries.save(name, wanted, call.principal, place))


@command("savedQuery.change", access=Access.VIEW, toolset="index", programs_only=True)
async def change(
    call: Call,
    *,
    query_id: str,
    name: str | None = None,
    filter: dict[str, object] | str | None = None,
    root: str | None = None,
) -> QueryCard:
    """Give a saved query another name, filter or folder; what is left out stays."""
    if name is None and filter is None and root is None:
        raise CommandError('A change needs "name", "filter" or "root".')
    wanted = None if filter is None else given_filter(filter)
    place = None if root is None else place_in(call, root)
    return QueryCard(await call.commander.indexing.queries.change(query_id, call.principal, name, wanted, place))


@command("savedQuery.show", access=Access.READ, toolset="index", programs_only=True, contents=True)
async def show(
    call: Call, *, query_id: str, format: str | None = None, index_id: str | None = None, below: str | None = None
) -> QueryShown:
    """A saved query with its filter; `format=explain` says how it is evaluated, in the folder it was saved for, else
    over the newest index, unless named."""
    saved, _ = await call.commander.indexing.queries.get(query_id, call.principal)
    if format != "explain":
        return QueryShown(saved)
    return QueryShown(saved, (await _answer_to(call, saved, index_id, below))[1].explanation)


@command("savedQuery.run", access=Access.VIEW, toolset="index", programs_only=True)
async def run(call: Call, *, query_id: str, index_id: str | None = None, below: str | None = None) -> QueryRan:
    """Run a saved query in the folder it was saved for, else over the newest index, unless one is named; what it finds
    becomes a set."""
    library = await call.commander.indexing.library()
    saved, _ = await call.commander.indexing.queries.get(query_id, call.principal)
    answers, answer = await _answer_to(call, saved, index_id, below)
    await call.commander.indexing.queries.note_run(saved)
    info = await in_thread(library.sets.create_from, answers.indexed.record.id, saved.name, answer)
    await call.commander.indexing.sets.own(info.id, call.principal, passing=True)
    return QueryRan(saved.id, info, directions(saved.wanted(), time.time_ns()), answer.behind)


@command("savedQuery.delete", access=Access.VIEW, toolset="index", programs_only=True)
async def delete(call: Call, *, query_id: str) -> Forgotten:
    """Forget a saved query."""
    await call.commander.indexing.queries.delete(query_id, call.principal)
    return Forgotten(query_id)


async def _answer_to(
    call: Call, saved: SavedQuery, index_id: str | None, below: str | None
) -> tuple[IndexQueries, QueryResult]:
    """The answer to a saved query, and the index that gave it."""
    indexing = call.commander.indexing
    wanted = await indexing.sets.named_in(saved.wanted(), call.principal)
    if index_id is None and below is None and saved.root is not None:
        answers, _ = await indexing.ensure(saved.root, call.principal)
        return answers, await in_thread(ask_index, call, answers, placed(wanted, to_wire(saved.root)), saved.root)
    answers = await indexing.open(index_id or await _newest_index(call), below)
    return answers, await in_thread(ask_index, call, answers, wanted, below)


async def _newest_index(call: Call) -> str:
    library = await call.commander.indexing.library()
    scanned = [info for info in await in_thread(library.indexes) if info.epoch is not None]
    if not scanned:
        raise NotThere("Nothing is indexed yet. Index a folder first.")
    return max(scanned, key=lambda info: info.scanned_ns or 0).id


def _card(saved: SavedQuery) -> str:
    return printable(to_text(saved.wanted()), 80) + _below(saved)


def _below(saved: SavedQuery) -> str:
    return "" if saved.root is None else f" below {quoted_name(to_wire(saved.root))}"
