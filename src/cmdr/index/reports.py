"""What fills a tree, seen from many sides. Every report says how much it lists and whether all was seen."""

import os
import pwd
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from cmdr.index.columns import FORMAT_DIR, FORMAT_FILE, Column, DirState, Flag
from cmdr.index.duplicates import find_duplicates
from cmdr.index.evaluate import not_covered
from cmdr.index.largest import largest_files, largest_of
from cmdr.index.view import View
from cmdr.model.names import to_wire

ReportKind = Literal[
    "largest-files",
    "largest-dirs",
    "extensions",
    "categories",
    "ages",
    "sizes",
    "owners",
    "depth",
    "duplicates",
    "empty",
    "broken-links",
    "recent",
    "growth",
    "problems",
]
KINDS: tuple[str, ...] = get_args(ReportKind)


@dataclass(frozen=True)
class ReportRow:
    """One line: what it is about, how many, how much. `nid` and `path` are set when it is about one entry."""

    label: str
    count: int | None = None
    size: int | None = None
    nid: int | None = None
    path: bytes | None = None
    time_ns: int | None = None
    before: int | None = None  # bytes at the earlier epoch
    members: tuple[bytes, ...] = ()  # paths of equal files


@dataclass(frozen=True)
class Report:
    """The first lines of a report, of `total` there are."""

    kind: str
    rows: tuple[ReportRow, ...]
    total: int
    complete: bool
    not_covered: tuple[str, ...]
    note: str = ""


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


def report(
    view: View,
    kind: str,
    rows: Column | None = None,
    limit: int = 20,
    stop: Callable[[], bool] = lambda: False,
    now_ns: int | None = None,
) -> Report:
    """A report over the whole view, or over the given rows (a subtree, a set, the hits of a query)."""
    maker = _MAKERS[kind]
    lines, total, note = maker(_Basis(view, rows, max(0, limit), stop, now_ns or time.time_ns()))
    missing = not_covered(view)
    return Report(kind, tuple(lines), total, not missing and not note, missing, note)


Lines = tuple[list[ReportRow], int, str]


@dataclass
class _Basis:
    view: View
    given: Column | None
    limit: int
    stop: Callable[[], bool]
    now_ns: int

    def rows(self) -> Column:
        if self.given is not None:
            return self.given
        if self.view.dead is None:
            return np.arange(1, self.view.base_rows)
        over = self.view.extra.rows if self.view.extra else 0
        rows = np.concatenate(
            [np.flatnonzero(~self.view.dead), np.arange(self.view.base_rows, self.view.base_rows + over)]
        )
        return rows[rows > 0]

    def files(self) -> Column:
        """Counted files only: a file with several names counts once."""
        rows = self.rows()
        good = (self.view.gather("mode", rows) >> 12) == FORMAT_FILE
        good &= (self.view.gather("flags", rows) & int(Flag.SHARED | Flag.UNKNOWN)) == 0
        return np.asarray(rows[good])

    def lines(self, rows: Column) -> list[ReportRow]:
        paths = self.view.paths(rows)
        sizes, ids = self.view.gather("size", rows).tolist(), self.view.gather("nid", rows).tolist()
        times = self.view.gather("mtime", rows).tolist()
        return [
            ReportRow(to_wire(path), 1, size, nid, path, mtime)
            for path, size, nid, mtime in zip(paths, sizes, ids, times, strict=True)
        ]

    def grouped(self, files: Column, group: Column, labels: list[str], in_order: bool = False) -> Lines:
        """Count and bytes per group; by bytes, unless the groups have an order of their own."""
        count = np.bincount(group, minlength=len(labels))
        # Sums of whole numbers, exact where weights in floating point would not be.
        order = np.argsort(group, kind="stable")
        edges = np.searchsorted(group[order], np.arange(len(labels) + 1))
        running = np.concatenate([[0], np.cumsum(self.view.gather("size", files[order]))])
        size = running[edges[1:]] - running[edges[:-1]]
        full = np.flatnonzero(count)
        if not in_order:
            full = full[np.argsort(-size[full], kind="stable")]
        chosen = full[: self.limit].tolist()
        return [ReportRow(labels[i], int(count[i]), int(size[i])) for i in chosen], len(full), ""


def _largest_files(basis: _Basis) -> Lines:
    view = basis.view
    rows = largest_files(view, basis.limit) if basis.given is None else largest_of(view, basis.given, basis.limit)
    total = view.totals(0).files if basis.given is None else len(basis.files())
    return basis.lines(rows), total, ""


