"""The guard's rules one by one, without a network: who passes, as whom, and what everyone else is told."""

import asyncio
import json
import os

import pytest

from cmdr.core.admission.limits import MAX_HEADERS_BYTES
from cmdr.core.dispatch.principals import SAME_USER, Principal
from cmdr.http.authentication import LOGIN_ID, PEER, PRINCIPAL, Authentication
from cmdr.http.browser_login import BROWSER, BrowserLogin
from cmdr.http.request_limits import UNAUTHENTICATED

PORT = 9224
AGENT = Principal("agent", "codex", token=True)
BEARER = {"authorization": "Bearer good"}
OWN = {"origin": f"http://127.0.0.1:{PORT}"}
LOGINS = BrowserLogin()
GIVEN = LOGINS.exchange(LOGINS.new_code())
COOKIE = {"cookie": f"other=1; cmdr-{PORT}={GIVEN.cookie}"}
KEY = {"x-cmdr-page": GIVEN.key}
STRANGER = os.geteuid() + 65534
SHELL = ["/", "/static/page/main.js", "/static/cmdr.css", "/link/handle"]
PRIVATE = ["/page", "/page/lines", "/page/state", "/mcp", "/raw/x", "/openapi", "/staticx", "/link", "/x", "/apix"]


class OneToken:
    path = "/run/user/1000/cmdr/token"

    def verify(self, token):
        return AGENT if token == "good" else None


class Recorder:
    """An application that notes who reached it and answers with the body it read."""

    def __init__(self):
        self.reached = []

    async def __call__(self, scope, receive, send):
        self.reached.append(scope.get(PRINCIPAL))
        if scope["type"] == "websocket":
            return await send({"type": "websocket.accept"})
        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RuntimeError("the client went away")
            body += message.get("body", b"")
            more = message.get("more_body", False)
        headers = [(b"content-type", b"text/plain"), (b"Access-Control-Allow-Origin", b"*")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Reply:
    def __init__(self, sent):
        starts = [message for message in sent if message["type"].endswith("response.start")]
        self.kinds = [message["type"] for message in sent]
        self.status = starts[0]["status"] if starts else None
        self.headers = dict(starts[0]["headers"]) if starts else {}
        self.body = b"".join(message.get("body", b"") for message in sent)

    @property
    def rpc(self):
        return json.loads(self.body)


def ask(
    method="GET",
    path="/x",
    headers=None,
    body=(b"",),
    *,
    peer=None,
    knows_peers=False,
    kind="http",
    app=None,
    host=f"127.0.0.1:{PORT}",
    raw=None,
    extensions=None,
    **options,
):
    given = {"host": host, **(headers or {})} if host is not None else dict(headers or {})
    if method in ("POST", "PUT", "PATCH"):
        given.setdefault("content-type", "application/json")
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in given.items() if value is not None]
    scope = {
        "type": kind,
        "path": path,
        "headers": pairs + list(raw or ()),
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", PORT),
        "extensions": extensions,
    }
    if kind == "http":
        scope["method"] = method
    chunks = list(body)
    sent = []

    async def receive():
        if not chunks:
            await asyncio.Event().wait()
        chunk = chunks.pop(0)
        if isinstance(chunk, dict):
            return chunk
        return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

    async def send(message):
        sent.append(message)

    recorder = app or Recorder()
    guard = Authentication(
        recorder, port=PORT, tokens=OneToken(), peer=lambda *_: peer, knows_peers=lambda: knows_peers, **options
    )
    asyncio.run(asyncio.wait_for(guard(scope, receive, send), 60))
    return Reply(sent), recorder


def reached(*args, **kwargs):
    return ask(*args, **kwargs)[1].reached


# Who passes.


def test_a_token_makes_an_agent():
    assert reached("POST", "/mcp", BEARER) == [AGENT]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_may_be_written_in_any_case(scheme):
    assert reached(headers={"authorization": f"{scheme} good"}) == [AGENT]


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"LocalHost:{PORT}"])
def test_both_names_of_this_host_are_ours(host):
    assert reached(headers=BEARER, host=host) == [AGENT]


