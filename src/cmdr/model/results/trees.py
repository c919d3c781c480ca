"""Big trees: a scan begun, how far it is, and what a query found."""

from dataclasses import dataclass
from typing import Self

from cmdr.model.contents import FileLines, ShownLine
from cmdr.model.job import JobState, ScanJob
from cmdr.model.names import to_wire
from cmdr.model.results.contents import grep_lines
from cmdr.model.results.result import Json, Result, plain
from cmdr.model.shell_session import Units
from cmdr.model.trees.indexes import behind_text
from cmdr.model.trees.node import Node
from cmdr.model.units import count, size_text
from cmdr.model.yaml_text import quoted_name


@dataclass(frozen=True, slots=True)
class ScanStarted(Result):
    """A tree is being read."""

    kind = "scanStarted"
    root: bytes
    job: str
    index: str
    url: str

    def text(self) -> str:
        return (
            f"Indexing {quoted_name(to_wire(self.root))}; cd works at once\njobId: {self.job} indexId: {self.index}\n"
            f"status: {self.url}/api/jobs/{self.job} index: {self.url}/api/indexes/{self.index}"
        )


@dataclass(frozen=True, slots=True)
class ScanProgress(Result):
    """How far a scan is, for whoever asks: that it failed is an answer like any other."""

    kind = "scanProgress"
    job: str
    state: JobState
    is_cancelled: bool
    counts: str
    entries: int
    folders: int
    bytes: int
    seconds: float
    percent: float | None
    problem: str
    index: str
    url: str | None = None
    """Where cmdr answers, when it is to be told where more is known while it runs."""

    @classmethod
    def of(cls, scan: ScanJob, counts: str, url: str | None = None) -> Self:
        """A scan, as it stands now."""
        return cls(
            scan.id, scan.state, scan.is_cancelled, counts, scan.entries, scan.folders, scan.bytes, scan.seconds,
            scan.percent, scan.problem, scan.index, url,
        )  # fmt: skip

    @property
    def headline(self) -> str:
        """The first line."""
        state = "cancelling" if self.is_cancelled and not self.state.is_over else self.state
        return f"{state}: {self.counts}"

    def text(self) -> str:
        told = self.headline + (f"\n{self.problem}" if self.problem else "") + f"\nindexId: {self.index}"
        return told if self.state.is_over or self.url is None else f"{told}\nstatus: {self.url}/api/jobs/{self.job}"

    def data(self) -> dict[str, Json]:
        return {**Result.data(self), "headline": self.headline}


@dataclass(frozen=True, slots=True)
class ScanEnded(ScanProgress):
    """What came of a scan, for whoever waited for it: one that failed is an error."""

    kind = "scanEnded"

    @property
    def failed(self) -> bool:
        return self.state is JobState.FAILED


@dataclass(frozen=True, slots=True)
class Kinds:
    """How many of each kind were found, and how much the files hold."""

    files: int
    dirs: int
    others: int
    file_bytes: int

    def text(self, units: Units) -> str:
        """Said when they are not all files."""
        if not self.dirs and not self.others:
            return ""
        told = [f"{count(self.files, 'file')} {size_text(self.file_bytes, units)}"] if self.files else []
        if self.dirs:
            told.append(count(self.dirs, "dir"))
        if self.others:
            told.append(f"{self.others} other")
        return f" ({', '.join(told)})"


@dataclass(frozen=True, slots=True)
class QueryAnswer(Result):
    """What a query found, kept as a set."""

    kind = "queryAnswer"
    root: bytes
    count: int
    bytes: int
    kinds: Kinds
    hits: tuple[Node, ...]
    set: str
    url: str
    units: Units
    """In which the caller wants sizes told."""
    behind: int = 0
    """Folders that are not known as they are; 0 when the answer is true as of the call."""
    indexed_now: int | None = None
    not_covered: tuple[str, ...] | None = None
    """Where nothing is known, when that is anywhere."""
    hints: tuple[str, ...] = ()
    """What to try instead, when nothing was found."""
    saved_as: str | None = None
    directions: str = ""
    """What it asked of times, in words with dates."""

    def text(self) -> str:
        asked = f", {self.directions}" if self.directions else ""
        told = [
            f"{self.count} found{self.kinds.text(self.units)}, {size_text(self.bytes, self.units)} in all "
            f"below {quoted_name(to_wire(self.root))}{self._exactly}{asked}" + behind_text(self.behind)
        ]
        if self.indexed_now is not None:
            told[0] += f" (indexed just now: {self.indexed_now} entries)"
        if self.not_covered is not None:
            told.append("not covered: " + "; ".join(self.not_covered)[:200])
        told += [hit.line(self.units, self.root) for hit in self.hits]
        if self.kinds.dirs and self.kinds.files:
            told.append('a dir stands for all in it; kind "file" leaves dirs out')
        told += self.hints
        told.append(f"set: {self.set} of all {self.count}: {self.url}/api/resource-sets/{self.set}/entries")
        if self.saved_as is not None:
            told.append(f"saved as query {self.saved_as}")
        return "\n".join(told)

    @property
    def _exactly(self) -> str:
        """The sum to the byte where it was shortened, and that of the files where folders are counted as well."""
        files = self.kinds.file_bytes
        of_files = f", files {files}b" if self.kinds.files and files != self.bytes and files >= 1024 else ""
        return f": {self.bytes}b{of_files}" if self.units != "bytes" and self.bytes >= 1024 else ""


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """One entry that a search found; its path is told from the folder that was searched."""

    path: str
    kind: str
    size: int | None
    modified_ns: int | None
    lines: tuple[ShownLine, ...] = ()
    """The first lines of it that match, when it was asked for by its contents."""


@dataclass(frozen=True, slots=True)
class FindAnswer(Result):
    """What a search while one types found: how many, how much, and the first of them."""

    kind = "findAnswer"
    is_plain = True
    root: bytes
    count: int
    bytes: int
    complete: bool
    nodes: tuple[Node, ...]
    units: Units
    directions: str = ""
    """What it asked of times, in words with dates."""
    files: tuple[FileLines, ...] = ()
    """The lines that match, by file, when contents were asked about."""
    note: str = ""
    """What of the contents was not looked at."""
    behind: int = 0
    """Folders that are not known as they are; 0 when the answer is true as of the call."""

    @property
    def rows(self) -> tuple[FoundEntry, ...]:
        """The first entries, in the order of the index."""
        below = self.root.rstrip(b"/") + b"/"
        lines = {one.path: one.lines for one in self.files}
        return tuple(
            FoundEntry(
                to_wire(node.path.removeprefix(below)), node.kind, node.size, node.mtime_ns, lines.get(node.path, ())
            )
            for node in self.nodes
        )

    def text(self) -> str:
        found = f"{self.count} found, {size_text(self.bytes, self.units)} in all below {to_wire(self.root)}"
        found += f": {self.directions}" if self.directions else ""
        found += behind_text(self.behind)
        told = [found, *([f"not covered: {self.note}"] if self.note else ())]
        if self.files:
            return "\n".join([*told, *grep_lines(self.files, self.root)])
        return "\n".join([*told, *(node.line(self.units, self.root) for node in self.nodes)])

    def data(self) -> dict[str, Json]:
        rows: list[Json] = [plain(row) for row in self.rows]
        return {
            "count": self.count,
            "bytes": self.bytes,
            "complete": self.complete,
            "behind": self.behind,
            "rows": rows,
            "directions": self.directions,
            "note": self.note,
        }