def _largest_dirs(basis: _Basis) -> Lines:
    view = basis.view
    numbers = view.live_dirs()[1:] if basis.given is None else view.directories(basis.given)
    numbers = numbers[numbers >= 0]
    order = numbers[np.argsort(-view.dirs["dbytes"][numbers], kind="stable")][: basis.limit]
    lines = []
    for number in order.tolist():
        totals, path = view.totals(number), view.directory_path(number)
        nid = view.id_of(int(view.dirs["drow"][number]))
        lines.append(ReportRow(to_wire(path), totals.files, totals.bytes, nid, path, totals.newest_ns))
    return lines, len(numbers), ""


def _extensions(basis: _Basis) -> Lines:
    files = basis.files()
    labels = ["." + to_wire(one) if one else "(none)" for one in basis.view.base.extensions]
    return basis.grouped(files, basis.view.gather("ext", files).astype(np.int64), labels)


def _categories(basis: _Basis) -> Lines:
    files = basis.files()
    names = [*CATEGORIES, "other"]
    of_code = np.array([names.index(_CATEGORY_OF.get(one, "other")) for one in basis.view.base.extensions])
    return basis.grouped(files, of_code[basis.view.gather("ext", files)], names)


def _ages(basis: _Basis) -> Lines:
    files = basis.files()
    days = (basis.now_ns - basis.view.gather("mtime", files)) // 86_400_000_000_000
    edges = [most for _, most in _AGES if most is not None]
    # A time in the future is as young as can be.
    return basis.grouped(
        files, np.searchsorted(edges, np.maximum(days, 0), side="right"), [name for name, _ in _AGES], True
    )


def _sizes(basis: _Basis) -> Lines:
    files = basis.files()
    sizes = basis.view.gather("size", files)
    group = np.where(sizes == 0, 0, np.searchsorted(_SIZES[1:], sizes, side="right") + 1)
    return basis.grouped(files, group, list(_SIZE_NAMES), True)


def _owners(basis: _Basis) -> Lines:
    files = basis.files()
    return basis.grouped(
        files, basis.view.gather("owner", files).astype(np.int64), [user(int(uid)) for uid in basis.view.base.owners]
    )


def _depth(basis: _Basis) -> Lines:
    files = basis.files()
    depth = basis.view.dirs["ddepth"][basis.view.gather("pdir", files)].astype(np.int64) + 1
    labels = [str(i) for i in range(int(depth.max()) + 1 if len(depth) else 1)]
    return basis.grouped(files, depth, labels, True)


def _duplicates(basis: _Basis) -> Lines:
    groups, all_read = find_duplicates(basis.view, basis.rows(), stop=basis.stop, most_files=200_000)
    lines = []
    for twins in groups[: basis.limit]:
        paths = basis.view.paths(twins.rows)
        lines.append(ReportRow(to_wire(paths[0]), len(paths), twins.wasted, path=paths[0], members=tuple(paths)))
    return lines, len(groups), "" if all_read else "Only the 200,000 most promising files were compared."


def _empty(basis: _Basis) -> Lines:
    rows, view = basis.rows(), basis.view
    form = view.gather("mode", rows) >> 12
    known = (view.gather("flags", rows) & int(Flag.UNKNOWN)) == 0
    bare = (form == FORMAT_FILE) & (view.gather("size", rows) == 0) & known
    places = np.flatnonzero(form == FORMAT_DIR)
    numbers = view.directories(rows[places])
    bare[places] = (view.dirs["dcn"][numbers] == 0) & (view.dirs["dstate"][numbers] == int(DirState.LISTED))
    found = rows[bare]
    return basis.lines(found[: basis.limit]), len(found), ""


def _broken_links(basis: _Basis) -> Lines:
    rows = basis.rows()
    found = rows[(basis.view.gather("flags", rows) & int(Flag.BROKEN)) != 0]
    return basis.lines(found[: basis.limit]), len(found), ""


def _recent(basis: _Basis) -> Lines:
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


def _problems(basis: _Basis) -> Lines:
    view = basis.view
    lines = []
    for path_hex, code in view.facts.get("problems", [])[: basis.limit]:
        path = bytes.fromhex(path_hex)
        lines.append(ReportRow(f"{to_wire(path)}: {os.strerror(code)}", 1, None, None, path))
    return lines, int(view.facts.get("problem_count", 0)), ""


def user(uid: int) -> str:
    """A user's name, or the number when nobody has it."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return str(uid)


_MAKERS: dict[str, Callable[[_Basis], Lines]] = {
    "largest-files": _largest_files,
    "largest-dirs": _largest_dirs,
    "extensions": _extensions,
    "categories": _categories,
    "ages": _ages,
    "sizes": _sizes,
    "owners": _owners,
    "depth": _depth,
    "duplicates": _duplicates,
    "empty": _empty,
    "broken-links": _broken_links,
    "recent": _recent,
    "problems": _problems,
}
