"""One working session of an agent, the same over HTTP and through the stdio bridge, in both eras of the protocol."""

import asyncio
import json
import re
import warnings
from contextlib import asynccontextmanager
from types import SimpleNamespace

import mcp_types as types
import pytest
import yaml
from mcp import Client, MCPError, StdioServerParameters
from mcp.server.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPDeprecationWarning

STATE = "cmdr://state"
ERAS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
PATIENCE = 60


VARIANTS = pytest.mark.parametrize(
    "variant", [(way, era) for way in ("http", "stdio") for era in ERAS], ids="-".join, indirect=True
)


@pytest.fixture
def variant(request, bridge_program):
    """How a server is reached, and in which era."""
    way, era = request.param

    def target(server):
        if way == "http":
            return server.url
        variables = {name: server.environment[name] for name in ("HOME", "PATH", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")}
        return StdioServerParameters(command=bridge_program, args=[], env=variables)

    return SimpleNamespace(target=target, era=era)


@pytest.fixture
def desk(server, tree):
    """The shared server with a clean desk: both panes on a fresh tree, nothing open, nothing chosen."""
    for pane in ("left", "right"):
        server.call("nav_to_path", pane=pane, path=str(getattr(tree, pane)))
        server.call("sort", pane=pane, by="name", order="asc")
    server.call("toggle_hidden", value=False)
    for dialog in yaml.safe_load(server.call("state")).get("dialogs", []):
        server.call("dialog", action="close", type=dialog["type"])
    return SimpleNamespace(server=server, left=tree.left, right=tree.right)


class Session:
    """A client, and what it was told without asking."""

    def __init__(self, server, variant):
        self.notices = asyncio.Queue()
        self.era = variant.era
        self.client = Client(
            variant.target(server), mode=variant.era, message_handler=self._hear, read_timeout_seconds=PATIENCE
        )

    async def _hear(self, message):
        if isinstance(message, types.ResourceUpdatedNotification):
            self.notices.put_nowait(str(message.params.uri))

    async def call(self, tool, **arguments):
        """The text of an answer that is no error."""
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        assert not result.is_error, content.text
        return content.text

    async def refused(self, tool, **arguments):
        """The text of an answer that is an error."""
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        assert result.is_error, content.text
        return content.text

    async def state(self):
        """The state, read as a resource."""
        (contents,) = (await self.client.read_resource(STATE, cache_mode="bypass")).contents
        return yaml.safe_load(contents.text)

    @asynccontextmanager
    async def subscribed(self):
        """Changes of the state are told while this is entered; yields what waits for the next one."""
        if self.era == "legacy":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                await self.client.subscribe_resource(STATE)
                yield self.notices.get
                await self.client.unsubscribe_resource(STATE)
        else:
            async with self.client.listen(resource_subscriptions=[STATE]) as events:

                async def heard():
                    event = await anext(events)
                    assert isinstance(event, ResourceUpdated)
                    return str(event.uri)

                yield heard


def in_session(server, variant, work):
    """Run work with a connected session."""

    async def run():
        session = Session(server, variant)
        async with session.client:
            assert session.client.protocol_version == ERAS[variant.era]
            async with asyncio.timeout(60):
                return await work(session)

    return asyncio.run(run())


def audited(server, what):
    """How often the audit log has a finished call of a command."""
    log = server.home / "state" / "cmdr" / "audit" / "audit.jsonl"
    lines = log.read_text().splitlines() if log.exists() else []
    return sum(json.loads(line)["what"] == what for line in lines if line.endswith("}"))


@VARIANTS
def test_an_agent_navigates_sorts_selects_and_sees_the_state_change(desk, variant):
    left = str(desk.left)

    async def work(session):
        tools = (await session.client.list_tools()).tools
        assert "nav_to_path" in {tool.name for tool in tools}

        assert (await session.call("nav_to_path", pane="left", path=f"{left}/docs")).startswith(
            f"OK: Navigated to {left}/docs\ntotalFiles: 1 "
        )
        assert (await session.call("nav_back", pane="left")).startswith(f"OK: Navigated to {left}\n")
        assert (await session.call("sort", pane="left", by="size", order="desc")).startswith("OK: Sorted left pane by")
        assert await session.call("select", pane="left", start=2, count=3) == "OK: Selected 3 files"
        assert await session.call("move_cursor", pane="left", to="package.json") == (
            "OK: Cursor moved to index 14 (package.json)"
        )
        state = await session.state()
        assert state["left"]["sort"] == "size:desc"
        assert state["left"]["selected"] == 3
        assert state["left"]["cursor"]["index"] == 14
        dated = r"( cr:\d{4}-\d\d-\d\d)? lm:\d{4}-\d\d-\d\d"  # the full view comes first
        assert re.fullmatch(rf"i:2 f file10\.txt 100b{dated} \[sel\]", state["left"]["files"][2])
        assert state == yaml.safe_load(await session.call("state"))

    in_session(desk.server, variant, work)


@VARIANTS
def test_an_agent_opens_dialogs_and_withdraws_what_it_proposed(desk, variant):
    readme = str(desk.left / "readme.md")

    async def work(session):
        opened = await session.call("dialog", action="open", type="file-viewer", path=readme)
        assert opened == f"OK: Opened file viewer for {readme}"
        assert (await session.state())["dialogs"] == [{"type": "file-viewer", "path": readme, "focused": True}]
        assert await session.call("dialog", action="close", type="file-viewer") == "OK: Closed 1 file viewer dialog"

        proposed = await session.call("copy", pane="left", paths=["readme.md"])
        first, second, *_ = proposed.splitlines()
        assert first == "OK: Copy dialog opened. Waiting for user confirmation."
        proposal = second.split()[1]
        assert [dialog["proposal"] for dialog in (await session.state())["dialogs"]] == [proposal]
        waiting = asyncio.create_task(session.call("await", proposal=proposal))
        assert await session.call("dialog", action="close", type="confirmation") == "OK: Cancelled confirmation dialog"
        assert await waiting == "OK: Proposal cancelled. Nothing was changed."
        assert "dialogs" not in await session.state()
        assert not (desk.right / "readme.md").exists()

    in_session(desk.server, variant, work)


@VARIANTS
def test_a_subscriber_is_told_that_the_state_changed(desk, variant):
    async def work(session):
        async with session.subscribed() as heard:
            # Whoever makes the change: this agent, another one, or a program on the disk.
            await session.call("switch_pane")
            assert await heard() == STATE
            await asyncio.to_thread(desk.server.call, "toggle_hidden")
            assert await heard() == STATE
            (desk.left / "new-file").write_text("")
            assert await heard() == STATE

    in_session(desk.server, variant, work)


@VARIANTS
def test_a_cancelled_call_ends_on_the_server(desk, variant):
    async def work(session):
        rev = (await session.state())["rev"]
        before = audited(desk.server, "await")
        waiting = asyncio.create_task(session.client.call_tool("await", {"rev": rev + 1000}))
        # Answered after the wait was sent, so that there is something to cancel.
        await session.call("state")
        await session.call("state")
        assert audited(desk.server, "await") == before
        waiting.cancel()
        async with asyncio.timeout(PATIENCE):
            while audited(desk.server, "await") == before:
                await session.call("state", limit=0)
        assert (await session.call("await", rev=0)).startswith("OK: rev: ")

    in_session(desk.server, variant, work)


@VARIANTS
def test_errors_say_what_to_mend(desk, variant):
    left = str(desk.left)

    async def work(session):
        assert await session.refused("nav_to_path", pane="left", path="/nowhere") == "ERROR: Path not found: /nowhere"
        assert await session.refused("move_cursor", pane="left", to=500) == "ERROR: Index 500 out of range (max: 14)"
        assert await session.refused("nav_to_path", pane="up", path=left) == (
            'ERROR: "pane" must be one of left, right, focused, other, not "up".'
        )
        assert await session.refused("nav_to_path", pane="left", pth=left) == (
            'ERROR: nav_to_path has no parameter "pth". Did you mean "path"? It takes: pane, path.'
        )
        with pytest.raises(MCPError, match="Unknown tool: rm_rf") as unknown:
            await session.client.call_tool("rm_rf", {})
        assert unknown.value.error.code == types.INVALID_PARAMS
        with pytest.raises(MCPError, match="Resource not found: cmdr://nothing") as missing:
            await session.client.read_resource("cmdr://nothing")
        assert missing.value.error.code == (-32002 if session.era == "legacy" else types.INVALID_PARAMS)
        assert (await session.state())["left"]["path"] == left

    in_session(desk.server, variant, work)


@VARIANTS
def test_quit_ends_cleanly_while_clients_listen(start_server, variant):
    served = start_server()

    async def work(session):
        async with session.subscribed() as heard:
            waiting = asyncio.create_task(session.refused("await", rev=1000))
            await session.call("state")
            assert await session.call("quit") == "OK: Quitting"
            assert (await waiting).startswith("ERROR: cmdr is quitting.")
            assert await asyncio.to_thread(served.process.wait, 60) == 0
            if session.era != "legacy":
                with pytest.raises(StopAsyncIteration):  # a graceful end, not a lost stream
                    await heard()
            raise Gone

    with pytest.raises(BaseExceptionGroup) as ended:
        in_session(served, variant, work)
    assert ended.group_contains(Gone)
    assert "Traceback" not in served.errors() + served.log()
    assert not (served.home / "run" / "cmdr" / "instance.json").exists()
    assert not (served.home / "run" / "cmdr" / "token").exists()


class Gone(Exception):
    """The server has ended; what the client still holds cannot be closed politely."""
