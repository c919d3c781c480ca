"""A query as an ibis expression over the columns of exports, for DuckDB here or as SQL for another engine.

It finds exactly what the index finds in the same tree. What only the index knows (its sets, its node ids, the contents
of files) cannot be asked here. An escaped byte finds bytes that are part of no character.
"""

import operator
import posixpath
import time
from collections.abc import Callable
from functools import reduce
from typing import Any, Never

import ibis  # type: ignore[import-untyped]  # it ships no types

from cmdr.index.errors import BadQuestion
from cmdr.index.fleets.export_rows import COLUMNS, raw_text
from cmdr.index.fleets.re2_syntax import as_written, portable
from cmdr.index.query.globs import Glob, class_members, parse_glob
from cmdr.index.snapshots.name_blobs import fold
from cmdr.index.snapshots.names import MAX_EXTENSION_BYTES
from cmdr.index.store.handles import is_node_handle
from cmdr.model.filters.filter import (
    And,
    Content,
    DuplicateOf,
    Ext,
    Filter,
    InSet,
    Is,
    KindIs,
    Mode,
    Not,
    Number,
    Or,
    Owner,
    Question,
    Text,
    Time,
    Under,
)
from cmdr.model.names import from_wire, to_wire
from cmdr.model.units import time_ns

Regex = Callable[[str, bool], str]
Expression = Any
"""Of ibis; a condition is never null, so that `not` means everything else."""
_MAX_INT64 = (1 << 63) - 1
_ALL, _NONE = ibis.literal(True), ibis.literal(False)
TABLE = "entries"
"""What the exports are called in SQL for other engines."""
RESULT_COLUMNS = ("host", "root", "path", "kind", "size", "mtime_ns")
"""The columns of an answer."""
_COMPILERS = {"spark": "pyspark"}
_REGEXES = {"postgres": as_written}


def condition(wanted: Filter, rows: Expression, now_ns: int, regex: Regex = portable) -> Expression:
    """Which rows of a table of exports satisfy a filter; `regex` says an expression as the engine wants it."""
    match wanted:
        case And(items):
            return reduce(operator.and_, (condition(one, rows, now_ns, regex) for one in items)) if items else _ALL
        case Or(items):
            return reduce(operator.or_, (condition(one, rows, now_ns, regex) for one in items)) if items else _NONE
        case Not(item):
            return ~condition(item, rows, now_ns, regex)
        case Text():
            return _text(wanted, rows, regex)
        case Ext(values):
            return _extension(values, rows)
        case KindIs(kinds):
            return rows["kind"].isin(kinds)
        case Number(field, least, most):
            return _within(rows[field], least, most)
        case Time(field, after, before):
            first = None if after is None else time_ns(after, now_ns)
            end = None if before is None else time_ns(before, now_ns) - 1
            return _within(rows[f"{field}_ns"], first, end)
        case Under(place):
            return _under(place, rows)
        case Mode(bits):
            return ((rows["mode"] & bits) == bits).fill_null(False)
        case Owner(people):
            return _owner(people, rows)
        case Is("brokenLink"):
            return rows["broken"]
        case Is("hardlinked"):
            return rows["hardlinked"]
        case Is():
            files = (rows["kind"] == "file") & (rows["size"] == 0).fill_null(False)
            return files | (rows["children"] == 0).fill_null(False)
        case InSet():
            _refuse("A set belongs to one index; exports know none.")
        case DuplicateOf():
            _refuse("Exports hold no contents, so duplicates cannot be told; look for size and name instead.")
        case Content():
            _refuse("Exports hold no contents; ask the machine itself, or leave `content` out.")


def folded(rows: Expression, field: str) -> Expression:
    """A name or path as it is compared when case does not matter."""
    return ibis.coalesce(rows[f"{field}_folded"], rows[field].lower())


def raw(rows: Expression, field: str) -> Expression:
    """A name, path or root as it is."""
    return ibis.coalesce(rows[f"{field}_raw"], rows[field])


def _text(leaf: Text, rows: Expression, regex: Regex) -> Expression:
    if leaf.op == "regex":
        have = ibis.coalesce(rows[f"{leaf.field}_text"], rows[leaf.field])
        return have.re_search(regex(leaf.value, leaf.case))
    have = raw(rows, leaf.field) if leaf.case else folded(rows, leaf.field)
    want = from_wire(leaf.value)
    if b"\0" in want:  # it ends names, so it is in none
        return _NONE
    want = want if leaf.case else fold(want)
    match leaf.op:
        case "contains":
            return have.contains(raw_text(want))
        case "exact":
            return have == raw_text(want)
    return fits_glob(have, want)


