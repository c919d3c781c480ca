"""Bad input of every kind gets a clear one-line error or is refused; the state stays true and the program stays up."""

import json
import os
import random
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

INVALID_PARAMS, INTERNAL_ERROR, UNAUTHENTICATED = -32602, -32603, -31001
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def state_of(agent):
    """The state as data."""
    return yaml.safe_load(agent.call("state"))


def desk_of(agent):
    """The state without the revisions, which also count what programs do on the disk meanwhile."""
    state = state_of(agent)
    for part in (state, state["left"], state["right"]):
        del part["rev"]
    return state


def refused(agent, tool, **arguments):
    """A tool's error: one short line that shows nothing raw; the panes stay as they are."""
    before = desk_of(agent)
    answer = agent.call(tool, **arguments)
    assert answer.is_error, answer
    assert answer.startswith("ERROR: ")
    assert answer.isprintable(), repr(answer)
    assert len(answer) < 500
    assert desk_of(agent) == before
    return answer


@pytest.mark.parametrize("name", ["rm_rf", "", "state ", "__class__", "quit\n", "🚀", "x" * 5000])
def test_an_unknown_tool_is_a_protocol_error(inside, name):
    error = inside.rpc("tools/call", {"name": name, "arguments": {}})["error"]
    assert error["code"] == INVALID_PARAMS
    assert error["message"].startswith("Unknown tool: ")
    assert len(error["message"]) <= 200
    assert error["message"].isprintable()


@pytest.mark.parametrize(
    "uri", ["cmdr://nothing", "cmdr://[", "cmdr://state/", "", "file:///etc/passwd", "cmdr://\x1b[31m", "x" * 5000]
)
def test_an_unknown_resource_is_a_protocol_error(inside, uri):
    # "cmdr://[" used to be an internal error: no address at all, by the rules for addresses.
    error = inside.rpc("resources/read", {"uri": uri})["error"]
    assert error["code"] == INVALID_PARAMS
    assert error["message"].startswith("Resource not found: ")
    assert len(error["message"]) < 300
    assert error["message"].isprintable()


@pytest.mark.parametrize(
    ("uri", "error"),
    [
        ("cmdr://state?pane=up", '"pane" must be one of left, right, focused, other, not "up".'),
        ("cmdr://state?limit=-1", '"limit" must be a whole number from 0 to 500, not -1.'),
        ("cmdr://state?colour=red", 'state has no parameter "colour". It takes: pane, limit, detail, kind.'),
    ],
)
def test_a_resource_with_bad_parameters_names_what_is_wanted(inside, uri, error):
    assert inside.rpc("resources/read", {"uri": uri})["error"] == {"code": INVALID_PARAMS, "message": error}


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("nav_to_path", {"pane": 1, "path": "/"}, '"pane" must be one of left, right, focused, other, not 1.'),
        ("nav_to_path", {"pane": "lfet", "path": "/"}, 'not "lfet". Did you mean "left"?'),
        ("nav_to_path", {"pane": "left", "path": ["/"]}, '"path" must be text, not a list.'),
        ("nav_to_path", {"pane": "left", "path": ""}, "is not a path"),
        ("nav_to_path", {"pane": "left", "path": "a\0b"}, "is not a path"),
        ("move_cursor", {"pane": "left", "to": 1.5}, '"to" must be a whole number or text, not 1.5.'),
        ("move_cursor", {"pane": "left", "to": True}, '"to" must be a whole number or text, not true.'),
        ("move_cursor", {"pane": "left", "to": {"index": 1}}, '"to" must be a whole number or text'),
        ("move_cursor", {"pane": "left", "to": None}, "to"),
        ("scroll_to", {"pane": "left", "index": "first"}, '"index" must be a whole number from 0, not "first".'),
        ("scroll_to", {"pane": "left", "index": -1}, '"index" must be a whole number from 0, not -1.'),
        ("select", {"pane": "left", "start": 0, "count": "every"}, '"count" must be'),
        ("select", {"pane": "left", "names": [1, 2]}, '"names" must be a list of text'),
        ("select", {"pane": "left"}, 'select needs "count"'),
        ("sort", {"pane": "left", "by": "colour"}, '"by" must be one of name, ext, size, modified, created'),
        ("toggle_hidden", {"value": "maybe"}, '"value" must be true or false, not "maybe".'),
        ("state", {"limit": 10**30}, '"limit" must be a whole number from 0 to 500'),
        ("dialog", {"action": "open", "type": "about", "path": "/x"}, "about takes no path"),
        ("dialog", {"action": "open", "type": "confirmation"}, "can only be closed"),
        ("command", {"id": "no.such"}, 'No command "no.such"'),
        ("command", {"id": "command"}, "command cannot run itself"),
        ("command", {"id": "tab.close", "args": ["left"]}, '"args" must be an object'),
    ],
)
def test_wrong_types_and_values_are_named_with_what_is_wanted(inside, tool, arguments, error):
    assert error in refused(inside, tool, **arguments)


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("nav_to_path", {"pane": "left"}, 'nav_to_path needs "path": text.'),
        ("nav_to_path", {"path": "/"}, 'nav_to_path needs "pane": one of left, right, focused, other.'),
        ("sort", {}, 'sort needs "pane"'),
        ("dialog", {"action": "open"}, 'dialog needs "type"'),
    ],
)
def test_a_missing_argument_is_named(inside, tool, arguments, error):
    assert error in refused(inside, tool, **arguments)