def test_a_program_of_the_same_user_needs_no_token():
    assert reached("POST", "/mcp", peer=os.geteuid()) == [SAME_USER]


def test_node_sends_a_fetch_mode_and_is_no_browser():
    assert reached("POST", "/mcp", {"sec-fetch-mode": "cors"}, peer=os.geteuid()) == [SAME_USER]


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_our_own_origin_from_a_program_of_ours_is_the_same_user(name):
    assert reached("POST", "/mcp", {"origin": f"http://{name}:{PORT}"}, peer=os.geteuid()) == [SAME_USER]


def test_a_websocket_with_a_token_is_let_through():
    reply, recorder = ask(kind="websocket", headers=BEARER)
    assert recorder.reached == [AGENT]
    assert reply.kinds == ["websocket.accept"]


def test_health_answers_anyone_and_names_nobody():
    reply, recorder = ask(path="/mcp/health", peer=None)
    assert reply.status == 200
    assert recorder.reached == [None]


@pytest.mark.parametrize("path", [*SHELL, *PRIVATE, "/api/indexes"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_cookie_and_the_key_of_a_login_are_the_person(method, path):
    assert reached(method, path, COOKIE | KEY | OWN, logins=LOGINS) == [BROWSER]


def test_a_logged_in_browser_reads_without_an_origin():
    headers = COOKIE | KEY | {"sec-fetch-site": "same-origin"}
    assert reached("GET", headers=headers, logins=LOGINS) == [BROWSER]


@pytest.mark.parametrize("path", SHELL)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_cookie_alone_loads_the_page_that_then_sends_its_key(method, path):
    assert reached(method, path, COOKIE, logins=LOGINS) == [BROWSER]


def test_the_cookie_alone_opens_a_readable_page_to_a_browser_of_the_same_user():
    navigated = {"sec-fetch-site": "none", "sec-fetch-dest": "document"}
    assert reached("GET", "/api/indexes", COOKIE | navigated, logins=LOGINS, peer=os.geteuid()) == [SAME_USER]


def test_every_request_of_a_login_names_it():
    seen = []

    async def app(scope, receive, send):
        seen.append(scope.get(LOGIN_ID))
        await Recorder()(scope, receive, send)

    for path, headers in (("/", COOKIE), ("/page", COOKIE | KEY), ("/mcp", BEARER)):
        ask(path=path, headers=headers, logins=LOGINS, app=app)
    assert seen[0] == seen[1] is not None
    assert seen[2] is None


def test_the_user_of_a_connection_is_asked_for_once():
    asked = []

    def uid(*ends):
        asked.append(ends)
        return os.geteuid()

    scope = {
        "type": "http", "method": "GET", "path": "/x", "headers": [(b"host", b"127.0.0.1:9224")],
        "client": ("127.0.0.1", 50000), "server": ("127.0.0.1", PORT),
    }  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        pass

    recorder = Recorder()
    guard = Authentication(recorder, port=PORT, tokens=OneToken(), peer=uid)
    for state in (one := {PEER: {}}, one, {PEER: {}}):
        asyncio.run(guard({**scope, "state": state.copy()}, receive, send))
    assert recorder.reached == [SAME_USER] * 3
    assert asked == [(scope["client"], scope["server"])] * 2


def test_the_start_of_the_program_is_passed_on():
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["type"])

    asyncio.run(Authentication(app, port=PORT, tokens=OneToken())({"type": "lifespan"}, None, None))
    assert seen == ["lifespan"]


# Who does not.


def test_where_no_kernel_knows_the_user_a_proof_is_needed():
    reply, recorder = ask(peer=None)
    assert (reply.status, recorder.reached) == (401, [])


@pytest.mark.parametrize("uid", [None, STRANGER])
@pytest.mark.parametrize("path", ["/", "/page/lines", "/mcp", "/login", "/static/page/main.js", "/link/handle"])
@pytest.mark.parametrize(
    "proof", [{}, BEARER, COOKIE, KEY, COOKIE | KEY], ids=["none", "token", "cookie", "key", "both"]
)
def test_another_user_or_one_that_hides_gets_nowhere_whatever_it_holds(uid, path, proof):
    reply, recorder = ask(path=path, headers=proof, peer=uid, knows_peers=True, logins=LOGINS)
    assert (reply.status, recorder.reached) == (403, [])


def test_another_user_is_answered_in_the_language_of_its_call():
    reply, recorder = ask("POST", "/mcp", BEARER, (b'{"id": 3}',), peer=STRANGER, knows_peers=True)
    assert (reply.status, recorder.reached) == (200, [])
    assert (reply.rpc["id"], reply.rpc["error"]["code"]) == (3, UNAUTHENTICATED)
    assert "its own user only" in reply.rpc["error"]["message"]


def test_another_user_may_know_that_it_is_alive():
    assert reached(path="/mcp/health", peer=STRANGER, knows_peers=True) == [None]


def test_root_may_bring_a_secret_but_is_not_us_without_one(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert reached("POST", "/mcp", BEARER, peer=0, knows_peers=True) == [AGENT]
    assert reached("POST", "/page", COOKIE | KEY | OWN, peer=0, knows_peers=True, logins=LOGINS) == [BROWSER]
    assert reached("POST", "/mcp", peer=0, knows_peers=True) == []
    assert reached(path="/api/indexes", headers=COOKIE, peer=0, knows_peers=True, logins=LOGINS) == []


@pytest.mark.parametrize("path", PRIVATE)
def test_the_cookie_alone_is_nobody(path):
    for method, origin in (("GET", {}), ("POST", OWN), ("DELETE", OWN)):
        reply, recorder = ask(method, path, COOKIE | origin, peer=os.geteuid(), knows_peers=True, logins=LOGINS)
        assert recorder.reached == []
        assert reply.status == 401 or reply.rpc["error"]["code"] == UNAUTHENTICATED


@pytest.mark.parametrize("path", [*SHELL, "/api/indexes"])
def test_the_cookie_alone_orders_nothing(path):
    reply, recorder = ask("POST", path, COOKIE | OWN, peer=os.geteuid(), knows_peers=True, logins=LOGINS)
    assert (reply.status, recorder.reached) == (401, [])


@pytest.mark.parametrize("extra", [{}, {"via": "1.1 proxy"}])
def test_the_cookie_alone_opens_no_readable_page_where_nobody_knows_the_user(extra):
    peer = os.geteuid() if extra else None
    reply, recorder = ask("GET", "/api/indexes", COOKIE | extra, peer=peer, logins=LOGINS)
    assert (reply.status, recorder.reached) == (401, [])


@pytest.mark.parametrize("path", [*SHELL, *PRIVATE, "/api/indexes"])
def test_a_wrong_key_opens_nothing_not_even_the_page(path):
    other = LOGINS.exchange(LOGINS.new_code())
    for key in ("", "nonsense", other.key, GIVEN.cookie, "\xff"):
        reply, recorder = ask("GET", path, COOKIE | {"x-cmdr-page": key}, peer=os.geteuid(), logins=LOGINS)
        assert (reply.status, recorder.reached) == (401, [])


def test_the_key_without_the_cookie_is_no_person():
    assert reached("GET", "/page/lines", KEY, logins=LOGINS) == []
    assert reached("GET", "/page/lines", KEY, logins=LOGINS, peer=os.geteuid()) == [SAME_USER]
    assert reached("GET", "/page/lines", KEY | {"sec-fetch-site": "same-origin"}, peer=os.geteuid()) == []


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-dest": "document"},
        {"sec-fetch-user": "?1"},
        {"sec-fetch-mode": "cors", **OWN},
        {"cookie": "a=b"},
        {"x-forwarded-for": "127.0.0.1:50000"},
        {"x-forwarded-host": "x"},
        {"forwarded": "for=127.0.0.1"},
        {"via": "1.1 proxy"},
        {"x-real-ip": "127.0.0.1"},
    ],
)
def test_a_browser_or_a_proxy_is_never_the_same_user(headers):
    reply, recorder = ask("POST", "/x", headers, peer=os.geteuid())
    assert (reply.status, recorder.reached) == (401, [])


