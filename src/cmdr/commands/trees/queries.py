"""Questions over a tree: flat predicates, the full filter, saved queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, cast

from cmdr.commands._text import freshness_of
from cmdr.commands.trees.sessions import place_in, told_of, units_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Also, Doc, Whole, Words
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.threads import in_thread
from cmdr.index.query.nodes import nodes as nodes_of
from cmdr.model.filters.filter import KIND_WORDS, And, Ext, Filter, KindIs, Number, Question, Text, Time, checked
from cmdr.model.filters.filter import Kind as FilterKind
from cmdr.model.filters.filter_json import extensions
from cmdr.model.filters.filter_terms import hints_for, is_wild, named
from cmdr.model.filters.filter_text import given_filter, placed, to_text
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.sorting import path_order
from cmdr.model.results.trees import Kinds, QueryAnswer

if TYPE_CHECKING:
    from cmdr.index.query.queries import IndexQueries, QueryResult
    from cmdr.model.trees.node import Node

MAX_SORTED = 10_000
"""Up to so many hits the samples are the first of all by their paths."""
SAMPLES, MAX_SAMPLES = 5, 20


@command("query_run", access=Access.VIEW, toolset="index")
async def query_run(
    call: Call,
    *,
    root: str | None = None,
    text: str | None = None,
    name: Annotated[str | None, Doc("glob")] = None,
    ext: list[str] | None = None,
    kind: Annotated[Literal["file", "dir", "link"] | None, Also(("type",)), Words({**KIND_WORDS})] = None,
    min_size: Annotated[int | None, Whole()] = None,
    max_size: Annotated[int | None, Whole()] = None,
    newer_than: Annotated[str | None, Doc("30d")] = None,
    older_than: str | None = None,
    filter: Annotated[dict[str, object] | str | None, Doc("size>1M not (ext:pdf or name~^a), or JSON")] = None,
    query: str | None = None,
    save_as: str | None = None,
    limit: Annotated[int, Whole(0, MAX_SAMPLES, cut=True), Doc("max 20")] = SAMPLES,
) -> QueryAnswer:
    """Find entries: count, size, set, samples."""
    queries = call.commander.indexing.queries
    asked = None if query is None else await queries.get(query, call.principal)
    if save_as is not None:
        await _check_name(call, save_as)
    place = (asked[0].root if asked is not None and root is None else None) or place_in(call, root or ".")
    answers, scanned = await call.commander.indexing.ensure(place, call.principal)
    library = await call.commander.indexing.library()
    leaves: list[Filter] = []
    if asked is not None:
        leaves.append(asked[1].filter)
    if filter is not None:
        leaves.append(given_filter(filter))
    leaves += _flat(text, name, ext, kind, min_size, max_size, newer_than, older_than)
    wanted: Filter = leaves[0] if len(leaves) == 1 else And(tuple(leaves))
    index = answers.indexed.record.id
    exact = placed(await call.commander.indexing.sets.named_in(wanted, call.principal), to_wire(place))
    answer = await in_thread(answers.ask, exact, place)
    tally = await in_thread(answer.kinds)
    nodes = await in_thread(_first, answers, answer, limit) if text else await in_thread(answers.biggest, answer, limit)
    kept = await in_thread(library.sets.create_from, index, save_as or printable(to_text(wanted)), answer)
    await call.commander.indexing.sets.own(kept.id, call.principal, passing=save_as is None)
    saved_as = None
    if save_as is not None:
        saved = await queries.save(save_as, Question(wanted), call.principal, place)
        await queries.note_run(saved)
        await call.commander.indexing.sets.forget_namesakes(kept.id, call.principal)
        saved_as = saved.id
    if asked is not None:
        await queries.note_run(asked[0])
    explained = answer.explanation
    told_of(call, index)
    return QueryAnswer(
        root=place,
        count=answer.count,
        bytes=answer.bytes,
        kinds=Kinds(tally.files, tally.dirs, tally.others, tally.file_bytes),
        hits=nodes,
        set=kept.id,
        url=call.commander.base_url,
        units=units_of(call),
        freshness=freshness_of(answers),
        indexed_now=None if scanned is None else scanned.entries,
        not_covered=None if explained.complete else tuple(explained.not_covered),
        hints=() if answer.count else tuple(hints_for(wanted)),
        saved_as=saved_as,
        index=index,
    )


def _first(answers: IndexQueries, answer: QueryResult, limit: int) -> tuple[Node, ...]:
    """The first of what was found, in the order of their paths as long as they are not very many."""
    rows, view = answer.rows, answer.view
    if len(rows) <= MAX_SORTED:
        rows = rows[path_order(view.paths(rows))[:limit]]
    return nodes_of(view, answers.tag, rows[:limit])


async def _check_name(call: Call, name: str) -> None:
    """Refuse the name of a set that was not made by a query of that name: a query replaces only what it made."""
    if all(one.name != name for one in await call.commander.indexing.queries.all(call.principal)):
        await call.commander.indexing.sets.new_name(name, call.principal)


def _flat(
    text: str | None,
    name: str | None,
    ext: list[str] | None,
    kind: str | None,
    min_size: int | None,
    max_size: int | None,
    newer_than: str | None,
    older_than: str | None,
) -> list[Filter]:
    leaves: list[Filter] = []
    if text is not None:
        leaves.append(checked(Text("path" if "/" in text else "name", "contains", text), "text"))
    if name is not None:
        leaves.append(named(name, "name") if is_wild(name) else checked(Text("name", "glob", name), "name"))
    if ext:
        leaves.append(checked(Ext(extensions(ext)), "ext"))
    if kind is not None:
        leaves.append(KindIs((cast("FilterKind", kind),)))
    if min_size is not None or max_size is not None:
        leaves.append(checked(Number("size", min_size, max_size), "minSize"))
    if newer_than is not None or older_than is not None:
        leaves.append(checked(Time("mtime", newer_than, older_than), "newerThan"))
    return leaves
