"""A session of the real client, exchange by exchange, with the answers it needs to do the right thing."""

import asyncio
import json

TAB = "✻ [Claude Code] hello.py (8fda88) ⧉"


def diff_of(path, contents, tab=TAB):
    return {
        "old_file_path": str(path),
        "new_file_path": str(path),
        "new_file_contents": contents,
        "tab_name": tab,
    }


async def test_connecting(editor):
    async with editor() as it, it.client(greet=False) as client:
        assert client.socket.subprotocol == "mcp"
        answer = await client.greet()
        assert answer["id"] == 0
        assert answer["result"]["protocolVersion"] == "2025-11-25"
        assert answer["result"]["capabilities"] == {"tools": {"listChanged": True}}
        assert answer["result"]["serverInfo"]["name"] == "cmdr"
        listed = await client.ask("tools/list")
        assert listed["id"] == 1
        names = [tool["name"] for tool in listed["result"]["tools"]]
        assert names == [
            "openDiff", "openFile", "getCurrentSelection", "getLatestSelection", "getDiagnostics", "getOpenEditors",
            "getWorkspaceFolders", "checkDocumentDirty", "saveDocument", "closeAllDiffTabs", "close_tab",
        ]  # fmt: skip
        assert client.asked == ["roots/list"]
        assert await client.ask("ping") == {"jsonrpc": "2.0", "id": 2, "result": {}}


