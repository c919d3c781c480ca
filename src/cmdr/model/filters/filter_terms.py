"""One term of a one-line filter: a word, or a field with its value, such as `size>=10M`."""

import re
from collections.abc import Callable
from itertools import product
from typing import cast, get_args

from cmdr.model.filters.filter import (
    AGES,
    MAX_NODES,
    And,
    Content,
    ContentOp,
    DuplicateOf,
    Ext,
    Filter,
    InSet,
    Is,
    Kind,
    KindIs,
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
    mode_of,
)
from cmdr.model.filters.lexer import Lexer
from cmdr.model.names import printable
from cmdr.model.units import UnitError, read_size, read_time

_MAX_WORDS = 5
"""Words of the longest time, as in `the last two weeks ago`."""
_SIGNS = re.compile(r"[!<>=:&|]+|[<>=].*|!=.*", re.DOTALL)
_FIELDS = frozenset(
    (
        *(get_args(TextField) + get_args(NumberField) + get_args(TimeField)),
        *("ext", "kind", "type", "owner", "under", "duplicateof", "in", "inset", "mode", "is", "content", *AGES),
    )
)
_KNOWN = (
    *(*get_args(TextField), "ext", "kind", *get_args(NumberField), *get_args(TimeField), "older", "newer"),
    *("under", "owner", "mode", "is", "in", "duplicateof", "content"),
)
"""The fields as an error lists them."""
_TRAITS = {trait.lower(): trait for trait in get_args(Trait)}
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def read_term(lexer: Lexer) -> Filter:
    """The term that stands here; a mistake is told with its place."""
    start = lexer.at
    if lexer.looking_at('"'):
        return checked(_quoted(lexer, "name", "contains"), start)
    field = lexer.field(_FIELDS)
    if field is None:
        word = lexer.bare()
        if _SIGNS.fullmatch(word):
            lexer.fail(
                f"`{printable(word, 20)}` has no field: write size>5K, ext:pdf or not ext:pdf, or quote it.", start
            )
        return named(word, start)
    return checked(_field(lexer, *field, start), start)


def _field(lexer: Lexer, name: str, sign: str, start: int) -> Filter:
    if name in get_args(TextField):
        return _text(lexer, cast(TextField, name), sign)
    if name == "content":
        return _content(lexer, sign)
    if name in get_args(NumberField):
        return _number(lexer, cast(NumberField, name), sign)
    if name in get_args(TimeField):
        return _time(lexer, cast(TimeField, name), sign)
    if name in AGES:
        if sign not in (":", "=", ">"):
            lexer.fail(f"`{name}` cannot be compared with {sign}: write older:30d or newer:30d.", start)
        return Time("mtime", **{AGES[name]: _measure(lexer, read_time)})
    if sign not in (":", "=") and name in _FIELDS:
        lexer.fail(f"`{name}` cannot be compared with {sign}.", start)
    match name:
        case "ext":
            return Ext(lexer.values())
        case "kind" | "type":
            return KindIs(cast(tuple[Kind, ...], lexer.values()))
        case "owner":
            return Owner(lexer.values())
        case "under":
            return Under(lexer.value())
        case "duplicateof":
            return DuplicateOf(lexer.value())
        case "in" | "inset":
            return InSet(lexer.value())
        case "mode":
            return mode_of(lexer.bare(), start)
        case "is":
            trait = _TRAITS.get(lexer.bare().lower())
            if trait is None:
                lexer.fail(f"`is:` takes {', '.join(get_args(Trait))}.", start)
            return Is(cast(Trait, trait))
    lexer.fail(
        f"There is no filter called `{name[:40]}`; quote the word to look for it in names. Known: {', '.join(_KNOWN)}.",
        start,
    )


def _text(lexer: Lexer, field: TextField, sign: str) -> Filter:
    if sign == "~":
        return _quoted(lexer, field, "regex") if lexer.looking_at('"') else Text(field, "regex", lexer.unbroken())
    if sign not in (":", "="):
        lexer.fail(f"`{field}` cannot be compared with {sign}.")
    for op in get_args(TextOp):
        if lexer.looking_at(op + '"'):
            lexer.at += len(op)
            return _quoted(lexer, field, op)
    usual: TextOp = "exact" if sign == "=" else "contains"
    if lexer.looking_at('"'):
        return _quoted(lexer, field, usual)
    word = lexer.bare()
    return named(word, lexer.at, field) if sign == ":" else Text(field, usual, word)


