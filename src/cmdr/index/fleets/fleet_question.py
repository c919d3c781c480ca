"""A question, with its order and limit, as an ibis expression; and as SQL for engines that are elsewhere."""

import time
from typing import Any

import ibis  # type: ignore[import-untyped]  # it ships no types

from cmdr.index.fleets.fleet_filter import Regex, condition, folded
from cmdr.index.fleets.fleet_regex import as_written, portable
from cmdr.index.fleets.parquet_rows import COLUMNS
from cmdr.model.filters.filter import Filter, Question

TABLE = "entries"
"""What the exports are called in SQL for other engines."""
TOLD = ("host", "root", "path", "kind", "size", "mtime_ns")
"""The columns of an answer."""
_COMPILERS = {"spark": "pyspark"}
_REGEXES = {"postgres": as_written}


def kept(rows: Any, wanted: Filter, now_ns: int | None = None, regex: Regex = portable) -> Any:
    """The rows that satisfy a filter; as in an index, a root is not among what is below it."""
    now_ns = time.time_ns() if now_ns is None else now_ns
    return rows.filter(rows["path"] != rows["root"], condition(wanted, rows, now_ns, regex))


def answer(rows: Any, question: Question, regex: Regex = portable) -> Any:
    """What is told of the rows that satisfy a question, in its order. A folder is as big as what lies below it."""
    found = kept(rows, question.filter, regex=regex)
    found = found.mutate(
        size=ibis.coalesce(found["tree_size"], (found["kind"] == "dir").ifelse(ibis.null("int64"), found["size"])),
        allocated=ibis.coalesce(found["tree_allocated"], found["allocated"]),
        tree=found["node"],
        by_name=folded(found, "name"),
    )
    key = found[{"name": "by_name", "mtime": "mtime_ns", "ctime": "ctime_ns"}.get(question.sort, question.sort)]
    ties = [found[name] for name in ("host", "root", "node")]
    direction = ibis.desc if question.descending else ibis.asc
    order = [*ties[:2], direction(key)] if question.sort == "tree" else [direction(key, nulls_first=False), *ties]
    # The limit comes last, or the order would stand in an inner question, where engines need not keep it.
    found = found.order_by(order).select(*TOLD)
    return found if question.limit is None else found.limit(question.limit)


def table() -> Any:
    """The exports as a table `entries`, wherever it may be."""
    return ibis.table(COLUMNS, name=TABLE)


def said_to(dialect: str, question: Question) -> str:
    """A question in the words of an engine, where the exports are the table `entries`."""
    return to_sql(answer(table(), question, _REGEXES.get(dialect, portable)), dialect)


def to_sql(question: Any, dialect: str) -> str:
    """An ibis expression in the words of an engine."""
    return str(ibis.to_sql(question, dialect=_COMPILERS.get(dialect, dialect)))
