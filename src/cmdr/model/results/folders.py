"""A folder that was looked at: for agents in a few lines, for programs with every entry's handle and address."""

from dataclasses import dataclass
from itertools import groupby

from cmdr.model.names import to_wire
from cmdr.model.results.result import Data, Json, Result, plain
from cmdr.model.yaml_text import quoted_name


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """One entry of a folder; what is not known is None."""

    node_id: str | None
    name: bytes
    kind: str
    size: int | None
    """Of a folder all that is below it, where an index knows."""
    files: int | None
    """How many are below a folder, where an index knows."""
    modified_ns: int | None
    link: str | None
    """Where REST tells more of it."""


@dataclass(frozen=True, slots=True)
class FolderGlance(Result):
    """Where a session went: how much is there, a page of it, and the way to the next."""

    kind = "folderGlance"
    cwd: bytes
    session_id: str
    index_id: str | None
    index_url: str | None
    headline: str
    entries: tuple[ListedEntry, ...]
    rows: tuple[str, ...]
    """The same entries, each in a line."""
    after: int
    """Entries behind the ones told."""
    next_page_url: str | None
    """Where those are."""
    biggest: tuple[str, ...] = ()
    newest: tuple[tuple[str, str], ...] = ()
    """Each with its day, told once for all of one day."""

    @property
    def breadcrumb(self) -> tuple[str, ...]:
        """The way down to it from the root of everything."""
        return breadcrumb_of(self.cwd)

    def text(self) -> str:
        lines = [f"{quoted_name(to_wire(self.cwd))}: {self.headline}"]
        if self.biggest:
            days = groupby(self.newest, lambda one: one[0])
            newest = [f"{day} {', '.join(name for _, name in names)}" for day, names in days]
            lines += [f"biggest: {', '.join(self.biggest)}", f"newest: {'; '.join(newest)}"]
        lines += self.rows
        # The link to the next page names the index as well.
        index = f" index: {self.index_url}" if self.index_url and not self.next_page_url else ""
        lines.append(f"session: {self.session_id}{index}")
        return "\n".join([*lines, f"… {self.after} more: {self.next_page_url}"] if self.after else lines)

    def data(self) -> dict[str, Json]:
        return {
            "cwd": to_wire(self.cwd),
            "breadcrumb": [*self.breadcrumb],
            "sessionId": self.session_id,
            "indexId": self.index_id,
            "headline": self.headline,
            "entries": [plain(entry) for entry in self.entries],
            "after": self.after,
            "nextPageUrl": self.next_page_url,
        }


@dataclass(frozen=True, slots=True)
class FolderPage(Data):
    """Some entries of a folder that was read from the disk."""

    kind = "folderPage"
    path: bytes
    total: int
    entries: tuple[ListedEntry, ...]
    next_page_url: str | None


def breadcrumb_of(path: bytes) -> tuple[str, ...]:
    """The names on the way down to a folder, from the root of everything."""
    return ("/", *(part for part in to_wire(path).split("/") if part))
