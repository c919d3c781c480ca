"""`cd`: look around in a tree like in a shell, with or without an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import unquote

from cmdr.commands._paths import pane_of, path_of
from cmdr.commands.trees.folder_glance import MAX_ENTRIES, PageWanted, Sort, indexed_glance
from cmdr.commands.trees.live_folder import live_glance, live_page
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Unlisted, Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.threads import in_thread
from cmdr.files.scan import scan
from cmdr.index.errors import IndexFault
from cmdr.model.names import to_wire
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder
from cmdr.model.results.folders import FolderGlance, FolderPage
from cmdr.model.results.indexes import SessionShown
from cmdr.model.results.result import Said
from cmdr.model.shell_session import ShellSession, Units
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.index.query.queries import IndexQueries

PAGE_SIZE = 50
"""Entries of a page for programs, unless more or fewer are asked for."""
# Sorting by size looks at every entry, and so brings the facts that a listing tells.
_WITH_FACTS = SortOrder(SortKey.SIZE)


@command("cd", access=Access.READ, toolset="index", ids=("change-directory",))
async def cd(
    call: Call,
    *,
    path: str,
    limit: Annotated[int | None, Whole(0, MAX_ENTRIES, cut=True), Doc("max 20")] = None,
    cursor: str | None = None,
    sort: Sort = "name",
    order: Direction = Direction.ASC,
    session_id: Annotated[str | None, Doc("any name")] = None,
) -> FolderGlance:
    """Go to a folder (also .. - ~): counts, size, biggest, newest, first entries."""
    session = _session(call, session_id)
    target = session.previous if path == "-" else path_of(path, session.cwd)
    wanted = PageWanted(limit, cursor, sort, order)
    url = call.commander.base_url

    def indexed(answers: IndexQueries) -> FolderGlance | None:
        return indexed_glance(url, answers, target, session, wanted) if _knows(answers, target) else None

    glance = await call.commander.indexing.ask_of_folder(target, indexed)
    if glance is None:
        # A cursor stands in a link, and is copied from there.
        wanted = PageWanted(limit, None if cursor is None else unquote(cursor), sort, order)
        listing = await in_thread(scan, target, _WITH_FACTS, show_hidden=True)
        glance = await in_thread(live_glance, url, target, listing.columns, session, wanted)
    else:
        told_of(call, glance.index_id)
    session.previous, session.cwd = session.cwd, target
    call.commander.indexing.sessions.changed()
    return glance


@command("folder.page", access=Access.READ, toolset="index", programs_only=True)
async def folder_page(
    call: Call,
    *,
    path: str,
    limit: Annotated[int, Whole(0, 1000)] = PAGE_SIZE,
    cursor: str | None = None,
    sort: Sort = "name",
    order: Direction = Direction.ASC,
) -> FolderPage:
    """The entries of a folder as they are on the disk, a page at a time; it need not be in an index."""
    target = place_in(call, path)
    listing = await in_thread(scan, target, _WITH_FACTS, show_hidden=True)
    url = call.commander.base_url
    return await in_thread(live_page, url, target, listing.columns, sort, order, limit, cursor)


@command("session_preferences", access=Access.READ, toolset="index", idempotent=True)
def session_preferences(
    call: Call,
    *,
    session_id: Annotated[str | None, Unlisted()] = None,
    units: Units | None = None,
    limit: Annotated[int | None, Whole(1, MAX_ENTRIES, cut=True)] = None,
) -> Said:
    """Units of sizes, rows of cd."""
    session = _session(call, session_id)
    session.units = units or session.units
    session.limit = limit or session.limit
    call.commander.indexing.sessions.changed()
    limit = session.limit or MAX_ENTRIES
    return Said(f"session {session.id}: units {session.units}, limit {limit}, cwd {quoted_name(to_wire(session.cwd))}")


@command("session.show", access=Access.READ, toolset="index", programs_only=True)
async def session_show(call: Call, *, session_id: str) -> SessionShown:
    """A session: where it stands, and in which index."""
    found = call.commander.indexing.sessions.find(session_id, call.principal)
    answers = await call.commander.indexing.covering(found.cwd)
    index = answers.indexed.record.id if answers else None
    return SessionShown(found.id, found.cwd, index, found.units, found.limit or MAX_ENTRIES)


def _session(call: Call, id: str | None) -> ShellSession:
    start = pane_of(call.workspace, "focused").tab.path
    return call.commander.indexing.sessions.get(id, call.principal, call.conversation, start)


def told_of(call: Call, index: str | None) -> None:
    """Note that the caller was told rows of an index: their short ids mean nodes of it from now on."""
    if index is not None:
        _session(call, None).told_of(index)


def indexes_told_to(call: Call) -> list[str]:
    """Of which indexes the caller was told rows."""
    return [*_session(call, None).indexes]


def _knows(answers: IndexQueries, path: bytes) -> bool:
    try:
        answers.directory(path)
    except IndexFault:
        # Not in the index, gone since, or not a folder there: the disk itself has the last word.
        return False
    return True


def units_of(call: Call) -> Units:
    """The units of the caller's default session."""
    return _session(call, None).units


def place_in(call: Call, text: str) -> bytes:
    """A path relative to the caller's default session."""
    return path_of(text, _session(call, None).cwd)
