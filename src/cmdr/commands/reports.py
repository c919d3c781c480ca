"""Reports over a tree: largest, oldest, duplicated, grown."""

from typing import Annotated

from cmdr.commands.shell_sessions import place_in
from cmdr.commands.telling import size_text
from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.parameter import Whole
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.core.threads import in_thread
from cmdr.index.reports import KINDS, ReportRow
from cmdr.model.names import to_wire
from cmdr.model.units import iso_date
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
        indexing.check_owner(set, call.principal)
        index = (await in_thread(library.sets.info, set)).index_id
    else:
        place = place_in(call, root or ".")
        answers, _ = await indexing.ensure(place, call.principal)
        index = answers.indexed.record.id
    made = await in_thread(library.report, index, kind, limit, place, set)
    told = [f"{kind}: {made.total} in all" + ("" if made.complete else " (incomplete)")]
    told += [_line(row, place) for row in made.rows]
    if made.note:
        told.append(made.note)
    told.append(f"more: {call.commander.base_url}/api/indexes/{index}/reports/{kind}?limit=100")
    return "\n".join(told)


def _line(row: ReportRow, below: bytes | None) -> str:
    label = row.label
    if row.path is not None and row.before is None:
        path = row.path
        if below and path.startswith(below.rstrip(b"/") + b"/"):
            path = path[len(below.rstrip(b"/")) + 1 :]
        label = quoted_name(to_wire(path))
    parts = [label]
    if row.size is not None:
        parts.append(
            f"{size_text(row.before)} → {size_text(row.size)}" if row.before is not None else size_text(row.size)
        )
    if row.count is not None:
        parts.append(f"{row.count} files" if row.count != 1 else "1 file")
    if row.time_ns is not None:
        parts.append(iso_date(row.time_ns))
    return " ".join(parts)
