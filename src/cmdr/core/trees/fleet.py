"""Exports of many machines asked as one: what the command line may know of them."""

from collections.abc import Iterator
from contextlib import contextmanager

from cmdr.core.errors import CommandError
from cmdr.index.errors import IndexFault
from cmdr.index.fleets.fleet import ExportedTree, Fleet, FleetTotals, Hit, sql
from cmdr.model.filters.filter import Question

__all__ = ["ExportedTree", "Fleet", "FleetTotals", "Hit", "as_sql", "open_fleet"]


@contextmanager
def open_fleet(folder: str) -> Iterator[Fleet]:
    """All exports in a folder; whatever goes wrong with them is told as with any command."""
    try:
        with Fleet(folder) as fleet:
            yield fleet
    except IndexFault as trouble:
        raise CommandError(str(trouble)) from trouble


def as_sql(question: Question, dialect: str) -> str:
    """A question in the SQL of another engine."""
    try:
        return sql(question, dialect)
    except IndexFault as trouble:
        raise CommandError(str(trouble)) from trouble