def _content(lexer: Lexer, sign: str) -> Content:
    """What is looked for in files; a star is a star, for lines are no names."""
    if sign not in (":", "~"):
        lexer.fail(f'`content` cannot be compared with {sign}; write content:word, content:"words" or content~regex.')
    op: ContentOp = "regex" if sign == "~" else "contains"
    for known in get_args(ContentOp):
        if sign == ":" and lexer.looking_at(known + '"'):
            lexer.at += len(known)
            op = known
    if lexer.looking_at('"'):
        found = _quoted(lexer, "name", op)
        return Content(op, found.value, found.case)
    return Content(op, lexer.unbroken() if op == "regex" else lexer.bare())


def _quoted(lexer: Lexer, field: TextField, op: TextOp) -> Text:
    value = lexer.quoted()
    case = lexer.looking_at("c")
    lexer.at += case
    return Text(field, op, value, case)


def _number(lexer: Lexer, field: NumberField, sign: str) -> Number:
    start, word = lexer.at, _measure(lexer, read_size)

    def amount(text: str) -> int:
        try:
            return read_size(text)
        except UnitError as error:
            lexer.fail(str(error), start)

    low, dots, high = word.partition("..")
    if dots:
        if sign not in (":", "="):
            lexer.fail("A range is written with a colon, such as size:1K..1M.", start)
        return Number(field, amount(low) if low else None, amount(high) if high else None)
    found = amount(word)
    match sign:
        case ">=":
            return Number(field, found, None)
        case "<=":
            return Number(field, None, found)
        case ">":
            return Number(field, found + 1, None)
        case "<":
            if not found:
                lexer.fail("Nothing is smaller than 0.", start)
            return Number(field, None, found - 1)
    return Number(field, found, found)


def _time(lexer: Lexer, field: TimeField, sign: str) -> Time:
    start, word = lexer.at, _measure(lexer, read_time)
    after, dots, before = word.partition("..")
    if dots:
        return Time(field, after or None, before or None)
    if sign in (">", ">="):
        return Time(field, word, None)
    if sign in ("<", "<="):
        return Time(field, None, word)
    lexer.fail(f"Compare times with > (later) or < (earlier), such as {field}>30d, or write newer:30d.", start)


def _measure(lexer: Lexer, read: Callable[[str], object]) -> str:
    """The size or time that stands here, in as many words as are a part of it: `1 MiB`, `2 weeks ago`."""
    if lexer.looking_at('"'):
        return lexer.quoted()
    start, ends = lexer.at, list[int]()
    while not lexer.is_over and lexer.text[lexer.at] not in '()"' and len(ends) < _MAX_WORDS:
        lexer.bare()
        ends.append(lexer.at)
        lexer.blank()
    for end in reversed(ends[1:]):
        lexer.at = end
        try:
            read(lexer.text[start:end])
        except UnitError:
            continue
        return lexer.text[start:end]
    lexer.at = start
    return lexer.bare()


def named(word: str, at: int | str, field: TextField = "name") -> Filter:
    """What a bare word looks for. No name holds a slash, so a word that does is a part of the path."""
    if field == "name" and "/" in word:
        field, word = "path", word.removeprefix("./")
    if not is_wild(word):
        return checked(Text(field, "contains", word), at)
    globs = tuple(
        checked(Text(field, "glob", _anywhere(one, word) if field == "path" else one), at)
        for one in without_braces(word)
    )
    return globs[0] if len(globs) == 1 else Or(globs)


def is_wild(word: str) -> bool:
    """Whether a word is a glob."""
    return "*" in word or "?" in word


def _anywhere(glob: str, written: str) -> str:
    """A glob for whole paths; one that was written as a part of a path may lie anywhere."""
    return glob if written.startswith(("/", "*")) else f"*/{glob}"


def without_braces(glob: str) -> list[str]:
    """`*.{iso,bin}` as `*.iso` and `*.bin`; braces without a comma are plain text."""
    parts = _BRACES.split(glob)
    options = [part.split(",") if at % 2 else [part] for at, part in enumerate(parts)]
    several = 1
    for one in options:
        several *= len(one)
    if several >= MAX_NODES:
        return [glob]
    return [one for one in map("".join, product(*options)) if one]


def hints_for(wanted: Filter) -> list[str]:
    """Why globs that were given exactly may have found nothing."""
    match wanted:
        case And(items) | Or(items):
            return list(dict.fromkeys(hint for item in items for hint in hints_for(item)))
        case Not(item):
            return hints_for(item)
        case Text("name", op, value) if "/" in value and op != "regex":
            return ['hint: no name holds "/"; ask for "path"']
        case Text("path", "glob", value) if not value.startswith(("/", "*")):
            return ['hint: a glob for "path" fits the whole path; begin it with */']
        case Text(_, "glob", value) if _BRACES.search(value):
            return ["hint: braces are plain text in an exact glob; join globs with or"]
    return []