def _extension(values: tuple[str, ...], rows: Expression) -> Expression:
    wanted = [fold(from_wire(value)) for value in values]
    found = rows["ext"].isin([to_wire(one) for one in wanted if one])
    for one in wanted:
        if len(one) > MAX_EXTENSION_BYTES or b"." in one:  # longer than what is kept as an extension
            ending, name = raw_text(b"." + one), folded(rows, "name")
            found |= (rows["kind"] == "file") & name.endswith(ending) & (name != ending)
    return found


def _under(place: str, rows: Expression) -> Expression:
    if is_node_handle(place):
        _refuse("A node id belongs to one index; write the folder's path.")
    path = posixpath.normpath(from_wire(place))
    if b"\0" in path:
        return _NONE
    if path.startswith(b"/"):
        inside = path.strip(b"/") + b"/"
        return raw(rows, "path").startswith(raw_text(b"/" + inside.lstrip(b"/")))
    if path == b".":
        return _ALL
    if path.split(b"/")[0] == b"..":
        _refuse("This leads out of the exported folders; write a whole path.")
    root = raw(rows, "root")
    return raw(rows, "path").startswith((root == "/").ifelse("", root) + raw_text(b"/" + path + b"/"))


def _owner(people: tuple[str, ...], rows: Expression) -> Expression:
    numbers = [int(one) for one in people if one.isdecimal() and one.isascii()]
    names = [one for one in people if not (one.isdecimal() and one.isascii())]
    found = rows["owner"].isin([one for one in numbers if one <= _MAX_INT64]) | rows["owner_name"].isin(names)
    return found.fill_null(False)


def _within(value: Expression, least: int | None, most: int | None) -> Expression:
    found = _ALL if least is None else value >= least
    return (found if most is None else found & (value <= most)).fill_null(False)


def _refuse(sentence: str) -> Never:
    raise BadQuestion(sentence)


def fits_glob(have: Any, pattern: bytes) -> Any:
    """Whether a whole text, an ibis expression, fits a glob."""
    glob = parse_glob(pattern)
    plain = glob.plain()
    if plain is None:
        return have.re_search(_expression(glob))
    if len(plain) == 1:
        return have == raw_text(plain[0])
    first, *middle, last = map(raw_text, plain)
    if not middle and first and last:  # they must not share letters
        return have.startswith(first) & have.endswith(last) & (have.length() >= len(first) + len(last))
    if len([one for one in (first, *middle, last) if one]) > 1:
        return have.re_search(_expression(glob))
    found = [have.startswith(first)] if first else [have.endswith(last)] if last else []
    found += [have.contains(one) for one in middle if one]
    return reduce(operator.and_, found, ibis.literal(True))


def _expression(glob: Glob) -> str:
    runs = []
    for run in glob.runs:
        said, literal = [], b""
        for kind, piece in [*run, ("end", b"")]:
            if kind == "literal":
                literal += piece
                continue
            said.append(_literally(raw_text(literal)))
            literal = b""
            if kind == "one":
                said.append(".")
            elif kind == "class":
                said.append(_members(piece))
        runs.append("".join(said))
    return "(?s)^" + ".*".join(runs) + "$"


def _members(piece: bytes) -> str:
    negated, ranges = class_members(piece)
    if not ranges:
        return "." if negated else "[^\\x{0}-\\x{10ffff}]"
    inside = "".join(f"{_literally(chr(a))}-{_literally(chr(b))}" for a, b in ranges)
    return f"[{'^' if negated else ''}{inside}]"


def _literally(text: str) -> str:
    return "".join(
        "\\" + one if one.isascii() and not one.isalnum() and one.isprintable() and one != " " else one for one in text
    )


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
    found = found.order_by(order).select(*RESULT_COLUMNS)
    return found if question.limit is None else found.limit(question.limit)


def table() -> Any:
    """The exports as a table `entries`, wherever it may be."""
    return ibis.table(COLUMNS, name=TABLE)


def dialect_sql(dialect: str, question: Question) -> str:
    """A question in the words of an engine, where the exports are the table `entries`."""
    return to_sql(answer(table(), question, _REGEXES.get(dialect, portable)), dialect)


def to_sql(question: Any, dialect: str) -> str:
    """An ibis expression in the words of an engine."""
    return str(ibis.to_sql(question, dialect=_COMPILERS.get(dialect, dialect)))
