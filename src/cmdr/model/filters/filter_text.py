r"""The one-line form of a filter, for people and for agents.

    report ext:py,md size>=10M mtime>30d not (kind:dir or name:"old copy")

Words side by side mean `and`; `or`, `not` and parentheses do the rest. A bare word is part of a name, and with `*` or
`?` it is a glob. Inside quotes a backslash escapes a quote or a backslash; other backslashes stay as they are. A `c`
after the closing quote makes case matter. Relative times are ages: `mtime>30d` is later than thirty days ago.
"""

import re

from cmdr.model.filters.filter import (
    And,
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
    Text,
    Time,
    Under,
)
from cmdr.model.filters.filter_expression import read_expression
from cmdr.model.filters.filter_words import Words

MAX_LENGTH = 65_536
_PLAIN_WORD = re.compile(r'[^\s()",:=<>*?\\]+')


def from_text(text: str) -> Filter:
    """Read a one-line filter; an empty line asks for everything."""
    if len(text) > MAX_LENGTH:
        raise FilterError(f"A filter may be {MAX_LENGTH:,} characters long.", MAX_LENGTH)
    words = Words(text)
    words.blank()
    return And(()) if words.is_over else read_expression(words)


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
    raise TypeError(node)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _list(values: tuple[str, ...]) -> str:
    return ",".join(one if _PLAIN_WORD.fullmatch(one) else _quote(one) for one in values)
