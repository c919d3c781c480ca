r"""The one-line form of a filter, for people and for agents.

    report ext:py,md size>=10M mtime>30d not (kind:dir or name:"old copy")

Words side by side mean `and`; `or`, `not` and parentheses do the rest. A bare word is part of a name, and with `*` or
`?` it is a glob. Inside quotes a backslash escapes a quote or a backslash; other backslashes stay as they are. A `c`
after the closing quote makes case matter. Relative times are ages: `mtime>30d` is later than thirty days ago.
"""

import re
from typing import NoReturn, cast, get_args

from cmdr.model.filter import (
    MAX_DEPTH,
    MAX_NODES,
    And,
    DuplicateOf,
    Ext,
    Filter,
    FilterError,
    InSet,
    Is,
    Kind,
    KindIs,
    Mode,
    Not,
    Number,
    NumberField,
    Or,
    Owner,
    Text,
    TextField,
    TextOp,
    Time,
    TimeField,
    Trait,
    Under,
    checked,
)

MAX_LENGTH = 65_536
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
_NUMBER = re.compile(r"(\d{1,19})([KMGTP]?)B?", re.IGNORECASE)
_FIELD = re.compile(r"([A-Za-z]+)(>=|<=|[:=><])")
_BARE = re.compile(r'[^\s()"]+')
_PLAIN_WORD = re.compile(r'[^\s()",:=<>*?\\]+')
_TRAITS = {trait.lower(): trait for trait in get_args(Trait)}


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
            return f"in:{set_id}"
        case DuplicateOf(place):
            return "duplicateof:" + _quote(place)
    raise TypeError(node)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _list(values: tuple[str, ...]) -> str:
    return ",".join(one if _PLAIN_WORD.fullmatch(one) else _quote(one) for one in values)


