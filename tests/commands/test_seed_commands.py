"""Every app command of the seeds runs through `command`: it does the real thing, or says clearly why it cannot."""

import os
import stat
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hostile"))

from walls_ground import Ground

from cmdr.model.panes.workspace import DialogType

SEED_COMMANDS = """
    app.hide app.about view.showHidden view.briefMode view.fullMode pane.switch pane.leftVolumeChooser
    pane.rightVolumeChooser nav.open nav.parent nav.back nav.forward file.showInFinder file.copyPath file.copyFilename
    file.quickLook file.getInfo app.quit
""".split()


@pytest.fixture
def ground(tmp_path, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    with Ground(tmp_path) as made:
        yield made


def program(ground, name, script):
    """Put a program of this name on the path."""
    path = ground.home / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_every_command_of_the_seeds_answers(ground):
    for id in SEED_COMMANDS:
        answer = ground.ask("command", id=id)
        assert answer.startswith(("OK: ", "ERROR: ")), answer
        assert "No command" not in answer
        if answer.startswith("ERROR: "):
            assert id in (
                "app.hide",
                "file.showInFinder",
                "file.copyPath",
                "file.copyFilename",
                "nav.back",
                "nav.forward",
            )
            assert len(answer) > 30


def test_paths_and_names_go_to_the_clipboard_program(ground):
    program(ground, "xclip", f"/bin/cat > {ground.home}/clip")
    ground.ask("move_cursor", pane="left", to="file.txt")
    assert ground.ask("command", id="file.copyPath") == f"OK: Copied {ground.root}/file.txt through xclip"
    assert (ground.home / "clip").read_text() == str(ground.root / "file.txt")
    ground.ask("command", id="file.copyFilename")
    assert (ground.home / "clip").read_text() == "file.txt"


def test_without_a_clipboard_it_says_what_to_install(ground):
    assert "install wl-copy, xclip or xsel" in ground.ask("command", id="file.copyPath")


def test_the_terminals_own_clipboard_is_the_last_resort(ground):
    program(ground, "xclip", "exit 1")
    sent = []
    ground.commander.desktop.terminal_clipboard = sent.append
    ground.ask("move_cursor", pane="left", to="file.txt")
    assert "the terminal (OSC 52)" in ground.ask("command", id="file.copyFilename")
    assert sent == ["file.txt"]


@pytest.mark.skipif(sys.platform == "darwin", reason="the Linux way")
def test_the_file_manager_is_asked_to_select_and_else_opens_the_folder(ground, monkeypatch):
    (ground.root / "odd'] name").touch()
    ground.ask("refresh", pane="left")
    ground.ask("move_cursor", pane="left", to="odd'] name")
    assert "without a display" in ground.ask("command", id="file.showInFinder")
    monkeypatch.setenv("DISPLAY", ":9")
    assert "did not answer" in ground.ask("command", id="file.showInFinder")
    program(ground, "xdg-open", f'printf "%s\\n" "$@" > {ground.home}/opened')
    assert ground.ask("command", id="file.showInFinder").endswith("through xdg-open")
    assert (ground.home / "opened").read_text() == f"{ground.root}\n"
    program(ground, "gdbus", f'printf "%s\\n" "$@" > {ground.home}/asked')
    assert ground.ask("command", id="file.showInFinder").endswith("through the file manager")
    assert f"['file://{ground.root}/odd%27%5D%20name']" in (ground.home / "asked").read_text().splitlines()


def test_an_agent_cannot_stop_the_program_that_answers_it_by_hiding_it(ground):
    hidden = []
    ground.commander.desktop.suspend = lambda: hidden.append(True)
    assert ground.ask("command", id="app.hide").startswith("ERROR: Only the person steps aside")
    assert hidden == []


def test_quick_look_views_files_and_tells_the_facts_of_folders(ground):
    dialogs = ground.commander.workspace
    ground.ask("move_cursor", pane="left", to="file.txt")
    ground.ask("command", id="file.quickLook")
    assert [dialog.path for dialog in dialogs.dialogs_of(DialogType.FILE_VIEWER)] == [
        os.fsencode(ground.root / "file.txt")
    ]
    ground.ask("move_cursor", pane="left", to="sub")
    ground.ask("command", id="file.quickLook")
    ground.ask("command", id="file.getInfo")
    assert [dialog.path for dialog in dialogs.dialogs_of(DialogType.INFO)] == [os.fsencode(ground.root / "sub")]


def test_volume_choosers_and_about_open_their_dialogs(ground):
    for id, type in (
        ("pane.leftVolumeChooser", DialogType.VOLUME_PICKER),
        ("pane.rightVolumeChooser", DialogType.VOLUME_PICKER),
        ("app.about", DialogType.ABOUT),
    ):
        ground.ask("command", id=id)
        assert ground.commander.workspace.dialogs_of(type)
