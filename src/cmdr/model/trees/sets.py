"""Resource sets: named bags of entries, each as it was put in and as it is now."""

from dataclasses import dataclass
from typing import Literal, TypedDict

from cmdr.model.names import to_wire
from cmdr.model.units import iso_time

MemberState = Literal["ok", "changed", "moved", "gone"]


class ResourceSet(TypedDict):
    """A set at a glance, as JSON: REST and the resource that agents read."""

    selectionId: str
    name: str
    indexId: str
    counts: int
    totalSize: int
    createdAt: str
    changedAt: str
    link: str
    entriesUrl: str


class Member(TypedDict):
    """A member of a set as JSON: as it was put in, and as it is now."""

    nodeId: str
    path: str
    size: int
    modifiedAt: str
    state: MemberState
    pathNow: str | None
    link: str


@dataclass(frozen=True)
class SetInfo:
    """A set at a glance."""

    id: str
    name: str
    index_id: str
    count: int
    bytes: int
    created_ns: int
    changed_ns: int

    def card(self, link: str) -> ResourceSet:
        """The set as JSON, with the address where REST has it."""
        return {
            "selectionId": self.id,
            "name": self.name,
            "indexId": self.index_id,
            "counts": self.count,
            "totalSize": self.bytes,
            "createdAt": iso_time(self.created_ns),
            "changedAt": iso_time(self.changed_ns),
            "link": link,
            "entriesUrl": f"{link}/entries",
        }


@dataclass(frozen=True)
class SetMember:
    """One member: its node id, what it was when it was put in, and what has become of it."""

    node: str
    path: bytes
    size: int
    mtime_ns: int
    state: MemberState
    path_now: bytes | None

    def card(self, link: str) -> Member:
        """The member as JSON, with the address of its node."""
        return {
            "nodeId": self.node,
            "path": to_wire(self.path),
            "size": self.size,
            "modifiedAt": iso_time(self.mtime_ns),
            "state": self.state,
            "pathNow": None if self.path_now is None else to_wire(self.path_now),
            "link": link,
        }


@dataclass(frozen=True)
class SetPage:
    """Some members of a set; `after` come behind the last of them."""

    members: tuple[SetMember, ...]
    total: int
    after: int

    @property
    def cursor(self) -> str | None:
        """What the next page begins behind: the last member's node id; None when there is no next page."""
        return self.members[-1].node if self.after and self.members else None
