"""The OpenAPI document, written from the table of routes, the commands' parameters and the types of the bodies."""

import re
import types
from enum import StrEnum
from typing import Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from cmdr import __version__
from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.registry import Command, Registry
from cmdr.model.filters.filter import Kind as FilterKind
from cmdr.model.filters.filter import NumberField, TextField, TextOp, TimeField, Trait
from cmdr.model.filters.filter_json import KNOWN
from cmdr.web.api import bodies
from cmdr.web.api.routes import ROUTES, ApiRoute

_REFUSALS = ("400", "401", "403", "404", "410", "413", "415", "429", "503")
_SCALARS: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def openapi(registry: Registry) -> dict[str, Json]:
    """Every route with what it takes and what it answers."""
    schemas = _Schemas()
    paths: dict[str, dict[str, Json]] = {}
    for route in ROUTES:
        operations = paths.setdefault(route.path, {})
        operations[route.method.lower()] = _operation(route, registry.find(route.command), schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "cmdr", "version": __version__, "description": "What agents and people can read over HTTP."},
        "paths": {**paths},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {**schemas.known},
        },
        "security": [{}, {"token": []}],
    }


def _operation(route: ApiRoute, command: Command, schemas: "_Schemas") -> dict[str, Json]:
    schema = schemas.of(get_type_hints(route.body)["return"])
    content: dict[str, Json] = {"application/json": {"schema": schema}}
    if route.streams:
        content["text/event-stream"] = {"schema": {"type": "string"}}
    answers: dict[str, Json] = {str(route.status): {"description": "the answer", "content": content}}
    refused: Json = {"application/json": {"schema": schemas.of(bodies.Error)}}
    for status in _REFUSALS:
        answers[status] = {"description": "what went wrong, and what to do", "content": refused}
    return {
        "operationId": command.name,
        "summary": command.description,
        "responses": answers,
        **_taken(route, command, schemas),
    }


def _taken(route: ApiRoute, command: Command, schemas: "_Schemas") -> dict[str, Json]:
    """What a route takes: in its path, in the query of a GET, in the body of anything else."""
    inside = set(re.findall(r"{(\w+)}", route.path))
    parameters: list[Json] = []
    properties: dict[str, Json] = {}
    required: list[Json] = []
    for parameter in command.parameters:
        name, schema = parameter.wire, parameter.schema(bounded=True)
        if name in inside:
            parameters.append({"name": name, "in": "path", "required": True, "schema": schema})
        elif route.method == "GET":
            parameters.append({"name": name, "in": "query", "required": parameter.required, "schema": schema})
        else:
            properties[name] = _told(parameter.name, schema, schemas)
            if parameter.required:
                required.append(name)
    taken: dict[str, Json] = {"parameters": parameters} if parameters else {}
    if properties:
        body: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
        if required:
            body["required"] = required
        taken["requestBody"] = {"required": bool(required), "content": {"application/json": {"schema": body}}}
    return taken


def _told(name: str, schema: dict[str, Json], schemas: "_Schemas") -> Json:
    """The schema of a value in a body: of a filter, what may be in it."""
    if name != "filter":
        return schema
    return {"anyOf": [{"type": "string", "description": "as in ext:md size>=1M"}, schemas.of(bodies.Filter)]}


def _filter_schema() -> dict[str, Json]:
    """What a filter holds: one key, for what is asked of an entry or for how other filters are joined."""
    inner: Json = {"$ref": "#/components/schemas/Filter"}
    words: Json = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    text: Json = {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {**{op: {"type": "string"} for op in get_args(TextOp)}, "case": {"type": "boolean"}},
            },
        ]
    }
    kinds: Json = {"enum": [*get_args(FilterKind)]}
    held: dict[str, Json] = {key: {"type": "string"} for key in ("under", "mode", "inSet", "duplicateOf")}
    held |= {key: {"type": "array", "items": inner} for key in ("and", "or")} | {"not": inner}
    held |= dict.fromkeys(get_args(TextField), text) | dict.fromkeys(("ext", "owner"), words)
    held |= dict.fromkeys(get_args(NumberField), _range("min", "max", "integer"))
    held |= dict.fromkeys(get_args(TimeField), _range("after", "before", "string"))
    held |= {key: {"const": True} for key in get_args(Trait)}
    held["kind"] = {"anyOf": [kinds, {"type": "array", "items": kinds}]}
    return {
        "type": "object",
        "description": " ".join((bodies.Filter.__doc__ or "").split()),
        "properties": {key: held.get(key, {}) for key in KNOWN},
        "minProperties": 1,
        "maxProperties": 1,
    }


def _range(least: str, most: str, kind: str) -> Json:
    return {"type": "object", "properties": {least: {"type": kind}, most: {"type": kind}}, "minProperties": 1}


class _Schemas:
    """JSON Schemas of types; a typed dict gets one of its own, under its name."""

    def __init__(self) -> None:
        self.known: dict[str, Json] = {}

    def of(self, hint: object) -> dict[str, Json]:
        """The schema of a type that a body may hold; raises TypeError for any other."""
        if hint in _SCALARS:
            return {"type": _SCALARS[hint]}
        if hint is object:
            return {}
        if isinstance(hint, type) and is_typeddict(hint):
            return self._named(hint)
        if isinstance(hint, type) and issubclass(hint, StrEnum):
            return {"type": "string", "enum": [one.value for one in hint]}
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Literal:
            return {"type": "string", "enum": [*inner]}
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.of(one) for one in inner]}
        if origin is list:
            return {"type": "array", "items": self.of(inner[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(inner[1])}
        raise TypeError(f"{hint} has no schema")

    def _named(self, body: type) -> dict[str, Json]:
        name = body.__name__
        if body is bodies.Filter:
            self.known[name] = _filter_schema()
        elif name not in self.known:
            hints = get_type_hints(body, include_extras=True)
            optional = {key for key, hint in hints.items() if get_origin(hint) is NotRequired}
            self.known[name] = {
                "type": "object",
                "description": " ".join((body.__doc__ or "").split()),
                "properties": {key: self.of(hint) for key, hint in get_type_hints(body).items()},
                "required": [key for key in hints if key not in optional],
            }
        return {"$ref": f"#/components/schemas/{name}"}
