"""A client that believes no answer: each is held against the schema that the OpenAPI document gives for it."""

import copy
import json
import re

import httpx2 as httpx
import jsonschema
import pytest


def closed(value):
    """A schema in which every object has the listed keys and no others."""
    if isinstance(value, dict):
        told = {key: closed(item) for key, item in value.items()}
        return {**told, "additionalProperties": False} if "properties" in value else told
    return [closed(item) for item in value] if isinstance(value, list) else value


class Contract:
    """The OpenAPI document of a server, and which of its routes have answered as it says."""

    def __init__(self, document):
        self.document = document
        self.answered = set()
        self._schemas = closed(copy.deepcopy(document["components"]))

    def check(self, response):
        """Raise unless an answer is what the document says of its route and status."""
        response.read()
        told = response.headers.get("content-type", "")
        operation = self._operation(response.request)
        if operation is None or not told.startswith("application/json"):
            return
        address, answers = operation
        schema = answers[str(response.status_code)]["content"]["application/json"]["schema"]
        validator = jsonschema.Draft202012Validator({**schema, "components": self._schemas})
        validator.validate(response.json())
        if response.is_success:
            self.answered.add(address)

    def check_event(self, event, path):
        """The same for what a stream of events says."""
        schema = self.document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        jsonschema.Draft202012Validator({**schema, "components": self._schemas}).validate(json.loads(event))

    def _operation(self, request):
        path = request.url.raw_path.decode().partition("?")[0]
        for template, operations in self.document["paths"].items():
            if re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), path) and request.method.lower() in operations:
                return f"{request.method} {template}", operations[request.method.lower()]["responses"]
        return None


@pytest.fixture
def contract(server):
    """What the server says that it answers."""
    url = f"http://127.0.0.1:{server.port}/api/openapi.json"
    return Contract(httpx.get(url, trust_env=False).json())


@pytest.fixture
def client(server, contract):
    """A program of the same user, to whom nothing is told but what the document says."""
    hooks = {"response": [contract.check]}
    url = f"http://127.0.0.1:{server.port}"
    with httpx.Client(base_url=url, trust_env=False, event_hooks=hooks, timeout=30) as http:
        yield http
