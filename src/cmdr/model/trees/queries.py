"""Saved queries, and how an answer to one came about."""

import json
from dataclasses import dataclass

from cmdr.model.filters.filter import Filter
from cmdr.model.filters.filter_json import from_json


@dataclass(frozen=True)
class SavedQuery:
    """A question kept under a name of its owner's; `filter` is its JSON form, `root` the folder it was asked in."""

    id: str
    owner: str
    name: str
    filter: str
    sort: str
    descending: bool
    limit: int | None
    created_ns: int
    last_run_ns: int | None
    root: bytes | None = None

    def wanted(self) -> Filter:
        """The filter itself."""
        return from_json(json.loads(self.filter))


@dataclass(frozen=True)
class Explanation:
    """How an answer came about."""

    normal_form: str
    steps: tuple[str, ...]
    rows_examined: int
    rows_total: int
    complete: bool
    not_covered: tuple[str, ...]
