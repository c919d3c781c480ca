"""Every address of the page is for the logged-in person alone, whatever else a caller holds."""

import httpx2 as httpx
import pytest

from cmdr.web.page.routes import PageRoutes

ADDRESSES = [
    "GET /page/picture",
    "POST /page/command",
    "POST /page/chosen",
    "GET /page/changes",
    "GET /page/proposal/p_1",
    "GET /page/edit/r_1",
    "GET /page/edit/r_1/proposed",
    "GET /page/complete",
    "GET /page/seek",
    "GET /page/places",
    "GET /page/commands",
    "GET /page/history",
    "GET /page/agents",
    "GET /page/settings",
    "POST /page/attributes",
    "POST /page/attributes/ticked",
    "GET /page/words",
    "GET /page/actions",
    "GET /page/about",
    "GET /page/lines",
    "GET /page/find",
    "GET /page/text",
    "GET /page/image",
    "GET /page/info",
    "GET /page/treemap",
    "GET /page/download/p_1",
    "POST /page/uploads",
    "POST /page/uploads/p_1",
    "POST /page/uploads/p_1/whole",
    "POST /page/uploads/p_1/drop",
]
PROOFS = {
    "same user": {},
    "token": {"authorization": "Bearer {token}"},
    "wrong token": {"authorization": "Bearer nonsense"},
    "cookie of nobody": {"cookie": "cmdr-{port}=nonsense"},
    "cookie of nobody and our origin": {"cookie": "cmdr-{port}=nonsense", "origin": "http://127.0.0.1:{port}"},
    "a page of another site": {"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
    "a browser that is not logged in": {"sec-fetch-site": "same-origin", "sec-fetch-dest": "empty"},
}


def test_the_list_of_addresses_is_whole(page_server):
    known = {
        f"{next(iter(route.methods - {'HEAD'}))} {route.path}" for route in PageRoutes(page_server.commander).all()
    }
    asked = {address.replace("p_1", "{id}").replace("r_1", "{id}") for address in ADDRESSES}
    assert asked == known


@pytest.mark.parametrize("proof", PROOFS)
@pytest.mark.parametrize("address", ADDRESSES)
def test_nobody_else_gets_an_answer(page_server, address, proof):
    method, path = address.split()
    facts = {"port": page_server.port, "token": page_server.token}
    headers = {name: value.format(**facts) for name, value in PROOFS[proof].items()}
    body = {"name": "agents.stop", "arguments": {}} if method == "POST" else None
    with httpx.Client(base_url=f"http://127.0.0.1:{page_server.port}", trust_env=False) as http:
        answer = http.request(method, path, headers=headers, json=body)
    assert answer.status_code in (401, 403)
    assert "picture" not in answer.text
    assert page_server.commander.policy.agents_stopped is False


def test_the_cookie_alone_is_no_order_when_another_page_sends_it(page_server, person):
    cookie = "; ".join(f"{name}={value}" for name, value in person.cookies.items())
    with httpx.Client(base_url=f"http://127.0.0.1:{page_server.port}", trust_env=False) as http:
        for forged in ({}, {"origin": "http://127.0.0.1:1"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
            order = {"name": "agents.stop", "arguments": {}}
            answer = http.post("/page/command", headers={"cookie": cookie, **forged}, json=order)
            assert answer.status_code == 403
    assert page_server.commander.policy.agents_stopped is False


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
    for path in ("/", "/page/picture", "/static/page/main.js"):
        rules = person.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in rules
        assert "script-src 'self'" in rules
        assert "frame-ancestors 'none'" in rules
        assert "unsafe" not in rules
