"""Who is calling, what that caller may do, and who acts in the course of a command, however deep."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

from cmdr.model.root_spec import RootSpec


class Access(IntEnum):
    """What a command does, from harmless to final; a principal holds a set of these."""

    READ = 1
    """Looks."""
    VIEW = 2
    """Changes what is shown."""
    PROPOSE = 3
    """Stages a change to files, cannot perform it."""
    ACT = 4
    """Performs. For people; for agents only inside what a person granted, never for approving."""


AGENT_ACCESS = frozenset({Access.READ, Access.VIEW, Access.PROPOSE})
PERSON_ACCESS = frozenset(Access)


@dataclass(frozen=True, slots=True)
class Principal:
    """One caller: a person at a face, or an agent with a name."""

    kind: Literal["person", "agent"]
    name: str
    """`terminal`, `browser`, `shell` for people; the client's name for agents; `same-user` without a token."""
    access: frozenset[Access] = field(default=AGENT_ACCESS)
    toolsets: frozenset[str] | None = None
    """The toolsets this caller is held to, or None for whatever is switched on."""
    token: bool = False
    """Whether a token proved the caller; the same-user tier has none and reads no contents."""
    roots: tuple[RootSpec, ...] | None = None
    """The folders this caller is held to, or None for those all agents share."""
    read_only: bool = False
    """Whether it may change nothing and run nothing, whatever is switched on."""
    own_toolsets: frozenset[str] = frozenset()
    """Toolsets that its face offers to it, whether or not they are switched on for others."""

    @property
    def id(self) -> str:
        """The name used in the audit log and for limits, as in `agent:codex`."""
        return f"{self.kind}:{self.name}"

    @property
    def is_person(self) -> bool:
        """Whether this caller may approve proposals."""
        return self.kind == "person"


PERSON = Principal("person", "terminal", PERSON_ACCESS, token=True)
"""The person at the terminal this program runs in."""

SAME_USER = Principal("agent", "same-user")
"""A local program of the same user that sent no token."""


_ACTING: ContextVar[Principal | None] = ContextVar("acting", default=None)


@contextmanager
def acting(principal: Principal) -> Iterator[None]:
    """What happens inside is done by this caller."""
    before = _ACTING.set(principal)
    try:
        yield
    finally:
        _ACTING.reset(before)


def agent_acts() -> bool:
    """Whether an agent does this, and not the person or nobody."""
    principal = _ACTING.get()
    return principal is not None and not principal.is_person


def person_acts() -> bool:
    """Whether the person does this, and not an agent or nobody."""
    principal = _ACTING.get()
    return principal is not None and principal.is_person
