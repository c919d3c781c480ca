"""What to look for in a tree: the filter AST, version 1.

A filter is a tree of frozen nodes. It has a JSON form (`to_json`, `from_json`) and a one-line text form
(`filter_text`), and both bring back the very same tree. Whoever evaluates it decides how; nothing here knows an index.
Names and paths in a filter are the printable form of `names.to_wire`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

VERSION = 1
MAX_DEPTH = 32
MAX_NODES = 500
MAX_VALUES = 1000
MAX_TEXT = 4096

TextField = Literal["name", "path"]
TextOp = Literal["contains", "glob", "regex", "exact"]
NumberField = Literal["size", "allocated", "depth"]
TimeField = Literal["mtime", "ctime"]
Trait = Literal["empty", "brokenLink", "hardlinked"]
Kind = Literal["file", "dir", "link", "fifo", "socket", "char", "block", "unknown", "other"]
SortKey = Literal["tree", "name", "size", "allocated", "mtime", "ctime", "depth"]

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?")
_AGO = re.compile(r"\d{1,9}(?:s|m|h|d|w|y)")


class FilterError(ValueError):
    """A filter that cannot be understood; `position` is a place in the text or a JSON path such as `$.and[2]`."""

    def __init__(self, sentence: str, position: int | str) -> None:
        where = f"at {position}" if isinstance(position, str) else f"at character {position + 1}"
        super().__init__(f"{sentence} ({where})")
        self.sentence = sentence
        self.position = position


@dataclass(frozen=True)
class And:
    """All of these; of none of them, everything."""

    items: tuple["Filter", ...]


@dataclass(frozen=True)
class Or:
    """Any of these; of none of them, nothing."""

    items: tuple["Filter", ...]


@dataclass(frozen=True)
class Not:
    """Everything but this."""

    item: "Filter"


@dataclass(frozen=True)
class Text:
    """A name or path that contains, fits or equals a text."""

    field: TextField
    op: TextOp
    value: str
    case: bool = False


@dataclass(frozen=True)
class Ext:
    """One of these extensions, without the dot, whatever their case."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class KindIs:
    """One of these kinds of entry."""

    values: tuple[Kind, ...]


@dataclass(frozen=True)
class Number:
    """A number within bounds, both included."""

    field: NumberField
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class Time:
    """Changed after (or at) and before a moment: an ISO date or time, or how long ago, such as `30d`."""

    field: TimeField
    after: str | None = None
    before: str | None = None


@dataclass(frozen=True)
class Under:
    """Somewhere below this directory: a path, or a node id."""

    place: str


@dataclass(frozen=True)
class Mode:
    """All of these permission bits are set."""

    bits: int


