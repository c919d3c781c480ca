"""The OpenAPI document, written from the registry."""

import re

from cmdr import __version__
from cmdr.core.parameter import Json
from cmdr.core.registry import Command, Registry

_ERROR: dict[str, Json] = {
    "description": "what went wrong, and what to do",
    "content": {
        "application/json": {
            "schema": {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
        }
    },
}


def openapi(registry: Registry) -> dict[str, Json]:
    """Every route with its parameters and answers."""
    paths: dict[str, Json] = {}
    for command in registry:
        if command.route is not None:
            method, _, path = command.route.partition(" ")
            operations = paths.setdefault(path, {})
            if isinstance(operations, dict):
                operations[method.lower()] = _operation(command, method, path)
    return {
        "openapi": "3.1.0",
        "info": {"title": "cmdr", "version": __version__, "description": "What agents and people can read over HTTP."},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
    }


def _operation(command: Command, method: str, path: str) -> dict[str, Json]:
    inside = set(re.findall(r"{(\w+)}", path))
    answers: dict[str, Json] = {
        "200": {"description": "the answer", "content": {"application/json": {"schema": {"type": "object"}}}}
    }
    for status in ("400", "401", "403", "404", "410", "413", "415", "429", "503"):
        answers[status] = _ERROR
    operation: dict[str, Json] = {
        "operationId": command.name,
        "summary": command.description,
        "responses": answers,
    }
    sends_body = method in ("POST", "PATCH", "PUT", "DELETE")
    parameters: list[Json] = []
    properties: dict[str, Json] = {}
    required: list[Json] = []
    for parameter in command.parameters:
        schema = parameter.schema()
        if parameter.wire in inside:
            parameters.append({"name": parameter.wire, "in": "path", "required": True, "schema": schema})
        elif sends_body:
            properties[parameter.wire] = schema
            if parameter.required:
                required.append(parameter.wire)
        else:
            parameters.append({"name": parameter.wire, "in": "query", "required": parameter.required, "schema": schema})
    if parameters:
        operation["parameters"] = parameters
    if properties:
        body: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
        if required:
            body["required"] = required
        operation["requestBody"] = {
            "required": bool(required),
            "content": {"application/json": {"schema": body}},
        }
    return operation
