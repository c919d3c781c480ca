"""A client of the SDK that opens links is shown where its proposal waits, once; answers and logs tell nothing of it."""

import asyncio
import contextlib
import os
import socket

import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from tests.conftest import _AnyName

from cmdr.core.dispatch.principals import PERSON
from cmdr.mcp import proposal_links

MODES = ("legacy", "2026-07-28")


class Served:
    """The whole program behind a real port, in this loop."""

    def __init__(self, commander, port, tree):
        self.commander, self.tree = commander, tree
        self.base = f"http://127.0.0.1:{port}"

    @contextlib.asynccontextmanager
    async def client(self, mode, callback=None, name="claude", heard=None):
        headers = {"authorization": f"Bearer {name}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http:
            transport = streamable_http_client(f"{self.base}/mcp", http_client=http)
            async with Client(transport, mode=mode, elicitation_callback=callback, message_handler=heard) as made:
                yield made

    async def proposed(self, client, name):
        """A tool proposes a folder; the answer, and the proposal's id."""
        answer = text_of(await client.call_tool("mkdir", {"path": str(self.tree.left / name)}))
        return answer, answer.split("proposal: ")[1].split()[0]

    async def approve(self, id):
        digest = self.commander.proposals.get(id, PERSON).plan.digest
        await self.commander.ask(PERSON, "approve", {"proposal": id, "digest": digest})


def text_of(result):
    (content,) = result.content
    return content.text


@pytest.fixture
def served(tmp_path, monkeypatch):
    """Opens it: `async with served() as at`."""
    from cmdr.app.building import commander_at
    from cmdr.app.serving import http_server
    from cmdr.cli.launcher import Start
    from cmdr.core.environment import Environment

    for name in ("state", "run", "left", "right"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))

    class Tree:
        left, right = tmp_path / "left", tmp_path / "right"

    @contextlib.asynccontextmanager
    async def opened():
        start = Start(os.fsencode(Tree.left), os.fsencode(Tree.right))
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listener:
            port = listener.getsockname()[1]
            async with commander_at(start, Environment.read({"CMDR_MCP_RATE_SCALE": "1000"})) as commander:
                server = http_server(commander, _AnyName(), port)
                serving = asyncio.create_task(server.serve(sockets=[listener]))
                while not server.started:
                    await asyncio.sleep(0)
                try:
                    yield Served(commander, port, Tree)
                finally:
                    commander.quitting.set()
                    server.should_exit = True
                    await serving

    return opened