@pytest.mark.parametrize("value", ["Bearer bad", "Bearer", "Bearer ", "Basic good", "good", "", "Bearer  good"])
def test_a_wrong_token_does_not_fall_back_to_the_same_user(value):
    reply, recorder = ask(headers={"authorization": value}, peer=os.geteuid())
    assert (reply.status, recorder.reached) == (401, [])


def test_a_request_without_known_ends_is_refused():
    async def app(scope, receive, send):
        raise AssertionError

    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"127.0.0.1:9224")], "client": None}
    for tells, status in ((False, 401), (True, 403)):
        guard = Authentication(
            app, port=PORT, tokens=OneToken(), peer=lambda *_: os.geteuid(), knows_peers=lambda knows=tells: knows
        )
        asyncio.run(guard(scope, None, send))
        assert sent.pop(0)["status"] == status
        sent.clear()


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_cookie_without_an_origin_changes_nothing(method):
    reply, recorder = ask(method, headers=COOKIE | KEY, logins=LOGINS)
    assert (reply.status, recorder.reached) == (403, [])


def test_a_cookie_without_an_origin_opens_no_websocket():
    reply, recorder = ask(kind="websocket", headers=COOKIE | KEY, logins=LOGINS)
    assert recorder.reached == []
    assert reply.kinds == ["websocket.close"]


