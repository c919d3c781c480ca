"""Making a report: which maker there is for each kind, and what was not covered."""

import time
from collections.abc import Callable

from cmdr.index.query.explanation import not_covered
from cmdr.index.reports import report_groups as groups
from cmdr.index.reports import report_lists as lists
from cmdr.index.reports.report_basis import Basis, Lines, Spare
from cmdr.index.snapshots.columns import Column
from cmdr.index.snapshots.view import View
from cmdr.model.trees.reports import Keep, Report


def report(
    view: View,
    tag: int,
    kind: str,
    rows: Column | None = None,
    limit: int = 20,
    stop: Callable[[], bool] = lambda: False,
    now_ns: int | None = None,
    keep: Keep = "oldest",
    below: int | None = 0,
) -> tuple[Report, Spare | None]:
    """A report over the whole view, or over the given rows: what is below a directory, or (None) the members of a set,
    of which nothing is missing; with what could go, where the report is on equal files."""
    maker = _MAKERS[kind]
    basis = Basis(view, tag, rows, max(0, limit), stop, now_ns or time.time_ns(), keep, below)
    lines, total, note = maker(basis)
    missing = () if below is None else not_covered(view, below)
    spare_bytes = None if basis.spare is None else basis.spare.bytes
    made = Report(kind, tuple(lines), total, not missing and not note, missing, note, spare_bytes=spare_bytes)
    return made, basis.spare


_MAKERS: dict[str, Callable[[Basis], Lines]] = {
    "largest-files": lists.largest_files,
    "largest-dirs": lists.largest_dirs,
    "extensions": groups.extensions,
    "categories": groups.categories,
    "ages": groups.ages,
    "sizes": groups.sizes,
    "owners": groups.owners,
    "depth": groups.depth,
    "duplicates": lists.duplicates,
    "empty": lists.empty,
    "broken-links": lists.broken_links,
    "recent": lists.recent,
    "problems": lists.problems,
}
