"""What fills a folder, in the terminal: fields as large as what they stand for, a list beside them, one cursor."""

import pytest

from cmdr.core.settings import Settings
from cmdr.tui.theme.appearance import Appearance
from cmdr.tui.theme.themes import LINE_THEMES
from cmdr.tui.windows.treemap import Field, TreemapFields


@pytest.fixture
def library(face, places, tmp_path):
    """Opens the face over a tree with large things in it, and indexes kept beside it."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    deep = places[0] / "docs" / "deep"
    deep.mkdir()
    (deep / "big.bin").write_bytes(b"x" * 60_000)
    (deep / "small.bin").write_bytes(b"x" * 20_000)
    (places[0] / "src" / "middle.bin").write_bytes(b"y" * 20_000)
    return lambda **how: face(indexes=str(state), **how)


async def opened(it):
    await it.press("alt+g")
    assert it.window == "TreemapWindow"
    await it.until(lambda: "80.0 %" in it.drawn or "79." in it.drawn)


async def test_the_tree_is_read_and_what_fills_it_is_told_largest_first(library):
    async with library(size=(120, 30)) as it:
        await opened(it)
        assert "What fills this folder" in it.drawn
        rows = it.terminal.screen._list.rows
        assert [row[0][0].strip() for row in rows][:2] == ["docs/", "src/"]
        fields = it.terminal.screen._fields
        # Four fifths of the field belong to what has four fifths of the bytes.
        cells = [index for row in fields._halves for index in row]
        assert 0.75 < cells.count(0) / len(cells) < 0.85
        assert len(cells) == fields.size.width * fields.size.height * 2


async def test_enter_goes_into_a_folder_and_backspace_up_to_it_again(library):
    async with library(size=(120, 30)) as it:
        await opened(it)
        await it.press("enter")
        await it.until(lambda: "deep/" in it.drawn)
        await it.press("enter")
        await it.until(lambda: "big.bin" in it.drawn and "small.bin" in it.drawn)
        await it.press("backspace", "backspace")
        await it.until(lambda: "src/" in it.drawn)
        assert it.terminal.screen._list.cursor == 0
        await it.press("down", "enter")
        await it.until(lambda: "middle.bin" in it.drawn)
        await it.press("backspace")
        await it.until(lambda: "docs/" in it.drawn)
        assert it.terminal.screen._list.cursor == 1


async def test_enter_on_a_file_shows_it_in_the_pane_and_p_the_folder(library):
    async with library(size=(120, 30)) as it:
        await opened(it)
        await it.press("enter")
        await it.until(lambda: "deep/" in it.drawn)
        await it.press("enter")
        await it.until(lambda: "big.bin" in it.drawn)
        await it.press("enter")
        await it.until(lambda: it.window == "MainScreen" and it.name == "big.bin")
        assert it.tab.path.endswith(b"/docs/deep")
        await it.press("alt+g")
        await it.until(lambda: "small.bin" in it.drawn)
        await it.press("backspace")
        await it.until(lambda: "deep/" in it.drawn)
        await it.press("p")
        await it.until(lambda: it.tab.path.endswith(b"/docs"))


async def test_the_arrows_go_to_the_field_beside_and_a_click_points_at_one(library):
    async with library(size=(120, 30)) as it:
        await opened(it)
        window = it.terminal.screen
        await it.press("right")
        there = window._list.cursor
        assert there == 1
        await it.press("left")
        assert window._list.cursor == 0
        await it.pilot.click(TreemapFields, offset=(window._fields.size.width - 2, 1))
        await it.until(lambda: window._list.cursor == there)


async def test_on_a_narrow_screen_the_list_has_all_of_it(library):
    async with library(size=(60, 20)) as it:
        await opened(it)
        assert not it.terminal.screen._fields.display or it.terminal.screen._fields.size.width == 0
        assert "docs/" in it.drawn


async def test_an_empty_folder_holds_nothing_and_a_folder_that_is_gone_is_told(library):
    async with library(size=(120, 30)) as it:
        (it.left / "docs" / "hollow").mkdir()
        await it.press("ctrl+r")
        await it.commander.run(
            it.terminal.person, "nav_to_path", {"pane": "left", "path": str(it.left / "docs/hollow")}
        )
        await it.press("alt+g")
        await it.until(lambda: "holds nothing" in it.drawn)
        await it.press("enter", "right", "escape")
        assert it.window == "MainScreen"


def drawn_fields(look, *, colour):
    appearance = Appearance(look, LINE_THEMES[look].styles(colour=colour), Appearance.chosen(Settings()).row, b"/")
    fields = TreemapFields(appearance)
    fields.lay(40, 10)
    fields.show([Field("docs/", "6M", 6), Field("src/", "3M", 3), Field("2 smaller ones", "1M", 1)], has_rest=True)
    fields.mark(1)
    return fields, [fields.line(y) for y in range(10)]


@pytest.mark.parametrize("look", LINE_THEMES)
@pytest.mark.parametrize("colour", [True, False])
def test_every_field_has_its_name_and_stands_out_from_its_neighbours(look, colour):
    fields, lines = drawn_fields(look, colour=colour)
    texts = ["".join(segment.text for segment in line) for line in lines]
    assert all(len(text) == 40 for text in texts)
    assert "docs/" in "".join(texts) and "src/" in "".join(texts) and "6M" in "".join(texts)
    styles = {fields._style(index) for index in range(3)}
    assert len(styles) == 3 or not colour
    if not colour:
        assert {"·", "░"} & set("".join(texts))


def test_nothing_to_show_is_drawn_as_nothing():
    fields, _ = drawn_fields("dark", colour=True)
    fields.show([])
    assert "".join(segment.text for segment in fields.line(0)).strip() == ""
    assert fields.beside(0, is_right=True) == 0
