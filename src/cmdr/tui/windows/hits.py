"""What a search brought, the likeliest first."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cmdr.model.names import from_wire
from cmdr.model.panes.sorting import natural_keys


@dataclass(frozen=True, slots=True)
class Hit:
    """One entry that was found."""

    path: str
    kind: str
    size: int | None
    modified_ns: int | None


@dataclass(frozen=True, slots=True)
class Hits:
    """What a question brought: how many, how much, and the first of them."""

    count: int
    bytes: int
    complete: bool
    rows: tuple[Hit, ...]

    @classmethod
    def read(cls, answer: str, asked: str) -> Hits:
        """The answer of `find.run`, which comes in the order of the index; the likeliest are put first."""
        told = json.loads(answer)
        rows = [Hit(row["path"], row["kind"], row["size"], row["modifiedNs"]) for row in told["rows"]]
        return cls(told["count"], told["bytes"], told["complete"], tuple(_likeliest_first(rows, asked)))


def _likeliest_first(rows: list[Hit], asked: str) -> list[Hit]:
    """Names that begin with what was typed, then the others; each by name, as in a pane."""
    start = asked.casefold()
    names = [row.path.rpartition("/")[2] for row in rows]
    keys = natural_keys([from_wire(name) for name in names])
    order = sorted(
        range(len(rows)), key=lambda at: (not names[at].casefold().startswith(start), keys[at], rows[at].path)
    )
    return [rows[at] for at in order]
