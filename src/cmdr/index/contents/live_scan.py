"""The same question over a folder that no index knows yet: a walk, the other conditions, and the scan of what is left.

It answers what must hold of a file: conditions side by side, each about contents or not. It is always bounded.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cmdr.index.contents.content_query import ContentReading
from cmdr.index.contents.searching import ScanLimits
from cmdr.index.errors import BadQuestion, Cancelled
from cmdr.index.query.leaves import match_paths
from cmdr.index.query.predicates import uids
from cmdr.index.query.regexes import check_regex
from cmdr.index.snapshots.name_blobs import fold
from cmdr.index.snapshots.names import extension
from cmdr.model.contents import SearchCoverage
from cmdr.model.filters.filter import (
    And,
    Content,
    Ext,
    Filter,
    Is,
    KindIs,
    Mode,
    Not,
    Number,
    Or,
    Owner,
    Text,
    Time,
    Under,
    content_leaves,
    normal,
)
from cmdr.model.names import from_wire, is_within
from cmdr.model.units import time_ns

_BATCH = 512


@dataclass
class LiveAnswer:
    """The files that were found, with how many lines match in each, and what was left out."""

    files: dict[bytes, int] = field(default_factory=dict)
    coverage: SearchCoverage = field(default_factory=SearchCoverage)
    is_partial: bool = False
    """Whether the walk ended before its time."""


def live_scan(root: bytes, wanted: Filter, reading: ContentReading, stop: Callable[[], bool]) -> LiveAnswer:
    """Look for a filter in the files below a folder; raises BadQuestion for what only an index can answer."""
    plain = normal(wanted)
    parts = plain.items if isinstance(plain, And) else (plain,)
    about, others = [part for part in parts if content_leaves(part)], [p for p in parts if not content_leaves(p)]
    if not all(isinstance(part.item if isinstance(part, Not) else part, Content) for part in about):
        raise BadQuestion("Before a folder is indexed, contents can only be asked for together with other conditions.")
    for leaf in content_leaves(plain):
        if leaf.op == "regex":
            check_regex(leaf.value)
    walk = _Walk(root, And(tuple(others)), reading, stop)
    answer = LiveAnswer()
    for batch in walk.batches():
        left = dict.fromkeys(batch, 0)
        for part in about:
            left = _kept(part, left, reading, walk.limits(answer.coverage), answer.coverage, stop)
        answer.files.update(left)
        if answer.coverage.is_partial:
            break
    answer.is_partial = walk.is_cut or answer.coverage.is_partial
    return answer


def _kept(
    part: Filter,
    files: dict[bytes, int],
    reading: ContentReading,
    limits: ScanLimits,
    coverage: SearchCoverage,
    stop: Callable[[], bool],
) -> dict[bytes, int]:
    """Which of these files satisfy one question about contents, with the lines that match."""
    leaf = part.item if isinstance(part, Not) else part
    assert isinstance(leaf, Content)
    paths, here = list(files), SearchCoverage(unknown=[])
    found = {
        paths[one.file]: one.count
        for one in reading.scanner.scan(paths, leaf.pattern, limits, here, stop, reading.opener)
    }
    coverage.add(here)
    if leaf is part:
        return {path: files[path] + count for path, count in found.items()}
    unknown = {paths[number] for number in here.unknown or ()}
    return {path: count for path, count in files.items() if path not in found and path not in unknown}


class _Walk:
    """The regular files below a folder that satisfy what is not about contents; links are not followed."""

    def __init__(self, root: bytes, wanted: Filter, reading: ContentReading, stop: Callable[[], bool]) -> None:
        self.root, self.wanted, self.reading, self.stop = root, wanted, reading, stop
        self.until = None if reading.seconds is None else time.monotonic() + reading.seconds
        self.now_ns = time.time_ns()
        self.is_cut = False

    def limits(self, coverage: SearchCoverage) -> ScanLimits:
        """What is left of the time and the bytes."""
        seconds = None if self.until is None else max(0.0, self.until - time.monotonic())
        most = self.reading.total_bytes
        return ScanLimits(0, seconds=seconds, total_bytes=None if most is None else max(0, most - coverage.bytes))

    def batches(self) -> Iterator[list[bytes]]:
        """Paths, some at a time."""
        some: list[bytes] = []
        for number, path in enumerate(self._files()):
            if self.reading.files is not None and number >= self.reading.files:
                self.is_cut = True
                break
            some.append(path)
            if len(some) == _BATCH:
                yield some
                some = []
        if some:
            yield some

    def _files(self) -> Iterator[bytes]:
        todo = [self.root]
        while todo:
            if self.stop():
                raise Cancelled("The search was stopped.")
            if self.until is not None and time.monotonic() >= self.until:
                self.is_cut = True
                return
            folder = todo.pop()
            try:
                with os.scandir(folder) as listed:
                    entries = sorted(listed, key=lambda entry: entry.name)
            except OSError:
                continue  # gone, or shut: nothing in it can be read
            folders = []
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.is_file(follow_symlinks=False) and self._holds(entry):
                    yield entry.path
            todo += reversed(folders)

    def _holds(self, entry: os.DirEntry[bytes]) -> bool:
        try:
            return _satisfies(self.wanted, entry.path, entry.stat(follow_symlinks=False), self.root, self.now_ns)
        except OSError:
            return False


def _satisfies(node: Filter, path: bytes, seen: os.stat_result, root: bytes, now_ns: int) -> bool:
    """Whether a regular file satisfies what is not about contents."""
    name = os.path.basename(path)
    match node:
        case And(items):
            return all(_satisfies(item, path, seen, root, now_ns) for item in items)
        case Or(items):
            return any(_satisfies(item, path, seen, root, now_ns) for item in items)
        case Not(item):
            return not _satisfies(item, path, seen, root, now_ns)
        case Text(asked):
            return match_paths(node, [name if asked == "name" else path])[0]
        case Ext(values):
            wanted = [fold(from_wire(value)) for value in values]
            ends = (fold(name).endswith(b"." + one) and len(fold(name)) > len(one) + 1 for one in wanted)
            return extension(name) in wanted or any(ends)
        case KindIs(values):
            return "file" in values
        case Number(asked, least, most):
            return _within(_number(asked, path, seen, root), least, most)
        case Time(asked, after, before):
            have = seen.st_mtime_ns if asked == "mtime" else seen.st_ctime_ns
            last = None if before is None else time_ns(before, now_ns) - 1
            return _within(have, None if after is None else time_ns(after, now_ns), last)
        case Under(place):
            return is_within(path, from_wire(place))
        case Mode(bits):
            return stat.S_IMODE(seen.st_mode) & bits == bits
        case Owner(values):
            return seen.st_uid in uids(values)
        case Is(trait):
            return seen.st_size == 0 if trait == "empty" else trait == "hardlinked" and seen.st_nlink > 1
    raise BadQuestion("Sets and duplicates are known once a folder is indexed; ask again then.")


def _number(asked: str, path: bytes, seen: os.stat_result, root: bytes) -> int:
    if asked == "depth":
        return path[len(root.rstrip(b"/")) :].count(b"/")
    return seen.st_size if asked == "size" else seen.st_blocks * 512


def _within(have: int, least: int | None, most: int | None) -> bool:
    return (least is None or have >= least) and (most is None or have <= most)
