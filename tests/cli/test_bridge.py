"""The stdio bridge carries everything an agent needs, in both eras, and never leaves it without an answer."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys

import mcp_types as t
import psutil
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.shared.exceptions import MCPDeprecationWarning

from cmdr.cli import bridge_endpoint
from cmdr.core.runtime import instance
from cmdr.core.runtime.control_socket import SOCKET

ERAS = ["legacy", "2026-07-28"]
PEER = os.path.join(os.path.dirname(__file__), "bridge_peer.py")
BRIDGE = [sys.executable, "-m", "cmdr.cli.bridge"]
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def places_env(tmp_path_factory):
    return environment(tmp_path_factory.mktemp("places"))


def environment(directory):
    directory.chmod(0o700)
    return {"XDG_RUNTIME_DIR": str(directory), "XDG_STATE_HOME": str(directory / "state"), "HOME": str(directory)}


class Peer:
    """The server process behind the bridge."""

    def __init__(self, env, **more):
        self.process = subprocess.Popen(
            [sys.executable, PEER],
            env={**os.environ, **env, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = int(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.close()

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def peer(places_env):
    running = Peer(places_env)
    yield running
    running.close()


@pytest.fixture
def own_env(tmp_path):
    place = tmp_path / "run"
    place.mkdir()
    return environment(place)


class Bridge:
    """The bridge as a process, spoken to line by line."""

    def __init__(self, env, *arguments, program=BRIDGE, **more):
        self.process = subprocess.Popen(
            [*program, *arguments],
            env={**os.environ, **env, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def say(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, message):
        self.say(message)
        return self.hear()

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait(60)
        rest, complaints = self.process.stdout.read(), self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, rest, complaints


@pytest.fixture
def bridge(places_env, peer):
    started = Bridge(places_env)
    yield started
    code, rest, complaints = started.end()
    assert (code, rest, complaints) == (0, b"", b"")


def modern(method, identifier=1, **params):
    return {"jsonrpc": "2.0", "id": identifier, "method": method, "params": {**params, "_meta": MODERN}}


def initialize(identifier=0):
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "t", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": identifier, "method": "initialize", "params": params}


READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(name, identifier=1, **arguments):
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params}


def text(answer):
    return answer["result"]["content"][0]["text"]


def opened(bridge):
    assert bridge.ask(initialize())["result"]["protocolVersion"] == "2025-11-25"
    bridge.say(READY)
    return bridge


# With the SDK's own client.


def client(env, era, **options):
    # Only what is given here and the SDK's short list of variables reaches the bridge, as with real agents.
    server = StdioServerParameters(command=BRIDGE[0], args=BRIDGE[1:], env=env)
    return Client(server, mode=era, read_timeout_seconds=60, **options)


def said(result):
    return result.content[0].text


@pytest.mark.parametrize("era", ERAS)
def test_a_real_client_lists_calls_and_reads(places_env, peer, era):
    async def run():
        async with client(places_env, era) as agent:
            assert agent.protocol_version == ("2025-11-25" if era == "legacy" else era)
            assert len((await agent.list_tools()).tools) == 10
            assert said(await agent.call_tool("echo", {"text": "ünï\n\u2028 \U0001f600"})) == "ünï\n\u2028 \U0001f600"
            assert said(await agent.call_tool("who")) == "agent:default"
            assert (await agent.read_resource("cmdr://state")).contents[0].text == "read cmdr://state"
            assert (await agent.read_resource("cmdr://ünï x")).contents[0].text.startswith("read cmdr://")
            with pytest.raises(MCPError, match="Unknown tool"):
                await agent.call_tool("nonsense")

    asyncio.run(run())


@pytest.mark.parametrize("era", ERAS)
def test_progress_arrives(places_env, peer, era):
    steps = []

    async def progress(value, total, message):
        steps.append((value, total, message))

    async def run():
        async with client(places_env, era) as agent:
            assert said(await agent.call_tool("slow", progress_callback=progress)) == "3 steps"

    asyncio.run(run())
    assert steps == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


@pytest.mark.parametrize("era", ERAS)
def test_a_question_to_the_person_goes_through(places_env, peer, era):
    async def answer(ctx, params):
        assert params.message == "Sure?"
        return t.ElicitResult(action="accept", content={"yes": True})

    async def run():
        async with client(places_env, era, elicitation_callback=answer) as agent:
            assert said(await agent.call_tool("ask")) == "accept {'yes': True}"

    asyncio.run(run())


@pytest.mark.parametrize("era", ERAS)
def test_a_change_is_told_to_those_who_asked(places_env, peer, era):
    async def run():
        told = asyncio.Event()

        async def hear(message):
            if isinstance(message, t.ResourceUpdatedNotification):
                assert str(message.params.uri) == "cmdr://state"
                told.set()

        async with client(places_env, era, message_handler=hear) as agent:
            if era == "legacy":
                with pytest.warns(MCPDeprecationWarning):
                    await agent.subscribe_resource("cmdr://state")
                await agent.call_tool("touch")
                await asyncio.wait_for(told.wait(), 60)
            else:
                async with agent.listen(resource_subscriptions=["cmdr://state"]) as changes:
                    await agent.call_tool("touch")
                    change = await asyncio.wait_for(anext(aiter(changes)), 60)
                    assert change.uri == "cmdr://state"

    asyncio.run(run())


@pytest.mark.parametrize("era", ERAS)
def test_a_blocked_call_does_not_hold_up_others_and_can_be_given_up(places_env, peer, era):
    async def run():
        async with client(places_env, era) as agent:

            async def count(word):
                return said(await agent.call_tool("events")).split().count(word)

            async def until(word, number):
                while await count(word) < number:
                    await asyncio.sleep(0)

            waiting, cancelled = await count("waiting"), await count("cancelled")
            pending = asyncio.create_task(agent.call_tool("wait"))
            await until("waiting", waiting + 1)
            pending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await pending
            await asyncio.wait_for(until("cancelled", cancelled + 1), 60)

    asyncio.run(run())


def test_twenty_calls_at_once_all_come_back(places_env, peer):
    async def run():
        async with client(places_env, "2026-07-28") as agent:
            calls = [agent.call_tool("echo", {"text": str(number)}) for number in range(20)]
            assert [said(result) for result in await asyncio.gather(*calls)] == [str(number) for number in range(20)]

    asyncio.run(run())


# Line by line.


def test_importing_the_bridge_loads_nothing_heavy():
    program = "import sys, cmdr.cli.bridge; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.split()
    assert not {"mcp", "pydantic", "starlette", "uvicorn", "asyncio", "dataclasses", "subprocess"} & set(loaded)
    ours = {name for name in loaded if name.startswith("cmdr.")}
    expected = {"bridge", "bridge_endpoint", "bridge_session"}
    assert ours == {
        "cmdr.cli",
        "cmdr.core",
        "cmdr.core.places",
        "cmdr.core.runtime",
        "cmdr.core.runtime.instance",
        "cmdr.model",
        "cmdr.model.errors",
    } | {f"cmdr.cli.{name}" for name in expected}


def test_both_eras_share_one_bridge(bridge):
    opened(bridge)
    assert text(bridge.ask(call("echo", text="old"))) == "old"
    assert text(bridge.ask(modern("tools/call", 2, name="echo", arguments={"text": "new"}))) == "new"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"hello", -32700),
        (b'{"jsonrpc":"2.0","id":1', -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"1", -32600),
        (b'"x"', -32600),
        (b"null", -32600),
        (b'{"id":true,"method":"x"}', -32600),
        (b'{"id":[1],"method":"x"}', -32600),
        (b'{"id":1,"method":5}', -32600),
    ],
)
def test_a_line_that_is_no_message_is_answered_and_the_next_one_works(bridge, line, code):
    answer = bridge.ask(line)
    assert (answer["id"], answer["error"]["code"]) == (None, code)
    assert "result" in bridge.ask(modern("server/discover", "next"))


def test_empty_lines_are_passed_over(bridge):
    bridge.say(b"")
    bridge.say(b"   \r")
    assert bridge.ask(modern("server/discover"))["id"] == 1


def test_a_batch_is_answered_one_by_one(bridge):
    bridge.say([modern("server/discover", 1), 5, modern("server/discover", 2)])
    answers = [bridge.hear() for _ in range(3)]
    assert sorted(str(answer["id"]) for answer in answers) == ["1", "2", "None"]


def test_a_message_that_the_server_finds_too_long_says_so(bridge):
    answer = bridge.ask(modern("tools/call", 5, name="echo", arguments={"text": "x" * 3_000_000}))
    assert answer["id"] == 5
    assert "longer than 100000 bytes" in answer["error"]["message"]


def test_a_line_beyond_all_measure_is_thrown_away(bridge):
    bridge.say(b'{"id":1,"x":"' + b"x" * (17 << 20))
    assert bridge.hear()["error"]["code"] == -32600
    assert "result" in bridge.ask(modern("server/discover", 2))


@pytest.mark.parametrize("name", ["ünï", "a\nb", " x ", "=?base64?eA==?=", "x" * 5000, "\ud800"])
def test_any_name_can_be_asked_for(bridge, name):
    answer = bridge.ask(modern("tools/call", 9, name=name, arguments={}))
    assert answer["id"] == 9
    assert answer["error"]["code"] in (-32602, -32600, -32603, -32700)


def test_a_version_that_no_header_can_carry_is_refused(bridge):
    message = modern("server/discover")
    message["params"]["_meta"] = {**MODERN, "io.modelcontextprotocol/protocolVersion": "x\r\nHost: evil"}
    assert bridge.ask(message)["error"]["code"] == -32600


def test_too_many_calls_at_once_are_refused_and_the_others_live(bridge, places_env):
    other = Bridge(places_env)

    def waiting():
        return text(other.ask(modern("tools/call", 1, name="events", arguments={}))).split().count("waiting")

    before = waiting()
    for number in range(64):
        bridge.say(modern("tools/call", number, name="wait", arguments={}))
    answer = bridge.ask(modern("tools/call", 64, name="wait", arguments={}))
    assert answer["id"] == 64
    assert "64 calls" in answer["error"]["message"]
    while waiting() < before + 64:
        pass
    other.ask(modern("tools/call", 2, name="wake", arguments={}))
    assert sorted(bridge.hear()["id"] for _ in range(64)) == list(range(64))
    # An answer is passed on a moment before its call has left its place.
    while "error" in bridge.ask(modern("tools/call", 65, name="wake", arguments={})):
        pass
    other.end()


def test_the_session_is_ended_with_the_input(own_env, tmp_path):
    mark = tmp_path / "deleted"
    peer = Peer(own_env, PEER_DELETED=str(mark))
    try:
        bridge = opened(Bridge(own_env))
        assert "result" in bridge.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert bridge.end()[:2] == (0, b"")
        assert mark.read_bytes() == b"deleted"
    finally:
        peer.close()


def test_a_signal_ends_it_as_the_end_of_input_does(places_env, peer):
    bridge = opened(Bridge(places_env))
    bridge.process.send_signal(signal.SIGTERM)
    assert bridge.process.wait(60) == 0
    bridge.end()


PATIENT = [sys.executable, "-c", "from cmdr.cli import bridge; bridge._LAST_ANSWERS_SECONDS = 60; bridge.main()"]


def test_answers_still_come_when_the_input_ends_at_once(places_env, peer):
    bridge = Bridge(places_env, program=PATIENT)
    bridge.say(modern("server/discover"))
    code, rest, _ = bridge.end()
    assert code == 0
    assert json.loads(rest)["id"] == 1


def test_an_open_subscription_does_not_delay_the_end(places_env, peer):
    bridge = Bridge(places_env, program=PATIENT)
    listen = modern("subscriptions/listen", 1, notifications={"resourceSubscriptions": ["cmdr://state"]})
    assert "method" in bridge.ask(listen)
    assert bridge.end()[0] == 0  # the wait for a process in `end` is shorter than its patience


def test_an_unanswered_call_does_not_delay_the_end_for_long(places_env, peer):
    bridge = Bridge(places_env)
    bridge.say(modern("tools/call", 1, name="wait", arguments={}))
    assert bridge.end()[:2] == (0, b"")


# When cmdr is not there, goes away or comes back.


def test_an_address_where_nobody_listens_is_told(own_env):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    bridge = Bridge(own_env, "--url", f"http://127.0.0.1:{port}/mcp")
    answer = bridge.ask(modern("server/discover", "q"))
    assert answer["id"] == "q"
    assert f"not reachable at 127.0.0.1:{port}" in answer["error"]["message"]
    assert bridge.end()[0] == 0


@pytest.mark.parametrize(
    "url", ["ftp://x:1/", "http://127.0.0.1/mcp", "nonsense", "http://127.0.0.1:x/", "https://a:1"]
)
def test_an_address_that_is_none_is_refused_at_once(own_env, url):
    code, _, complaint = Bridge(own_env, "--url", url).end()
    assert code == 1
    assert b"http://127.0.0.1:9224/mcp" in complaint


def test_the_token_never_goes_to_a_port_that_is_not_known_to_be_ours(own_env):
    peer = Peer(own_env)
    try:
        with socket.create_server(("127.0.0.1", 0)) as squatter:
            squatter.settimeout(20)
            bridge = Bridge(own_env, "--url", f"http://127.0.0.1:{squatter.getsockname()[1]}/mcp")
            bridge.say(modern("server/discover"))
            accepted, _ = squatter.accept()
            with accepted:
                assert b"uthorization" not in accepted.recv(65536)
                squatter.close()  # what was asked is asked once more
            assert "error" in bridge.hear()
            bridge.end()
        fixed = Bridge(own_env, "--url", f"http://127.0.0.1:{peer.port}/mcp")
        assert text(fixed.ask(modern("tools/call", 1, name="who", arguments={}))) == "agent:default"
        fixed.end()
    finally:
        peer.close()


def test_a_left_over_record_is_not_believed_and_gets_no_token(own_env):
    peer = Peer(own_env)
    peer.kill()
    assert os.path.exists(os.path.join(own_env["XDG_RUNTIME_DIR"], "cmdr", instance.RECORD))
    with socket.create_server(("127.0.0.1", peer.port)) as squatter:
        squatter.setblocking(False)
        bridge = Bridge(own_env, program=launcher("sys.exit(5)"))
        assert "could not be started (exit code 5)" in bridge.ask(modern("server/discover"))["error"]["message"]
        with pytest.raises(BlockingIOError):
            squatter.accept()
        bridge.end()


def test_a_cmdr_that_cannot_start_is_told_of_at_once_when_no_other_is_starting(own_env):
    bridge = Bridge(own_env, program=launcher("sys.exit(5)", patience=3600.0))
    assert "could not be started (exit code 5)" in bridge.ask(modern("server/discover"))["error"]["message"]
    bridge.end()


def test_a_named_clients_token_can_be_given_in_the_environment(places_env, peer):
    program = "import sys; from cmdr.core import places; from cmdr.core.agents.tokens import Tokens;"
    program += "print(Tokens(places.runtime(), places.state()).issue('given'))"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **places_env}, capture_output=True)
    bridge = Bridge(places_env, CMDR_TOKEN=done.stdout.decode().strip())
    assert text(bridge.ask(modern("tools/call", 1, name="who", arguments={}))) == "agent:given"
    bridge.end()


def test_a_wrong_token_is_explained(places_env, peer):
    bridge = Bridge(places_env, CMDR_TOKEN="wrong")
    answer = bridge.ask(modern("tools/call", 3, name="who", arguments={}))
    assert answer["id"] == 3
    assert "cmdr token" in answer["error"]["message"]
    bridge.end()


MAY_BE_DONE = (
    "ERROR: No answer: cmdr ended while this was under way. It may have been done: ask state before you repeat it."
)
NEXT_PEER = f"os.environ['PEER_STAYS'] = '1'; import runpy; runpy.run_path({PEER!r}, run_name='__main__')"
"""A program for the bridge to start when no cmdr runs."""


def until_waiting(bridge, asked, ask_events):
    """Send a call, and wait until the server is in the middle of it."""
    bridge.say(asked)
    while "waiting" not in text(bridge.ask(ask_events)):
        pass


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", ["wait", "watch"])
def test_a_call_under_which_cmdr_was_killed_is_answered_and_never_made_again(own_env, tmp_path, era, name):
    def called(name, number):
        return call(name, number) if era == "legacy" else modern("tools/call", number, name=name, arguments={})

    peer = Peer(own_env)
    bridge = Bridge(own_env, program=launcher(NEXT_PEER, patience=60))
    try:
        if era == "legacy":
            opened(bridge)
        listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"} if era == "legacy" else modern("tools/list")
        assert "result" in bridge.ask(listed)
        until_waiting(bridge, called(name, 8), called("events", 9))
        peer.kill()
        answer = bridge.hear()
        assert (answer["id"], answer["result"]["isError"]) == (8, True)
        assert answer["result"].get("resultType") == (None if era == "legacy" else "complete")
        if name == "wait":
            assert text(answer) == MAY_BE_DONE
        else:
            assert text(answer).endswith("It changes nothing, so you can repeat it.")
        assert text(bridge.ask(called("events", 10))) == ""  # the next cmdr was never asked to
    finally:
        bridge.end()
        end_all_below(tmp_path)


def test_a_tool_of_which_the_agent_has_no_list_may_have_done_something(own_env):
    peer = Peer(own_env)
    bridge = Bridge(own_env, program=launcher("sys.exit(5)"))
    until_waiting(bridge, modern("tools/call", 8, name="watch"), modern("tools/call", 9, name="events", arguments={}))
    peer.kill()
    assert text(bridge.hear()) == MAY_BE_DONE
    bridge.end()


@pytest.mark.parametrize("era", ERAS)
def test_a_question_that_changes_nothing_is_put_again_to_the_next_cmdr(own_env, tmp_path, era):
    told = tmp_path / "hangs"
    os.mkfifo(told)
    peer = Peer(own_env, PEER_HANGS=str(told))
    bridge = Bridge(own_env, program=launcher(f"del os.environ['PEER_HANGS']; {NEXT_PEER}", patience=60), PEER_HANGS="")
    try:
        if era == "legacy":
            opened(bridge)
        bridge.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list"} if era == "legacy" else modern("tools/list"))
        told.read_text()
        peer.kill()
        answer = bridge.hear()
        assert "echo" in [tool["name"] for tool in answer["result"]["tools"]], answer
    finally:
        bridge.end()
        end_all_below(tmp_path)


def test_a_call_of_which_only_a_part_was_sent_goes_whole_to_the_next_cmdr(own_env, tmp_path):
    """Half a message is never acted on, so there is nothing that could be done twice."""
    peer = Peer(own_env)
    bridge = Bridge(own_env, program=launcher(NEXT_PEER, patience=60))
    try:
        assert "result" in bridge.ask(modern("server/discover", 1))
        peer.process.send_signal(signal.SIGSTOP)
        bridge.say(modern("tools/call", 2, name="echo", arguments={"text": "x" * (15 << 20)}))
        connection = psutil.Process(bridge.process.pid).net_connections
        while not any(one.raddr and one.raddr.port == peer.port for one in connection("tcp4")):
            pass
        peer.kill()
        answer = bridge.hear()
        assert answer["id"] == 2
        assert "longer than 100000 bytes" in answer["error"]["message"]
    finally:
        bridge.end()
        end_all_below(tmp_path)


@pytest.mark.parametrize("era", ERAS)
def test_a_server_started_anew_is_found_again(own_env, era):
    peer = Peer(own_env)
    bridge = Bridge(own_env)
    if era == "legacy":
        opened(bridge)
        subscribe = {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": "cmdr://state"}}
        assert "result" in bridge.ask(subscribe)
        again = call("echo", 2, text="x")
    else:
        again = modern("tools/call", 2, name="echo", arguments={"text": "x"})
    bridge.say(again)
    assert text(bridge.hear()) == "x"
    peer.kill()
    peer = Peer(own_env)
    try:
        bridge.say(again)
        heard = [bridge.hear()]
        while "method" in heard[-1]:
            heard.append(bridge.hear())
        assert text(heard[-1]) == "x"
        if era == "legacy":
            # The subscription came along, and so did the news that the state may be another.
            assert heard[0]["method"] == "notifications/resources/updated"
            bridge.say(call("touch", 3))
            seen = [bridge.hear(), bridge.hear()]
            assert sorted(message.get("method", "answer") for message in seen) == [
                "answer",
                "notifications/resources/updated",
            ]
    finally:
        bridge.end()
        peer.close()


def launcher(program, mark="/dev/null", patience=1.0):
    """The bridge, with a stand-in for the program that it starts when no cmdr runs."""
    stand_in = f"import os, sys; open({str(mark)!r}, 'w').write(' '.join(sys.argv[1:]));{program}"
    return [
        sys.executable,
        "-c",
        "import os, stat, sys, tempfile\n"
        "from cmdr.cli import bridge, bridge_endpoint\n"
        f"bridge_endpoint.START_TIMEOUT_S = {patience}\n"
        "fd, path = tempfile.mkstemp(dir=os.environ['HOME'])\n"
        f"os.write(fd, ('#!' + sys.executable + '\\n' + {stand_in!r}).encode())\n"
        f"os.fchmod(fd, {stat.S_IRWXU})\n"
        "os.close(fd)\n"
        "sys.executable = path\n"
        "bridge.main(sys.argv[1:])",
    ]


def test_without_a_running_cmdr_one_is_started_and_stays(own_env, tmp_path):
    mark = tmp_path / "argv"
    bridges = [Bridge(own_env, program=launcher(NEXT_PEER, mark, patience=60)) for _ in range(3)]
    try:
        for bridge in bridges:
            bridge.say(modern("tools/call", 1, name="who", arguments={}))
        assert [text(bridge.hear()) for bridge in bridges] == ["agent:default"] * 3
        record = instance.running(os.path.join(own_env["XDG_RUNTIME_DIR"], "cmdr"))
        assert record is not None
        assert mark.read_text() == f"-P -m cmdr serve --leave-after 600 --left {os.getcwd()}"
        assert os.getsid(record.pid) == record.pid
        for bridge in bridges:
            assert bridge.end()[0] == 0
        assert instance.running(os.path.join(own_env["XDG_RUNTIME_DIR"], "cmdr")) == record
    finally:
        end_all_below(tmp_path)


def end_all_below(folder):
    """Nothing may outlive the test: of three servers that start at once, the slowest would come up after its end."""
    for process in psutil.process_iter(["cmdline"]):
        if any(argument.startswith(f"{folder}/") for argument in process.info["cmdline"] or ()):
            process.kill()


@pytest.mark.parametrize("from_file", [True, False])
def test_what_was_asked_before_a_cmdr_stood_is_answered_though_the_input_has_ended(own_env, tmp_path, from_file):
    # Half a second after the end of the input the answer was given up, and a start takes longer.
    asked = tmp_path / "asked"
    asked.write_text(json.dumps(modern("tools/call", 1, name="who", arguments={})) + "\n")
    try:
        with open(asked, "rb") as file:
            done = subprocess.run(
                launcher(NEXT_PEER, patience=60),
                env={**os.environ, **own_env},
                capture_output=True,
                timeout=100,
                check=True,
                **({"stdin": file} if from_file else {"input": file.read()}),
            )
        assert text(json.loads(done.stdout)) == "agent:default"
    finally:
        end_all_below(tmp_path)


def test_a_server_that_cannot_be_started_is_told_and_not_tried_again_at_once(own_env, tmp_path):
    mark = tmp_path / "starts"
    bridge = Bridge(own_env, program=launcher(f"open({str(mark)!r}, 'a').write('.'); sys.exit(7)"))
    first = bridge.ask(modern("server/discover", 1))
    second = bridge.ask(modern("server/discover", 2))
    assert "exit code 7" in first["error"]["message"]
    assert second["error"]["message"] == first["error"]["message"]
    assert mark.read_text() == "."
    bridge.end()


def test_why_a_cmdr_cannot_start_is_told_in_its_own_words(own_env):
    program = "sys.stderr.write('first\\ncmdr: the port 9224 is\\ttaken\\n'); sys.exit(7)"
    bridge = Bridge(own_env, program=launcher(program))
    said = bridge.ask(modern("server/discover", 1))["error"]["message"]
    assert said == "cmdr could not be started (exit code 7): cmdr: the port 9224 is taken"
    bridge.end()


def test_a_slow_start_is_waited_for_again_and_not_begun_twice(own_env, tmp_path):
    """On a busy machine three calls in a row heard that cmdr had not started, while it was just about to."""
    mark, gate = tmp_path / "starts", tmp_path / "gate"
    os.mkfifo(gate)
    program = f"open({str(mark)!r}, 'a').write('.'); open({str(gate)!r}).read();{NEXT_PEER}"
    bridge = Bridge(own_env, program=launcher(program))
    try:
        for number in (1, 2):
            assert "still starting" in bridge.ask(modern("server/discover", number))["error"]["message"]
        gate.write_text("go")
        while "error" in (answer := bridge.ask(modern("tools/call", 3, name="who", arguments={}))):
            assert "still starting" in answer["error"]["message"]
        assert text(answer) == "agent:default"
        assert mark.read_text() == "."
    finally:
        bridge.end()
        end_all_below(tmp_path)


def test_the_token_is_not_handed_to_the_server_it_starts(own_env, tmp_path):
    mark = tmp_path / "env"
    program = f"open({str(mark)!r}, 'w').write(repr(sorted(os.environ))); sys.exit(7)"
    bridge = Bridge(own_env, program=launcher(program), CMDR_TOKEN="secret")
    bridge.ask(modern("server/discover", 1))
    bridge.end()
    assert "CMDR_TOKEN" not in mark.read_text()
    assert "XDG_RUNTIME_DIR" in mark.read_text()


def test_the_bridge_keeps_a_line_open_to_the_cmdr_it_speaks_to(own_env, monkeypatch):
    """A cmdr that ends by itself has no other sign of a client that asks nothing for a while."""
    from cmdr.core import places
    from cmdr.core.runtime.instance import Instance

    monkeypatch.setenv("XDG_RUNTIME_DIR", own_env["XDG_RUNTIME_DIR"])
    with Instance.claim() as held, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.join(places.runtime(), bridge_endpoint.CONTROL_SOCKET))
        listener.listen()
        listener.settimeout(20)
        held.announce(9224, "1")
        way = bridge_endpoint.EndpointFinder()
        way.find()
        first, _ = listener.accept()
        way.find()
        held.announce(9225, "1")
        way.find()
        second, _ = listener.accept()
        with first, second:
            assert first.recv(1) == b""
            way.close()
            assert second.recv(1) == b""
        assert bridge_endpoint.CONTROL_SOCKET == SOCKET