async def test_an_accepted_edit_is_written_by_the_client_alone(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "hello.py"
        file.write_text("print('hello')\n")
        assert await client.call("closeAllDiffTabs") == ["CLOSED_0_DIFF_TABS"]
        diff = client.call("openDiff", **diff_of(file, "print('goodbye')\n"))
        (case,) = await it.waiting()
        assert case.review.agent.startswith("Claude Code (")
        # The diff stays open while everything else is answered.
        assert json.loads((await client.call("getWorkspaceFolders"))[0])["rootPath"] == str(it.folder)
        assert await it.accept(case) == f"OK: Accepted {file}"
        assert await diff == ["FILE_SAVED", "print('goodbye')\n"]
        assert file.read_text() == "print('hello')\n"
        assert await client.call("close_tab", tab_name=TAB) == ["TAB_CLOSED"]
        assert await client.call("close_tab", tab_name=TAB) == ["TAB_CLOSED"]
        baseline = json.loads((await client.call("getDiagnostics", uri=f"file://{file}"))[0])
        assert [entry["uri"] for entry in baseline] in ([], [f"file://{file}"])
        file.write_text("print('goodbye'\n")
        (entry,) = json.loads((await client.call("getDiagnostics"))[0])
        assert entry["uri"] == f"file://{file}"
        assert entry["diagnostics"][0]["severity"] == "Error"


async def test_a_rejected_edit(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "hello.py"
        file.write_text("1\n")
        diff = client.call("openDiff", **diff_of(file, "2\n"))
        (case,) = await it.waiting()
        await it.person("review.reject", review=case.id)
        assert await diff == ["DIFF_REJECTED", TAB]
        assert file.read_text() == "1\n"


async def test_an_edited_accept_returns_the_text_the_person_made(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "hello.py"
        file.write_text("a\nb\nc\nd\n")
        diff = client.call("openDiff", **diff_of(file, "A\nb\nc\nD\n"))
        (case,) = await it.waiting()
        await it.person("review.hunk", review=case.id, hunk=1, decision="rejected")
        await it.accept(case)
        assert await diff == ["FILE_SAVED", "a\nb\nc\nD\n"]


async def test_a_new_file_without_a_last_newline(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "deep" / "new.txt"
        diff = client.call("openDiff", **diff_of(file, "no newline"))
        (case,) = await it.waiting()
        assert case.review.is_new_file
        await it.accept(case)
        assert await diff == ["FILE_SAVED", "no newline"]
        assert not file.exists()


async def test_a_file_with_crlf_is_compared_and_answered_with_lf(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "dos.txt"
        file.write_bytes(b"one\r\ntwo\r\nthree\r\n")
        diff = client.call("openDiff", **diff_of(file, "one\nzwei\nthree\n"))
        (case,) = await it.waiting()
        assert len(case.review.diff.hunks) == 1
        await it.accept(case)
        assert await diff == ["FILE_SAVED", "one\nzwei\nthree\n"]
        assert file.read_bytes() == b"one\r\ntwo\r\nthree\r\n"


async def test_a_byte_order_mark_comes_back_as_it_was_sent(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "bom.txt"
        file.write_bytes(b"\xef\xbb\xbfone\n")
        diff = client.call("openDiff", **diff_of(file, "\ufeffeins\n"))
        (case,) = await it.waiting()
        await it.accept(case)
        assert await diff == ["FILE_SAVED", "\ufeffeins\n"]


async def test_the_person_answers_in_the_clients_terminal_instead(editor):
    """No cancellation comes then, only close_tab; the diff is answered no first, and a late answer is harmless."""
    async with editor() as it, it.client() as client:
        file = it.folder / "hello.py"
        file.write_text("1\n")
        diff = client.call("openDiff", **diff_of(file, "2\n"))
        (case,) = await it.waiting()
        assert await client.call("close_tab", tab_name=TAB) == ["TAB_CLOSED"]
        assert await diff == ["DIFF_REJECTED", TAB]
        assert "already rejected" in await it.accept(case)


async def test_a_killed_client_leaves_no_diff_behind(editor):
    async with editor() as it, it.client() as other:
        file = it.folder / "hello.py"
        file.write_text("1\n")
        async with it.client() as client:
            diff = client.call("openDiff", **diff_of(file, "2\n"))
            (case,) = await it.waiting()
            client.socket.transport.abort()
            await it.waiting(0)
            await asyncio.wait({diff})
        assert case.review.outcome.reason == "client gone"
        assert await other.call("closeAllDiffTabs") == ["CLOSED_0_DIFF_TABS"]


async def test_the_next_turn_sweeps_only_what_its_own_connection_opened(editor):
    async with editor() as it, it.client() as one, it.client() as two:
        file = it.folder / "hello.py"
        file.write_text("1\n")
        mine = one.call("openDiff", **diff_of(file, "2\n"))
        await it.waiting(1)
        theirs = two.call("openDiff", **diff_of(file, "3\n"))
        await it.waiting(2)
        assert await one.call("closeAllDiffTabs") == ["CLOSED_1_DIFF_TABS"]
        assert await mine == ["DIFF_REJECTED", TAB]
        (case,) = await it.waiting(1)
        await it.accept(case)
        assert await theirs == ["FILE_SAVED", "3\n"]


async def test_a_reconnect_begins_again_at_id_0(editor):
    async with editor() as it:
        async with it.client() as first:
            assert (await first.ask("ping"))["id"] == 1
        async with it.client(greet=False) as again:
            assert (await again.greet())["id"] == 0


async def test_escape_during_a_call_ends_it_without_an_answer(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "hello.py"
        file.write_text("1\n")
        request = client.ask("tools/call", {"name": "openDiff", "arguments": diff_of(file, "2\n")})
        (case,) = await it.waiting()
        await client.notify(
            "notifications/cancelled", {"requestId": request.request_id, "reason": "AbortError: user-cancel"}
        )
        await it.waiting(0)
        assert case.review.outcome is not None
        assert (await client.ask("ping"))["result"] == {}
        assert not request.done()
        request.cancel()


async def test_quitting_answers_no_before_the_line_goes_dead(editor):
    async with editor() as it:
        file = it.folder / "hello.py"
        file.write_text("1\n")
        socket = it.client()
        client = await socket.__aenter__()
        diff = client.call("openDiff", **diff_of(file, "2\n"))
        await it.waiting()
        lock = it.lock_path
    assert await diff == ["DIFF_REJECTED", TAB]
    assert not lock.exists()
    await socket.__aexit__(None, None, None)
