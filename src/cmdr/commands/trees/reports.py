"""Reports over a tree: largest, oldest, duplicated, grown; as text, as pages, as a pane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlencode

from cmdr.commands._paths import own_pane, pane_of, path_of
from cmdr.commands._text import size_text
from cmdr.commands.trees.find import known_tree
from cmdr.commands.trees.sessions import place_in, units_of
from cmdr.commands.trees.sets import below
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Doc, Whole, Words
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError
from cmdr.core.threads import in_thread
from cmdr.model.names import to_wire
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder
from cmdr.model.results.indexes import ReportPage
from cmdr.model.results.result import Said
from cmdr.model.shell_session import Units
from cmdr.model.trees.indexes import behind_text
from cmdr.model.trees.reports import KIND_WORDS, Keep, Report, ReportKind, ReportRow
from cmdr.model.units import count, iso_date, iso_time, total_text
from cmdr.model.yaml_text import quoted_name

if TYPE_CHECKING:
    from cmdr.index.reports.basis import Spare

from cmdr.model.panes.tab import FoundEntries

PAGE_SIZE = 50
"""Lines of a page, unless more or fewer are asked for."""
MAX_NAMED = 3
"""Equal files that are named in one line."""
MAX_PANE_ROWS = 1000
"""Lines of a report that become entries of a pane."""
Kind = Literal["largest-files", "largest-dirs", "recent", "growth", "duplicates", "empty", "broken-links"]
"""The reports that name entries; the others count them."""
_LARGEST_FIRST = SortOrder(SortKey.SIZE, Direction.DESC)
_SORTS: dict[str, SortOrder] = {
    "largest-files": _LARGEST_FIRST,
    "largest-dirs": _LARGEST_FIRST,
    "growth": _LARGEST_FIRST,
    "duplicates": _LARGEST_FIRST,
    "recent": SortOrder(SortKey.MODIFIED, Direction.DESC),
}


@command("report", access=Access.READ, toolset="index", idempotent=True)
async def report(
    call: Call,
    *,
    kind: Annotated[ReportKind, Words(KIND_WORDS)],
    root: str | None = None,
    set: str | None = None,
    limit: Annotated[int, Whole(1, 50, cut=True)] = 10,
    keep: Annotated[Keep, Doc("of duplicates")] = "oldest",
    since: Annotated[str | None, Doc("growth: 7d, a date")] = None,
) -> Said:
    """Report on a tree or set."""
    if since is not None and kind != "growth":
        raise CommandError('"since" is for growth; query_run takes newerThan.')
    indexing = call.commander.indexing
    library = await indexing.library()
    place = None
    if set is not None:
        set = await indexing.sets.find(set, call.principal)
        answers = await indexing.open((await in_thread(library.sets.info, set)).index_id)
    else:
        place = place_in(call, root or ".")
        answers, _ = await indexing.ensure(place, call.principal)
        if kind == "growth" and (longest := await in_thread(library.with_longest_history, place)) is not None:
            answers = await indexing.open(longest.indexed.record.id)
    index = answers.indexed.record.id
    spare = None
    if kind == "duplicates":
        made, spare = await in_thread(library.duplicates, index, limit, place, set, keep)
    else:
        made = await in_thread(library.report, index, kind, limit, place, set, since)
    units = units_of(call)
    told = [f"{kind}: {_in_all(made, units)}" + ("" if made.complete else " (incomplete)")]
    told[0] += behind_text(made.behind)
    told += [_line(row, place, units) for row in made.rows]
    if spare is not None:
        told.append(await _spare_set(call, index, spare, units))
    if made.note:
        told.append(made.note)
    if made.since_ns is not None and since is None:
        told.append('other baselines: since "1d", "2026-01-31"')
    if made.total > len(made.rows):
        about = ""
        if set is not None:
            about = f"&set={set}"
        elif place is not None and place != answers.indexed.record.root:
            about = f"&below={(await in_thread(answers.node, place)).id}"
        about += f"&{urlencode({'since': since})}" if since is not None else ""
        about += "&keep=newest" if keep == "newest" else ""
        told.append(f"more: {call.commander.base_url}/api/indexes/{index}/reports/{kind}?limit=100{about}")
    return Said("\n".join(told))


@command("report.page", access=Access.READ, toolset="index", programs_only=True)
async def report_page(
    call: Call,
    *,
    index_id: str,
    kind: Annotated[ReportKind, Words(KIND_WORDS)],
    limit: Annotated[int, Whole(0, 1000)] = PAGE_SIZE,
    cursor: str | None = None,
    below: str | None = None,
    set: str | None = None,
    since: str | None = None,
    keep: Keep = "oldest",
    format: str | None = None,
) -> ReportPage:
    """A report over an index, a folder in it or a set, a page at a time; `format=explain` says what it covers.
    Growth begins at `since`: an epoch, a date, or an age such as 7d. Of duplicates the oldest is told first, or the
    newest with `keep=newest`."""
    library = await call.commander.indexing.library()
    await call.commander.indexing.open(index_id)
    if set is not None:
        set = await call.commander.indexing.sets.find(set, call.principal)
    made = await in_thread(library.report, index_id, kind, limit, below, set, since, cursor, keep=keep)
    epochs = await in_thread(library.epochs, index_id) if format == "explain" else None
    return ReportPage(index_id, made, limit, below, set, since, keep, epochs)


async def _spare_set(call: Call, index: str, spare: Spare, units: Units) -> str:
    """All but one of each group of equal files as a set of the caller's."""
    library = await call.commander.indexing.library()
    kept = await in_thread(library.sets.create_spare, index, "duplicates", spare)
    await call.commander.indexing.sets.own(kept.id, call.principal, passing=True)
    amount = f"{count(kept.count, 'file')}, {total_text(spare.bytes, units)}"
    other = ' (keep "newest" for the other way)' if spare.keep == "oldest" else ""
    return f"set: {kept.id} all but the {spare.keep} (first named) of each: {amount}{other}"


