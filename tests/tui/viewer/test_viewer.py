"""The viewer and the quick view."""

import os
import sys
import threading

import pytest
from textual.events import MouseScrollDown, MouseScrollUp

from cmdr.files.viewing.viewed_file import ViewedFile


async def open_viewer(it, name):
    await it.press("f3")
    await it.until(lambda: it.window == "Viewer")
    await it.until(lambda: it.terminal.screen.file.view is not None or it.terminal.screen.file.problem)
    await it.pilot.pause()
    return it.terminal.screen


async def test_a_file_is_viewed_and_escape_closes_it(face):
    async with face() as it:
        await it.type("main")
        viewer = await open_viewer(it, "main.py")
        await it.until(lambda: "print(os.name)" in it.drawn)
        assert viewer.path == os.fsencode(it.left / "main.py")
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")
        assert not it.commander.workspace.dialogs


async def test_search_goes_to_the_line_and_marks_it(face, places):
    (places[0] / "aaa.log").write_text("".join(f"line {number}\n" for number in range(5000)))
    async with face() as it:
        await it.type("aaa")
        viewer = await open_viewer(it, "aaa.log")
        await it.press("slash")
        await it.type("line 4321")
        await it.press("enter")
        await it.until(lambda: viewer.file.top == 4321)
        await it.press("slash", "ctrl+s")
        viewer.file.needle = ""
        await it.pilot.press(*"ctrl+u".split())
        await it.type("line 1..9$")
        await it.press("enter")
        await it.pilot.pause()


async def test_bytes_are_shown_for_binary_files_and_on_demand(face, places):
    (places[0] / "aaa.bin").write_bytes(bytes(range(256)) * 20)
    async with face() as it:
        await it.type("aaa")
        viewer = await open_viewer(it, "aaa.bin")
        await it.until(lambda: "00000010  10 11 12 13" in it.drawn)
        await it.press("end")
        await it.until(lambda: "f0 f1 f2" in it.drawn)
        await it.press("f4")
        assert not viewer.file.hex


async def test_a_huge_file_opens_at_once_and_its_end_is_one_key_away(face, places):
    with (places[0] / "aaa.big").open("wb") as big:
        big.truncate(1 << 29)
        big.seek(0)
        big.write(b"start\n" * 10)
        big.seek((1 << 29) - 4)
        big.write(b"end\n")
    async with face() as it:
        await it.type("aaa")
        viewer = await open_viewer(it, "aaa.big")
        await it.until(lambda: "start" in it.drawn)
        await it.press("escape")
        assert viewer.file.view is None


async def test_the_end_of_a_file_whose_lines_are_still_counted_is_its_end(face, places, monkeypatch):
    """One came to the end of what was counted by then, and stayed there."""
    (places[0] / "aaa.big").write_text("".join(f"{number}\n" for number in range(1000)))
    count, may_count = ViewedFile.count_more, threading.Event()

    def in_steps(file, pieces=256):
        may_count.wait()
        return count(file, 1)

    monkeypatch.setattr("cmdr.files.viewing.viewed_file.CHUNK_BYTES", 64)
    monkeypatch.setattr(ViewedFile, "count_more", in_steps)
    async with face() as it:
        await it.type("aaa")
        viewer = await open_viewer(it, "aaa.big")
        await it.press("end")
        assert not viewer.file.view.is_counted
        may_count.set()
        await it.until(lambda: viewer.file.view.is_counted and "999" in it.drawn)
        await it.press("home", "end", "up")
        assert viewer.file.top == 1000 - viewer.file.size.height


async def test_a_growing_file_is_followed(face, places):
    log = places[0] / "aaa.log"
    log.write_text("one\n")
    async with face() as it:
        await it.type("aaa")
        await open_viewer(it, "aaa.log")
        await it.press("f")
        with log.open("a") as more:
            more.write("two\n" * 3)
        await it.until(lambda: "two" in it.drawn)


async def test_encodings_can_be_changed(face, places):
    (places[0] / "aaa.txt").write_bytes("Grüße\n".encode("latin-1"))
    async with face() as it:
        await it.type("aaa")
        viewer = await open_viewer(it, "aaa.txt")
        await it.until(lambda: "Grüße" in it.drawn)
        assert viewer.file.view.encoding == "cp1252"
        await it.press("f8")
        await it.until(lambda: viewer.file.view.encoding == "cp437")


async def test_several_viewers_are_open_and_tab_goes_round(face):
    async with face() as it:
        await it.type("main")
        await open_viewer(it, "main.py")
        await it.commander.run(
            it.terminal.person, "dialog", {"action": "open", "type": "file-viewer", "path": str(it.left / "readme.md")}
        )
        await it.until(lambda: "# Read me" in it.drawn)
        await it.press("tab")
        await it.until(lambda: "import os" in it.drawn)
        await it.press("escape")
        await it.until(lambda: "# Read me" in it.drawn)


@pytest.mark.parametrize("name", ["pipe", "gone"])
async def test_what_cannot_be_viewed_is_told(face, places, name):
    os.mkfifo(places[0] / "aaa")
    async with face() as it:
        await it.type("aaa")
        if name == "gone":
            (places[0] / "aaa").unlink()
        viewer = await open_viewer(it, "aaa")
        assert viewer.file.problem


