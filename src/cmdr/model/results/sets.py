"""Resource sets and saved queries, for programs."""

from dataclasses import dataclass

from cmdr.model.names import to_wire
from cmdr.model.results.result import Data
from cmdr.model.trees.queries import Explanation, SavedQuery
from cmdr.model.trees.sets import SetInfo, SetMember
from cmdr.model.units import iso_time


@dataclass(frozen=True, slots=True)
class SetList(Data):
    """The caller's sets."""

    kind = "setList"
    sets: tuple[SetInfo, ...]


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
        import json  # noqa: PLC0415

        info, link = self.set, f"{self.url}/api/resource-sets/{self.set.id}"
        members = [
            {
                "nodeId": one.node,
                "path": to_wire(one.path),
                "size": one.size,
                "modifiedAt": iso_time(one.mtime_ns),
                "state": one.state,
                "pathNow": None if one.path_now is None else to_wire(one.path_now),
                "link": f"{self.url}/api/indexes/{info.index_id}/nodes/{one.node}",
            }
            for one in self.sample
        ]
        card = {
            "selectionId": info.id,
            "name": info.name,
            "indexId": info.index_id,
            "counts": info.count,
            "totalSize": info.bytes,
            "createdAt": iso_time(info.created_ns),
            "changedAt": iso_time(info.changed_ns),
            "link": link,
            "entriesUrl": f"{link}/entries",
        }
        return json.dumps({**card, "sample": members})


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
    """The caller's saved queries."""

    kind = "queryList"
    queries: tuple[SavedQuery, ...]


@dataclass(frozen=True, slots=True)
class QueryCard(Data):
    """A query that was saved."""

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


@dataclass(frozen=True, slots=True)
class Forgotten(Data):
    """A set or a saved query that is no more."""

    kind = "forgotten"
    id: str