@pytest.mark.parametrize(
    "cookie",
    [
        f"cmdr-{PORT}=a; cmdr-{PORT}={GIVEN.cookie}",
        f"cmdr-9225={GIVEN.cookie}",
        f"xcmdr-{PORT}={GIVEN.cookie}",
        f"cmdr-{PORT}",
        "",
    ],
    ids=["twice", "of another port", "of another name", "without a value", "empty"],  # secrets differ in each process
)
def test_a_strange_cookie_logs_nobody_in(cookie):
    reply, recorder = ask(headers=KEY | {"cookie": cookie}, logins=LOGINS)
    assert (reply.status, recorder.reached) == (401, [])


def test_a_cookie_is_worth_nothing_while_there_is_no_browser_face():
    assert reached(headers=COOKIE, peer=os.geteuid()) == []


def test_a_token_from_a_page_is_refused():
    reply, recorder = ask("POST", "/mcp", BEARER | OWN)
    assert (reply.status, recorder.reached) == (403, [])


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"])
def test_there_is_no_oauth_server_to_be_found(path):
    reply, recorder = ask(path=path, headers=BEARER)
    assert (reply.status, recorder.reached) == (404, [])


# What the refused are told.


@pytest.mark.parametrize("identifier", [1, 0, -5, "a", "", 2**60])
def test_an_agents_call_without_a_token_is_answered_in_its_own_language(identifier):
    body = json.dumps({"jsonrpc": "2.0", "id": identifier, "method": "initialize"}).encode()
    reply, recorder = ask("POST", "/mcp", body=[body[:5], body[5:]])
    assert reply.status == 200
    assert recorder.reached == []
    assert reply.rpc["id"] == identifier
    assert reply.rpc["error"]["code"] == UNAUTHENTICATED
    message = reply.rpc["error"]["message"]
    assert OneToken.path in message
    assert "cmdr token" in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"1", b"null", b'{"id":true}', b'{"id":[1]}', b'{"id":1.5}', b"[" * 50_000, b"\xff\xfe"]
)
def test_a_call_without_a_usable_id_is_answered_without_one(body):
    reply, _ = ask("POST", "/mcp", body=[body])
    assert reply.status == 200
    assert reply.rpc["id"] is None