async def test_quick_view_follows_the_cursor(face):
    async with face() as it:
        await it.type("main")
        await it.press("ctrl+x")
        await it.until(lambda: "print(os.name)" in it.drawn)
        await it.press("escape", "down")
        await it.until(lambda: "# Read me" in it.drawn)
        await it.press("tab")
        await it.until(lambda: "other" in it.drawn)
        await it.press("ctrl+x")
        assert it.main.left.display and it.main.right.display


async def test_an_editor_that_cannot_colour_edits_and_names_the_extra(face, monkeypatch):
    async with face() as it:
        await it.type("main")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        assert it.terminal.screen.area.language == "python" and "cmdr-fm" not in it.drawn
        await it.press("escape")
        monkeypatch.setitem(sys.modules, "tree_sitter", None)
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        assert it.terminal.screen.area.language is None
        assert "F2 save" in it.drawn and "colours need cmdr-fm[syntax]: cmdr doctor" in it.drawn
        await it.type("xy")
        assert it.terminal.screen.area.text.startswith("xy")


async def test_offsets_of_a_file_beyond_four_gibibytes_are_equally_wide(face, places):
    """The row at the border stood one cell further to the right than the one above."""
    huge = places[0] / "zz.bin"
    with huge.open("wb") as file:
        file.truncate((1 << 32) + 4096)
    async with face() as it:
        await it.press("end", "f3")
        await it.until(lambda: it.window == "Viewer" and "000000000  00 00" in it.drawn)
        await it.press("end")
        await it.until(lambda: "100000ff0  00 00" in it.drawn)


async def test_a_search_goes_on_round_the_end_in_both_directions(face, places):
    (places[0] / "zz.txt").write_text("".join(f"line {number}\n" for number in range(500)))
    async with face() as it:
        await it.type("zz")
        await open_viewer(it, "zz.txt")
        await it.press("end", "f7")
        await it.type("line 3")
        await it.press("enter")
        await it.until(lambda: "Went on from the top: line 3" in it.drawn)
        assert it.terminal.screen.file.top == 3
        await it.press("N")
        await it.until(lambda: "Went on from the end: line 3" in it.drawn)
        assert it.terminal.screen.file.top == 399


async def test_a_line_beyond_the_end_is_the_last_one_and_bytes_are_gone_to_by_offset(face, places):
    """The screen was empty, and the way back so long as the number that was typed."""
    (places[0] / "zz.txt").write_text("".join(f"line {number}\n" for number in range(500)))
    async with face() as it:
        await it.type("zz")
        await open_viewer(it, "zz.txt")
        await it.press("f5")
        await it.type("99999999")
        await it.press("enter")
        await it.until(lambda: "line 499" in it.drawn)
        await it.press("f4", "f5")
        assert "Go to byte" in it.drawn
        await it.type("0x100")
        await it.press("enter")
        await it.until(lambda: "0x100 of" in it.drawn)


async def test_the_wheel_scrolls_a_file(face, places):
    (places[0] / "zz.txt").write_text("".join(f"line {number}\n" for number in range(500)))
    async with face() as it:
        await it.type("zz")
        await open_viewer(it, "zz.txt")
        file = it.terminal.screen.file
        file.post_message(MouseScrollDown(file, 1, 1, 0, 0, 0, False, False, False))
        await it.until(lambda: file.top == 3)
        file.post_message(MouseScrollUp(file, 1, 1, 0, 0, 0, False, False, False))
        await it.until(lambda: file.top == 0)


async def test_what_the_viewer_says_about_a_search_makes_way_for_its_keys(face):
    async with face() as it:
        await it.type("main")
        await open_viewer(it, "main.py")
        await it.press("slash")
        await it.type("os.name")
        await it.press("enter")
        await it.until(lambda: "F7 search" in it.drawn)
        await it.press("n")
        await it.until(lambda: "Went on from the top: os.name" in it.drawn)
        await it.press("slash")
        await it.type("zzz")
        await it.press("enter")
        await it.until(lambda: "Not found: " in it.drawn)
        await it.press("down")
        assert "F7 search" in it.drawn


async def test_what_only_calls_itself_a_picture_is_shown_as_bytes_and_says_why(face, places):
    """F3 on it started Ghostscript."""
    (places[0] / "aaa.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n\0showpage\n")
    async with face() as it:
        await it.type("aaa")
        viewer = await open_viewer(it, "aaa.png")
        await it.until(lambda: "25 21 50 53" in it.drawn)
        assert not viewer.file.is_image
        assert "This is no picture that can be shown." in viewer.file.describe()


async def test_a_picture_is_drawn_from_what_a_walled_decoder_made_of_it(face, places):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    image.new("RGB", (64, 32), (250, 10, 10)).save(places[0] / "aaa.png")
    async with face() as it:
        await it.type("aaa")
        viewer = await open_viewer(it, "aaa.png")
        await it.until(lambda: viewer.file.is_image)
        assert "▀" in it.drawn
