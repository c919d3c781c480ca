"""A filter as an ibis expression over the columns of an export, for whatever engine holds them.

It finds exactly what the index finds in the same tree. What only the index knows (its sets, its node ids, the contents
of files) cannot be asked here. An escaped byte finds bytes that are part of no character.
"""

import operator
import posixpath
from collections.abc import Callable
from functools import reduce
from typing import Any, Never

import ibis  # type: ignore[import-untyped]  # it ships no types

from cmdr.index.errors import BadQuestion
from cmdr.index.fleets.export_texts import raw_text
from cmdr.index.fleets.fleet_globs import fits_glob
from cmdr.index.fleets.fleet_regex import portable
from cmdr.index.query.moments import moment_ns
from cmdr.index.snapshots.extensions import LONGEST
from cmdr.index.snapshots.folding import fold
from cmdr.index.store.handles import is_node_handle
from cmdr.model.filters.filter import (
    And,
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
    Text,
    Time,
    Under,
)
from cmdr.model.names import from_wire, to_wire

Regex = Callable[[str, bool], str]
Expression = Any
"""Of ibis; a condition is never null, so that `not` means everything else."""
_MOST = (1 << 63) - 1


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
            first = None if after is None else moment_ns(after, now_ns)
            end = None if before is None else moment_ns(before, now_ns) - 1
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
        if len(one) > LONGEST or b"." in one:  # longer than what is kept as an extension
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
    found = rows["owner"].isin([one for one in numbers if one <= _MOST]) | rows["owner_name"].isin(names)
    return found.fill_null(False)


def _within(value: Expression, least: int | None, most: int | None) -> Expression:
    found = _ALL if least is None else value >= least
    return (found if most is None else found & (value <= most)).fill_null(False)


def _refuse(sentence: str) -> Never:
    raise BadQuestion(sentence)


_ALL, _NONE = ibis.literal(True), ibis.literal(False)