def test_an_extra_argument_is_refused_with_the_nearest_one(inside):
    error = refused(inside, "nav_to_path", pane="left", paht="/", path="/")
    assert error == 'ERROR: nav_to_path has no parameter "paht". Did you mean "path"? It takes: pane, path.'
    assert refused(inside, "switch_pane", pane="left") == (
        'ERROR: switch_pane has no parameter "pane". It takes: no parameters.'
    )


@pytest.mark.parametrize("arguments", [[], "pane", 7, [["pane", "left"]]])
def test_arguments_that_are_no_object_are_refused(inside, arguments):
    answer = inside.rpc("tools/call", {"name": "switch_pane", "arguments": arguments})
    assert answer["error"]["code"] == INVALID_PARAMS
    assert "\n" not in answer["error"]["message"]


@pytest.mark.parametrize("index", [15, 500, 10**12])
def test_an_index_out_of_range_tells_the_last_one(inside, index):
    assert refused(inside, "move_cursor", pane="left", to=index) == f"ERROR: Index {index} out of range (max: 14)"
    assert refused(inside, "scroll_to", pane="left", index=index).endswith("(max: 14)")
    assert refused(inside, "select", pane="left", start=index, count=1).endswith("(max: 14)")


def test_an_index_in_an_empty_pane_is_refused(inside, tree):
    inside.call("nav_to_path", pane="left", path=str(tree.left / "src"))
    assert refused(inside, "move_cursor", pane="left", to=0) == "ERROR: The pane is empty."
    assert refused(inside, "open_under_cursor", pane="left") == "ERROR: The left pane is empty."


def test_rows_counted_in_an_older_listing_are_refused(inside):
    rev = state_of(inside)["left"]["rev"]
    inside.call("sort", pane="left", by="size", order="desc")
    assert refused(inside, "select", pane="left", start=0, count=2, rev=rev).startswith(f"ERROR: stale rev {rev}:")
    assert refused(inside, "move_cursor", pane="left", to=0, rev=rev).startswith(f"ERROR: stale rev {rev}:")


def test_a_vanished_path_is_named_and_the_pane_stays(inside, tree):
    gone = tree.left / "gone"
    assert refused(inside, "nav_to_path", pane="left", path=str(gone)) == f"ERROR: Path not found: {gone}"
    assert refused(inside, "dialog", action="open", type="file-viewer", path=str(gone)) == (
        f"ERROR: Path not found: {gone}"
    )


def test_a_folder_that_vanishes_while_it_is_shown_says_so(inside, tree):
    doomed = tree.left / "docs"
    inside.call("nav_to_path", pane="left", path=str(doomed))
    shutil.rmtree(doomed)
    answer = inside.call("refresh", pane="left")
    assert answer == f"ERROR: Path not found: {doomed}"
    left = state_of(inside)["left"]
    assert left["problem"] == f"Path not found: {doomed}"
    assert left["files"] == []
    assert inside.call("nav_to_parent", pane="left").first == f"OK: Navigated to {tree.left}"


