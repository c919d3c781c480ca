"""What an editor's client hears about a file: what is known at once, and what is not known said as such."""

import asyncio
import json
import shutil
import sys
from pathlib import Path

import psutil
import pytest

from cmdr.core.agents.trust import TrustStore
from cmdr.files.process_sandbox.backend import probe

EAGER = Path(__file__).parents[1] / "hostile" / "eager_server.py"
HANGING = f"#!{sys.executable}\nimport sys\nwhile sys.stdin.buffer.read(1):\n    pass\n"


async def rows(client, **arguments):
    return json.loads((await client.call("getDiagnostics", **arguments))[0])


def of_severity(row, severity):
    return [each["message"] for each in row["diagnostics"] if each["severity"] == severity]


@pytest.mark.parametrize("is_trusted", [True, False], ids=["trusted", "untrusted"])
async def test_the_first_answer_about_a_broken_file_names_the_error_on_every_fresh_start(
    start_server, client_at, is_trusted
):
    """It was empty on three of three fresh starts: loading what speaks to servers took all of the time."""
    for _ in range(3):
        served = start_server()
        broken = served.tree.left / "broken.py"
        broken.write_text("x = (\n")
        if is_trusted:
            TrustStore(str(served.home / "state" / "cmdr")).add(bytes(served.tree.left))
        async with client_at(served.home) as client:
            (row,) = await rows(client, uri=f"file://{broken}")
        assert row["uri"] == f"file://{broken}"
        assert of_severity(row, "Error"), row
        served.close()


async def test_untrusted_is_an_information_that_two_answers_share(editor, tmp_path, monkeypatch):
    """A client compares the answer before an edit with the one after it: only what is new may differ."""
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy(EAGER, tools / "gopls")
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    async with editor() as it, it.client() as client:
        file = it.folder / "a.go"
        file.write_text("package a\n")
        (before,) = await rows(client, uri=f"file://{file}")
        (told,) = before["diagnostics"]
        assert (told["severity"], told["source"]) == ("Info", "cmdr")
        assert f"the person has not trusted {it.folder}" in told["message"]
        assert set(told) == {"message", "severity", "range", "source"}
        file.write_text("package b\n")
        (after,) = await rows(client)
        assert after == before
        (proposal,) = it.commander.proposals.pending()
        assert proposal.proposed_by == "agent:claude-code"
        await it.person("reject", proposal=proposal.id)
        assert await rows(client) == [before]
        assert it.commander.proposals.pending() == []


async def test_without_the_library_for_language_servers_the_extra_is_named(editor, tmp_path, monkeypatch):
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy(EAGER, tools / "gopls")
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setitem(sys.modules, "pygls", None)
    async with editor() as it, it.client() as client:
        await it.person("trust.add", folder=str(it.folder))
        file = it.folder / "a.go"
        file.write_text("package a\n")
        (row,) = await rows(client, uri=f"file://{file}")
    (told,) = of_severity(row, "Info")
    assert told.startswith("Language servers do not run: they need cmdr-fm[lsp]: ")
    assert told.endswith(" -m pip install pygls lsprotocol")


async def test_what_a_server_still_computes_is_not_told_as_no_errors(editor, tmp_path, monkeypatch):
    if probe() is None:
        pytest.skip("no sandbox works here")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "gopls").write_text(HANGING.replace(sys.executable, "/usr/bin/python3"))
    (tools / "gopls").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    async with editor() as it, it.client() as client:
        await it.person("trust.add", folder=str(it.folder))
        file = it.folder / "a.go"
        file.write_text("package a\n")
        for row in (await rows(client, uri=f"file://{file}"), await rows(client)):
            (told,) = row
            assert [message.partition(":")[0] for message in of_severity(told, "Info")] == ["Not yet known"]


async def test_servers_end_with_the_connection_that_used_them(editor, tmp_path, monkeypatch):
    if probe() is None:
        pytest.skip("no sandbox works here")
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy(EAGER, tools / "gopls")
    (tools / "gopls").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    async with editor() as it:
        await it.person("trust.add", folder=str(it.folder))
        (it.folder / "build.py").write_text("found = {'ran': True}")
        file = it.folder / "a.go"
        file.write_text("package a\n")
        async with it.client() as client:
            while True:
                (row,) = await rows(client, uri=f"file://{file}")
                if of_severity(row, "Error"):
                    break
            running = [each for each in psutil.Process().children(recursive=True) if each.pid not in before]
            assert running
        service = it.commander.editor.diagnostics._service
        while any(slot.starting for slot in service._slots.values()) or service._endings:
            await asyncio.sleep(0)
        assert not [each for each in running if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]
