"""`cd`: look around in a tree like in a shell, with or without an index."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from cmdr.commands.places import pane_of, path_of
from cmdr.commands.telling import dated, node_line, size_text
from cmdr.core.call import Call
from cmdr.core.parameter import Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.files.scan import scan
from cmdr.index.answers import Answers
from cmdr.index.errors import IndexFault
from cmdr.model.listing import Columns, Listing
from cmdr.model.names import to_wire
from cmdr.model.shell_session import ShellSession, Units
from cmdr.model.sorting import Direction, SortKey, SortOrder
from cmdr.model.units import iso_date
from cmdr.model.yaml_text import quoted_name

FEW = 20
"""A folder with at most so many entries is told whole."""
SOME = 5

Sort = Literal["name", "size", "modified"]
_INDEX_SORT: dict[Sort, Literal["name", "size", "mtime"]] = {"name": "name", "size": "size", "modified": "mtime"}
_LIVE_SORT: dict[Sort, SortKey] = {"name": SortKey.NAME, "size": SortKey.SIZE, "modified": SortKey.MODIFIED}


@dataclass(frozen=True, slots=True)
class Glance:
    """A folder in a few lines."""

    headline: str
    biggest: Sequence[str]
    newest: Sequence[str]
    rows: Sequence[str]
    total: int
    more: str = ""


@command("cd", access=Access.READ, toolset="index")
async def cd(
    call: Call,
    *,
    path: str,
    limit: Annotated[int | None, Whole(0, FEW)] = None,
    cursor: str | None = None,
    sort: Sort = "name",
    order: Direction = Direction.ASC,
    session_id: str | None = None,
) -> str:
    """Go to a folder (also .. - ~) and see counts, size, biggest, newest, first entries."""
    session = _session(call, session_id)
    target = session.previous if path == "-" else path_of(path, session.cwd)
    answers = await call.commander.indexing.covering(target)
    if answers is not None and await in_thread(_knows, answers, target):
        glance = await in_thread(
            _indexed, call.commander.base_url, answers, target, session, limit, cursor, sort, order
        )
    else:
        # Sorting by size looks at every entry, and so brings the facts that the glance needs.
        listing = await in_thread(scan, target, SortOrder(SortKey.SIZE), show_hidden=True)
        glance = await in_thread(_live, listing.columns, SortOrder(_LIVE_SORT[sort], order), session, limit)
    session.previous, session.cwd = session.cwd, target
    lines = [f"{to_wire(target)}: {glance.headline}"]
    if glance.total > FEW:
        lines += [f"biggest: {', '.join(glance.biggest)}", f"newest: {', '.join(glance.newest)}"]
    lines += glance.rows
    if glance.total > len(glance.rows):
        lines.append(f"… {glance.total - len(glance.rows)} more{glance.more}")
    return "\n".join(lines)


@command("session_preferences", access=Access.READ, toolset="index", idempotent=True)
def session_preferences(
    call: Call,
    *,
    session_id: str | None = None,
    units: Units | None = None,
    limit: Annotated[int | None, Whole(1, FEW)] = None,
) -> str:
    """Units and rows of cd."""
    session = _session(call, session_id)
    session.units = units or session.units
    session.limit = limit or session.limit
    return f"session {session.id}: units {session.units}, limit {session.limit}, cwd {to_wire(session.cwd)}"


def _session(call: Call, id: str | None) -> ShellSession:
    return call.commander.indexing.session(id, call.principal, pane_of(call.workspace, "focused").tab.path)


def _knows(answers: Answers, path: bytes) -> bool:
    try:
        answers.directory(path)
    except IndexFault:
        # Not in the index, gone since, or not a folder there: the disk itself has the last word.
        return False
    return True


def _indexed(
    base_url: str,
    answers: Answers,
    path: bytes,
    session: ShellSession,
    limit: int | None,
    cursor: str | None,
    sort: Sort,
    order: Direction,
) -> Glance:
    summary = answers.summary(path, SOME)
    totals, units = summary.totals, session.units
    told = _rows_to_tell(summary.children, limit, session)
    page = answers.children(path, told, cursor, _INDEX_SORT[sort], order is Direction.DESC)
    size = size_text(totals.bytes, units, complete=totals.complete)
    state = answers.indexed.freshness.state
    note = "" if state == "fresh" else f" ({state})"
    index = answers.indexed.record.id
    more = f": {base_url}/api/indexes/{index}/tree?parent={summary.node.id}"
    return Glance(
        f"{summary.children} entries; below {totals.files} files, {totals.dirs} dirs, {size}{note}",
        [f"{quoted_name(to_wire(node.name))} {size_text(node.size, units)}" for node in summary.biggest],
        [dated(node) for node in summary.newest],
        [node_line(node, units) for node in page.nodes],
        summary.children,
        more,
    )


def _live(columns: Columns, sort: SortOrder, session: ShellSession, limit: int | None) -> Glance:
    listing = Listing.of(columns, sort, show_hidden=True)
    facts = columns.facts
    files = range(columns.folder_count, len(columns))
    sizes = facts.sizes if facts else ()
    known = sum(sizes[row] for row in files if sizes[row] >= 0)
    biggest = sorted(files, key=lambda row: -sizes[row])[:SOME]
    newest = sorted(files, key=lambda row: -facts.modified_ns[row] if facts else 0)[:SOME]
    units = session.units
    told = _rows_to_tell(len(listing), limit, session)

    def name(row: int) -> str:
        return quoted_name(to_wire(columns.name(row)))

    def line(position: int) -> str:
        entry, row = listing.entry(position), listing.order[position]
        return f"{entry.kind} {name(row)} {'?' if entry.is_folder else size_text(sizes[row], units)}"

    return Glance(
        f"{len(files)} files, {size_text(known, units)}; {columns.folder_count} dirs of unknown size (not indexed)",
        [f"{name(row)} {size_text(sizes[row], units)}" for row in biggest],
        [f"{name(row)} {iso_date(facts.modified_ns[row])}" for row in newest] if facts else [],
        [line(position) for position in range(told)],
        len(listing),
    )


def _rows_to_tell(total: int, limit: int | None, session: ShellSession) -> int:
    if limit is not None:
        return min(limit, total)
    return min(total, session.limit) if total <= FEW else SOME


def place_in(call: Call, text: str) -> bytes:
    """A path relative to the caller's default session."""
    return path_of(text, _session(call, None).cwd)
