"""Lists of things with ids, a page at a time: every answer stays short, and each item is told once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from cmdr.core.errors import CommandError

LISTED = 20
"""Items of a page, unless a program asks for more or fewer."""
MAX_LISTED = 200


class Identified(Protocol):
    """What can be listed."""

    @property
    def id(self) -> str:
        """Its handle."""


T = TypeVar("T", bound=Identified)


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """Some items of a list; `cursor` leads to the ones behind them, of which there are so many."""

    items: tuple[T, ...]
    cursor: str | None
    after: int


def page_behind(items: Sequence[T], limit: int, cursor: str | None) -> ListPage[T]:
    """The items behind the one whose id is the cursor, or the first ones."""
    first = 0
    if cursor is not None:
        first = next((place for place, one in enumerate(items, 1) if one.id == cursor), 0)
        if not first:
            raise CommandError("What this cursor stands behind is gone; start again without it.")
    told = tuple(items[first : first + limit])
    after = len(items) - first - len(told)
    return ListPage(told, told[-1].id if told and after else None, after)
