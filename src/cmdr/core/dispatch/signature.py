"""From a command's signature to its parameters, their schema, and checked arguments."""

import difflib
import inspect
import types
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

from cmdr.core.dispatch.parameter import Also, Arguments, Doc, Fields, Json, Parameter, Unlisted, Whole, Words
from cmdr.core.errors import CommandError
from cmdr.model.names import printable


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
    bound: dict[str, object] = {}
    for wire, value in arguments.items():
        parameter = known.get(wire)
        if parameter is None:
            told = [parameter.wire for parameter in parameters]
            close = difflib.get_close_matches(wire[:40], told, 1)
            hint = f' Did you mean "{close[0]}"?' if close else ""
            takes = ", ".join(told) or "no parameters"
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
        elif get_origin(option) is dict:
            accepts.append(dict)
        elif option in (str, int, bool):
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
        not any(isinstance(note, Unlisted) for note in notes),
        next((note.names for note in notes if isinstance(note, Also)), ()),
        next((note.choices for note in notes if isinstance(note, Words)), {}),
    )


def _camel(name: str) -> str:
    head, *tail = name.rstrip("_").split("_")
    return head + "".join(word.capitalize() for word in tail)
