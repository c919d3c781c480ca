"""Reports over a tree: largest, oldest, duplicated, grown."""

from typing import Annotated

from cmdr.commands.shell_sessions import place_in, units_of
from cmdr.commands.telling import size_text
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.index.reports import KINDS, Report, ReportRow
from cmdr.model.names import to_wire
from cmdr.model.shell_session import Units
from cmdr.model.units import count, iso_date
from cmdr.model.yaml_text import quoted_name


@command("report", access=Access.READ, toolset="index", idempotent=True)
async def report(
    call: Call,
    *,
    kind: str,
    root: str | None = None,
    set: str | None = None,
    limit: Annotated[int, Whole(1, 50)] = 10,
) -> str:
    """Report on a tree or set: largest-files, growth, duplicates and more."""
    if kind not in KINDS:
        raise CommandError(f'No report "{kind[:40]}". There are: {", ".join(KINDS)}.')
    indexing = call.commander.indexing
    library = await indexing.library()
    place = None
    if set is not None:
        set = await indexing.sets.find(set, call.principal)
        answers = await indexing.open((await in_thread(library.sets.info, set)).index_id)
    else:
        place = place_in(call, root or ".")
        answers, _ = await indexing.ensure(place, call.principal)
    index = answers.indexed.record.id
    made = await in_thread(library.report, index, kind, limit, place, set)
    units = units_of(call)
    told = [f"{kind}: {_in_all(made, units)}" + ("" if made.complete else " (incomplete)")]
    told += [_line(row, place, units) for row in made.rows]
    if made.note:
        told.append(made.note)
    if made.total > len(made.rows):
        about = ""
        if set is not None:
            about = f"&set={set}"
        elif place is not None and place != answers.indexed.record.root:
            about = f"&below={(await in_thread(answers.node, place)).id}"
        told.append(f"more: {call.commander.base_url}/api/indexes/{index}/reports/{kind}?limit=100{about}")
    return "\n".join(told)


def _in_all(made: Report, units: Units) -> str:
    if made.since_ns is None:
        return f"{made.total} in all"
    return f"{count(made.total, 'change')} since {iso_date(made.since_ns)}, {_from_to(made.before, made.after, units)}"


def _from_to(before: int | None, after: int | None, units: Units) -> str:
    return f"{size_text(before, units)} → {size_text(after, units)}"


def _line(row: ReportRow, below: bytes | None, units: Units) -> str:
    label = row.label
    if row.path is not None:
        path = row.path
        if below and path.startswith(below.rstrip(b"/") + b"/"):
            path = path[len(below.rstrip(b"/")) + 1 :]
        label = quoted_name(to_wire(path))
    if row.change is not None:
        return _changed(row, label, units)
    parts = [f"{label}/" if row.folder else label]
    if row.size is not None:
        parts.append(size_text(row.size, units))
    if row.count is not None and (row.folder or row.path is None or row.members):
        parts.append(count(row.count, "file"))
    if row.time_ns is not None:
        parts.append(iso_date(row.time_ns))
    return " ".join(parts)


def _changed(row: ReportRow, label: str, units: Units) -> str:
    size = _from_to(row.before, row.size, units)
    if row.change in ("added", "removed"):
        size = size_text((row.size if row.change == "added" else row.before) or 0, units)
    files = f" {count(row.count, 'file')}" if row.folder and row.count else ""
    return f"{row.change} {label}{'/' if row.folder else ''} {size}{files}"
