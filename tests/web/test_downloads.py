"""Whole files leave by the door of `fs_read` alone: to whoever may read, in the record, and few at once."""

import json
import os
import socket

import httpx2 as httpx
import pytest

from cmdr.core.admission.limits import DOWNLOADS
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.dispatch.registry import DEFAULT_TOOLSETS
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.http import connection
from cmdr.model.root_spec import RootSpec

BIG = 24 * 2**20
"""More than the kernel keeps of a connection that nobody reads."""


@pytest.fixture
def ground(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "notes.md").write_text("hello\n")
    (tree / "empty").write_text("")
    with open(tree / "big.bin", "wb") as file:
        file.truncate(BIG)
    return tree


@pytest.fixture
def reading(ground, serve):
    """A server whose agents may read files inside the tree."""
    policy = Policy()
    return indexed(serve(ground, policy=policy, sandbox=Sandbox([RootSpec(os.fsencode(ground))])))


@pytest.fixture
def closed(ground, serve):
    """A server whose person took the toolset `fs` away."""
    policy = Policy(DEFAULT_TOOLSETS - {"fs"})
    return indexed(serve(ground, policy=policy, sandbox=Sandbox([RootSpec(os.fsencode(ground))])))


def indexed(server):
    server.run("query_run", {"root": str(server.tree), "text": "notes"})
    return server


def address(server, name):
    found = json.loads(server.run("node.find", {"path": str(server.tree / name)}))
    return f"/api/indexes/{found['index']}/nodes/{found['node']['id']}"


def get(server, path, token):
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.get(f"http://127.0.0.1:{server.port}{path}", headers=headers, trust_env=False)


def recorded(server):
    async def work():
        server.commander.audit.close()

    server.on_loop(work())
    return "".join(file.read_text() for file in (server._state / "audit").iterdir())


def test_a_file_is_taken_whole_and_that_is_in_the_record(reading):
    answer = get(reading, address(reading, "notes.md") + "/download", reading.token)
    assert (answer.status_code, answer.content) == (200, b"hello\n")
    assert get(reading, address(reading, "empty") + "/download", reading.token).content == b""
    assert recorded(reading).count('"fs_read download"') == 2


def test_nothing_is_taken_while_the_tools_for_files_are_off(closed):
    """The download of an index node was given to any token, whatever was switched on."""
    answer = get(closed, address(closed, "notes.md") + "/download", closed.token)
    assert (answer.status_code, "CMDR_MCP_TOOLSETS" in answer.json()["error"]) == (404, True)
    assert '"refused"' in recorded(closed)


def test_the_detail_tells_nothing_of_contents_while_the_tools_for_files_are_off(closed, reading):
    """It told how a text begins, its digest and the attributes to any token."""
    contents = {"preview", "digest", "attributes"}
    assert not contents & set(get(closed, address(closed, "notes.md") + "/detail", closed.token).json())
    assert not contents & set(get(reading, address(reading, "notes.md") + "/detail", None).json())
    assert contents <= set(get(reading, address(reading, "notes.md") + "/detail", reading.token).json())


def test_a_token_held_to_the_index_takes_no_files(reading):
    narrow = reading.tokens.issue("narrow", toolsets=["index"])
    assert get(reading, address(reading, "notes.md"), narrow).status_code == 200
    assert get(reading, address(reading, "notes.md") + "/download", narrow).status_code == 404
    assert "preview" not in get(reading, address(reading, "notes.md") + "/detail", narrow).json()


def test_nothing_is_taken_after_the_person_stopped_the_agents(reading):
    """Downloads went on while every other call was refused."""
    url = address(reading, "notes.md") + "/download"
    reading.run("agents.stop", principal=PERSON)
    answer = get(reading, url, reading.token)
    assert (answer.status_code, "stopped all agents" in answer.json()["error"]) == (403, True)


def begun(server, name="big.bin", token=None):
    """A connection on which a download has begun; nobody reads on."""
    line = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    line.sendall(
        f"GET {address(server, name)}/download HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Authorization: Bearer {token or server.token}\r\n\r\n".encode()
    )
    assert line.recv(12) == b"HTTP/1.1 200"
    return line


