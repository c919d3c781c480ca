"""Calls of one connection are taken in their order: a diff that is closed before it stands is answered all the same."""

import asyncio
import json

from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import Principal
from cmdr.core.dispatch.registry import ALL_TOOLSETS
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.model.root_spec import RootSpec

TIMES = 50


def call(id, tool, **arguments):
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})


def diff(id, file, tab, contents="two\n"):
    path = str(file)
    return call(id, "openDiff", old_file_path=path, new_file_path=path, new_file_contents=contents, tab_name=tab)


async def in_one_go(client, *frames):
    """Send frames in one write to the socket, so that none is read before the next has come; their answers by id."""
    ids = [json.loads(frame)["id"] for frame in frames]
    futures = {id: asyncio.get_running_loop().create_future() for id in ids}
    client._open.update(futures)
    connection = client.socket
    async with connection.send_context():
        for frame in frames:
            connection.protocol.send_text(frame.encode())
    answers = await asyncio.wait_for(asyncio.gather(*futures.values()), 20)
    return {
        answer["id"]: [item["text"] for item in answer["result"]["content"]] if "result" in answer else answer["error"]
        for answer in answers
    }


async def test_a_diff_closed_in_the_same_breath_is_rejected_every_time(editor):
    """Was: TAB_CLOSED at once, and openDiff never answered."""
    async with editor() as it, it.client() as client:
        file = it.folder / "a.txt"
        file.write_text("one\n")
        for number in range(TIMES):
            tab = f"✻ {number} ⧉"
            answers = await in_one_go(
                client, diff(f"d{number}", file, tab), call(f"c{number}", "close_tab", tab_name=tab)
            )
            assert answers == {f"d{number}": ["DIFF_REJECTED", tab], f"c{number}": ["TAB_CLOSED"]}
        assert it.reviews.waiting == ()
        assert file.read_text() == "one\n"


async def test_closing_all_counts_and_rejects_those_on_their_way(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "a.txt"
        file.write_text("one\n")
        frames = (diff("a", file, "A"), diff("b", file, "B"), call("all", "closeAllDiffTabs"))
        answers = await in_one_go(client, *frames)
        assert answers == {"a": ["DIFF_REJECTED", "A"], "b": ["DIFF_REJECTED", "B"], "all": ["CLOSED_2_DIFF_TABS"]}
        assert await client.call("closeAllDiffTabs") == ["CLOSED_0_DIFF_TABS"]


async def test_the_later_of_two_diffs_in_one_tab_is_the_one_that_stands(editor):
    async with editor() as it, it.client() as client:
        slow, quick = it.folder / "slow.txt", it.folder / "quick.txt"
        slow.write_text("x\n" * 200_000)  # takes longer to read and to compare than the one behind it
        quick.write_text("one\n")
        second = asyncio.create_task(in_one_go(client, diff("a", slow, "T", "y\n"), diff("b", quick, "T")))
        while "a" in client._open:
            await asyncio.sleep(0)
        (case,) = await it.waiting()
        assert case.review.path == bytes(quick)
        await it.accept(case)
        assert await second == {"a": ["DIFF_REJECTED", "T"], "b": ["FILE_SAVED", "two\n"]}


async def test_a_diff_that_waits_holds_up_no_later_call(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "a.txt"
        file.write_text("one\n")
        waiting = asyncio.create_task(in_one_go(client, diff("d", file, "T"), call("w", "getWorkspaceFolders")))
        while "w" in client._open:
            await asyncio.sleep(0)
        (case,) = await it.waiting()
        await it.accept(case)
        assert (await waiting)["d"] == ["FILE_SAVED", "two\n"]


async def test_closing_another_tab_or_that_of_another_client_leaves_it_waiting(editor):
    async with editor() as it, it.client() as client, it.client() as other:
        file = it.folder / "a.txt"
        file.write_text("one\n")
        both = asyncio.create_task(in_one_go(client, diff("d", file, "T"), call("c", "close_tab", tab_name="U")))
        assert await other.call("close_tab", tab_name="T") == ["TAB_CLOSED"]
        (case,) = await it.waiting()
        assert not both.done()
        await it.accept(case)
        assert await both == {"d": ["FILE_SAVED", "two\n"], "c": ["TAB_CLOSED"]}


async def test_a_diff_that_cannot_be_shown_says_so_also_when_it_was_closed(editor):
    async with editor() as it, it.client() as client:
        outside = it.folder.parent / "outside.txt"
        answers = await in_one_go(client, diff("d", outside, "T"), call("c", "close_tab", tab_name="T"))
        assert "outside" in answers["d"][0]
        assert answers["c"] == ["TAB_CLOSED"]


async def test_the_same_holds_for_the_tools_of_mcp(editor):
    async with editor(policy=Policy(ALL_TOOLSETS)) as it:
        it.commander.sandbox = Sandbox((RootSpec(bytes(it.folder)),))
        agent = Principal("agent", "codex", token=True)
        file = it.folder / "a.txt"
        file.write_text("one\n")
        for number in range(TIMES):
            named = {"title": f"edit {number}"} if number % 2 else {}  # without a title it is the file's name
            proposed = it.commander.run(agent, "open_diff", {"path": str(file), "contents": "two\n", **named})
            closed = it.commander.run(agent, "close_tab", {"tabName": named.get("title", "a.txt")})
            async with asyncio.timeout(20):
                assert await asyncio.gather(proposed, closed) == ["OK: DIFF_REJECTED (tab closed)", "TAB_CLOSED"]
        assert it.reviews.waiting == ()
