"""The tools that the model or a test calls directly, with the answers other editors give; and what clients are told."""

import asyncio
import json
import os

import pytest

from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import SAME_USER, Principal
from cmdr.core.dispatch.registry import ALL_TOOLSETS
from cmdr.core.editing.text_files import text_now
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.ide import notifications
from cmdr.model.root_spec import RootSpec


async def told(client, tool, **arguments):
    (text,) = await client.call(tool, **arguments)
    return json.loads(text)


async def held(it, file):
    """The person has a file open in cmdr's own editor."""
    documents = it.commander.editor.documents

    async def save():
        file.write_text(documents.text_of(bytes(file)))
        return True

    return documents.hold(bytes(file), await text_now(bytes(file)), lambda: asyncio.ensure_future(save()))


async def test_open_file_answers_as_asked(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "a b.py"
        file.write_text("def one():\n    pass\n\ndef two():\n    pass\n")
        assert await client.call("openFile", filePath=str(file)) == [f"Opened file: {file}"]
        assert await told(client, "openFile", filePath=str(file), makeFrontmost=False) == {
            "success": True,
            "filePath": str(file),
            "languageId": "python",
            "lineCount": 6,
        }
        await client.call(
            "openFile", filePath=str(file), startText="def two", endText="pass", selectToEndOfLine=True, preview=True
        )
        selected = await told(client, "getCurrentSelection")
        assert selected == {
            "success": True,
            "text": "def two():\n    pass",
            "filePath": str(file),
            "selection": {
                "start": {"line": 3, "character": 0},
                "end": {"line": 4, "character": 8},
                "isEmpty": False,
            },
        }
        (tab,) = (await told(client, "getOpenEditors"))["tabs"]
        assert tab == {
            "uri": f"file://{it.folder}/a%20b.py",
            "isActive": True,
            "label": "a b.py",
            "languageId": "python",
            "isDirty": False,
        }


async def test_with_nothing_open_there_is_nothing_to_tell(editor):
    async with editor() as it, it.client() as client:
        assert await told(client, "getCurrentSelection") == {"success": False, "message": "No active editor found"}
        assert await told(client, "getLatestSelection") == {"success": False, "message": "No selection available"}
        assert await told(client, "getOpenEditors") == {"tabs": []}
        missing = str(it.folder / "missing")
        not_open = {"success": False, "message": f"Document not open: {missing}"}
        assert await told(client, "checkDocumentDirty", filePath=missing) == not_open
        assert await told(client, "saveDocument", filePath=missing) == not_open
        assert await told(client, "getWorkspaceFolders") == {
            "success": True,
            "folders": [{"name": "ws", "uri": f"file://{it.folder}", "path": str(it.folder)}],
            "rootPath": str(it.folder),
        }
        for uri in ("file:///etc/shadow", "nonsense:", f"file://{missing}"):
            (row,) = await told(client, "getDiagnostics", uri=uri)
            (note,) = row["diagnostics"]  # not "no errors": nobody has looked
            assert (note["severity"], note["message"].startswith("Not known: ")) == ("Info", True)
        (row,) = await told(client, "getDiagnostics")
        assert row["uri"] == f"file://{missing}"


async def test_a_document_the_person_edits_is_dirty_until_it_is_saved(editor):
    async with editor() as it, it.client() as client:
        file = it.folder / "x.txt"
        file.write_text("one\n")
        buffer = await held(it, file)
        assert (await told(client, "checkDocumentDirty", filePath=str(file)))["isDirty"] is False
        it.commander.editor.documents.typed(buffer, "two\n")
        assert await told(client, "checkDocumentDirty", filePath=str(file)) == {
            "success": True,
            "filePath": str(file),
            "isDirty": True,
            "isUntitled": False,
        }
        arguments = {
            "old_file_path": str(file),
            "new_file_path": str(file),
            "new_file_contents": "3\n",
            "tab_name": "t",
        }
        refused = (await client.ask("tools/call", {"name": "openDiff", "arguments": arguments}))["result"]
        assert refused["isError"] is True
        assert "unsaved changes" in refused["content"][0]["text"]
        assert await told(client, "saveDocument", filePath=str(file)) == {
            "success": True,
            "filePath": str(file),
            "saved": True,
            "message": "Document saved successfully",
        }
        assert file.read_text() == "two\n"


async def test_a_selection_is_told_once_it_rests(editor, monkeypatch):
    monkeypatch.setattr(notifications, "SETTLE_S", 0.01)
    async with editor() as it, it.client() as client, it.client() as other:
        file = it.folder / "emoji.txt"
        file.write_text("a😀b\nsecond\n")
        buffer = await held(it, file)
        documents = it.commander.editor.documents
        for column in range(3):
            documents.selected(buffer, buffer.text, (0, 0), (0, column))
        notice = await client.notices.get()
        assert notice == {
            "jsonrpc": "2.0",
            "method": "selection_changed",
            "params": {
                "text": "a😀",
                "filePath": str(file),
                "fileUrl": f"file://{file}",
                "selection": {
                    "start": {"line": 0, "character": 0},
                    "end": {"line": 0, "character": 3},
                    "isEmpty": False,
                },
            },
        }
        assert await other.notices.get() == notice
        assert (await told(client, "getLatestSelection"))["text"] == "a😀"


async def test_nothing_is_told_while_the_person_has_stopped_the_agents(editor, monkeypatch):
    """What was selected went on to be sent to every editor's client."""
    monkeypatch.setattr(notifications, "SETTLE_S", 0.0)
    async with editor() as it, it.client() as client:
        file = it.folder / "a.txt"
        file.write_text("one two\n")
        buffer = await held(it, file)
        await it.person("agents.stop")
        it.commander.editor.documents.selected(buffer, buffer.text, (0, 0), (0, 3))
        for _ in range(50):
            await client.ask("ping")  # time enough for a notice to overtake them
        await it.person("agents.allow")
        it.commander.editor.documents.selected(buffer, buffer.text, (0, 4), (0, 7))
        assert (await client.notices.get())["params"]["text"] == "two"


async def test_nothing_private_and_nothing_outside_is_told(editor, tmp_path, monkeypatch):
    monkeypatch.setattr(notifications, "SETTLE_S", 0.0)
    async with editor() as it, it.client() as client:
        outside, private, fine = tmp_path / "outside.txt", it.folder / ".netrc", it.folder / "fine.txt"
        documents = it.commander.editor.documents
        for file in (outside, private, fine):
            file.write_text(f"secret of {file.name}\n")
            buffer = await held(it, file)
            documents.selected(buffer, buffer.text, (0, 0), (0, 6))
            while it.commander.editor.documents.selection().path != bytes(file):
                await asyncio.sleep(0)
            if file is not fine:
                assert (await told(client, "getCurrentSelection"))["success"] is False
        assert (await client.notices.get())["params"]["filePath"] == str(fine)
        labels = [tab["label"] for tab in (await told(client, "getOpenEditors"))["tabs"]]
        assert labels == ["fine.txt"]


async def test_a_key_mentions_a_file_and_its_lines(editor):
    async with editor() as it:
        file = it.folder / "m.py"
        file.write_text("1\n2\n3\n")
        assert (await it.person("mention", path=str(file))).startswith("ERROR: No coding agent is connected")
        async with it.client() as client:
            await client.ask("ping")
            assert await it.person("mention", path=str(file), first=1, last=2) == "OK: Mentioned m.py"
            assert (await client.notices.get())["params"] == {"filePath": str(file), "lineStart": 0, "lineEnd": 1}
            await it.person("mention", path=str(file))
            notice = await client.notices.get()
            assert notice["method"] == "at_mentioned"
            assert notice["params"] == {"filePath": str(file)}
            assert "outside the workspace" in await it.person("mention", path="/etc/hosts")


@pytest.mark.parametrize("name", ["back\\x41slash.txt", "spaß.txt", "quo\"te'.txt"])
async def test_names_come_as_they_are(editor, name):
    async with editor() as it, it.client() as client:
        file = it.folder / name
        file.write_text("1\n")
        assert (await client.call("openFile", filePath=str(file)))[0].startswith("Opened file: ")
        diff = {"old_file_path": str(file), "new_file_path": str(file), "new_file_contents": "2\n", "tab_name": "t"}
        waits = client.call("openDiff", **diff)
        (case,) = await it.waiting()
        assert case.review.path == bytes(file)
        await it.accept(case)
        assert await waits == ["FILE_SAVED", "2\n"]


async def test_code_is_offered_only_where_it_is_switched_on_and_a_no_runs_nothing(editor):
    from cmdr.core.dispatch.policy import Policy
    from cmdr.files.process_sandbox.backend import Backend
    from cmdr.files.sandbox.path_resolver import Sandbox
    from cmdr.model.root_spec import RootSpec

    async with editor(policy=Policy(allow_shell=True)) as it, it.client() as client:
        listed = (await client.ask("tools/list"))["result"]["tools"]
        assert next(tool for tool in listed if tool["name"] == "executeCode")["inputSchema"]["required"] == ["code"]
        it.commander.shells._sandbox = Sandbox((RootSpec(bytes(it.folder)),))
        it.commander.shells.backend = Backend.BUBBLEWRAP
        asked = client.ask("tools/call", {"name": "executeCode", "arguments": {"code": "print(1)"}})
        while not it.commander.proposals.pending():
            await it.commander.events.beyond(it.commander.events.rev)
        (proposal,) = it.commander.proposals.pending()
        assert "│ print(1)" in proposal.plan.summary
        await it.person("reject", proposal=proposal.id)
        refused = (await asked)["result"]
        assert refused["isError"] is True
        assert "Nothing was run" in refused["content"][0]["text"]


async def test_where_an_agent_leads_a_pane_is_no_part_of_the_workspace(editor, tmp_path):
    """An agent without a token went to `/`, and an editor's client then read any file there."""
    async with editor() as it, it.client() as client:
        secret = tmp_path / "elsewhere" / "secret.txt"
        secret.parent.mkdir()
        secret.write_text("secret\n")
        await it.commander.run(SAME_USER, "nav_to_path", {"pane": "left", "path": str(secret.parent)})
        await it.commander.run(SAME_USER, "tab.new", {"pane": "right", "path": str(secret.parent)})
        assert [folder["path"] for folder in (await told(client, "getWorkspaceFolders"))["folders"]] == [str(it.folder)]
        arguments = {"filePath": str(secret), "startText": "s", "endText": "t"}
        refused = (await client.ask("tools/call", {"name": "openFile", "arguments": arguments}))["result"]
        assert "outside the workspace" in refused["content"][0]["text"]
        # The person goes there themselves: now it is theirs to show.
        changed = asyncio.Event()
        it.commander.editor.folders.on_change(changed.set)
        await it.person("nav_to_path", pane="left", path=str(secret.parent))
        await changed.wait()
        assert str(secret.parent) in {
            folder["path"] for folder in (await told(client, "getWorkspaceFolders"))["folders"]
        }
        # And an agent that goes there again, where the person is already, takes nothing away.
        await it.commander.run(SAME_USER, "nav_to_path", {"pane": "left", "path": str(secret.parent)})
        assert not it.commander.workspace.left.tab.opened_by_agent


async def test_a_client_held_to_its_roots_hears_of_no_document_elsewhere(editor, tmp_path):
    """What was selected in any file of the workspace was told to every token."""
    project = tmp_path / "ws" / "project"
    policy = Policy(ALL_TOOLSETS)
    async with editor(policy=policy, sandbox=Sandbox([RootSpec(os.fsencode(tmp_path / "ws"))])) as it:
        project.mkdir()
        (it.folder / "diary.txt").write_text("dear diary\n")
        (project / "main.py").write_text("import os\n")
        held = Principal("agent", "held", token=True, roots=(RootSpec(os.fsencode(project)),))
        free = Principal("agent", "free", token=True)

        async def asked(principal, name):
            return json.loads(await it.commander.run(principal, name, {}))

        for path, text in ((it.folder / "diary.txt", "dear"), (project / "main.py", "import")):
            opened = it.commander.editor.text.open_file
            await opened(os.fsencode(path), "person:terminal", text, None, to_end_of_line=True, front=True)
        assert [tab["label"] for tab in (await asked(held, "get_open_editors"))["tabs"]] == ["main.py"]
        assert len((await asked(free, "get_open_editors"))["tabs"]) == 2
        assert (await asked(held, "get_current_selection"))["text"] == "import os"
        await opened(
            os.fsencode(it.folder / "diary.txt"), "person:terminal", "dear", None, to_end_of_line=True, front=True
        )
        for name in ("get_current_selection", "get_latest_selection"):
            assert (await asked(held, name))["success"] is False
            assert (await asked(free, name))["text"] == "dear diary"


async def test_a_document_that_is_shown_is_closed_as_a_tab_by_its_name(editor):
    async with editor() as it, it.client() as client:
        for name in ("one.txt", "two.txt"):
            (it.folder / name).write_text("x\n")
            await client.call("openFile", filePath=str(it.folder / name))
        assert await client.call("close_tab", tab_name="one.txt") == ["TAB_CLOSED"]
        assert [tab["label"] for tab in (await told(client, "getOpenEditors"))["tabs"]] == ["two.txt"]
        assert await client.call("close_tab", tab_name=str(it.folder / "two.txt")) == ["TAB_CLOSED"]
        assert (await told(client, "getOpenEditors"))["tabs"] == []
        assert it.commander.workspace.dialogs == []


async def test_for_a_client_that_does_not_write_itself_saved_means_written(editor):
    async with editor() as it, it.client(greet=False) as client:
        await client.greet(name="other-editor", title="Other")
        file = it.folder / "hello.txt"
        file.write_text("1\n")
        sent = {"old_file_path": str(file), "new_file_path": str(file), "new_file_contents": "2\n", "tab_name": "a\\b"}
        diff = client.call("openDiff", **sent)
        (case,) = await it.waiting()
        await it.accept(case)
        assert await diff == ["FILE_SAVED", "2\n"]
        assert file.read_text() == "2\n"
        assert await client.call("closeAllDiffTabs") == ["CLOSED_0_DIFF_TABS"]
