"""From a command's signature to its parameters: their JSON Schema, and arguments checked with errors that help."""

import difflib
import inspect
import re
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

from cmdr.core.errors import CommandError
from cmdr.model.names import printable
from cmdr.model.results.result import Json as Json

Arguments = dict[str, Json]

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,15}")
_MAX_INTEGER = 2**53
"""Beyond it JSON's numbers are not exact any more, and nothing here is counted so far."""


@dataclass(frozen=True, slots=True)
class Doc:
    """What a parameter means, where its name does not say it."""

    text: str


@dataclass(frozen=True, slots=True)
class Whole:
    """Bounds of a whole number."""

    least: int = 0
    most: int | None = None
    cut: bool = False
    """Whether more than the most means the most: whoever asks for 50 rows of at most 20 is best served with 20."""


@dataclass(frozen=True, slots=True)
class Words:
    """Other words for choices, understood but never listed."""

    choices: dict[str, str]


@dataclass(frozen=True, slots=True)
class Fields:
    """The texts that each object of a list holds."""

    names: tuple[str, ...]
    optional: tuple[str, ...] = ()
    """Those that an object may hold besides."""


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A parameter that is accepted but not listed: every listing costs every agent, and few would use it."""


@dataclass(frozen=True, slots=True)
class Also:
    """Further names under which a parameter is accepted, never listed: what other programs call it."""

    names: tuple[str, ...]


HANDLES: dict[str, tuple[str, ...]] = {
    "set": ("selectionId", "setId"),
    "set_id": ("selectionId", "set"),
    "query": ("queryId",),
    "nodes": ("nodeIds", "nodeId"),
    "job": ("jobId",),
}
"""What programs call parameters that take a handle, understood everywhere and never listed."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its Python name, its name on the wire, and what it accepts."""

    name: str
    wire: str
    accepts: tuple[type, ...]
    """Of str, int, float, bool, list, dict."""
    choices: tuple[str, ...] = ()
    enum: type[StrEnum] | None = None
    required: bool = False
    whole: Whole | None = None
    doc: str = ""
    fields: tuple[str, ...] = ()
    """For a list of objects: what each of them holds, all texts."""
    optional_fields: tuple[str, ...] = ()
    """What each of them may hold besides."""
    listed: bool = True
    also: tuple[str, ...] = ()
    words: dict[str, str] = field(default_factory=dict)
    """Other words for choices."""
    has_numbers: bool = False
    """Whether a list holds whole numbers instead of texts."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every name under which it is accepted."""
        return (self.wire, self.name, *self.also, *HANDLES.get(self.name, ()))

    def schema(self, *, bounded: bool = False) -> dict[str, Json]:
        """JSON Schema of this parameter. Bounds are told only on request: they are checked, and told in the error, and
        in every agent's list of tools they would cost more than they help."""
        variants: list[dict[str, Json]] = []
        if bool in self.accepts:
            variants.append({"type": "boolean"})
        if int in self.accepts:
            variants.append({"type": "integer", **(self._bounds() if bounded else {})})
        if float in self.accepts:
            variants.append({"type": "number"})
        if self.choices:
            variants.append({"enum": list(self.choices)})
        elif str in self.accepts:
            variants.append({"type": "string"})
        if list in self.accepts:
            variants.append({"type": "array", "items": self._item_schema()})
        if dict in self.accepts:
            variants.append({"type": "object"})
        schema: dict[str, Json] = variants[0] if len(variants) == 1 else {"anyOf": [*variants]}
        if self.doc:
            schema["description"] = self.doc
        return schema

    def _bounds(self) -> dict[str, Json]:
        if self.whole is None:
            return {}
        return {"minimum": self.whole.least, **({} if self.whole.most is None else {"maximum": self.whole.most})}

    def check(self, value: Json) -> object:
        """The value as the command wants it, or an error that names what it takes."""
        if isinstance(value, bool):
            if bool in self.accepts:
                return value
        elif float in self.accepts and isinstance(value, int | float) and abs(value) <= _MAX_INTEGER:
            return float(value)
        elif isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
            if int in self.accepts:
                return self._in_bounds(int(value))
        elif isinstance(value, str):
            return self._check_text(value)
        elif isinstance(value, list):
            if list in self.accepts and all(map(self._is_item, value)):
                return value
        elif isinstance(value, dict) and dict in self.accepts:
            return value
        raise self._wrong(value)

    def _item_schema(self) -> dict[str, Json]:
        if not self.fields:
            return {"type": "integer" if self.has_numbers else "string"}
        # What they hold is told by the command's description, and by the error; in every listing it would cost more.
        return {"type": "object"}

    def _is_item(self, item: Json) -> bool:
        if self.has_numbers:
            return isinstance(item, int) and not isinstance(item, bool) and abs(item) <= _MAX_INTEGER
        if not self.fields:
            return isinstance(item, str)
        return (
            isinstance(item, dict)
            and set(self.fields) <= item.keys() <= {*self.fields, *self.optional_fields}
            and all(isinstance(text, str) for text in item.values())
        )

    def _check_text(self, value: str) -> object:
        value = self.words.get(value, value)
        # Models send numbers, booleans and single items as text often enough to be lenient here.
        if value in self.choices:
            return self.enum(value) if self.enum else value
        takes_free_text = str in self.accepts and not self.choices
        if int in self.accepts and not takes_free_text and _WHOLE_NUMBER.fullmatch(value.strip()):
            return self._in_bounds(int(value))
        if bool in self.accepts and value.lower() in ("true", "false"):
            return value.lower() == "true"
        if takes_free_text:
            return value
        if list in self.accepts and not self.fields and not self.has_numbers:
            return [value]
        raise self._wrong(value)

    def _in_bounds(self, number: int) -> int:
        bounds = self.whole
        if bounds and bounds.cut and bounds.most is not None:
            number = min(number, bounds.most)
        if bounds and (number < bounds.least or (bounds.most is not None and number > bounds.most)):
            raise self._wrong(number)
        if abs(number) > _MAX_INTEGER:
            raise self._wrong(number)
        return number

    def _wrong(self, value: Json) -> CommandError:
        close = difflib.get_close_matches(value[:40], self.choices, 1) if isinstance(value, str) else []
        hint = f' Did you mean "{close[0]}"?' if close else ""
        return CommandError(f'"{self.wire}" must be {self.wanted()}, not {_told(value)}.{hint}')

    def wanted(self) -> str:
        """What this parameter takes, in words."""
        words = []
        if bool in self.accepts:
            words.append("true or false")
        if int in self.accepts:
            most = self.whole.most if self.whole else None
            least = self.whole.least if self.whole else None
            words.append(
                "a whole number"
                + (f" from {least}" if least is not None else "")
                + (f" to {most}" if most is not None else "")
            )
        if float in self.accepts:
            words.append("a number")
        if self.choices:
            words.append("one of " + ", ".join(self.choices) if len(self.choices) > 1 else f'"{self.choices[0]}"')
        elif str in self.accepts:
            words.append("text")
        if list in self.accepts:
            items = "whole numbers" if self.has_numbers else "text"
            fields = ", ".join([*self.fields, *(f"{name}?" for name in self.optional_fields)])
            words.append(f"a list of {{{fields}}}" if self.fields else f"a list of {items}")
        if dict in self.accepts:
            words.append("an object")
        return " or ".join(words)


