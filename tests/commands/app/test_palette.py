"""Palette commands by id: the program, the clipboard, the viewer, and the list of them all."""

import os

import yaml

from cmdr import __version__
from cmdr.core.dispatch.principals import Principal
from cmdr.core.dispatch.registry import REGISTRY
from cmdr.model.texts.text_format import read_text


async def test_a_palette_command_answers_as_it_would_alone(desk):
    """Its answer was told as `OK: OK: …`."""
    async with desk() as at:
        alone = await at.agent("app.about")
        assert alone == f"OK: Opened about (cmdr {__version__})"
        assert await at.agent("command", id="app.about") == alone
        assert (await at.agent("command", id="state", args={"pane": "left"})).startswith("focused: left\n")


async def test_arguments_are_checked_by_the_command_itself(desk):
    async with desk() as at:
        answer = await at.agent("command", id="nav.parent", args={"pane": "up"})
        assert answer == 'ERROR: "pane" must be one of left, right, focused, other, not "up".'
        assert (await at.agent("command", id="nav.parent", args={"pane": "right"})).startswith("OK: Navigated")


async def test_unknown_and_forbidden_commands_are_told_apart(desk):
    async with desk() as at:
        answer = await at.agent("command", id="no.such\nthing")
        assert answer == 'ERROR: No command "no.such\\u{a}thing". Read cmdr://commands for the ids.'
        answer = await at.agent("command", id="approve", args={"proposal": "p", "digest": "d"})
        assert answer == "ERROR: approve is for the person only. Ask them to do it."
        assert await at.agent("command", id="command", args={"id": "state"}) == "ERROR: command cannot run itself."


async def test_what_is_not_switched_on_cannot_be_reached_through_the_palette(desk):
    """It ended the call as an unknown tool, as if `command` itself were missing."""
    async with desk() as at:
        held = Principal("agent", "held", toolsets=frozenset({"panes"}))
        answer = await at.ask(held, "command", {"id": "copy"})
        assert answer == 'ERROR: No command "copy". Read cmdr://commands for the ids.'


async def test_the_list_holds_what_the_caller_may_run(desk):
    async with desk() as at:
        told = {row["id"]: row for row in yaml.safe_load(await at.agent("commands_list"))["commands"]}
        assert told["nav.parent"]["args"] == "pane?"
        assert "approve" not in told
        persons = {row["id"] for row in yaml.safe_load(await at.person("commands_list"))["commands"]}
        assert persons == {command.id for command in REGISTRY if command.is_in_palette}


async def test_quitting_is_asked_for_and_not_forced(desk):
    async with desk() as at:
        assert await at.agent("quit") == "OK: Quitting"
        assert at.commander.quitting.is_set()


async def test_an_agent_cannot_quit_while_a_proposal_waits_for_the_person(desk):
    async with desk(engine=True) as at:
        await at.agent("mkdir", pane="left", name="new")
        answer = await at.agent("quit")
        assert answer == "ERROR: Not now: 1 proposal waiting for an answer. Ask the person to quit."
        assert not at.commander.quitting.is_set()
        assert await at.person("quit") == "OK: Quitting"


async def test_unsaved_text_holds_up_everybody_and_only_the_person_can_quit_anyway(desk):
    async with desk() as at:
        documents = at.commander.editor.documents
        buffer = documents.hold(os.fsencode(at.path("left/a9.txt")), read_text(b"xxxxxxx"), None)
        documents.typed(buffer, "half a sentence")
        assert await at.agent("quit") == "ERROR: Not now: 1 file with unsaved text. Ask the person to quit."
        assert (await at.agent("app.quitAnyway")).startswith("ERROR: app.quitAnyway is for the person only")
        assert await at.person("quit") == (
            f"ERROR: {at.path('left/a9.txt')} has unsaved text. Save it or close it, then quit."
        )
        assert not at.commander.quitting.is_set()
        assert await at.person("app.quitAnyway") == "OK: Quitting"


async def test_an_agent_cannot_quit_under_the_persons_own_editor(desk):
    async with desk() as at:
        at.commander.desktop.terminal_suspended = True
        assert "the person's editor or shell is open" in await at.agent("quit")
        assert not at.commander.quitting.is_set()


async def test_about_is_open_once(desk):
    async with desk() as at:
        for _ in range(2):
            await at.person("app.about")
        assert len(at.workspace.dialogs) == 1


async def test_without_a_terminal_there_is_nothing_to_hide(desk):
    async with desk() as at:
        assert (await at.person("app.hide")).startswith("ERROR: cmdr runs without a terminal")
        hidden = []
        at.commander.desktop.suspend = lambda: hidden.append(True)
        assert await at.person("app.hide") == "OK: Suspended to the shell"
        assert hidden == [True]


async def test_paths_and_names_go_to_the_clipboard_as_they_are(desk, monkeypatch):
    monkeypatch.setenv("PATH", "")
    async with desk() as at:
        copied = []
        at.commander.desktop.terminal_clipboard = copied.append
        await at.agent("move_cursor", pane="left", to="README.md")
        assert await at.agent("file.copyPath") == (
            f"OK: Copied {at.path('left/README.md')} through the terminal (OSC 52)"
        )
        await at.agent("file.copyFilename")
        assert copied == [at.path("left/README.md"), "README.md"]


async def test_viewer_and_info_open_for_the_entry_under_the_cursor(desk):
    async with desk() as at:
        await at.agent("move_cursor", pane="left", to="README.md")
        path = at.path("left/README.md")
        assert await at.agent("file.quickLook") == f"OK: Opened file viewer for {path}"
        assert await at.agent("file.getInfo") == f"OK: Opened info for {path}"
        await at.agent("file.quickLook")
        assert [dialog.type for dialog in at.workspace.dialogs] == ["info", "file-viewer"]
        await at.agent("nav_to_path", pane="left", path="src")
        assert await at.agent("file.getInfo") == "ERROR: The left pane is empty."


async def test_only_the_folder_is_handed_to_the_file_manager(desk, tmp_path, monkeypatch):
    programs = tmp_path / "bin"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text(f'#!/bin/sh\nprintf %s "$1" > "{tmp_path}/opened"\n')
    opener.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("sys.platform", "linux")
    async with desk() as at:
        await at.agent("move_cursor", pane="left", to="README.md")
        answer = await at.agent("file.showInFinder")
        assert answer == f"OK: Showing {at.path('left/README.md')} through xdg-open"
        assert (tmp_path / "opened").read_text() == at.path("left")
