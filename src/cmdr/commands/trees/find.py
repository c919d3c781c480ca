"""Finding while one types, ways to what was found, and the size of a folder."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

from cmdr.commands._paths import PaneRef, own_pane, pane_of, path_of
from cmdr.commands.panes.file import under_cursor
from cmdr.commands.trees.contents import ask_index, lines_of
from cmdr.commands.trees.sessions import units_of
from cmdr.commands.trees.sets import show_set
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.core.trees.indexing import SCAN_TIMEOUT_S
from cmdr.model.contents import FileLines
from cmdr.model.filters.filter import Filter, Question, Text, checked
from cmdr.model.filters.filter_text import given_filter
from cmdr.model.filters.filter_words import directions
from cmdr.model.names import printable, to_wire
from cmdr.model.panes.entry import FolderSize
from cmdr.model.results.result import Said
from cmdr.model.results.trees import FindAnswer
from cmdr.model.units import exact_size

if TYPE_CHECKING:
    from cmdr.index.query.queries import IndexQueries, QueryResult
    from cmdr.model.trees.node import Node


T = TypeVar("T")

MAX_ROWS = 200
AGENT_ROWS = 20
"""Rows that an agent gets unless it asks for more."""
PERSON_TIMEOUT_S = 86_400.0
"""Seconds a person may watch a tree being indexed; they can leave at any time."""
LINES_A_ROW = 3
"""Lines told of each file that was found by its contents."""
_FIELD = "name|path|ext|kind|size|allocated|mtime|ctime|depth|under|mode|owner|content"
_OPERATOR = re.compile(
    rf'[*?"]|(?:^|[\s(])(?:(?:[A-Za-z]+|(?:{_FIELD})\s+)(?:>=|<=|[:=<>])|(?:name|path|content)\s*~)', re.IGNORECASE
)


@command("find.run", access=Access.READ, title="Find", idempotent=True, contents=True)
async def find(
    call: Call,
    *,
    text: Annotated[str, Doc("part of a name, or a filter such as ext:md size>=1M")],
    root: Annotated[str, Doc("a folder; the focused pane's if left out")] = ".",
    limit: Annotated[int | None, Whole(0, MAX_ROWS)] = None,
) -> FindAnswer:
    """Find entries below a folder: count, size and the first rows; for the person's faces as JSON."""
    place = _place(call, root)
    wanted = await call.commander.indexing.sets.named_in(wanted_by(text), call.principal)
    answers = await known_tree(call, place)
    rows = limit if limit is not None else MAX_ROWS if call.principal.is_person else AGENT_ROWS
    answer, nodes, files = await _ask(lambda stop: _look(call, answers, wanted, place, rows, stop))
    note = "" if answer.contents is None else "; ".join(answer.contents.coverage.words())
    asked, complete = directions(wanted, time.time_ns()), answer.explanation.complete
    found = (answer.count, answer.bytes, complete, nodes, units_of(call))
    return FindAnswer(place, *found, asked, files, note, answer.behind)


@command("find.open", access=Access.VIEW, title="Find and show in the pane")
async def find_open(
    call: Call,
    *,
    text: Annotated[str, Doc("part of a name, or a filter such as ext:md size>=1M")],
    root: Annotated[str, Doc("a folder; the focused pane's if left out")] = ".",
) -> Said:
    """Show everything that is found below a folder in a new tab of the focused pane."""
    place = _place(call, root)
    wanted = await call.commander.indexing.sets.named_in(wanted_by(text), call.principal)
    indexing = call.commander.indexing
    answers = await known_tree(call, place)
    answer = await _ask(lambda stop: ask_index(call, answers, wanted, place, stop))
    library = await indexing.library()
    kept = await in_thread(library.sets.create_from, answers.indexed.record.id, printable(text), answer)
    await indexing.sets.own(kept.id, call.principal, passing=True)
    return Said(await show_set(call, kept.id))


@command("find.go", access=Access.VIEW, title="Go to a file")
async def find_go(call: Call, *, path: str) -> Said:
    """Show the folder of a file in the focused pane, with the cursor on the file."""
    shown = own_pane(call, "focused")
    target = path_of(path, shown.tab.path)
    folder, name = os.path.split(target)
    tab = await call.browser.open(shown, folder, cursor=name or None)
    if name and tab.filter and tab.cursor_name() != name:
        await call.browser.filter(tab, "")
    position = tab.listing.position_of(name) if name else 0
    if position is None:
        why = "gone" if tab.listing.columns.find(name) is None else "hidden; view hidden files to see it"
        raise CommandError(f"{to_wire(target)} is {why}.")
    if len(tab.listing):
        tab.put_cursor(position)
    call.events.changed()
    return Said(f"Went to {to_wire(target)}\nindex: {position} rev: {tab.rev}")


def wanted_by(text: str) -> Filter:
    """What a person means by what they typed: part of a name, or a filter as soon as it has a filter's signs."""
    return given_filter(text) if _OPERATOR.search(text) else checked(Text("name", "contains", text), "text")


def _place(call: Call, root: str) -> bytes:
    return path_of(root, pane_of(call.workspace, "focused").tab.path)


async def known_tree(call: Call, place: bytes) -> IndexQueries:
    """The index of a tree; a person sees the scan's progress and waits as long as they like."""
    patience = PERSON_TIMEOUT_S if call.principal.is_person else SCAN_TIMEOUT_S
    return (await call.commander.indexing.ensure(place, call.principal, patience))[0]


async def _ask(question: Callable[[Callable[[], bool]], T]) -> T:
    """Ask in a thread, which stops soon after nobody waits for the answer any more."""
    over = False
    try:
        return await in_thread(question, lambda: over)
    finally:
        over = True


def _look(
    call: Call, answers: IndexQueries, wanted: Filter, place: bytes, limit: int, stop: Callable[[], bool]
) -> tuple[QueryResult, tuple[Node, ...], tuple[FileLines, ...]]:
    answer = ask_index(call, answers, wanted, place, stop)
    if answer.contents is None:
        return answer, answers.page(Question(wanted), place, limit, stop=stop).nodes, ()
    nodes = answers.first(answer, limit)
    return answer, nodes, lines_of(call, [node.path for node in nodes], wanted, LINES_A_ROW, stop)


@command("folder.size", access=Access.VIEW, title="Size of the folder under the cursor")
async def folder_size(call: Call, *, pane: PaneRef = "focused") -> Said:
    """Add up all that the folder under the cursor holds, and show it in its row."""
    shown = pane_of(call.workspace, pane)
    path, listing = under_cursor(shown), shown.tab.listing
    entry, row = listing.entry(shown.tab.cursor), listing.order[shown.tab.cursor]
    if not entry.is_folder:
        raise CommandError(f"{to_wire(entry.name)} is not a folder.")
    answers = await known_tree(call, path)
    node = await in_thread(answers.node, path)
    if node.size is None or node.totals is None:
        raise CommandError(f"What {to_wire(entry.name)} holds is not known.")
    fresh = not answers.behind and answers.indexed.freshness.state == "fresh"
    known = listing.folder_sizes[row] = FolderSize(node.size, node.totals.complete, fresh)
    shown.tab.rev = call.events.changed()
    return Said(f"{to_wire(entry.name)} holds {known.mark}{exact_size(node.size)}")