def test_a_long_call_without_a_token_is_not_read():
    reply, _ = ask("POST", "/mcp", {"content-length": "100000"}, body=[])
    assert reply.rpc["id"] is None
    assert reply.headers[b"connection"] == b"close"


def test_an_endless_call_without_a_token_is_cut():
    reply, _ = ask("POST", "/mcp", {"transfer-encoding": "chunked"}, body=[b"x" * 40_000] * 9, max_body=1 << 20)
    assert reply.status == 413
    assert len([kind for kind in reply.kinds if kind.endswith("start")]) == 1


@pytest.mark.parametrize(("method", "path"), [("GET", "/mcp"), ("DELETE", "/mcp"), ("POST", "/api"), ("GET", "/")])
def test_everything_else_gets_a_plain_401_without_oauth_bait(method, path):
    reply, _ = ask(method, path)
    assert reply.status == 401
    assert b"www-authenticate" not in reply.headers
    assert "cmdr token" in json.loads(reply.body)["error"]


# Bodies.


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json-patch+json",
        "application/json, text/plain",
        "text/plain; application/json",
        "application/json; charset=utf-16",
        "application/json; boundary=x",
    ],
)
def test_only_json_is_taken(kind):
    headers = {**BEARER, "content-type": kind, "content-length": "2"}
    assert ask("POST", headers=headers, body=(b"{}",))[0].status == 415
    chunked = {**BEARER, "content-type": kind, "transfer-encoding": "chunked"}
    assert ask("POST", headers=chunked, body=(b"{}",))[0].status == 415


def test_nothing_needs_no_type_but_what_claims_one_is_refused_all_the_same():
    assert ask("POST", headers={**BEARER, "content-type": None})[0].status == 200
    assert ask("POST", headers={**BEARER, "content-type": "text/plain"})[0].status == 415


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON", 'application/json; charset="utf-8"'])
def test_json_may_be_written_in_several_ways(kind):
    assert ask("POST", headers={**BEARER, "content-type": kind})[0].status == 200


def test_a_packed_body_is_not_taken():
    assert ask("POST", headers={**BEARER, "content-encoding": "gzip"})[0].status == 415


@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD"])
def test_a_body_where_none_belongs_must_be_json_too(method):
    assert ask(method, headers={**BEARER, "content-length": "3"}, body=[b"abc"])[0].status == 415


def test_a_body_of_exactly_the_limit_is_read():
    assert ask("POST", headers={**BEARER, "content-length": "10"}, body=[b"x" * 10], max_body=10)[0].body == b"x" * 10


def test_a_body_that_says_it_is_too_long_is_not_read():
    reply, recorder = ask("POST", headers={**BEARER, "content-length": "11"}, body=[], max_body=10)
    assert (reply.status, recorder.reached) == (413, [])


def test_a_body_that_becomes_too_long_is_cut_with_one_answer():
    reply, _ = ask("POST", headers=BEARER, body=[b"x" * 6, b"x" * 6], max_body=10)
    assert reply.status == 413
    assert reply.kinds == ["http.response.start", "http.response.body"]


@pytest.mark.parametrize(
    ("path", "status"), [("/mcp", 200), ("/mcp/x", 200), ("/mcp/small", 413), ("/mcpx", 413), ("/", 413)]
)
def test_each_part_of_the_server_has_its_own_limit(path, status):
    limits = {"/mcp": 20, "/mcp/small": 5}
    reply, _ = ask("POST", path, BEARER, body=[b"x" * 15], max_body=10, body_limits=limits)
    assert reply.status == status


def test_a_body_that_does_not_arrive_is_given_up():
    reply, _ = ask("POST", headers={**BEARER, "content-length": "10"}, body=[], body_seconds=0.0)
    assert reply.status == 408
    assert reply.headers[b"connection"] == b"close"