def from_text(text: str) -> Filter:
    """Read a one-line filter; an empty line asks for everything."""
    if len(text) > MAX_LENGTH:
        raise FilterError(f"A filter may be {MAX_LENGTH:,} characters long.", MAX_LENGTH)
    reader = _Reader(text)
    reader.blank()
    if reader.at == len(text):
        return And(())
    found = reader.either(1)
    if reader.at < len(text):
        reader.fail("This parenthesis has no partner.")
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.nodes = text, 0, 0

    def fail(self, sentence: str, at: int | None = None) -> NoReturn:
        raise FilterError(sentence, self.at if at is None else at)

    def blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def keyword(self, word: str) -> bool:
        """Take a lone word of the grammar, when it stands here."""
        end = self.at + len(word)
        if self.text[self.at : end].lower() != word or (
            end < len(self.text) and not self.text[end].isspace() and self.text[end] != "("
        ):
            return False
        self.at = end
        self.blank()
        return True

    def group(self, word: str, depth: int) -> Filter | None:
        """`and(…)` and `or(…)` hold one filter or none; written side by side they could not be told apart."""
        if not self.text[self.at :].startswith(word + "("):
            return None
        self.at += len(word) + 1
        self.blank()
        items: tuple[Filter, ...] = ()
        if not self.text[self.at :].startswith(")"):
            items = (self.either(depth + 1),)
        self.close()
        return And(items) if word == "and" else Or(items)

    def close(self) -> None:
        if self.at >= len(self.text) or self.text[self.at] != ")":
            self.fail("A closing parenthesis is missing.")
        self.at += 1
        self.blank()

    def either(self, depth: int) -> Filter:
        if depth > MAX_DEPTH:
            self.fail(f"Filters may be nested {MAX_DEPTH} deep.")
        items = [self.both(depth)]
        while self.keyword("or"):
            items.append(self.both(depth))
        return items[0] if len(items) == 1 else Or(tuple(items))

    def both(self, depth: int) -> Filter:
        items = [self.one(depth)]
        while self.at < len(self.text) and self.text[self.at] != ")":
            start = self.at
            if self.keyword("or") and not self.text[start:].startswith("or("):
                self.at = start
                break
            self.at = start
            if not self.text[start:].startswith("and("):
                self.keyword("and")
            items.append(self.one(depth))
        return items[0] if len(items) == 1 else And(tuple(items))

    def one(self, depth: int) -> Filter:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.fail(f"A filter may have {MAX_NODES} parts.")
        if depth > MAX_DEPTH:
            self.fail(f"Filters may be nested {MAX_DEPTH} deep.")
        if self.at >= len(self.text) or self.text[self.at] == ")":
            self.fail("Something to look for is missing here.")
        for word in ("and", "or"):
            if (found := self.group(word, depth)) is not None:
                return found
        if self.keyword("not"):
            return Not(self.one(depth + 1))
        if self.text[self.at] == "(":
            self.at += 1
            self.blank()
            inside = self.either(depth + 1)
            self.close()
            return inside
        found = self.term()
        self.blank()
        return found

    def term(self) -> Filter:
        start = self.at
        if self.text[start] == '"':
            return checked(self.text_leaf("name", "contains"), start)
        field = _FIELD.match(self.text, start)
        if field is None:
            word = self.bare()
            return checked(Text("name", "glob" if _wild(word) else "contains", word), start)
        self.at = field.end()
        return self.field(field[1].lower(), field[2], start)

    def field(self, name: str, sign: str, start: int) -> Filter:
        if name in get_args(TextField):
            return checked(self.text_field(cast(TextField, name), sign), start)
        if name in get_args(NumberField):
            return checked(self.number(cast(NumberField, name), sign), start)
        if name in get_args(TimeField):
            return checked(self.time(cast(TimeField, name), sign), start)
        if sign not in (":", "="):
            self.fail(f"`{name}` cannot be compared with {sign}.", start)
        if name in ("ext", "kind", "owner"):
            values = self.values()
            if name == "ext":
                return checked(Ext(values), start)
            return checked(KindIs(cast(tuple[Kind, ...], values)) if name == "kind" else Owner(values), start)
        if name == "is":
            trait = _TRAITS.get(self.bare().lower())
            if trait is None:
                self.fail(f"`is:` takes {', '.join(get_args(Trait))}.", start)
            return Is(cast(Trait, trait))
        if name in ("under", "duplicateof", "in", "inset"):
            value = self.value()
            node = Under(value) if name == "under" else DuplicateOf(value) if name == "duplicateof" else InSet(value)
            return checked(node, start)
        if name == "mode":
            bits = self.bare()
            if not re.fullmatch(r"[0-7]{1,5}", bits):
                self.fail("`mode` takes permission bits in octal, such as 0111.", start)
            return checked(Mode(int(bits, 8)), start)
        self.fail(f"There is no filter called `{name[:40]}`; quote the word to look for it in names.", start)

    def text_field(self, field: TextField, sign: str) -> Filter:
        if sign not in (":", "="):
            self.fail(f"`{field}` cannot be compared with {sign}.")
        for op in get_args(TextOp):
            if self.text[self.at :].startswith(op + '"'):
                self.at += len(op)
                return self.text_leaf(field, op)
        op = "exact" if sign == "=" else "contains"
        if self.text[self.at : self.at + 1] == '"':
            return self.text_leaf(field, op)
        word = self.bare()
        return Text(field, "glob" if sign == ":" and _wild(word) else cast(TextOp, op), word)

    def text_leaf(self, field: TextField, op: str) -> Text:
        value = self.quoted()
        case = self.text[self.at : self.at + 1] == "c"
        self.at += case
        return Text(field, cast(TextOp, op), value, case)

    def number(self, field: NumberField, sign: str) -> Filter:
        start, word = self.at, self.bare()
        low, dots, high = word.partition("..")
        if dots:
            if sign not in (":", "="):
                self.fail("A range is written with a colon, such as size:1K..1M.", start)
            return Number(field, self.amount(low, start) if low else None, self.amount(high, start) if high else None)
        amount = self.amount(word, start)
        match sign:
            case ">=":
                return Number(field, amount, None)
            case "<=":
                return Number(field, None, amount)
            case ">":
                return Number(field, amount + 1, None)
            case "<":
                if not amount:
                    self.fail("Nothing is smaller than 0.", start)
                return Number(field, None, amount - 1)
        return Number(field, amount, amount)

    def amount(self, word: str, at: int) -> int:
        found = _NUMBER.fullmatch(word)
        if found is None:
            self.fail("A number is missing here, such as 500, 10K or 2G.", at)
        return int(found[1]) * _UNITS[found[2].upper()]

    def time(self, field: TimeField, sign: str) -> Filter:
        start, word = self.at, self.bare()
        after, dots, before = word.partition("..")
        if dots:
            return Time(field, after or None, before or None)
        if sign in (">", ">="):
            return Time(field, word, None)
        if sign in ("<", "<="):
            return Time(field, None, word)
        self.fail(f"Compare times with > (later) or < (earlier), such as {field}>30d.", start)

    def bare(self) -> str:
        found = _BARE.match(self.text, self.at)
        if found is None:
            self.fail("A value is missing here.")
        self.at = found.end()
        return found[0]

    def value(self) -> str:
        return self.quoted() if self.text[self.at : self.at + 1] == '"' else self.bare()

    def values(self) -> tuple[str, ...]:
        found = [self.list_value()]
        while self.text[self.at : self.at + 1] == ",":
            self.at += 1
            found.append(self.list_value())
        return tuple(found)

    def list_value(self) -> str:
        if self.text[self.at : self.at + 1] == '"':
            return self.quoted()
        found = re.compile(r'[^\s()",]+').match(self.text, self.at)
        if found is None:
            self.fail("A value is missing here.")
        self.at = found.end()
        return found[0]

    def quoted(self) -> str:
        start = self.at
        out: list[str] = []
        at = start + 1
        while at < len(self.text):
            char = self.text[at]
            if char == '"':
                self.at = at + 1
                return "".join(out)
            if char == "\\" and self.text[at + 1 : at + 2] in ('"', "\\"):
                at += 1
                char = self.text[at]
            out.append(char)
            at += 1
        self.fail("This quote is not closed.", start)


def _wild(word: str) -> bool:
    return "*" in word or "?" in word