def rest_of(line):
    """How many more bytes come until the line is cut or nothing more is due."""
    count = 0
    try:
        while count < BIG and (data := line.recv(1 << 20)):
            count += len(data)
    except ConnectionError:
        pass
    return count


def test_a_caller_takes_few_files_side_by_side_and_others_are_not_kept_waiting(reading):
    """Five hundred slow downloads took every descriptor, and the person could not reach cmdr any more."""
    url = address(reading, "notes.md") + "/download"
    lines = [begun(reading) for _ in range(DOWNLOADS.per_caller)]
    refused = get(reading, url, reading.token)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert get(reading, url, reading.tokens.issue("other")).status_code == 200
    for line in lines:
        line.close()
    while get(reading, url, reading.token).status_code != 200:
        pass  # the server has not heard yet that they are gone


def test_stopping_the_agents_cuts_what_is_under_way(reading):
    line = begun(reading)
    reading.run("agents.stop", principal=PERSON)
    assert rest_of(line) < BIG
    line.close()


def test_whoever_takes_nothing_of_an_answer_is_cut_off(reading, monkeypatch):
    monkeypatch.setattr(connection, "STALL_TIMEOUT_S", 0.3)
    line = begun(reading)
    url = address(reading, "notes.md") + "/download"
    lines = [begun(reading) for _ in range(DOWNLOADS.per_caller - 1)]
    while get(reading, url, reading.token).status_code != 200:
        pass  # until the first of them is cut
    assert rest_of(line) < BIG
    for each in (line, *lines):
        each.close()


def test_whoever_reads_slowly_but_steadily_gets_all(reading, monkeypatch):
    monkeypatch.setattr(connection, "STALL_TIMEOUT_S", 5)
    line = begun(reading)
    assert rest_of(line) >= BIG
    line.close()


def test_a_file_that_became_shorter_ends_the_line_and_nothing_else(reading):
    line = begun(reading)
    os.truncate(reading.tree / "big.bin", 0)
    assert rest_of(line) < BIG
    line.close()
    assert get(reading, address(reading, "notes.md") + "/download", reading.token).status_code == 200


def held(path):
    """How often this process has a file open; the server runs in a thread of it."""
    here = "/proc/self/fd"
    return sum(os.path.realpath(f"{here}/{fd}") == str(path) for fd in os.listdir(here))


def test_the_file_is_closed_when_its_taker_is_gone(reading):
    lines = [begun(reading) for _ in range(3)]
    assert held(reading.tree / "big.bin") == 3
    for line in lines:
        line.close()
    while held(reading.tree / "big.bin"):
        get(reading, "/mcp/health", None)


def test_where_all_connections_are_taken_the_one_idle_for_longest_makes_room(reading, monkeypatch):
    monkeypatch.setattr(connection, "max_connections", lambda: 3)
    first, *others = [socket.create_connection(("127.0.0.1", reading.port), timeout=60) for _ in range(3)]
    assert get(reading, "/mcp/health", None).status_code == 200
    assert first.recv(1) == b""
    for line in (first, *others):
        line.close()


def test_many_newcomers_at_once_take_no_more_places_than_there_are(reading, monkeypatch):
    monkeypatch.setattr(connection, "max_connections", lambda: 3)
    lines = [socket.create_connection(("127.0.0.1", reading.port), timeout=60) for _ in range(60)]
    while len(reading._server.server_state.connections) > 3:
        get(reading, "/mcp/health", None)
    for line in lines:
        line.close()


def test_where_all_connections_are_being_answered_a_newcomer_is_turned_away(reading, monkeypatch):
    lines = [begun(reading) for _ in range(2)]
    monkeypatch.setattr(connection, "max_connections", lambda: 2)
    with pytest.raises(httpx.TransportError):
        get(reading, "/mcp/health", None)
    for line in lines:
        line.close()


def test_connections_leave_descriptors_to_the_person():
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert (
        connection.MIN_CONNECTIONS
        <= connection.max_connections()
        <= max(soft - connection.RESERVED_DESCRIPTORS, connection.MIN_CONNECTIONS)
    )
