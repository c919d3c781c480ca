"""Questions over a tree: flat predicates, the full filter, saved queries."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, cast

from cmdr.commands.trees.contents import (
    MAX_CONTEXT,
    ask_index,
    content_answer,
    content_leaf,
    further_lines,
    live_answer,
    patterns_in,
)
from cmdr.commands.trees.sessions import place_in, told_of, units_of
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Also, Doc, Unlisted, Whole, Words
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError, StillIndexing
from cmdr.core.threads import in_thread
from cmdr.index.query.nodes import nodes as nodes_of
from cmdr.model.filters.filter import KIND_WORDS, And, Ext, Filter, KindIs, Number, Question, Time, checked
from cmdr.model.filters.filter import Kind as FilterKind
from cmdr.model.filters.filter_json import extensions
from cmdr.model.filters.filter_terms import hints_for, is_wild, named
from cmdr.model.filters.filter_text import given_filter, placed, to_text
from cmdr.model.filters.filter_words import directions
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.sorting import path_order
from cmdr.model.results.contents import ContentAnswer
from cmdr.model.results.trees import Kinds, QueryAnswer
from cmdr.model.units import SIZE_HINT, TIME_HINT, UnitError, read_size, read_time

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
    name: Annotated[str | None, Doc("part, or glob")] = None,
    text: Annotated[str | None, Unlisted()] = None,
    ext: list[str] | str | None = None,
    kind: Annotated[Literal["file", "dir", "link"] | None, Also(("type",)), Words({**KIND_WORDS})] = None,
    min_size: Annotated[int | str | None, Doc("1MB")] = None,
    max_size: int | str | None = None,
    newer_than: Annotated[str | None, Doc("30d, a date")] = None,
    older_than: str | None = None,
    filter: Annotated[
        dict[str, object] | str | None, Doc("size>1M older:30d not (ext:pdf or name~^a), or JSON")
    ] = None,
    query: str | None = None,
    save_as: str | None = None,
    content: Annotated[str | None, Doc("in files")] = None,
    regex: bool = False,
    case: Annotated[bool, Unlisted()] = False,
    context: Annotated[int, Whole(0, MAX_CONTEXT, cut=True)] = 0,
    all: Annotated[bool, Unlisted()] = False,
    explain: Annotated[bool, Unlisted()] = False,
    cursor: str | None = None,
    limit: Annotated[int | None, Whole(0, MAX_SAMPLES, cut=True), Doc("max 20")] = None,
) -> QueryAnswer | ContentAnswer:
    """Find entries: count, size, set, samples; lines with content."""
    flat = (root, text, name, ext, kind, min_size, max_size, newer_than, older_than, filter, query, content)
    if flat == (None,) * len(flat):
        raise CommandError(
            'query_run needs something to find, such as "name", "ext", "olderThan", "filter" or "query"; '
            '"root" alone asks for all below a folder.'
        )
    queries = call.commander.indexing.queries
    asked = None if query is None else await queries.get(query, call.principal)
    if save_as is not None:
        await _check_name(call, save_as)
    place = (asked[0].root if asked is not None and root is None else None) or place_in(call, root or ".")
    leaves: list[Filter] = [] if content is None else [content_leaf(content, regex, case)]
    if asked is not None:
        leaves.append(asked[1].filter)
    if filter is not None:
        leaves.append(given_filter(filter))
    leaves += _flat(name, text, ext, kind, min_size, max_size, newer_than, older_than)
    wanted: Filter = leaves[0] if len(leaves) == 1 else And(tuple(leaves))
    try:
        answers, scanned = await call.commander.indexing.ensure(place, call.principal)
    except StillIndexing:
        if not patterns_in(wanted):
            raise
        return await live_answer(call, placed(wanted, to_wire(place)), place, context, limit)
    library = await call.commander.indexing.library()
    index = answers.indexed.record.id
    exact = placed(await call.commander.indexing.sets.named_in(wanted, call.principal), to_wire(place))
    if cursor is not None:
        return await further_lines(call, wanted, place, cursor, context, limit)
    answer = await in_thread(partial(ask_index, is_whole=all), call, answers, exact, place)
    tally = await in_thread(answer.kinds)
    shown = _first if any(word and not is_wild(word) for word in (name, text)) else _biggest
    nodes = await in_thread(shown, answers, answer, SAMPLES if limit is None else limit)
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
    if patterns_in(wanted):
        return replace(
            await content_answer(call, answer, wanted, place, kept.id, context, limit),
            behind=answer.behind,
            indexed_now=None if scanned is None else scanned.entries,
            hints=(*(() if answer.count else hints_for(wanted)), *(_explained(answer) if explain else ())),
            saved_as=saved_as,
            directions=directions(wanted, time.time_ns()),
        )
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
        behind=answer.behind,
        indexed_now=None if scanned is None else scanned.entries,
        not_covered=None if explained.complete else tuple(explained.not_covered),
        hints=(*_hints(wanted, answer.count, name, text), *(_explained(answer) if explain else ())),
        saved_as=saved_as,
        index=index,
        directions=directions(wanted, time.time_ns()),
    )


def _first(answers: IndexQueries, answer: QueryResult, limit: int) -> tuple[Node, ...]:
    """The first of what was found, in the order of their paths as long as they are not very many."""
    rows, view = answer.rows, answer.view
    if len(rows) <= MAX_SORTED:
        rows = rows[path_order(view.paths(rows))[:limit]]
    return nodes_of(view, answers.tag, rows[:limit])


def _biggest(answers: IndexQueries, answer: QueryResult, limit: int) -> tuple[Node, ...]:
    return answers.biggest(answer, limit)


def _hints(wanted: Filter, found: int, name: str | None, text: str | None) -> tuple[str, ...]:
    """What a word was looked for in, where that may have been meant otherwise, and why globs may have found nothing."""
    if text is not None:
        return ("text means names; content searches in files", *(() if found else hints_for(wanted)))
    if found:
        return ()
    word = ["name means file names; content searches in files"] if name and not is_wild(name) else []
    return (*word, *hints_for(wanted))


def _explained(answer: QueryResult) -> tuple[str, ...]:
    """How a question was understood and answered, for who asks."""
    how = answer.explanation
    looked = f"{how.rows_examined:,} of {how.rows_total:,} rows examined"
    return (f"asked: {printable(how.normal_form)}", f"by: {printable('; '.join(how.steps))}; {looked}")


async def _check_name(call: Call, name: str) -> None:
    """Refuse the name of a set that was not made by a query of that name: a query replaces only what it made."""
    if all(one.name != name for one in await call.commander.indexing.queries.all(call.principal)):
        await call.commander.indexing.sets.new_name(name, call.principal)


def _flat(
    name: str | None,
    text: str | None,
    ext: list[str] | str | None,
    kind: str | None,
    min_size: int | str | None,
    max_size: int | str | None,
    newer_than: str | None,
    older_than: str | None,
) -> list[Filter]:
    leaves: list[Filter] = []
    leaves += [named(word, at) for word, at in ((name, "name"), (text, "text")) if word is not None]
    if ext is not None:
        leaves.append(checked(Ext(extensions([ext] if isinstance(ext, str) else ext)), "ext"))
    if kind is not None:
        leaves.append(KindIs((cast("FilterKind", kind),)))
    if min_size is not None or max_size is not None:
        leaves.append(checked(Number("size", _bytes("minSize", min_size), _bytes("maxSize", max_size)), "minSize"))
    if newer_than is not None or older_than is not None:
        leaves.append(Time("mtime", _moment("newerThan", newer_than), _moment("olderThan", older_than)))
    return leaves


def _bytes(parameter: str, given: int | str | None) -> int | None:
    """A size in bytes; a mistake names the parameter that it stands in."""
    try:
        size = read_size(given) if isinstance(given, str) else given
    except UnitError:
        size = -1
    if size is not None and not 0 <= size < 1 << 63:
        raise CommandError(f'"{parameter}" must be a size, not "{printable(str(given), 40)}": {SIZE_HINT}.')
    return size


def _moment(parameter: str, given: str | None) -> str | None:
    """A time in its plain form; a mistake names the parameter that it stands in."""
    try:
        return None if given is None else read_time(given)
    except UnitError:
        raise CommandError(f'"{parameter}" must be a time, not "{printable(given or "", 40)}": {TIME_HINT}.') from None