def _in_all(made: Report, units: Units) -> str:
    if made.since_ns is None:
        wasted = "" if made.spare_bytes is None else f", {total_text(made.spare_bytes, units)} wasted"
        return f"{made.total} in all{wasted}"
    return f"{count(made.total, 'change')} since {iso_time(made.since_ns)}, {_from_to(made.before, made.after, units)}"


def _from_to(before: int | None, after: int | None, units: Units) -> str:
    return f"{size_text(before, units)} → {size_text(after, units)}"


def _line(row: ReportRow, below: bytes | None, units: Units) -> str:
    label = row.label if row.path is None else _short(row.path, below)
    if row.change is not None:
        return _changed(row, label, units)
    if row.members:
        return _equal(row, below, units)
    parts = [f"{label}/" if row.folder else label]
    if row.reason:
        parts[0] += f": {row.reason}"
    if row.size is not None:
        parts.append(size_text(row.size, units))
    if row.count is not None and (row.folder or row.path is None):
        parts.append(count(row.count, "file"))
    if row.time_ns is not None:
        parts.append(iso_date(row.time_ns))
    return " ".join(parts)


def _short(path: bytes, below: bytes | None) -> str:
    start = (below or b"/").rstrip(b"/") + b"/"
    return quoted_name(to_wire(path.removeprefix(start) if below else path))


def _equal(row: ReportRow, below: bytes | None, units: Units) -> str:
    """Equal files in a line, first the one that would stay."""
    names = [_short(path, below) for path in row.members[:MAX_NAMED]]
    more = f" + {len(row.members) - MAX_NAMED} more" if len(row.members) > MAX_NAMED else ""
    return f"{' = '.join(names)}{more} {size_text(row.size, units)} wasted"


def _changed(row: ReportRow, label: str, units: Units) -> str:
    size = _from_to(row.before, row.size, units)
    if row.change in ("added", "removed"):
        size = size_text((row.size if row.change == "added" else row.before) or 0, units)
    files = f" {count(row.count, 'file')}" if row.folder and row.count else ""
    return f"{row.change} {label}{'/' if row.folder else ''} {size}{files}"


@command("report.open", access=Access.VIEW, title="Report in the pane")
async def open_report(
    call: Call,
    *,
    kind: Kind,
    root: Annotated[str, Doc("a folder; the focused pane's if left out")] = ".",
) -> Said:
    """Show the entries of a report on a folder in a new tab of the focused pane."""
    pane = pane_of(call.workspace, "focused")
    place = path_of(root, pane.tab.path)
    answers = await known_tree(call, place)
    library = await call.commander.indexing.library()
    made = await in_thread(library.report, answers.indexed.record.id, kind, MAX_PANE_ROWS, place)
    held = _held(made)
    names = below(place, held)
    if not names:
        raise CommandError(f"The report {kind} lists nothing below {to_wire(place)}.{_note(made)}")
    start = place.rstrip(b"/") + b"/"
    folder_sizes = {name: held[start + name] for name in names} if kind == "largest-dirs" else {}
    found = FoundEntries(kind, names, folder_sizes, _changes(made, start))
    tab = await call.browser.open_found(own_pane(call, "focused"), place, found, _SORTS.get(kind, SortOrder()))
    return Said(f"{kind}: {len(tab.listing)} of {made.total} shown{_note(made)}")


def _held(report: Report) -> dict[bytes, int]:
    """Every path of a report and the bytes it tells, in its order; what was removed since is nowhere to be shown."""
    held: dict[bytes, int] = {}
    for row in report.rows:
        if row.change == "removed" or row.path is None:
            continue
        for path in row.members or (row.path,):
            held.setdefault(path, row.size or 0)
    return held


def _changes(report: Report, start: bytes) -> dict[bytes, int]:
    """By how much every entry of a report on changes has changed."""
    return {
        row.path.removeprefix(start): (row.size or 0) - (row.before or 0)
        for row in report.rows
        if row.change is not None and row.path is not None
    }


def _note(report: Report) -> str:
    return f" ({report.note})" if report.note else ""
