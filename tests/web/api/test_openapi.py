"""The OpenAPI document is true: it names every route, and every route answers as it says."""

import os
import re
from typing import get_args, get_type_hints
from urllib.parse import urlencode

import httpx2 as httpx
import jsonschema
import pytest

from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.dispatch.registry import DEFAULT_TOOLSETS
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.filters.filter_json import KNOWN
from cmdr.model.root_spec import RootSpec
from cmdr.model.trees.reports import KINDS
from cmdr.web.api.openapi import _Schemas
from cmdr.web.api.routes import ROUTES


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A tree with an entry of every kind that a body tells of differently."""
    root = tmp_path_factory.mktemp("tree")
    (root / "photos").mkdir()
    for name, size in {"photos/a.jpg": 5000, "notes.md": 12, "twin1": 30, "twin2": 30}.items():
        (root / name).write_bytes(b"x" * size)
    (root / "link").symlink_to("notes.md")
    (root / "lost").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    return root


@pytest.fixture(scope="module")
def server(serve, tree):
    """A server that changes files, and whose token may read the tree."""
    return serve(
        tree,
        changes_files=True,
        policy=Policy(DEFAULT_TOOLSETS | {"fs"}),
        sandbox=Sandbox([RootSpec(os.fsencode(tree))]),
    )


def scanned(server, **how):
    job = server.run("index", {"root": str(server.tree), **how}).split("jobId: ")[1].split()[0]
    server.run("await", {"job": job, "timeout": 30})
    return job


def made_folder(server):
    """The job of a folder that an agent proposed and the person approved."""
    proposal = re.search(r"proposal: (\S+)", server.run("mkdir", {"pane": "left", "name": "made"}))[1]
    digest = next(one.plan.digest for one in server.commander.proposals.pending() if one.id == proposal)
    told = server.run("approve", {"proposal": proposal, "digest": digest}, PERSON)
    job = re.search(r"job: (\S+)", told)[1]
    server.run("await", {"job": job, "timeout": 30})
    return job


def test_the_document_is_openapi_and_names_every_route_once(contract):
    paths = contract.document["paths"]
    assert contract.document["openapi"] == "3.1.0"
    named = [f"{method.upper()} {path}" for path, item in paths.items() for method in item]
    assert sorted(named) == sorted(route.address for route in ROUTES)
    for schema in contract.document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["description"]


def test_every_route_takes_the_result_that_its_command_returns(server):
    for route in ROUTES:
        returned = get_type_hints(server.commander.registry.find(route.command).function)["return"]
        taken, *_ = get_type_hints(route.body).values()
        for one in get_args(returned) or (returned,):
            assert issubclass(one, get_args(taken) or taken), route


def test_every_command_for_programs_has_a_route(server):
    for_programs = {command.name for command in server.commander.registry if command.programs_only}
    for_the_shell = {"content.lines", "contents.tell", "contents.build", "contents.forget"}  # find, index --contents
    assert sorted(for_programs - for_the_shell) == sorted(route.command for route in ROUTES)


def test_a_type_without_a_schema_is_not_passed_over():
    with pytest.raises(TypeError, match="bytes"):
        _Schemas().of(bytes)


def test_bounds_choices_and_required_keys_of_what_is_sent_are_told(contract):
    paths = contract.document["paths"]
    taken = {one["name"]: one for one in paths["/api/indexes/{indexId}/tree"]["get"]["parameters"]}
    assert taken["limit"]["schema"] == {"type": "integer", "minimum": 0, "maximum": 1000}
    assert taken["order"]["schema"] == {"enum": ["asc", "desc"]}
    body = paths["/api/resource-sets"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert (body["required"], body["additionalProperties"]) == (["name"], False)
    assert body["properties"]["nodes"] == {"type": "array", "items": {"type": "string"}}


def test_what_a_filter_holds_is_told_key_by_key(contract):
    body = contract.document["paths"]["/api/queries"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    held = {"$ref": "#/components/schemas/Filter"}
    assert held in body["properties"]["filter"]["anyOf"]
    schemas = contract.document["components"]["schemas"]
    told = jsonschema.Draft202012Validator({**held, "components": {"schemas": schemas}})
    assert set(schemas["Filter"]["properties"]) == set(KNOWN)
    assert told.is_valid({"and": [{"size": {"min": 20}}, {"not": {"kind": ["dir"]}}, {"name": {"glob": "*.md"}}]})
    for wrong in ({"size": "big"}, {"kind": "tree"}, {"and": [{"ext": 1}]}, {"ext": ["a"], "kind": "dir"}, {}):
        assert not told.is_valid(wrong), wrong


def test_what_is_made_is_answered_as_made_and_says_where_it_is(client, server, tree):
    saved = client.post("/api/queries", json={"name": "made", "filter": "kind:file", "root": str(tree)})
    assert (saved.status_code, saved.headers["location"]) == (201, saved.json()["link"])
    ran = client.post(saved.json()["runUrl"])  # nothing is sent, so nothing needs a type
    assert (ran.status_code, ran.headers["location"]) == (201, ran.json()["link"])
    made = client.post("/api/resource-sets", json={"name": "these", "paths": [str(tree / "notes.md")]})
    assert (made.status_code, made.headers["location"]) == (201, made.json()["link"])
    assert client.patch(saved.json()["link"], json={"name": "changed"}).json()["name"] == "changed"


def test_a_folder_in_no_index_is_paged_by_its_links(client, tmp_path):
    crowd = tmp_path / "a & b #1 100%"
    crowd.mkdir()
    (crowd / "sub").mkdir()
    for number in range(4):
        (crowd / f"{number} 50%41").write_bytes(b"x" * number)
    for order, names in (("asc", ["0", "1", "2", "3"]), ("desc", ["3", "2", "1", "0"])):
        address = f"/api/folders?{urlencode({'path': str(crowd), 'limit': 2, 'sort': 'size', 'order': order})}"
        seen = []
        while address:
            page = client.get(address).json()
            seen += page["entries"]
            address = page["nextPageUrl"]
        assert [entry["name"] for entry in seen] == ["sub", *(f"{name} 50%41" for name in names)]
        assert page["total"] == 5
    assert client.get(seen[0]["link"]).json()["breadcrumb"][-1] == "sub"
    assert client.get("/api/folders", params={"path": str(crowd / "nope")}).status_code == 404


def test_every_route_answers_as_its_schema_says(client, contract, server, tree):
    """The client holds each answer against the document."""
    reader = {"authorization": f"Bearer {server.token}"}
    scan = scanned(server)
    (tree / "photos" / "new.jpg").write_bytes(b"y" * 777)
    os.unlink(tree / "twin2")
    scanned(server)
    client.get(f"/api/jobs/{scan}")
    client.get(f"/api/jobs/{made_folder(server)}")
    server.run("cd", {"path": str(tree), "sessionId": "mine"})
    client.get("/api/sessions/mine")
    scanned(server, depthLimit=1)
    for index in client.get("/api/indexes").json()["indexes"]:
        url = f"/api/indexes/{index['indexId']}"
        client.get(url)
        for kind in KINDS:
            for asked in ("", "?limit=1", "?format=explain", "?since=1"):
                client.get(f"{url}/reports/{kind}{asked}")
        entries = client.get(f"{url}/tree").json()["entries"]
        assert {entry["kind"] for entry in entries} == {"dir", "file", "link", "fifo"}
        for entry in entries:
            client.get(entry["link"])
            client.get(f"{entry['link']}/detail")
            client.get(f"{entry['link']}/detail", headers=reader)
            client.get(f"{url}/tree?limit=1&parent={entry['nodeId']}")
    client.get("/api/places", params={"path": str(tree)})
    client.get("/api/folders", params={"path": str(tree)})
    nodes = [entry["nodeId"] for entry in entries]
    made = client.post("/api/resource-sets", json={"name": "mine", "nodes": nodes}).json()
    for url in ("/api/resource-sets", made["link"], f"{made['entriesUrl']}?limit=1", "/api/resource-sets/nobody's"):
        client.get(url)
    client.patch(made["entriesUrl"], json={"remove": nodes[:1]})
    client.post(made["entriesUrl"], json={"nodes": nodes[:1]})
    client.request("DELETE", made["entriesUrl"], json={"nodes": nodes[:1]})
    client.patch(made["link"], json={"name": "renamed"})
    saved = client.post("/api/queries", json={"name": "big", "filter": {"size": {"min": 20}}, "root": str(tree)}).json()
    for url in ("/api/queries", saved["link"], f"{saved['link']}?format=explain", f"{saved['link']}?bogus=1"):
        client.get(url)
    client.post(saved["runUrl"], json={})
    client.patch(saved["link"], json={"filter": "size>=30"})
    client.delete(saved["link"])
    client.delete(made["link"])
    assert contract.answered == {route.address for route in ROUTES}


def test_the_check_itself_finds_what_the_document_does_not_say(contract):
    request = httpx.Request("GET", "http://127.0.0.1/api/queries")
    whole = {"total": 0, "queries": [], "nextPageUrl": None}
    for body in ({**whole, "more": 1}, {**whole, "queries": None}, {}):
        with pytest.raises(jsonschema.ValidationError):
            contract.check(httpx.Response(200, json=body, request=request))
    contract.check(httpx.Response(200, json=whole, request=request))
