r"""The one-line form of a filter, for people and for agents.

    report ext:py,md size>=10M older:30d not (kind:dir or name:"old copy")

Words side by side mean `and`; `or`, `not` and parentheses do the rest. A bare word is part of a name, and with `*` or
`?` it is a glob. Inside quotes a backslash escapes a quote or a backslash; other backslashes stay as they are. A `c`
after the closing quote makes case matter. Relative times are ages: `newer:30d` and `mtime>30d` are later
than thirty days ago.
"""

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace

from cmdr.model.filters.filter import (
    And,
    Content,
    DuplicateOf,
    Ext,
    Filter,
    FilterError,
    InSet,
    Is,
    KindIs,
    Mode,
    Not,
    Number,
    Or,
    Owner,
    Parts,
    Text,
    Time,
    Under,
)
from cmdr.model.filters.filter_json import from_json
from cmdr.model.filters.filter_terms import read_term
from cmdr.model.filters.lexer import Lexer

MAX_LENGTH = 65_536
_PLAIN_WORD = re.compile(r'[^\s()",:=<>*?\\]+')
_NODE = re.compile(r"n_[0-9a-f]{9,16}")


def from_text(text: str) -> Filter:
    """Read a one-line filter; an empty line asks for everything."""
    if len(text) > MAX_LENGTH:
        raise FilterError(f"A filter may be {MAX_LENGTH:,} characters long.", MAX_LENGTH)
    lexer = Lexer(text)
    lexer.blank()
    return And(()) if lexer.is_over else _parse(lexer)


def to_text(node: Filter) -> str:
    """One line that `from_text` reads back as the same filter."""
    match node:
        case And(items) if items:
            return " ".join(_inner(item) for item in items) if len(items) > 1 else f"and({to_text(items[0])})"
        case Or(items) if items:
            return " or ".join(_inner(item) for item in items) if len(items) > 1 else f"or({to_text(items[0])})"
        case And():
            return "and()"
        case Or():
            return "or()"
        case Not(item):
            return f"not {_inner(item)}"
    return _leaf_text(node)


def _inner(node: Filter) -> str:
    if isinstance(node, And | Or) and len(node.items) > 1:
        return f"({to_text(node)})"
    return to_text(node)


def _leaf_text(node: Filter) -> str:
    match node:
        case Text(field, op, value, case):
            return f"{field}:{'' if op == 'contains' else op}{_quote(value)}{'c' if case else ''}"
        case Ext(values):
            return "ext:" + _list(values)
        case KindIs(values):
            return "kind:" + _list(values)
        case Owner(values):
            return "owner:" + _list(values)
        case Number(field, least, most):
            if least is None:
                return f"{field}<={most}"
            return f"{field}>={least}" if most is None else f"{field}:{least}..{most}"
        case Time(field, after, before):
            if after is None:
                return f"{field}<{before}"
            return f"{field}>{after}" if before is None else f"{field}:{after}..{before}"
        case Under(place):
            return "under:" + _quote(place)
        case Mode(bits):
            return f"mode:{bits:04o}"
        case Is(trait):
            return f"is:{trait}"
        case InSet(set_id):
            return "in:" + _list((set_id,))
        case DuplicateOf(place):
            return "duplicateof:" + _quote(place)
        case Content(op, value, case):
            return f"content:{'' if op == 'contains' else op}{_quote(value)}{'c' if case else ''}"
    raise TypeError(node)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _list(values: tuple[str, ...]) -> str:
    return ",".join(one if _PLAIN_WORD.fullmatch(one) else _quote(one) for one in values)


def _parse(lexer: Lexer) -> Filter:
    """Everything up to the end of the line."""
    found = _Parser(lexer).either(1)
    if not lexer.is_over:
        lexer.fail("This parenthesis has no partner.")
    return found


class _Parser:
    def __init__(self, lexer: Lexer) -> None:
        self.lexer, self.parts = lexer, Parts()

    def either(self, depth: int) -> Filter:
        self.parts.nest(depth, self.lexer.at)
        items = [self.both(depth)]
        while self.lexer.keyword("or"):
            items.append(self.both(depth))
        return items[0] if len(items) == 1 else Or(tuple(items))

    def both(self, depth: int) -> Filter:
        lexer = self.lexer
        items = [self.one(depth)]
        while not lexer.is_over and not lexer.looking_at(")"):
            start = lexer.at
            if lexer.keyword("or") and not lexer.text.startswith("or(", start):
                lexer.at = start
                break
            lexer.at = start
            if not lexer.looking_at("and("):
                lexer.keyword("and")
            items.append(self.one(depth))
        return items[0] if len(items) == 1 else And(tuple(items))

    def one(self, depth: int) -> Filter:
        lexer = self.lexer
        self.parts.add(depth, lexer.at)
        if lexer.is_over or lexer.looking_at(")"):
            lexer.fail("Something to look for is missing here.")
        for word in ("and", "or"):
            if lexer.take(word + "("):
                items = self.group(depth)
                return And(items) if word == "and" else Or(items)
        if lexer.keyword("not"):
            return Not(self.one(depth + 1))
        if lexer.take("("):
            inside = self.either(depth + 1)
            self.close()
            return inside
        start = lexer.at
        found = read_term(lexer)
        for _ in found.items if isinstance(found, Or) else ():  # braces stand for several
            self.parts.add(depth + 1, start)
        lexer.blank()
        return found

    def group(self, depth: int) -> tuple[Filter, ...]:
        """`and(…)` and `or(…)` hold one filter or none; written side by side they could not be told apart."""
        items = () if self.lexer.looking_at(")") else (self.either(depth + 1),)
        self.close()
        return items

    def close(self) -> None:
        if not self.lexer.take(")"):
            self.lexer.fail("A closing parenthesis is missing.")


def given_filter(given: Mapping[str, object] | str) -> Filter:
    """Read a filter, whichever form it has; a mistake is told with its place."""
    if not isinstance(given, str):
        return from_json(given)
    if not given.lstrip().startswith("{") or len(given) > MAX_LENGTH:
        return from_text(given)
    try:
        return from_json(json.loads(given))
    except json.JSONDecodeError as error:
        raise FilterError(
            f"This begins as JSON but is not ({error.msg}); quote it to look for it.", error.pos
        ) from None
    except RecursionError:
        raise FilterError("This is nested too deep.", 0) from None


def placed(wanted: Filter, root: str) -> Filter:
    """The same filter with the places in it seen from a folder; whole paths and node ids stay as they are."""
    match wanted:
        case Under(place) | DuplicateOf(place) if not place.startswith("/") and not _NODE.fullmatch(place):
            return replace(wanted, place=posixpath.normpath(posixpath.join(root, place)))
        case Not(item):
            return Not(placed(item, root))
        case And(items) | Or(items):
            return replace(wanted, items=tuple(placed(item, root) for item in items))
    return wanted
