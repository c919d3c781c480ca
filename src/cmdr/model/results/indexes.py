"""What indexes know, for programs: indexes, nodes, pages of trees and reports, sessions, sets and saved queries."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from cmdr.model.filters.filter import SortKey
from cmdr.model.names import to_wire
from cmdr.model.panes.sorting import Direction
from cmdr.model.results.result import Data, Result
from cmdr.model.shell_session import Units
from cmdr.model.trees.indexes import IndexInfo
from cmdr.model.trees.node import Node
from cmdr.model.trees.queries import Explanation, SavedQuery
from cmdr.model.trees.reports import Keep, Report
from cmdr.model.trees.sets import SetInfo, SetMember
from cmdr.model.units import count, human_size, span


@dataclass(frozen=True, slots=True)
class IndexList(Data):
    """Every index."""

    kind = "indexList"
    indexes: tuple[IndexInfo, ...]


@dataclass(frozen=True, slots=True)
class IndexShown(Data):
    """One index."""

    kind = "indexShown"
    index: IndexInfo


@dataclass(frozen=True, slots=True)
class ContentsShown(Result):
    """The index of contents of a tree: what it takes, or what it would take, about."""

    kind = "contentsShown"
    root: bytes
    is_indexed: bool
    files: int
    text_bytes: int
    index_bytes: int
    seconds: float
    troubles: tuple[str, ...]

    def text(self) -> str:
        texts, room = human_size(self.text_bytes), human_size(self.index_bytes)
        if self.is_indexed:
            told = f"Contents of {to_wire(self.root)} are indexed: {texts} of text in {room}."
        else:
            time = span(max(1.0, self.seconds))
            told = f"Contents of {to_wire(self.root)} are not indexed. That takes about {time} for "
            told += f"{count(self.files, 'file')} with {texts} of text, and {room} of room."
        return "\n".join((told, *self.troubles))


@dataclass(frozen=True, slots=True)
class NodeShown(Data):
    """One entry of an index."""

    kind = "nodeShown"
    index: str
    node: Node
    owner: str | None
    """The owner's name; None when nothing is known but the entry's own."""
    target: bytes | None = None
    """Where a link leads, as far as it was looked up."""


@dataclass(frozen=True, slots=True)
class NodeDetail(NodeShown):
    """One entry, and of its contents what the caller may read."""

    kind = "nodeDetail"
    attributes: Mapping[str, str] | None = None
    """Extended ones; None when the caller may read no contents at all."""
    preview: str | None = None
    """How a text begins."""
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class TreePage(Data):
    """Some children of a folder, in an order; `cursor` leads to the next ones."""

    kind = "treePage"
    index: str
    parent: str
    total: int | None
    """None for a folder that could not be listed: it is not empty, it is unknown."""
    entries: tuple[Node, ...]
    cursor: str | None
    limit: int
    sort: SortKey
    order: Direction
    behind: int = 0
    """Folders that are not known as they are; 0 when the page is true as of the call."""


@dataclass(frozen=True, slots=True)
class ReportPage(Data):
    """Some lines of a report, and what it was asked about."""

    kind = "reportPage"
    index: str
    report: Report
    limit: int
    below: str | None
    set: str | None
    since: str | None
    keep: Keep
    epochs: tuple[int, ...] | None = None
    """From where growth can be measured; given instead of the lines when it is asked what a report covers."""


@dataclass(frozen=True, slots=True)
class SessionShown(Data):
    """Where a caller's session stands, and how it likes to be told things."""

    kind = "sessionShown"
    session: str
    cwd: bytes
    index: str | None
    units: Units
    limit: int


@dataclass(frozen=True, slots=True)
class SetList(Data):
    """Some of the caller's sets; `cursor` leads to the next ones."""

    kind = "setList"
    sets: tuple[SetInfo, ...]
    total: int
    cursor: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class SetCard(Data):
    """One set as it is now: made, renamed or changed."""

    kind = "setCard"
    set: SetInfo


@dataclass(frozen=True, slots=True)
class SetShown(Data):
    """One set, with a few of its members."""

    kind = "setShown"
    set: SetInfo
    sample: tuple[SetMember, ...]
    url: str
    """Where cmdr answers: what agents read of a set links to it."""

    def text(self) -> str:
        card = self.set.card(f"{self.url}/api/resource-sets/{self.set.id}")
        nodes = f"{self.url}/api/indexes/{self.set.index_id}/nodes"
        return json.dumps({**card, "sample": [one.card(f"{nodes}/{one.node}") for one in self.sample]})


@dataclass(frozen=True, slots=True)
class SetEntries(Data):
    """Some members of a set; `cursor` leads to the next ones."""

    kind = "setEntries"
    set: str
    index: str
    total: int
    members: tuple[SetMember, ...]
    cursor: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class QueryList(Data):
    """Some of the caller's saved queries; `cursor` leads to the next ones."""

    kind = "queryList"
    queries: tuple[SavedQuery, ...]
    total: int
    cursor: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class QueryCard(Data):
    """A query that was saved or changed."""

    kind = "queryCard"
    query: SavedQuery


@dataclass(frozen=True, slots=True)
class QueryShown(Data):
    """A saved query, and how it is evaluated where that was asked."""

    kind = "queryShown"
    query: SavedQuery
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class QueryRan(Data):
    """What a saved query found, as a set."""

    kind = "queryRan"
    query: str
    set: SetInfo
    directions: str = ""
    """What it asked of times, in words with dates."""
    behind: int = 0
    """Folders that were not known as they are; 0 when the set is true as of the call."""


@dataclass(frozen=True, slots=True)
class Forgotten(Data):
    """A set or a saved query that is no more."""

    kind = "forgotten"
    id: str