def _told(value: Json) -> str:
    """A value that was sent, in a few words of one line."""
    match value:
        case str():
            return f'"{printable(value, 40)}"'
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case int():
            return str(value) if abs(value) <= _MAX_INTEGER else "a number of that size"
        case float():
            return f"{value:g}"
        case list():
            return "a list" if all(isinstance(item, str) for item in value) else "a list of other things"
        case _:
            return "an object"


def parameters_of(function: Callable[..., object]) -> tuple[Parameter, ...]:
    """The parameters of a command: its keyword-only arguments."""
    hints = get_type_hints(function, include_extras=True)
    return tuple(
        _parameter(name, hints[name], required=argument.default is inspect.Parameter.empty)
        for name, argument in inspect.signature(function).parameters.items()
        if argument.kind is inspect.Parameter.KEYWORD_ONLY
    )


def bind(parameters: tuple[Parameter, ...], arguments: Arguments, command: str) -> dict[str, object]:
    """Checked keyword arguments for the command's function."""
    known = {spelling: parameter for parameter in parameters for spelling in parameter.spellings}
    known |= {parameter.wire: parameter for parameter in parameters}  # nobody's further name takes another's own
    bound: dict[str, object] = {}
    for wire, value in arguments.items():
        parameter = known.get(wire)
        if parameter is None:
            names = [parameter.wire for parameter in parameters]
            close = difflib.get_close_matches(wire[:40], names, 1)
            hint = f' Did you mean "{close[0]}"?' if close else ""
            takes = ", ".join(names) or "no parameters"
            raise CommandError(f'{command} has no parameter "{printable(wire, 40)}".{hint} It takes: {takes}.')
        if value is None and not parameter.required:
            continue
        if parameter.name in bound:
            raise CommandError(f'{command} was given "{parameter.wire}" twice.')
        bound[parameter.name] = parameter.check(value)
    for parameter in parameters:
        if parameter.required and parameter.name not in bound:
            raise CommandError(f'{command} needs "{parameter.wire}": {parameter.wanted()}.')
    return bound


