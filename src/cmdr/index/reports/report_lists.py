"""Reports that name entries: the biggest, the newest, the equal, the empty, the broken and the unreadable."""

import os
from dataclasses import replace

import numpy as np

from cmdr.index.query.largest import largest_files as largest_of_all
from cmdr.index.query.largest import largest_of
from cmdr.index.reports.duplicates import find_duplicates
from cmdr.index.reports.report_basis import Basis, Lines, Spare
from cmdr.index.snapshots.columns import FORMAT_DIR, FORMAT_FILE, Flag
from cmdr.index.store.handles import node_handle
from cmdr.model.names import to_wire
from cmdr.model.trees.node import DirState
from cmdr.model.trees.reports import ReportRow
from cmdr.model.within import is_within


def largest_files(basis: Basis) -> Lines:
    """The biggest files."""
    view = basis.view
    rows = largest_of_all(view, basis.limit) if basis.given is None else largest_of(view, basis.given, basis.limit)
    total = view.totals(0).files if basis.given is None else len(basis.files())
    return basis.lines(rows), total, ""


def largest_dirs(basis: Basis) -> Lines:
    """The folders with the most in them."""
    view = basis.view
    numbers = view.live_dirs()[1:] if basis.given is None else view.directories(basis.given)
    numbers = numbers[numbers >= 0]
    order = numbers[np.argsort(-view.dirs["dbytes"][numbers], kind="stable")][: basis.limit]
    lines = []
    for number in order.tolist():
        totals, path = view.totals(number), view.directory_path(number)
        node = node_handle(basis.tag, view.id_of(int(view.dirs["drow"][number])))
        lines.append(ReportRow(to_wire(path), totals.files, totals.bytes, node, path, totals.newest_ns, folder=True))
    return lines, len(numbers), ""


def duplicates(basis: Basis) -> Lines:
    """Files with the same contents, by what they waste."""
    view = basis.view
    found, all_read = find_duplicates(view, basis.rows(), stop=basis.stop, most_files=200_000)
    groups = [twins.kept_first(view, basis.keep) for twins in found]
    if groups:
        rows = np.concatenate([twins.rows[1:] for twins in groups])
        basis.spare = Spare(view, np.sort(rows), sum(twins.wasted for twins in groups), basis.keep)
    lines = []
    for twins in groups[: basis.limit]:
        paths = view.paths(twins.rows)
        lines.append(ReportRow(to_wire(paths[0]), len(paths), twins.wasted, path=paths[0], members=tuple(paths)))
    return lines, len(groups), "" if all_read else "Only the 200,000 most promising files were compared."


def empty(basis: Basis) -> Lines:
    """Files and folders with nothing in them."""
    rows, view = basis.rows(), basis.view
    form = view.gather("mode", rows) >> 12
    known = (view.gather("flags", rows) & int(Flag.UNKNOWN)) == 0
    bare = (form == FORMAT_FILE) & (view.gather("size", rows) == 0) & known
    places = np.flatnonzero(form == FORMAT_DIR)
    numbers = view.directories(rows[places])
    bare[places] = (view.dirs["dcn"][numbers] == 0) & (view.dirs["dstate"][numbers] == int(DirState.LISTED))
    found = rows[bare]
    shown = found[: basis.limit]
    folders = (view.gather("mode", shown) >> 12 == FORMAT_DIR).tolist()
    lines = [
        replace(line, count=0, size=0, folder=True) if folder else line
        for line, folder in zip(basis.lines(shown), folders, strict=True)
    ]
    return lines, len(found), ""


def broken_links(basis: Basis) -> Lines:
    """Links to nothing."""
    rows = basis.rows()
    found = rows[(basis.view.gather("flags", rows) & int(Flag.BROKEN)) != 0]
    return basis.lines(found[: basis.limit]), len(found), ""


def recent(basis: Basis) -> Lines:
    """What was changed last."""
    files = basis.files()
    times = basis.view.gather("mtime", files)
    if len(files) > basis.limit > 0:
        edge = np.partition(times, len(times) - basis.limit)[len(times) - basis.limit]
        near = times >= edge
        files_near, times = files[near], times[near]
    else:
        files_near = files
    order = np.lexsort((files_near, -times))[: basis.limit]
    return basis.lines(files_near[order]), len(files), ""


def problems(basis: Basis) -> Lines:
    """What could not be read: folders with the reason, and entries that were seen by name only."""
    view = basis.view
    known = [(bytes.fromhex(path), os.strerror(code)) for path, code in view.facts.get("problems", [])]
    total = int(view.facts.get("problem_count", 0))
    if basis.below != 0:
        place = None if basis.below is None else view.directory_path(basis.below)
        known = [one for one in known if place is not None and is_within(one[0], place)]
        total = len(known)
    rows = basis.rows()
    unseen = rows[(view.gather("flags", rows) & int(Flag.UNKNOWN)) != 0]
    more = max(0, basis.limit - len(known))
    known += [(path, "seen by name only") for path in view.paths(unseen[:more])]
    lines = [
        ReportRow(f"{to_wire(path)}: {reason}", 1, None, None, path, reason=reason)
        for path, reason in known[: basis.limit]
    ]
    return lines, total + len(unseen), ""