@pytest.fixture
def obeys_permissions(start_server):
    """A real cmdr that file permissions bind, even when the tests run as root."""
    if os.geteuid() != 0:
        return start_server()
    if shutil.which("setpriv") is None:
        pytest.skip("root reads everything, and setpriv, which could take that away, is not installed")
    return start_server(prefix=["setpriv", "--bounding-set", "-dac_override,-dac_read_search"])


def test_an_unreadable_folder_is_refused_and_the_pane_stays(obeys_permissions):
    agent = obeys_permissions
    secret = agent.tree.left / "docs"
    secret.chmod(0)
    try:
        assert refused(agent, "nav_to_path", pane="left", path=str(secret)) == f"ERROR: Permission denied: {secret}"
        below = f"{secret}/guide.md"
        assert refused(agent, "nav_to_path", pane="left", path=below) == f"ERROR: Permission denied: {below}"
        agent.call("move_cursor", pane="left", to="docs")
        assert refused(agent, "open_under_cursor", pane="left") == f"ERROR: Permission denied: {secret}"
    finally:
        secret.chmod(0o755)
    assert agent.call("open_under_cursor", pane="left").first == f"OK: Navigated to {secret}"


def test_a_file_or_fifo_where_a_folder_is_wanted_is_refused_at_once(inside, tree):
    fifo = tree.root / "fifo"
    os.mkfifo(fifo)
    for path in (fifo, tree.left / "readme.md", tree.left / "readme.md" / "below", "/dev/null"):
        assert refused(inside, "nav_to_path", pane="left", path=str(path)) == f"ERROR: Not a folder: {path}"


def test_a_fifo_under_the_cursor_holds_up_nobody(inside, tree):
    os.mkfifo(tree.left / "fifo")
    inside.call("refresh", pane="left")
    assert not inside.call("move_cursor", pane="left", to="fifo").is_error
    # Viewing it is up to the face that draws the viewer; the command answers at once.
    inside.call("open_under_cursor", pane="left")
    inside.call("command", id="file.getInfo")
    for by in ("size", "modified", "created"):
        assert not inside.call("sort", pane="left", by=by).is_error
    assert "fifo" in inside.call("state", pane="left", detail="full")


@pytest.mark.parametrize(
    "path", ["/" + "x" * 4999, "/x" * 2500, "a" * 300, "/" + "🗂" * 1250], ids=["long", "deep", "name", "wide"]
)
def test_an_overlong_path_is_refused(inside, path):
    assert "too long" in refused(inside, "nav_to_path", pane="left", path=path)
    assert inside.call("dialog", action="open", type="file-viewer", path=path).is_error
    assert inside.call("mkdir", path=path).is_error
    assert inside.call("copy", paths=[path]).is_error


HOSTILE = [
    b"not utf-8 \xff\xfe",
    b"\x1b[31mred\x1b[0m",
    b"\x1b]0;title\x07",
    b"new\nline",
    b"tab\tand return\r",
    b"forged [cur]",
    b"forged2 [sel] [cur]",
    b"[cur]",
    b'"quoted" [sel]',
    b"x\n    - i:99 f forged.txt [sel]",
    b"key: value",
    b"- dash",
    b"# comment",
    b"back\\slash \\x41",
    b"true",
    b"~",
    b"{a: b}",
    b"\xe2\x80\xae\xd7\x90rtl",
    b"zero\xe2\x80\x8bwidth",
    b"\xc2\x85next line",
    b" leading and trailing ",
    b"\xf0\x9f\x97\x82 emoji",
    b"100b lm:2020-01-01",
]
ROW = re.compile(r"i:(\d+) ([a-z]) ")
TAIL = re.compile(r"( \d+b)?( cr:\S+)?( lm:\S+)?( mode:\d{4})?( gone| pending)?(?P<cur> \[cur\])?(?P<sel> \[sel\])?")


def taken_apart(row):
    """A row as index, name, cursor, selected: read by its own rules, without help from the program."""
    head = ROW.match(row)
    rest = row[head.end() :]
    if rest.startswith('"'):
        name, end = json.JSONDecoder().raw_decode(rest)
    else:
        end = (rest + " ").index(" ")
        name = rest[:end]
    tail = TAIL.fullmatch(rest[end:])
    assert tail, row
    return int(head[1]), name, bool(tail["cur"]), bool(tail["sel"])


