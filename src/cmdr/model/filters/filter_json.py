"""The JSON form of a filter: an object with one key per node, read with the place of every mistake."""

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from cmdr.model.filters.filter import (
    AGES,
    MAX_VALUES,
    And,
    Content,
    ContentOp,
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
    Parts,
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
from cmdr.model.names import printable
from cmdr.model.units import UnitError, read_size

KNOWN: tuple[str, ...] = (
    *("and", "or", "not", "name", "path", "ext", "kind", "size", "allocated", "mtime", "ctime", "older", "newer"),
    *("depth", "under", "mode", "owner", "empty", "brokenLink", "hardlinked", "inSet", "duplicateOf", "content"),
)


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
        case Content(op, value, case):
            return {"content": {op: value, "case": True} if case else {op: value}}


def from_json(data: object) -> Filter:
    """Read the JSON form; an unknown node or value is an error with its place."""
    return _Reader().node(data, "$", 1)


class _Reader:
    def __init__(self) -> None:
        self.parts = Parts()

    def node(self, data: object, at: str, depth: int) -> Filter:
        self.parts.add(depth, at)
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
        return checked(
            Number(cast(NumberField, key), _amount(bounds.get("min"), at), _amount(bounds.get("max"), at)), at
        )
    if key in get_args(TimeField):
        times = _object(value, ("after", "before"), at)
        return checked(Time(cast(TimeField, key), times.get("after"), times.get("before")), at)
    if key in AGES:
        return checked(Time("mtime", **{AGES[key]: _word(value, at)}), at)
    if key in get_args(Trait):
        if value is not True:
            raise FilterError(f"`{key}` takes true; use `not` for the opposite.", at)
        return Is(cast(Trait, key))
    match key:
        case "ext":
            return checked(Ext(extensions([value]) if isinstance(value, str) else _words(value, at)), at)
        case "kind" | "type":
            return checked(KindIs(cast(tuple[Kind, ...], _words(value, at))), at)
        case "owner":
            return checked(Owner(_words(value, at)), at)
        case "under":
            return checked(Under(_word(value, at)), at)
        case "inSet":
            return checked(InSet(_word(value, at)), at)
        case "duplicateOf":
            return checked(DuplicateOf(_word(value, at)), at)
        case "content":
            op, text, case = _text_question(key, value, get_args(ContentOp), at)
            return checked(Content(cast(ContentOp, op), text, case), at)
        case "mode":
            return checked(mode_of(_word(value, at), at), at)
    raise FilterError(f"There is no filter called `{printable(key, 40)}`. Known: {', '.join(KNOWN)}.", at)


def extensions(values: Sequence[str]) -> tuple[str, ...]:
    """Each extension by itself; several in one text, as in `pdf,jpg`, are told apart."""
    return tuple(part for value in values for part in map(str.strip, value.split(",")) if part)


def _text_leaf(key: str, value: object, at: str) -> Filter:
    op, text, case = _text_question(key, value, get_args(TextOp), at)
    return checked(Text(cast(TextField, key), cast(TextOp, op), text, case), at)


def _text_question(key: str, value: object, ops: tuple[str, ...], at: str) -> tuple[str, str, bool]:
    """How a text is looked for, the text, and whether case matters."""
    if isinstance(value, str):
        return "contains", value, False
    data = _object(value, (*ops, "case"), at)
    case = data.pop("case", False)
    if not isinstance(case, bool) or len(data) != 1:
        raise FilterError(f"`{key}` takes one of {', '.join(ops)}, and `case` as true or false.", at)
    op, text = next(iter(data.items()))
    return op, _word(text, at), case


def _object(value: object, keys: tuple[str, ...], at: str) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not value:
        raise FilterError(f"This takes an object with {' or '.join(keys)}.", at)
    for key in value:
        if key not in keys:
            raise FilterError(f"`{str(key)[:40]}` is not known here; use {', '.join(keys)}.", at)
    return {str(key): one for key, one in value.items()}


def _amount(value: Any, at: str) -> Any:
    """A bound; a text is a size as people write it, anything else is checked with the others."""
    try:
        return read_size(value) if isinstance(value, str) else value
    except UnitError as error:
        raise FilterError(str(error), at) from None


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
