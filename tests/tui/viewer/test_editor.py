"""The built-in editor, and what goes to the person's own."""

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError
from cmdr.tui.viewer.editor import next_place

AGENT = Principal("agent", "claude")


async def test_editing_marks_saves_and_closes(face):
    async with face() as it:
        await it.type("read")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        editor = it.terminal.screen
        await it.type("xy")
        assert editor.dirty
        assert "* " in it.drawn.splitlines()[0]
        await it.press("f2")
        await it.until(lambda: (it.left / "readme.md").read_text() == "xy# Read me\n")
        await it.until(lambda: not editor.dirty)
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")


async def test_closing_a_changed_text_asks_and_saving_is_first(face):
    async with face() as it:
        await it.type("read")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        await it.type("z")
        await it.press("escape")
        assert it.window == "Choose"
        await it.press("enter")
        await it.until(lambda: (it.left / "readme.md").read_text() == "z# Read me\n")


async def test_quitting_from_a_changed_text_asks_and_staying_is_first(face):
    async with face() as it:
        await it.type("read")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        await it.type("z")
        await it.press("ctrl+q")
        assert it.window == "Choose" and "1 file with unsaved text" in it.drawn
        await it.press("enter")
        assert it.window == "Editor" and not it.commander.quitting.is_set()
        await it.press("ctrl+q", "down", "enter")
        await it.until(lambda: it.commander.quitting.is_set())


async def test_an_agent_cannot_quit_over_text_that_the_person_types(face):
    async with face() as it:
        await it.type("read")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        await it.type("z")
        with pytest.raises(CommandError, match="open in their terminal"):
            await it.commander.run(AGENT, "quit")
        await it.press("f2")
        await it.until(lambda: not it.terminal.screen.dirty)
        # Saved or not: it would take the screen from under the person's hands.
        with pytest.raises(CommandError, match="open in their terminal"):
            await it.commander.run(AGENT, "quit")
        assert not it.commander.quitting.is_set()


async def test_a_file_changed_outside_is_not_written_over(face):
    async with face() as it:
        await it.type("read")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        (it.left / "readme.md").write_text("theirs\n")
        await it.type("mine")
        await it.press("f2")
        await it.until(lambda: "changed on disk" in it.drawn)
        assert (it.left / "readme.md").read_text() == "theirs\n"


async def test_windows_line_ends_are_kept(face, places):
    (places[0] / "aaa.txt").write_bytes(b"a\r\nb\r\n")
    async with face() as it:
        await it.type("aaa")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        await it.type("x")
        await it.press("f2")
        await it.until(lambda: (places[0] / "aaa.txt").read_bytes() == b"xa\r\nb\r\n")


async def test_a_file_with_control_characters_is_not_for_this_editor(face, places):
    (places[0] / "aaa.txt").write_text("a\x1b[2Jb\n")
    async with face() as it:
        await it.type("aaa")
        await it.press("f4")
        await it.until(lambda: "cannot be seen" in it.status)


async def test_an_own_editor_gets_the_terminal_and_the_file(face, tmp_path, monkeypatch):
    async with face() as it:
        called = []
        monkeypatch.setattr("cmdr.tui.viewer.editor.run_in_foreground", called.append)
        monkeypatch.setattr(it.terminal, "suspend", lambda: __import__("contextlib").nullcontext())
        await it.commander.run(it.terminal.person, "settings.set", {"key": "advanced.editor", "value": "vi -n"})
        await it.type("read")
        await it.press("f4")
        await it.until(lambda: called)
        assert called == [["vi", "-n", str(it.left / "readme.md")]]


async def test_a_link_to_nowhere_is_told_as_such_and_not_offered_to_another_editor(face, places):
    (places[0] / "zz").symlink_to("nowhere")
    async with face() as it:
        await it.press("end")
        await it.until(lambda: "zz → nowhere" in it.status)
        await it.press("f4")
        await it.until(lambda: "does not exist" in it.status)
        assert "EDITOR" not in it.status


async def test_words_are_found_in_the_editor_again_and_round_the_end(face, places):
    (places[0] / "zz.txt").write_text("one\ntwo One\nthree\n" + "x\n" * 100)
    async with face() as it:
        await it.type("zz")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        area = it.terminal.screen.area
        await it.press("f7")
        await it.type("one")
        await it.press("enter")
        await it.until(lambda: area.selection.end == (0, 3))
        await it.press("shift+f7")
        await it.until(lambda: (area.selection.start, area.selection.end) == ((1, 4), (1, 7)))
        await it.press("shift+f7")
        await it.until(lambda: area.selection.end == (0, 3))
        assert "Went on from the top: one" in it.drawn
        await it.press("f7")
        await it.type("zebra")
        await it.press("enter")
        await it.until(lambda: "Not found: zebra" in it.drawn)
        assert area.text.startswith("one\ntwo One")


def test_capitals_are_meant_when_they_are_typed():
    assert next_place("one One", "One", 0) == (4, 7, False)
    assert next_place("one One", "one", 1) == (4, 7, False)
    assert next_place("a.c abc", "a.c", 1) == (0, 3, True)
    assert next_place("abc", "", 0) is None