def input_schema(parameters: tuple[Parameter, ...]) -> dict[str, Json]:
    """JSON Schema of a command's arguments."""
    schema: dict[str, Json] = {"type": "object"}
    if parameters:
        schema["properties"] = {parameter.wire: parameter.schema() for parameter in parameters if parameter.listed}
        required: list[Json] = [parameter.wire for parameter in parameters if parameter.required]
        if required:
            schema["required"] = required
    if all(parameter.listed for parameter in parameters):
        schema["additionalProperties"] = False
    return schema


def _parameter(name: str, hint: object, *, required: bool) -> Parameter:
    notes: tuple[object, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        notes = tuple(rest)
    accepts: list[type] = []
    choices: tuple[str, ...] = ()
    enum: type[StrEnum] | None = None
    has_numbers = False
    for option in get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,):
        if option is type(None):
            continue
        if get_origin(option) is Literal:
            choices += get_args(option)
            accepts.append(str)
        elif isinstance(option, type) and issubclass(option, StrEnum):
            choices, enum = tuple(option), option
            accepts.append(str)
        elif get_origin(option) is list:
            accepts.append(list)
            has_numbers = get_args(option) == (int,)
        elif get_origin(option) is dict:
            accepts.append(dict)
        elif option in (str, int, float, bool):
            accepts.append(option)
        else:
            raise TypeError(f"{name}: {option} cannot be a parameter")
    return Parameter(
        name,
        _camel(name),
        tuple(accepts),
        tuple(str(choice) for choice in choices),
        enum,
        required,
        next((note for note in notes if isinstance(note, Whole)), None),
        next((note.text for note in notes if isinstance(note, Doc)), ""),
        next((note.names for note in notes if isinstance(note, Fields)), ()),
        next((note.optional for note in notes if isinstance(note, Fields)), ()),
        not any(isinstance(note, Unlisted) for note in notes),
        next((note.names for note in notes if isinstance(note, Also)), ()),
        next((note.choices for note in notes if isinstance(note, Words)), {}),
        has_numbers,
    )


def _camel(name: str) -> str:
    head, *tail = name.rstrip("_").split("_")
    return head + "".join(word.capitalize() for word in tail)
