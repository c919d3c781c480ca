"""Reports as panes: the files and folders a report lists, together in a tab, to be viewed, copied and gone to."""

from typing import Annotated, Literal

from cmdr.commands.find import known_tree
from cmdr.commands.places import pane_of, path_of
from cmdr.commands.sets import below
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Doc
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.model.names import to_wire
from cmdr.model.panes.sorting import Direction, SortKey, SortOrder
from cmdr.model.panes.tab import Found
from cmdr.model.results.result import Said
from cmdr.model.trees.reports import Report

MOST = 1000
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
    made = await in_thread(library.report, answers.indexed.record.id, kind, MOST, place)
    held = _held(made)
    names = below(place, held)
    if not names:
        raise CommandError(f"The report {kind} lists nothing below {to_wire(place)}.{_note(made)}")
    start = place.rstrip(b"/") + b"/"
    folder_sizes = {name: held[start + name] for name in names} if kind == "largest-dirs" else {}
    found = Found(kind, names, folder_sizes, _changes(made, start))
    tab = await call.browser.open_found(pane, place, found, _SORTS.get(kind, SortOrder()))
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
