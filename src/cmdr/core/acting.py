"""Who acts: known to everything that happens in the course of a command, however deep."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from cmdr.core.principals import Principal

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
