"""Every address of the page is for the logged-in person alone, whatever else a caller holds."""

import json
import os
import subprocess
import sys

import httpx2 as httpx
import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.web.page.routes import PageRoutes

ADDRESSES = [
    "GET /page/state",
    "POST /page/command",
    "POST /page/chosen",
    "GET /page/events",
    "POST /page/presence",
    "POST /page/change",
    "POST /page/change/p_1",
    "GET /page/edit/r_1",
    "GET /page/edit/r_1/proposed",
    "GET /page/complete",
    "GET /page/seek",
    "GET /page/places",
    "GET /page/commands",
    "GET /page/history",
    "GET /page/agents",
    "GET /page/settings",
    "POST /page/renames",
    "POST /page/renames/p_1",
    "POST /page/attributes",
    "POST /page/attributes/ticked",
    "GET /page/texts",
    "GET /page/actions",
    "GET /page/about",
    "GET /page/lines",
    "GET /page/find",
    "GET /page/text",
    "GET /page/image",
    "GET /page/info",
    "GET /page/treemap",
    "POST /page/download/p_1",
    "POST /page/uploads",
    "POST /page/uploads/p_1",
    "POST /page/uploads/p_1/whole",
    "POST /page/uploads/p_1/drop",
    "GET /link/p_1",
]
OURS = "http://127.0.0.1:{port}"
PROOFS = {
    "same user": {},
    "token": {"authorization": "Bearer {token}"},
    "wrong token": {"authorization": "Bearer nonsense"},
    "cookie of nobody": {"cookie": "cmdr-{port}=nonsense"},
    "cookie of nobody and our origin": {"cookie": "cmdr-{port}=nonsense", "origin": OURS},
    "a key of nobody with the cookie": {"cookie": "cmdr-{port}={cookie}", "origin": OURS, "x-cmdr-page": "nonsense"},
    "the cookie as the key": {"cookie": "cmdr-{port}={cookie}", "origin": OURS, "x-cmdr-page": "{cookie}"},
    "the key of another login": {"cookie": "cmdr-{port}={cookie}", "origin": OURS, "x-cmdr-page": "{other}"},
    "cookie only": {"cookie": "cmdr-{port}={cookie}", "origin": OURS, "sec-fetch-site": "same-origin"},
    "key only": {"x-cmdr-page": "{key}", "origin": OURS},
    "key only, from a browser": {"x-cmdr-page": "{key}", "origin": OURS, "sec-fetch-site": "same-origin"},
    "key as a token": {"authorization": "Bearer {key}"},
    "a page of another site": {"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
    "a browser that is not logged in": {"sec-fetch-site": "same-origin", "sec-fetch-dest": "empty"},
}
BOTH = {"cookie": "cmdr-{port}={cookie}", "x-cmdr-page": "{key}", "origin": OURS}
SECRET = "only for its owner"
# A process of another user that sends requests one after the other and prints what it is told.
STRANGER = """
import encodings.idna, http.client, json, os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
for port, method, path, headers, body in json.load(sys.stdin):
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    line.request(method, path, body, headers)
    answer = line.getresponse()
    print(json.dumps([answer.status, answer.read().decode()]))
"""
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")


@pytest.fixture(scope="module")
def held(page_server, person):
    """What there is to hold: the secrets of two logins, and a token."""
    other = page_server.log_in()
    yield {
        "port": page_server.port,
        "token": page_server.token,
        "cookie": person.cookies[f"cmdr-{page_server.port}"],
        "key": person.headers["x-cmdr-page"],
        "other": other.headers["x-cmdr-page"],
    }
    other.close()


def filled(headers, held):
    return {name: value.format(**held) for name, value in headers.items()}


def as_another_user(requests):
    """The status and the text of each answer to a process of another user."""
    ran = subprocess.run(
        [sys.executable, "-c", STRANGER], input=json.dumps(requests), capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_the_list_of_addresses_is_whole(page_server):
    known = {
        f"{next(iter(route.methods - {'HEAD'}))} {route.path}" for route in PageRoutes(page_server.commander).all()
    }
    asked = {address.replace("/link/p_1", "/link/{handle}") for address in ADDRESSES}
    assert {address.replace("p_1", "{id}").replace("r_1", "{id}") for address in asked} == known


@pytest.mark.parametrize("proof", PROOFS)
@pytest.mark.parametrize("address", ADDRESSES)
def test_nobody_else_gets_an_answer(page_server, held, address, proof):
    method, path = address.split()
    body = {"name": "agents.stop", "arguments": {}} if method == "POST" else None
    with httpx.Client(base_url=f"http://127.0.0.1:{page_server.port}", trust_env=False) as http:
        answer = http.request(method, path, headers=filled(PROOFS[proof], held), json=body)
    # The handle in a link is its proof; the cookie says whose link it must be, and this is nobody's.
    assert answer.status_code in ((404,) if (path, proof) == ("/link/p_1", "cookie only") else (401, 403))
    assert "panes" not in answer.text
    assert page_server.commander.policy.agents_stopped is False


@pytest.mark.parametrize("address", [each for each in ADDRESSES if each != "GET /page/events"])
def test_the_person_gets_an_answer_with_both_secrets(page_server, held, address):
    method, path = address.split()
    with httpx.Client(base_url=f"http://127.0.0.1:{page_server.port}", trust_env=False) as http:
        answer = http.request(method, path, headers=filled(BOTH, held), json={} if method == "POST" else None)
    assert answer.status_code in (200, 400, 404)


@needs_root
def test_another_user_gets_no_answer_whatever_it_stole(page_server, held):
    sends = {"content-type": "application/json"}
    proofs = [*PROOFS.values(), BOTH]
    requests = [
        (held["port"], *address.split(), filled(proof, held) | sends, '{"name": "agents.stop", "arguments": {}}')
        for address in ["GET /", "GET /static/page/main.js", "GET /api/indexes", *ADDRESSES]
        for proof in proofs
    ]
    answers = as_another_user(requests)
    assert len(answers) == len(requests)
    for request, (status, text) in zip(requests, answers, strict=True):
        assert status in (401, 403, 429), request
        assert "panes" not in text
    assert page_server.commander.policy.agents_stopped is False


@needs_root
def test_a_stolen_login_reads_no_private_file_and_approves_nothing(page_server, held, tmp_path):
    """The way it was broken: with the cookie another user read a file of mode 0600 and approved as the person."""
    (tmp_path / "private").write_text(SECRET)
    (tmp_path / "private").chmod(0o600)
    (tmp_path / "a").write_text("a")
    agent = Principal("agent", "claude", token=True)
    asked = {"path": str(tmp_path / "a"), "newName": "b"}
    proposal = page_server.run("rename", asked, agent).split("proposal: ")[1].split()[0]
    approve = json.dumps({"name": "approve", "arguments": {"proposal": proposal}})
    lines = f"/page/lines?path={tmp_path}/private"
    for stolen in ({"cookie": BOTH["cookie"], "origin": OURS}, BOTH):
        headers = filled(stolen, held) | {"content-type": "application/json"}
        (read, text), (approved, _) = as_another_user(
            [
                (held["port"], "GET", lines, headers, None),
                (held["port"], "POST", "/page/command", headers, approve),
            ]
        )
        assert (read, approved) == (403, 403)
        assert SECRET not in text
    # A program of the same user that got the cookie alone does not pass either.
    origin = OURS.format(**held)
    with httpx.Client(base_url=origin, trust_env=False, headers={"origin": origin}) as http:
        http.cookies.set(f"cmdr-{held['port']}", held["cookie"])
        assert http.get(lines).status_code == 401
        assert http.post("/page/command", json=json.loads(approve)).status_code == 401
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        assert "error" in http.post("/mcp", json=call).json()
        assert http.get("/raw/handle").status_code == 401
    assert (tmp_path / "a").exists()
    assert [each.id for each in page_server.commander.proposals.pending()] == [proposal]
    page_server.run("reject", {"proposal": proposal}, page_server.person)


def test_the_cookie_alone_is_no_order_when_another_page_sends_it(page_server, held):
    with httpx.Client(base_url=f"http://127.0.0.1:{page_server.port}", trust_env=False) as http:
        for forged in ({}, {"origin": "http://127.0.0.1:1"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
            order = {"name": "agents.stop", "arguments": {}}
            headers = {**filled(BOTH, held), "origin": None, **forged}
            sent = {name: value for name, value in headers.items() if value is not None}
            assert http.post("/page/command", headers=sent, json=order).status_code == 403
    assert page_server.commander.policy.agents_stopped is False


def test_a_link_is_for_the_login_that_asked_and_works_once(page_server, person, held, tmp_path):
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")

    def link():
        return person.get("/page/image", params={"path": str(tmp_path / "a.png")}).json()["href"]

    first, second = link(), link()
    cookie = {"cookie": f"cmdr-{held['port']}={held['cookie']}"}
    with httpx.Client(base_url=f"http://127.0.0.1:{page_server.port}", trust_env=False) as http:
        assert http.get(first).status_code == 403
        other = page_server.log_in()
        assert other.get(first).status_code == 404
        assert http.get(first, headers=cookie | {"sec-fetch-site": "same-site"}).status_code == 403
        answer = http.get(first, headers=cookie)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
        assert http.get(first, headers=cookie).status_code == 404
        assert http.get(f"/page{first}", headers=cookie).status_code == 401
        assert http.get(second, headers=cookie).status_code == 200
    other.close()


def test_the_key_is_in_the_page_of_the_login_and_nowhere_else(page_server, person, held):
    answer = page_server.on_loop(_link(page_server))
    with httpx.Client(trust_env=False) as http:
        first, again = http.get(answer), http.get(answer)
    key = first.text.split('content="')[1].split('"')[0]
    assert key.startswith("cmdr_page_")
    assert key not in str(first.headers)
    assert first.headers["cache-control"] == "no-store"
    assert (again.status_code, "cmdr_page_" in again.text) == (401, False)
    for path in ("/", "/static/page/login.js", "/page/state", "/page/about", "/page/agents"):
        assert held["key"] not in person.get(path).text


def test_the_cookie_alone_reads_the_index_as_a_page_and_no_more_than_any_program(page_server, held):
    navigated = {"accept": "text/html", "sec-fetch-site": "none", "sec-fetch-dest": "document"}
    cookie = {"cookie": f"cmdr-{held['port']}={held['cookie']}"}
    with httpx.Client(base_url=f"http://127.0.0.1:{page_server.port}", trust_env=False) as http:
        page = http.get("/api/indexes", headers=cookie | navigated)
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        for path in ("/api/indexes/x/nodes/1/download", "/raw/x"):
            assert http.get(path, headers=cookie | navigated).status_code in (401, 403, 404)
        assert http.get("/api/indexes", headers=navigated).status_code == 401


async def _link(server):
    return server.commander.new_login_link()


def test_the_page_itself_is_for_the_person(page_server, person):
    assert '<script type="module"' in person.get("/").text
    with httpx.Client(base_url=f"http://127.0.0.1:{page_server.port}", trust_env=False) as http:
        assert "<script" not in http.get("/", headers={"accept": "text/html"}).text
        stranger = http.get(
            "/", headers={"sec-fetch-site": "none", "sec-fetch-dest": "document", "accept": "text/html"}
        )
    assert stranger.status_code == 401
    assert "cmdr web" in stranger.text


def test_no_page_may_be_framed_and_nothing_inline_runs(person):
    for path in ("/", "/page/state", "/static/page/main.js"):
        rules = person.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in rules
        assert "script-src 'self'" in rules
        assert "frame-ancestors 'none'" in rules
        assert "unsafe" not in rules