def test_waiting_after_the_body_has_no_deadline():
    ended = []

    async def patient(scope, receive, send):
        await receive()
        ended.append((await receive())["type"])

    ask("POST", headers=BEARER, body=[b"{}", {"type": "http.disconnect"}], app=patient, body_seconds=5)
    assert ended == ["http.disconnect"]


@pytest.mark.parametrize("length", ["x", "-1", "1e3", "1" * 30, "", "+1"])
def test_a_length_that_is_no_number_is_refused(length):
    assert ask("POST", headers={**BEARER, "content-length": length})[0].status == 400


# Replies.


REQUIRED = [b"content-security-policy", b"x-content-type-options", b"referrer-policy", b"cache-control"]


@pytest.mark.parametrize(
    "request_",
    [
        {"headers": BEARER},
        {"headers": {}},
        {"headers": BEARER, "host": "evil"},
        {"headers": BEARER | {"origin": "null"}},
        {"method": "POST", "path": "/mcp"},
        {"method": "OPTIONS", "headers": BEARER},
        {"method": "POST", "headers": BEARER | {"content-type": "text/plain"}},
        {"path": "/.well-known/x"},
        {"path": "/mcp/health"},
        {"kind": "websocket", "extensions": {"websocket.http.response": {}}},
    ],
)
def test_every_reply_carries_the_security_headers_and_no_cors(request_):
    reply, _ = ask(**request_)
    assert all(name in reply.headers for name in REQUIRED)
    assert not [name for name in reply.headers if name.lower().startswith(b"access-control-")]


def test_a_route_may_be_stricter_about_its_own_reply():
    async def app(scope, receive, send):
        headers = [(b"Content-Security-Policy", b"sandbox")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    reply, _ = ask(headers=BEARER, app=app)
    assert reply.headers[b"Content-Security-Policy"] == b"sandbox"
    assert b"content-security-policy" not in reply.headers


def test_a_failing_route_answers_with_the_headers_and_without_the_reason():
    sent = []

    async def app(scope, receive, send):
        raise RuntimeError("secret")

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "headers": [(b"host", b"localhost:9224"), (b"authorization", b"Bearer good")],
    }
    with pytest.raises(RuntimeError):
        asyncio.run(Authentication(app, port=PORT, tokens=OneToken(), knows_peers=lambda: False)(scope, None, send))
    reply = Reply(sent)
    assert reply.status == 500
    assert b"secret" not in reply.body
    assert all(name in reply.headers for name in REQUIRED)


# The shape of the request itself.


@pytest.mark.parametrize(
    "name",
    [
        b"host",
        b"origin",
        b"authorization",
        b"cookie",
        b"content-type",
        b"content-length",
        b"content-encoding",
        b"transfer-encoding",
        b"sec-fetch-site",
        b"mcp-session-id",
        b"mcp-protocol-version",
        b"x-cmdr-page",
    ],
)
def test_a_header_that_decides_something_may_come_once(name):
    value = b"127.0.0.1:9224" if name == b"host" else b"1"
    extra = [(name, value)] if name == b"host" else [(name, value), (name.title(), value)]
    reply, recorder = ask(headers={}, raw=extra, peer=os.geteuid())
    assert (reply.status, recorder.reached) == (400, [])


def test_both_kinds_of_length_are_refused():
    headers = {**BEARER, "content-length": "2", "transfer-encoding": "chunked"}
    assert ask("POST", headers=headers)[0].status == 400


def test_headers_beyond_32_kib_are_refused():
    assert ask(headers={**BEARER, "x": "y" * MAX_HEADERS_BYTES})[0].status == 431
    assert ask(headers={**BEARER, "x": "y" * (MAX_HEADERS_BYTES - 200)})[0].status == 200


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", ""])
def test_other_methods_are_refused(method):
    reply, recorder = ask(method, headers=BEARER)
    assert (reply.status, recorder.reached) == (405, [])


@pytest.mark.parametrize("path", ["http://evil/x", "", "*", "x"])
def test_a_target_that_is_no_path_is_refused(path):
    assert ask(path=path, headers=BEARER)[0].status == 400
