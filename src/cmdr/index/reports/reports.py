"""All reports but growth: entries by name (biggest, newest, equal, …) and counts by group (extension, age, …)."""

import os
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cmdr.index.query.coverage import not_covered
from cmdr.index.query.nodes import user_name
from cmdr.index.query.sizes import largest_files as largest_of_all
from cmdr.index.query.sizes import largest_of
from cmdr.index.reports.basis import Lines, ReportBasis, Spare
from cmdr.index.reports.duplicates import find_duplicates
from cmdr.index.scan.walker_process import LINK_LEFT_OUT
from cmdr.index.snapshots.columns import FORMAT_DIR, FORMAT_FILE, Column, Flag
from cmdr.index.snapshots.view import View
from cmdr.index.store.handles import node_handle
from cmdr.model.names import is_within, to_wire
from cmdr.model.trees.node import DirState
from cmdr.model.trees.reports import Keep, Report, ReportRow

CATEGORIES: dict[str, str] = {
    "image": "jpg jpeg png gif webp svg bmp tif tiff heic heif avif ico raw cr2 nef arw dng psd xcf",
    "video": "mp4 mkv mov avi webm m4v wmv flv mpg mpeg 3gp ts",
    "audio": "mp3 flac wav ogg opus m4a aac wma aiff mid",
    "document": "pdf doc docx odt rtf txt md tex epub mobi xls xlsx ods csv ppt pptx odp html htm",
    "code": "py js ts tsx jsx c h cc cpp hpp rs go java kt rb php pl sh lua swift cs scala sql css scss vue ipynb",
    "archive": "zip gz bz2 xz zst 7z rar tar tgz deb rpm jar whl iso dmg apk cab",
    "data": "json yaml yml xml toml ini parquet sqlite db npy npz h5 avro arrow log",
    "binary": "o so a dll exe bin pyc class map wasm lib obj",
}
_CATEGORY_OF = {ext.encode(): name for name, line in CATEGORIES.items() for ext in line.split()}
_AGES = (("today", 1), ("week", 7), ("month", 30), ("quarter", 91), ("year", 365), ("3 years", 1096), ("older", None))
_SIZES = (0, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 10 << 20, 100 << 20, 1 << 30, 10 << 30)
_SIZE_NAMES = ("empty", "< 1K", "< 10K", "< 100K", "< 1M", "< 10M", "< 100M", "< 1G", "< 10G", "10G and more")


def extensions(basis: ReportBasis) -> Lines:
    """By extension."""
    files = basis.files()
    labels = ["." + to_wire(one) if one else "(none)" for one in basis.view.base.extensions]
    return basis.grouped(files, basis.view.gather("ext", files).astype(np.int64), labels)


def categories(basis: ReportBasis) -> Lines:
    """By kind of contents, guessed from the extension."""
    files = basis.files()
    names = [*CATEGORIES, "other"]
    of_code = np.array([names.index(_CATEGORY_OF.get(one, "other")) for one in basis.view.base.extensions])
    return basis.grouped(files, of_code[basis.view.gather("ext", files)], names)


def ages(basis: ReportBasis) -> Lines:
    """By how long ago files were changed."""
    files = basis.files()
    days = (basis.now_ns - basis.view.gather("mtime", files)) // 86_400_000_000_000
    edges = [most for _, most in _AGES if most is not None]
    # A time in the future is as young as can be.
    return basis.grouped(
        files, np.searchsorted(edges, np.maximum(days, 0), side="right"), [name for name, _ in _AGES], True
    )


def sizes(basis: ReportBasis) -> Lines:
    """By size."""
    files = basis.files()
    sizes = basis.view.gather("size", files)
    group = np.where(sizes == 0, 0, np.searchsorted(_SIZES[1:], sizes, side="right") + 1)
    return basis.grouped(files, group, list(_SIZE_NAMES), True)


def owners(basis: ReportBasis) -> Lines:
    """By owner."""
    files = basis.files()
    return basis.grouped(
        files,
        basis.view.gather("owner", files).astype(np.int64),
        [user_name(int(uid)) for uid in basis.view.base.owners],
    )


def depth(basis: ReportBasis) -> Lines:
    """By depth below the root."""
    files = basis.files()
    depth = basis.view.dirs["ddepth"][basis.view.gather("pdir", files)].astype(np.int64) + 1
    labels = [str(i) for i in range(int(depth.max()) + 1 if len(depth) else 1)]
    return basis.grouped(files, depth, labels, True)


def largest_files(basis: ReportBasis) -> Lines:
    """The biggest files."""
    view = basis.view
    rows = largest_of_all(view, basis.limit) if basis.given is None else largest_of(view, basis.given, basis.limit)
    total = view.totals(0).files if basis.given is None else len(basis.files())
    return basis.lines(rows), total, ""


def largest_dirs(basis: ReportBasis) -> Lines:
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


def duplicates(basis: ReportBasis) -> Lines:
    """Files with the same contents, by what they waste."""
    view = basis.view
    found, all_read = find_duplicates(view, basis.rows(), stop=basis.stop, most_files=200_000)
    groups = [twins.in_order(view, basis.keep) for twins in found]
    if groups:
        rows = np.concatenate([twins.rows[1:] for twins in groups])
        basis.spare = Spare(view, np.sort(rows), sum(twins.wasted for twins in groups), basis.keep)
    lines = []
    for twins in groups[: basis.limit]:
        paths = view.paths(twins.rows)
        lines.append(ReportRow(to_wire(paths[0]), len(paths), twins.wasted, path=paths[0], members=tuple(paths)))
    return lines, len(groups), "" if all_read else "Only the 200,000 most promising files were compared."


def empty(basis: ReportBasis) -> Lines:
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


def broken_links(basis: ReportBasis) -> Lines:
    """Links to nothing."""
    rows = basis.rows()
    found = rows[(basis.view.gather("flags", rows) & int(Flag.BROKEN)) != 0]
    return basis.lines(found[: basis.limit]), len(found), ""


def recent(basis: ReportBasis) -> Lines:
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


def _reason(code: int) -> str:
    """Why something was not read."""
    return "a link that leads out of the tree, not followed" if code == LINK_LEFT_OUT else os.strerror(code)


def problems(basis: ReportBasis) -> Lines:
    """What could not be read: folders with the reason, and entries that were seen by name only."""
    view = basis.view
    known = [(bytes.fromhex(path), _reason(code)) for path, code in view.facts.get("problems", [])]
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
    basis = ReportBasis(view, tag, rows, max(0, limit), stop, now_ns or time.time_ns(), keep, below)
    lines, total, note = maker(basis)
    missing = () if below is None else not_covered(view, below)
    spare_bytes = None if basis.spare is None else basis.spare.bytes
    made = Report(kind, tuple(lines), total, not missing and not note, missing, note, spare_bytes=spare_bytes)
    return made, basis.spare


_MAKERS: dict[str, Callable[[ReportBasis], Lines]] = {
    "largest-files": largest_files,
    "largest-dirs": largest_dirs,
    "extensions": extensions,
    "categories": categories,
    "ages": ages,
    "sizes": sizes,
    "owners": owners,
    "depth": depth,
    "duplicates": duplicates,
    "empty": empty,
    "broken-links": broken_links,
    "recent": recent,
    "problems": problems,
}
