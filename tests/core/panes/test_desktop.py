"""The desktop's programs are used where they are, and their absence is said kindly."""

import os

import pytest

from cmdr.core.errors import CommandError
from cmdr.core.panes import desktop as desk
from cmdr.core.panes.desktop import Desktop


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Makes a program of the desktop, which keeps what it was given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("DISPLAY", ":0")

    def make(name, script):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return tmp_path / "kept"

    return make


async def test_text_goes_to_the_first_clipboard_that_takes_it(programs, tmp_path):
    programs("wl-copy", "exit 1")
    kept = programs("xclip", f'/bin/cat > "{tmp_path}/kept"; echo "$@" >> "{tmp_path}/kept"')
    assert await Desktop().copy("a path\udcff") == "xclip"
    assert kept.read_bytes() == b"a path\xff-selection clipboard\n"


async def test_the_terminal_takes_it_when_no_program_does(programs):
    desktop, taken = Desktop(), []
    desktop.terminal_clipboard = taken.append
    assert await desktop.copy("text") == "the terminal (OSC 52)"
    assert taken == ["text"]


async def test_without_any_clipboard_it_says_what_to_install(programs):
    with pytest.raises(CommandError, match="install wl-copy, xclip or xsel"):
        await Desktop().copy("text")


async def test_a_clipboard_program_without_a_display_is_not_asked_to_be_installed(programs):
    programs("xclip", "exit 1")
    with pytest.raises(CommandError, match="xclip reaches no display"):
        await Desktop().copy("text")


async def test_a_clipboard_that_hangs_is_given_up(programs, monkeypatch):
    monkeypatch.setattr(desk, "_TIMEOUT_S", 0.05)
    programs("xsel", "exec /bin/sleep 60")
    with pytest.raises(CommandError, match="No clipboard"):
        await Desktop().copy("text")


async def test_a_clipboard_that_cannot_be_run_is_passed_over(programs, tmp_path):
    programs("wl-copy", "")
    (tmp_path / "bin" / "wl-copy").write_bytes(b"\x7fELF not really")
    with pytest.raises(CommandError, match="No clipboard"):
        await Desktop().copy("text")


async def test_a_file_manager_on_the_bus_selects_the_entry_and_no_name_can_break_out(programs, tmp_path, monkeypatch):
    monkeypatch.setattr(desk.sys, "platform", "linux")
    kept = programs(
        "gdbus", f'for given; do last=$previous; previous=$given; done; printf %s "$last" > "{tmp_path}/kept"'
    )
    assert await Desktop().reveal(b"/tmp/n\xff m', 'x']") == "the file manager"
    assert kept.read_bytes() == b"['file:///tmp/n%FF%20m%27%2C%20%27x%27%5D']"


async def test_an_opener_is_given_only_the_folder_in_its_very_bytes(programs, tmp_path, monkeypatch):
    monkeypatch.setattr(desk.sys, "platform", "linux")
    programs("gdbus", "exit 1")
    kept = programs("xdg-open", f'printf %s "$1" > "{tmp_path}/kept"')
    assert await Desktop().reveal(b"/tmp/n\xff m/run-me.sh") == "xdg-open"
    assert kept.read_bytes() == b"/tmp/n\xff m"


async def test_a_file_manager_that_stays_in_the_foreground_has_opened(programs, monkeypatch):
    monkeypatch.setattr(desk.sys, "platform", "linux")
    monkeypatch.setattr(desk, "_TIMEOUT_S", 0.05)
    programs("xdg-open", "exec /bin/sleep 60")
    assert await Desktop().reveal(b"/tmp") == "xdg-open"


@pytest.mark.parametrize("script", [None, "exit 3"], ids=["absent", "failing"])
async def test_no_file_manager_is_said(programs, monkeypatch, script):
    monkeypatch.setattr(desk.sys, "platform", "linux")
    if script:
        programs("xdg-open", script)
    with pytest.raises(CommandError, match="is a desktop running"):
        await Desktop().reveal(os.fsencode("/tmp/x"))


async def test_without_a_display_nothing_is_started(programs, tmp_path, monkeypatch):
    monkeypatch.setattr(desk.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    kept = programs("xdg-open", f'echo started > "{tmp_path}/kept"')
    with pytest.raises(CommandError, match="without a display"):
        await Desktop().reveal(b"/tmp")
    assert not kept.exists()