@pytest.fixture
def hostile(tree):
    """A folder of names that try to be something else."""
    folder = os.fsencode(tree.root / "hostile")
    os.mkdir(folder)
    for name in HOSTILE:
        with open(os.path.join(folder, name), "wb"):
            pass
    return os.fsdecode(folder)


@pytest.mark.parametrize("detail", ["names", "short", "full"])
def test_hostile_names_forge_nothing_in_the_state(inside, hostile, detail):
    inside.call("nav_to_path", pane="left", path=hostile)
    inside.call("select", pane="left", names=["true"])
    text = inside.call("state", detail=detail)
    assert all(char.isprintable() or char == "\n" for char in text)
    rows = [taken_apart(row) for row in yaml.safe_load(text)["left"]["files"]]
    assert [index for index, *_ in rows] == list(range(len(HOSTILE)))
    assert [name for _, name, cursor, _ in rows if cursor] == [rows[0][1]]
    assert [name for *_, name, _, selected in ((i, n, c, s) for i, n, c, s in rows) if selected] == ["true"]


def test_every_hostile_name_can_be_given_back_as_it_was_shown(inside, hostile):
    inside.call("nav_to_path", pane="left", path=hostile)
    rows = [taken_apart(row) for row in state_of(inside)["left"]["files"]]
    for index, name, _, _ in rows:
        answer = inside.call("move_cursor", pane="left", to=name)
        assert answer == f"OK: Cursor moved to index {index} ({name})"
        opened = inside.call("dialog", action="open", type="file-viewer", path=name)
        assert not opened.is_error, opened
        assert opened.isprintable()
        # As a path, "~" is the home folder, and of a folder the facts are shown.
        shown = "info" if name == "~" else "file-viewer"
        assert [each["type"] for each in state_of(inside)["dialogs"]] == [shown]
        assert inside.call("dialog", action="close", type=shown).startswith("OK: Closed 1 ")
    assert inside.call("select", pane="left", names=[name for _, name, _, _ in rows]) == (
        f"OK: Selected {len(HOSTILE)} files"
    )


@pytest.mark.parametrize(
    "name", ["no such \x1b[31m\n[cur]", "\ud800", "\udcff", "\\u{110000}", "\\xzz", "a\rERROR: b", "\u202e"]
)
def test_hostile_arguments_are_never_echoed_raw(inside, name):
    for tool, arguments in [
        ("move_cursor", {"pane": "left", "to": name}),
        ("nav_to_path", {"pane": "left", "path": "/nowhere/" + name}),
        ("select", {"pane": "left", "names": [name]}),
        ("select_volume", {"pane": "left", "name": name}),
        ("activate_tab", {"pane": "left", "tab": name}),
        ("command", {"id": name}),
        ("sort", {"pane": "left", "by": name}),
        ("state", {name: 1}),
        ("await", {"proposal": name}),
    ]:
        refused(inside, tool, **arguments)


