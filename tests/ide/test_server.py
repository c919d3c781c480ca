"""Who may connect, what is announced, and what happens to frames that are no edits."""

import asyncio
import json
import os
import socket
import stat
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from cmdr.core.editing.ide_lock import lock_of

CALL = '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":'
HEADER = "X-Claude-Code-Ide-Authorization"


async def test_the_lock_file_is_private_complete_and_gone_at_the_end(editor):
    async with editor() as it:
        path = it.lock_path
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        lock = it.lock
        assert lock == {
            "pid": os.getpid(),
            "workspaceFolders": [os.path.realpath(it.folder)],
            "ideName": "cmdr",
            "transport": "ws",
            "runningInWindows": False,
            "authToken": lock["authToken"],
        }
        assert len(lock["authToken"]) >= 32
        assert lock_of(os.getpid()).port == it.port
    assert not path.exists()


async def test_it_stands_where_the_client_is_told_to_look(editor, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    async with editor():
        assert len(list((tmp_path / "elsewhere" / "ide").glob("*.lock"))) == 1


async def test_the_workspace_follows_the_panes_by_real_path_up_to_the_repository(editor, tmp_path):
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    (tmp_path / "link").symlink_to(project / "src")
    async with editor() as it:
        changed = asyncio.Event()
        it.commander.editor.folders.on_change(changed.set)
        await it.person("nav_to_path", pane="right", path=str(tmp_path / "link"))
        await changed.wait()
        while str(project) not in it.lock["workspaceFolders"]:
            await asyncio.sleep(0.01)
        assert it.lock["workspaceFolders"] == [str(it.folder), str(project)]


async def test_a_restart_keeps_the_port_and_changes_the_token(editor):
    async with editor() as it:
        port, token = it.port, it.lock["authToken"]
    async with editor() as again:
        assert again.port == port
        assert again.lock["authToken"] != token


async def test_a_taken_port_means_another_one(editor):
    async with editor() as it:
        port = it.port
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        async with editor() as it:
            assert it.port != port


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({HEADER: None}, 401),
        ({HEADER: "0" * 64}, 401),
        ({HEADER: "ümlaut"}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
async def test_whoever_cannot_prove_itself_is_refused_in_the_upgrade(editor, headers, status):
    async with editor() as it:
        with pytest.raises(InvalidStatus) as refused:
            async with it.client(greet=False, **headers):
                pass
        assert refused.value.response.status_code == status


async def test_another_host_name_is_refused(editor):
    async with editor() as it:
        with pytest.raises(InvalidStatus) as refused:
            await connect(
                "ws://evil.example/",
                host="127.0.0.1",
                port=it.port,
                subprotocols=["mcp"],
                additional_headers={HEADER: it.lock["authToken"]},
                proxy=None,
            )
        assert refused.value.response.status_code == 421


async def test_only_the_loopback_listens(editor):
    async with editor() as it:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        listening = [row[1] for row in rows if row[3] == "0A"]
        assert f"0100007F:{it.port:04X}" in listening
        assert f"00000000:{it.port:04X}" not in listening


async def test_a_client_that_offers_another_protocol_gets_none(editor):
    async with editor() as it:
        socket = await connect(
            f"ws://127.0.0.1:{it.port}/",
            subprotocols=["chat"],
            additional_headers={HEADER: it.lock["authToken"]},
            proxy=None,
        )
        assert socket.subprotocol is None
        await socket.close()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("{", -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ("1", -32600),
        ('{"jsonrpc":"2.0"}', -32600),
        ('{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":5,"method":7}', -32600),
        ('{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', -32602),
        ('{"jsonrpc":"2.0","id":5,"method":"resources/templates/list"}', -32601),
        (CALL + '{"name":"format_disk"}}', -32602),
        (CALL + '{"name":["x"]}}', -32602),
        (CALL + '{"name":"copy"}}', -32602),
        (CALL + '{"name":"executeCode","arguments":{"code":"1"}}}', -32602),
        (CALL + '{"name":"openDiff","arguments":{}}}', -32602),
        (CALL + '{"name":"openDiff","arguments":[]}}', -32602),
        (CALL + '{"name":"close_tab","arguments":{"tab_name":3}}}', -32602),
    ],
)  # fmt: skip
async def test_what_is_no_proper_request_is_answered_and_the_line_stays_up(editor, frame, code):
    async with editor() as it, it.client() as client:
        while client.asked != ["roots/list"]:
            await asyncio.sleep(0)
        await client.socket.send(frame)
        assert (await client.notices.get())["error"]["code"] == code
        assert (await client.ask("ping"))["result"] == {}


async def test_a_frame_beyond_all_measure_ends_the_connection_and_nothing_else(editor):
    async with editor() as it, it.client() as other:
        async with it.client() as client:
            with pytest.raises((ConnectionClosed, asyncio.CancelledError)):
                await client.ask("ping", {"x": "y" * (33 * 1024 * 1024)})
        assert (await other.ask("ping"))["result"] == {}


async def test_an_odd_cancellation_is_ignored(editor):
    async with editor() as it, it.client() as client:
        for named in (None, [], {}, "nobody", 77):
            await client.notify("notifications/cancelled", {"requestId": named})
        assert (await client.ask("ping"))["result"] == {}


def refused_text(answer):
    assert answer["result"]["isError"] is True
    (item,) = answer["result"]["content"]
    return item["text"]


async def test_what_cannot_be_reviewed_is_refused_with_a_reason(editor, tmp_path):
    async with editor() as it, it.client() as client:
        (it.folder / "binary").write_bytes(b"\0\1")
        (it.folder / "out").symlink_to(tmp_path)
        (it.folder / ".ssh").mkdir()
        (tmp_path / "outside.txt").write_text("x\n")

        async def tried(path, contents="x"):
            arguments = {"old_file_path": path, "new_file_path": path, "new_file_contents": contents, "tab_name": "t"}
            return refused_text(await client.ask("tools/call", {"name": "openDiff", "arguments": arguments}))

        assert "outside the workspace" in await tried(str(tmp_path / "outside.txt"))
        assert "outside the workspace" in await tried(str(it.folder / "out" / "outside.txt"))
        assert "outside the workspace" in await tried(str(it.folder / ".." / "outside.txt"))
        assert "private" in await tried(str(it.folder / ".ssh" / "id_rsa"))
        assert "binary" in await tried(str(it.folder / "binary"))
        assert "larger than 8 MiB" in await tried(str(it.folder / "new"), "x" * (8 * 2**20 + 1))
        assert "not a regular file" in await tried(str(it.folder / ".ssh" / ".."))
        assert not it.reviews.waiting
        assert await client.call("close_tab", tab_name="never opened") == ["TAB_CLOSED"]


async def test_the_kill_switch_ends_what_waits_and_refuses_more(editor):
    async with editor() as it, it.client() as client:
        path = str(it.folder / "a")
        arguments = {"old_file_path": path, "new_file_path": path, "new_file_contents": "x", "tab_name": "t"}
        waits = client.ask("tools/call", {"name": "openDiff", "arguments": arguments})
        await it.waiting()
        await it.person("agents.stop")
        assert "stopped all agents" in refused_text(await waits)
        assert "stopped all agents" in refused_text(await client.ask("tools/call", {"name": "getOpenEditors"}))


async def test_the_audit_names_the_client_and_never_the_token(editor, tmp_path):
    async with editor() as it:
        token = it.lock["authToken"]
        async with it.client() as client:
            await client.call("getOpenEditors")
    logged = "".join(path.read_text() for path in (tmp_path / "audit").iterdir())
    assert "agent:claude-code" in logged
    assert "get_open_editors" in logged
    assert token not in logged
    assert json.loads(logged.splitlines()[0])