@pytest.mark.parametrize("mode", MODES)
async def test_who_awaits_a_proposal_is_shown_its_place_in_the_page(served, mode, tmp_path):
    asked = asyncio.Queue()

    async def opens(context, params):
        asked.put_nowait(params)
        return types.ElicitResult(action="accept")

    async with served() as at, at.client(mode, opens) as client:
        answer, id = await at.proposed(client, "new")
        assert asked.empty()
        awaiting = asyncio.create_task(client.call_tool("await", {"proposal": id}))
        link = await asked.get()
        assert (link.mode, link.url) == ("url", f"{at.base}/#/inbox/{id}")
        assert link.message.endswith(" waits for your answer in cmdr.")
        assert not awaiting.done()
        await at.approve(id)
        told = text_of(await awaiting)
        assert told.startswith("OK: Approved. ")
        # Once is enough, and the model is told nothing of it.
        again = text_of(await client.call_tool("await", {"proposal": id}))
        assert again.startswith("OK: Approved. ")
        assert asked.empty()
        for text in (answer, told, again):
            assert "#/inbox" not in text
            assert "login" not in text
    kept = [path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert kept
    assert not any(b"#/inbox" in text for text in kept)


@pytest.mark.parametrize("mode", MODES)
async def test_the_link_lets_nobody_in(served, mode):
    urls = []

    async def opens(context, params):
        urls.append(params.url)
        return types.ElicitResult(action="accept")

    async with served() as at, at.client(mode, opens) as client:
        _, id = await at.proposed(client, "new")
        await client.call_tool("await", {"proposal": id, "timeout": 0})
        await client.call_tool("await", {"proposal": id, "timeout": 1})
        (url,) = urls
        assert "code=" not in url
        # What follows the link without a login gets words, and no page that could answer.
        async with httpx2.AsyncClient(trust_env=False) as browser:
            page = await browser.get(url.partition("#")[0])
            assert "cmdr web" in page.text
            assert "set-cookie" not in page.headers
            refused = await browser.post(f"{at.base}/page/command", json={"command": "approve"})
            assert refused.status_code in (401, 403)
        assert at.commander.proposals.get(id, PERSON).state.is_open


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_link_that_is_not_wanted_changes_nothing(served, mode, action):
    asked = []

    async def declines(context, params):
        asked.append(params)
        return types.ElicitResult(action=action)

    async with served() as at, at.client(mode, declines) as client:
        _, id = await at.proposed(client, "new")
        waited = text_of(await client.call_tool("await", {"proposal": id, "timeout": 1}))
        assert waited.startswith("OK: still waiting for the person")
        await at.approve(id)
        assert text_of(await client.call_tool("await", {"proposal": id})).startswith("OK: Approved. ")
        assert len(asked) == 1
        assert (at.tree.left / "new").is_dir()


async def test_a_client_that_fails_to_show_it_still_learns_the_outcome(served):
    async def fails(context, params):
        return types.ErrorData(code=-32000, message="no window here")

    async with served() as at, at.client("legacy", fails) as client:
        _, id = await at.proposed(client, "new")
        awaiting = asyncio.create_task(client.call_tool("await", {"proposal": id}))
        await at.commander.events.beyond(at.commander.events.rev - 1)
        await at.approve(id)
        assert text_of(await awaiting).startswith("OK: Approved. ")


async def test_a_newer_client_that_fails_to_show_it_may_await_again(served):
    async def fails(context, params):
        return types.ErrorData(code=-32000, message="no window here")

    async with served() as at, at.client("2026-07-28", fails) as client:
        _, id = await at.proposed(client, "new")
        with pytest.raises(MCPError, match="no window here"):
            await client.call_tool("await", {"proposal": id, "timeout": 0})
        assert "still waiting" in text_of(await client.call_tool("await", {"proposal": id, "timeout": 0}))


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_that_did_not_say_that_it_can_is_not_asked(served, mode):
    async with served() as at, at.client(mode) as client:
        _, id = await at.proposed(client, "new")
        waited = text_of(await client.call_tool("await", {"proposal": id, "timeout": 0}))
        assert waited.startswith("OK: still waiting for the person")


@pytest.mark.parametrize("mode", MODES)
async def test_nobody_is_shown_what_another_client_proposed(served, mode):
    asked = []

    async def opens(context, params):
        asked.append(params)
        return types.ElicitResult(action="accept")

    async with served() as at, at.client(mode) as one, at.client(mode, opens, "codex") as other:
        _, id = await at.proposed(one, "new")
        refused = await other.call_tool("await", {"proposal": id, "timeout": 0})
        assert refused.is_error
        await other.call_tool("await", {"rev": at.commander.events.rev, "timeout": 0})
        assert asked == []


async def test_an_edit_is_shown_while_its_call_waits_and_the_client_hears_when_it_is_over(served):
    asked, over = asyncio.Queue(), asyncio.Queue()

    async def hears(message):
        if isinstance(message, types.ElicitCompleteNotification):
            over.put_nowait(message.params.elicitation_id)

    async def opens(context, params):
        asked.put_nowait(params)
        return types.ElicitResult(action="accept")

    async with served() as at:
        (at.tree.left / "text").write_text("old")
        async with at.client("legacy", opens, heard=hears) as client:
            edit = {"path": str(at.tree.left / "text"), "contents": "new"}
            editing = asyncio.create_task(client.call_tool("open_diff", edit))
            link = await asked.get()
            (case,) = at.commander.services.waiting_reviews()
            assert link.url == f"{at.base}/#/inbox/{case.id}"
            assert "text waits for your answer in cmdr." in link.message
            digest = case.review.digest
            await at.commander.ask(PERSON, "review.accept", {"review": case.id, "digest": digest})
            assert text_of(await editing).startswith("OK: FILE_SAVED")
            assert await over.get() == case.id


async def test_a_client_with_an_open_stream_is_connected(served):
    async with served() as at:
        async with at.client("legacy") as client:
            await client.call_tool("state", {})
            while not at.commander.activity.lines["claude"]:
                await asyncio.sleep(0)
            (row,) = (await at.commander.ask(PERSON, "agents", {})).json["rows"]
            assert (row["client"], row["isConnected"], row["calls"]) == ("claude", True, 1)
        while at.commander.activity.lines["claude"]:
            await asyncio.sleep(0)


async def test_only_so_many_are_remembered(served, monkeypatch):
    monkeypatch.setattr(proposal_links, "REMEMBERED", 1)
    asked = []

    async def opens(context, params):
        asked.append(params.url.rpartition("/")[2])
        return types.ElicitResult(action="accept")

    async with served() as at, at.client("2026-07-28", opens) as client:
        _, one = await at.proposed(client, "one")
        _, two = await at.proposed(client, "two")
        for id in (one, two, two):
            await client.call_tool("await", {"proposal": id, "timeout": 0})
        assert asked == [one, two]