@dataclass(frozen=True)
class Owner:
    """Owned by one of these users: names or numbers."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Is:
    """An empty file or directory, a link to nothing, or a file with several names."""

    trait: Trait


@dataclass(frozen=True)
class InSet:
    """A member of this set."""

    set_id: str


@dataclass(frozen=True)
class DuplicateOf:
    """A file with the same contents as this one: a path or a node id."""

    place: str


Filter = And | Or | Not | Text | Ext | KindIs | Number | Time | Under | Mode | Owner | Is | InSet | DuplicateOf
EVERYTHING = And(())


@dataclass(frozen=True)
class Question:
    """A filter with the order and number of answers."""

    filter: Filter = EVERYTHING
    sort: SortKey = "tree"
    descending: bool = False
    limit: int | None = None


# -- JSON -------------------------------------------------------------------------------------------------------------
def to_json(node: Filter) -> dict[str, Any]:
    """The JSON form: one key per node."""
    match node:
        case And(items):
            return {"and": [to_json(item) for item in items]}
        case Or(items):
            return {"or": [to_json(item) for item in items]}
        case Not(item):
            return {"not": to_json(item)}
        case Text(field, op, value, case):
            return {field: {op: value, "case": True} if case else {op: value}}
        case Ext(values):
            return {"ext": list(values)}
        case KindIs(values):
            return {"kind": list(values)}
        case Number(field, least, most):
            bounds = {"min": least, "max": most}
            return {field: {key: value for key, value in bounds.items() if value is not None}}
        case Time(field, after, before):
            times = {"after": after, "before": before}
            return {field: {key: value for key, value in times.items() if value is not None}}
        case Under(place):
            return {"under": place}
        case Mode(bits):
            return {"mode": f"{bits:04o}"}
        case Owner(values):
            return {"owner": list(values)}
        case Is(trait):
            return {trait: True}
        case InSet(set_id):
            return {"inSet": set_id}
        case DuplicateOf(place):
            return {"duplicateOf": place}


def from_json(data: object) -> Filter:
    """Read the JSON form; an unknown node or value is an error with its place."""
    return _Reader().node(data, "$", 1)


class _Reader:
    def __init__(self) -> None:
        self.nodes = 0

    def node(self, data: object, at: str, depth: int) -> Filter:
        self.nodes += 1
        if depth > MAX_DEPTH:
            raise FilterError(f"Filters may be nested {MAX_DEPTH} deep.", at)
        if self.nodes > MAX_NODES:
            raise FilterError(f"A filter may have {MAX_NODES} parts.", at)
        if not isinstance(data, Mapping) or len(data) != 1:
            raise FilterError('Each part is an object with one key, such as {"ext": ["py"]}.', at)
        key, value = next(iter(data.items()))
        here = f"{at}.{key}"
        if key in ("and", "or"):
            if not isinstance(value, Sequence) or isinstance(value, str):
                raise FilterError(f"`{key}` takes a list of filters.", here)
            items = tuple(self.node(item, f"{here}[{i}]", depth + 1) for i, item in enumerate(value))
            return And(items) if key == "and" else Or(items)
        if key == "not":
            return Not(self.node(value, here, depth + 1))
        return _leaf(str(key), value, here)


def _leaf(key: str, value: object, at: str) -> Filter:
    if key in get_args(TextField):
        return _text_leaf(key, value, at)
    if key in get_args(NumberField):
        bounds = _object(value, ("min", "max"), at)
        return checked(Number(key, bounds.get("min"), bounds.get("max")), at)  # type: ignore[arg-type]
    if key in get_args(TimeField):
        times = _object(value, ("after", "before"), at)
        return checked(Time(key, times.get("after"), times.get("before")), at)  # type: ignore[arg-type]
    if key in get_args(Trait):
        if value is not True:
            raise FilterError(f"`{key}` takes true; use `not` for the opposite.", at)
        return Is(key)  # type: ignore[arg-type]
    match key:
        case "ext":
            return checked(Ext(_words(value, at)), at)
        case "kind":
            return checked(KindIs(_words(value, at)), at)  # type: ignore[arg-type]
        case "owner":
            return checked(Owner(_words(value, at)), at)
        case "under":
            return checked(Under(_word(value, at)), at)
        case "inSet":
            return checked(InSet(_word(value, at)), at)
        case "duplicateOf":
            return checked(DuplicateOf(_word(value, at)), at)
        case "mode":
            text = _word(value, at)
            if not re.fullmatch(r"[0-7]{1,5}", text):
                raise FilterError("`mode` takes permission bits in octal, such as 0111.", at)
            return checked(Mode(int(text, 8)), at)
    raise FilterError(f"There is no filter called `{key[:40]}`. Known: {', '.join(KNOWN)}.", at)


def _text_leaf(key: str, value: object, at: str) -> Filter:
    if isinstance(value, str):
        return checked(Text(key, "contains", value), at)  # type: ignore[arg-type]
    data = _object(value, (*get_args(TextOp), "case"), at)
    case = data.pop("case", False)
    if not isinstance(case, bool) or len(data) != 1:
        raise FilterError(f"`{key}` takes one of {', '.join(get_args(TextOp))}, and `case` as true or false.", at)
    op, text = next(iter(data.items()))
    return checked(Text(key, op, _word(text, at), case), at)  # type: ignore[arg-type]


def _object(value: object, keys: tuple[str, ...], at: str) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not value:
        raise FilterError(f"This takes an object with {' or '.join(keys)}.", at)
    for key in value:
        if key not in keys:
            raise FilterError(f"`{str(key)[:40]}` is not known here; use {', '.join(keys)}.", at)
    return {str(key): one for key, one in value.items()}


def _word(value: object, at: str) -> str:
    if not isinstance(value, str):
        raise FilterError("This takes a text.", at)
    return value


def _words(value: object, at: str) -> tuple[str, ...]:
    if isinstance(value, str):  # models send a single text where a list is meant
        return (value,)
    if not isinstance(value, Sequence):
        raise FilterError("This takes a list of texts.", at)
    if len(value) > MAX_VALUES:
        raise FilterError(f"A list may have {MAX_VALUES:,} values.", at)
    return tuple(_word(one, f"{at}[{i}]") for i, one in enumerate(value))


KNOWN = ("and", "or", "not", "name", "path", "ext", "kind", "size", "allocated", "mtime", "ctime", "depth", "under")
KNOWN += ("mode", "owner", "empty", "brokenLink", "hardlinked", "inSet", "duplicateOf")


# -- validity -----------------------------------------------------------------------------------------------------------
def checked(node: Filter, at: int | str) -> Filter:
    """The leaf itself when its values make sense; a FilterError with the place otherwise."""
    match node:
        case Text(_, _, value):
            if not value or len(value) > MAX_TEXT:
                raise FilterError(f"The text must have 1 to {MAX_TEXT:,} characters.", at)
        case Ext(values) | KindIs(values) | Owner(values):
            if not values or len(values) > MAX_VALUES or not all(0 < len(one) <= 255 for one in values):
                raise FilterError("This takes at least one value, none of them empty.", at)
            if isinstance(node, KindIs) and (wrong := [one for one in values if one not in get_args(Kind)]):
                raise FilterError(f"There is no kind `{wrong[0]}`; use {', '.join(get_args(Kind))}.", at)
            if isinstance(node, Ext):
                return Ext(tuple(one.removeprefix(".") or one for one in node.values))
        case Number(_, least, most):
            for one in (least, most):
                if one is not None and (not isinstance(one, int) or isinstance(one, bool) or not 0 <= one < 1 << 63):
                    raise FilterError("Bounds are whole numbers from 0 on.", at)
            if least is None and most is None:
                raise FilterError("At least one bound is needed.", at)
        case Time(_, after, before):
            for moment in (after, before):
                if moment is not None and not (isinstance(moment, str) and is_moment(moment)):
                    raise FilterError("A time is an ISO date or time (2026-01-31), or an age such as 30d or 12h.", at)
            if after is None and before is None:
                raise FilterError("At least one of after and before is needed.", at)
        case Mode(bits):
            if not 0 < bits <= 0o7777:
                raise FilterError("Permission bits are 0001 to 7777 in octal.", at)
        case Under(place) | DuplicateOf(place):
            if not place or len(place) > MAX_TEXT:
                raise FilterError("This takes a path or a node id.", at)
        case InSet(set_id):
            if not re.fullmatch(r"[\w-]{1,64}", set_id, re.ASCII):
                raise FilterError("This takes the id of a set.", at)
    return node


def is_moment(text: str) -> bool:
    """Whether a text says a time, absolutely or as an age."""
    if _AGO.fullmatch(text):
        return True
    if not _INSTANT.fullmatch(text):
        return False
    from datetime import datetime

    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


# -- normal form ----------------------------------------------------------------------------------------------------------
def normal(node: Filter) -> Filter:
    """The same question in its plainest shape: `not` only on leaves, nothing nested in its own kind, no repeats."""
    return _normal(node, False)


def _normal(node: Filter, negate: bool) -> Filter:
    match node:
        case Not(item):
            return _normal(item, not negate)
        case And(items) | Or(items):
            together = And if isinstance(node, And) != negate else Or
            flat: dict[Filter, None] = {}
            for item in items:
                plain = _normal(item, negate)
                flat.update(dict.fromkeys(plain.items if isinstance(plain, together) else (plain,)))
            return next(iter(flat)) if len(flat) == 1 else together(tuple(flat))
        case Ext(values) | KindIs(values) | Owner(values):
            tidy = replace(node, values=tuple(sorted(set(values))))
            return Not(tidy) if negate else tidy
    return Not(node) if negate else node