def test_a_body_over_four_mebibytes_is_refused_and_the_server_lives(server):
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"' + b"x" * (4 * 2**20) + b'"}}'
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    assert server.exchange("POST", "/mcp", headers, body).status == 413
    chunked = {**headers, "transfer-encoding": "chunked"}
    pieces = (
        b"%x\r\n%s\r\n" % (len(body[at : at + 65536]), body[at : at + 65536]) for at in range(0, len(body), 65536)
    )
    assert server.exchange("POST", "/mcp", chunked, b"".join(pieces) + b"0\r\n\r\n").status == 413
    assert not server.call("state").is_error


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":['])
def test_deep_json_is_refused_at_once_and_the_server_lives(server, opening):
    for era in ({"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "state"}, {}):
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", **era}
        reply = server.exchange("POST", "/mcp", headers, opening * (3_000_000 // len(opening)))
        assert reply.status == 413
        reply = server.exchange("POST", "/mcp", headers, opening * (60_000 // len(opening)))
        assert reply.status == 400
        assert b"Traceback" not in reply.body
    assert not server.call("state").is_error


def test_deep_arguments_are_an_error_and_nothing_more(server):
    deep = b"[" * 50_000 + b"]" * 50_000
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nav_to_path","_meta":%s,'
        b'"arguments":{"pane":"left","path":%s}}}' % (json.dumps(META).encode(), deep)
    )
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "nav_to_path",
    }
    reply = server.exchange("POST", "/mcp", headers, body)
    assert reply.status in (200, 400, 413)
    assert str(INTERNAL_ERROR).encode() not in reply.body
    assert not server.call("state").is_error


@pytest.mark.parametrize("body", [b"", b"null", b"{", b"\xff\xfe", b"[]", b'"state"', b'{"jsonrpc":"1.0"}', b"NaN"])
def test_what_is_no_request_is_refused(server, body):
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
    }
    assert server.exchange("POST", "/mcp", headers, body).status == 400
    assert not server.call("state").is_error


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1:1"}, 421),
        ({"host": "localhost.evil.example:9224"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:3000"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"content-type": "text/plain"}, 415),
    ],
)
def test_a_foreign_host_or_origin_is_refused(server, headers, status):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "switch_pane", "_meta": META}}
    before = desk_of(server)
    reply = server.post(message, headers)
    assert reply.status == status
    assert set(reply.json()) == {"error"}
    assert desk_of(server) == before


def test_health_tells_nothing_but_that_it_is_alive(server):
    reply = server.exchange("GET", "/mcp/health")
    assert (reply.status, reply.json()) == (200, {"ok": True})


@pytest.mark.parametrize("sent", [{}, {"authorization": "Bearer not a token"}, {"authorization": "Basic dXNlcjpwdw=="}])
def test_without_a_good_token_a_stranger_is_told_how_to_get_one(inside, sent):
    before = desk_of(inside)
    inside.headers, mine = {}, inside.headers
    error = inside.rpc("tools/call", {"name": "switch_pane"}, headers=sent)["error"]
    assert error["code"] == UNAUTHENTICATED
    assert "cmdr token --client NAME" in error["message"]
    inside.headers = mine
    assert desk_of(inside) == before


def test_a_wrong_token_never_falls_back_to_the_same_user(server):
    wrong = {"authorization": f"Bearer {'x' * len(server.token)}"}
    assert server.rpc("tools/list", headers=wrong)["error"]["code"] == UNAUTHENTICATED
    right = {"authorization": f"Bearer {server.token}"}
    assert server.rpc("tools/list", headers=right)["result"]["tools"]


def test_two_clients_at_once_each_get_true_answers(inside, tree):
    def session(name):
        agent, chance = inside.as_agent(name), random.Random(name)
        pane = "left" if name == "alice" else "right"
        for _ in range(40):
            answer = chance.choice(
                [
                    lambda: agent.call("nav_to_path", pane=pane, path=str(tree.left)),
                    lambda: agent.call("nav_to_path", pane=pane, path=str(tree.left / "docs")),
                    lambda: agent.call("nav_to_parent", pane="other"),
                    lambda: agent.call("sort", pane="focused", by=chance.choice(["name", "size"])),
                    lambda: agent.call("select", pane=pane, start=0, count="all"),
                    lambda: agent.call("toggle_hidden"),
                    lambda: agent.call("switch_pane"),
                    lambda: agent.call("swap_panes"),
                    lambda: agent.call("state"),
                ]
            )()
            if answer.is_error:
                # Only that the other client moved the same pane meanwhile.
                assert re.search(r"left before it was read|changed while it was sorted|no parent", answer), answer

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(session, ("alice", "bob")))
    state = state_of(inside)
    for side in ("left", "right"):
        pane = state[side]
        shown = sorted(name for name in os.listdir(pane["path"]) if state["showHidden"] or not name.startswith("."))
        assert pane["totalFiles"] == len(shown)
        assert sorted(taken_apart(row)[1] for row in pane["files"][: len(shown)])[:50] == shown[:50]
        assert pane["selected"] <= pane["totalFiles"] + pane.get("hiddenFiles", 0)


def test_a_session_belongs_to_the_client_that_opened_it(inside):
    opening = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
    }
    plain = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    opened = inside.exchange("POST", "/mcp", {**plain, "authorization": "Bearer alice"}, json.dumps(opening).encode())
    session = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    listing = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).encode()
    for name, status in (("bob", 404), ("alice", 200)):
        headers = {**plain, **session, "authorization": f"Bearer {name}"}
        assert inside.exchange("POST", "/mcp", headers, listing).status == status
