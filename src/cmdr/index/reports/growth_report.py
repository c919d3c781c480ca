"""The report on growth: since when, how much in all, and a page of what changed."""

import time

import numpy as np

from cmdr.index.errors import BadQuestion
from cmdr.index.query.answers import Answers
from cmdr.index.query.cursor import Scope, make_cursor, read_cursor
from cmdr.index.query.moments import moment_ns
from cmdr.index.reports.growth import Growth, below, compare, place_of
from cmdr.index.reports.replaced_files import by_name
from cmdr.index.snapshots.folder_totals import FolderTotals, folder_totals, load_totals, totals_epochs
from cmdr.index.snapshots.history import changes_since, nearest_totals
from cmdr.index.snapshots.view import View
from cmdr.index.store.handles import node_handle
from cmdr.index.store.sets import Members
from cmdr.model.filters.filter import is_moment
from cmdr.model.names import printable, to_wire
from cmdr.model.trees.reports import Report, ReportRow

WEEK = 7 * 86_400.0
_UNREAD = "The earlier scan could not read everything: where the later one could, growth is overstated."
_FOLDERS_ONLY = "Which files changed since then is not known; only folders are told."


def growth_report(
    answers: Answers,
    limit: int,
    since: str | None = None,
    inside: str | bytes | None = None,
    members: Members | None = None,
    cursor: str | None = None,
) -> Report:
    """What changed since an epoch or a moment (the last week, when nobody says), in a folder or a set."""
    view, home = answers.view, answers.indexed.home
    before = _start(home, view, since)
    if before is None:
        return Report("growth", (), 0, True, (), "There is no earlier epoch to compare with yet.")
    after = folder_totals(view)
    files = changes_since(home, before.epoch, view)
    growth = compare(before, after, None if files is None else by_name(view, files))
    row = 0 if inside is None else answers.row(inside, view)
    place = view.path(row)
    if place != view.root:
        growth = below(view, growth, place)
    if members is not None:
        growth = growth.only(np.isin(growth.ids, members.ids))
    total = len(growth)
    scope = Scope(answers.indexed.record.id, before.epoch, f"growth\0{to_wire(place)}")
    if cursor is not None:
        amount, nid = read_cursor(answers.indexed.catalogue.secret, scope, cursor)
        growth = growth.behind(int(amount), nid)
    notes = [_UNREAD] if total and not before.complete else []
    if files is None:
        notes.append(_FOLDERS_ONLY)
    elif not files.whole:
        notes.append("So many files changed that only the biggest changes are told.")
    return Report(
        "growth",
        _rows(view, answers.tag, growth, limit),
        total,
        before.complete and files is not None and files.whole,
        (),
        " ".join(notes),
        cursor=_cursor(answers, scope, growth, limit),
        since_ns=before.taken_ns,
        before=_size_of(before, view.id_of(row)),
        after=_size_of(after, view.id_of(row)),
    )


def _start(home: str, view: View, since: str | None) -> FolderTotals | None:
    """What to compare with; a number is an epoch, anything else a moment."""
    kept = totals_epochs(home)
    if since is not None and since.isdecimal():
        if int(since) not in kept:
            known = ", ".join(str(epoch) for epoch in kept) or "none"
            raise BadQuestion(f"The totals of epoch {printable(since, 20)} are not kept; there are: {known}.")
        return load_totals(home, int(since))
    if since is not None and not is_moment(since):
        raise BadQuestion("since takes an epoch, a date (2026-01-31), or an age such as 7d.")
    when = time.time() - WEEK if since is None else moment_ns(since, time.time_ns()) / 1e9
    return nearest_totals(home, [epoch for epoch in kept if epoch < view.epoch or view.revision], when)


def _rows(view: View, tag: int, growth: Growth, limit: int) -> tuple[ReportRow, ...]:
    find = place_of(view)
    lines = []
    for one in growth.told(limit):
        path = find(one.nid)
        label, node = f"{one.change} {to_wire(path) if path else '(unknown)'}", node_handle(tag, one.nid)
        lines.append(
            ReportRow(
                label, one.files, one.after, node, path, before=one.before, change=one.change, folder=one.is_folder
            )
        )
    return tuple(lines)


def _cursor(answers: Answers, scope: Scope, growth: Growth, limit: int) -> str | None:
    if not 0 < limit < len(growth):
        return None
    last = growth.told(limit)[-1]
    return make_cursor(answers.indexed.catalogue.secret, scope, abs(last.delta), last.nid)


def _size_of(totals: FolderTotals, nid: int) -> int | None:
    at = int(np.searchsorted(totals.ids, nid))
    return int(totals.bytes[at]) if at < len(totals.ids) and totals.ids[at] == nid else None
