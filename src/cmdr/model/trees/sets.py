"""Resource sets: named bags of entries, each as it was put in and as it is now."""

from dataclasses import dataclass
from typing import Literal

MemberState = Literal["ok", "changed", "moved", "gone"]


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


@dataclass(frozen=True)
class SetMember:
    """One member: its node id, what it was when it was put in, and what has become of it."""

    node: str
    path: bytes
    size: int
    mtime_ns: int
    state: MemberState
    path_now: bytes | None


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
