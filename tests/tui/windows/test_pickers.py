"""Lists to choose from, and reports, which are chosen in a window and opened in a tab."""

import os

import pytest

from cmdr.model.panes.workspace import Volume


@pytest.fixture
def library(face, places, tmp_path):
    """Opens the face over a tree with large things deep in it, and indexes kept beside it."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    deep = places[0] / "docs" / "deep"
    deep.mkdir()
    (deep / "big.bin").write_bytes(b"x" * 50_000)
    (deep / "twin.bin").write_bytes(b"x" * 50_000)
    (places[0] / "src" / "middle.bin").write_bytes(b"y" * 20_000)
    return lambda **how: face(indexes=str(state), **how)


async def report(it, typed):
    await it.press("alt+l")
    assert it.window == "Choose"
    await it.type(typed)
    await it.press("enter")
    await it.until(lambda: it.tab.found is not None)


def names(it):
    return [it.tab.listing.name(place).decode() for place in range(len(it.tab.listing))]


async def test_the_largest_files_open_in_a_tab_the_largest_first(library):
    async with library() as it:
        await report(it, "largest files")
        assert names(it)[:3] == ["docs/deep/big.bin", "docs/deep/twin.bin", "src/middle.bin"]
        assert "/left: largest-files ─" in it.drawn
        await it.until(lambda: it.drawn.count(" 49K") == 2)


async def test_the_largest_folders_are_ordered_by_what_they_hold_and_show_it(library):
    async with library() as it:
        await report(it, "largest folders")
        assert names(it) == ["docs", "docs/deep", "src"]
        assert it.drawn.count(" 98K") == 2
        await it.press("ctrl+r")
        assert names(it) == ["docs", "docs/deep", "src"]


async def test_enter_goes_to_the_file_and_leaves_the_report_open(library):
    async with library() as it:
        await report(it, "largest files")
        await it.press("down", "enter")
        await it.until(lambda: it.tab.path.endswith(b"/docs/deep") and it.tab.found is None)
        assert it.name == "twin.bin"
        await it.press("ctrl+w")
        assert it.tab.found is not None or it.commander.workspace.left.tabs[1].found is not None


async def test_enter_on_a_folder_enters_it_beside_the_report(library):
    async with library() as it:
        await report(it, "largest folders")
        await it.press("enter")
        assert it.tab.path.endswith(b"/docs")
        assert [tab.found is not None for tab in it.commander.workspace.left.tabs] == [False, True, False]


async def test_backspace_goes_back_to_where_it_was_asked_for(library):
    async with library() as it:
        await report(it, "largest files")
        await it.press("backspace")
        assert it.tab.found is None
        assert it.tab.path == os.fsencode(it.left)


async def test_viewing_and_copying_work_on_what_it_lists(library):
    async with library() as it:
        await report(it, "largest files")
        await it.press("f3")
        assert it.window == "Viewer"
        await it.press("escape")
        await it.press("f5", "enter")
        await it.until(lambda: (it.right / "big.bin").exists())


@pytest.mark.parametrize(
    ("typed", "first"), [("changed last", None), ("equal", "docs/deep/big.bin"), ("empty", ".hidden")]
)
async def test_the_other_reports_open_too(library, typed, first):
    async with library() as it:
        await report(it, typed)
        assert names(it)
        assert first is None or first in names(it)


async def test_a_report_that_lists_nothing_says_so(library):
    async with library() as it:
        await it.press("alt+l")
        await it.type("broken")
        await it.press("enter")
        await it.until(lambda: "lists nothing" in it.status)
        assert it.tab.found is None


async def index(it):
    await it.commander.run(it.terminal.person, "index", {"root": str(it.left)})
    await it.until(lambda: all(scan.state.is_over for scan in it.commander.indexing.scans()))


async def test_growth_stands_ordered_by_the_size_of_the_change_and_shows_it(library):
    async with library() as it:
        await index(it)
        (it.left / "src" / "middle.bin").write_bytes(b"y" * 90_000)
        (it.left / "docs" / "deep" / "big.bin").write_bytes(b"x" * 10_000)
        (it.left / "readme.md").write_bytes(b"z" * 5_000)
        await index(it)
        await report(it, "grown")
        files = [name for name in names(it) if "." in name]
        assert files == ["src/middle.bin", "docs/deep/big.bin", "readme.md"]
        assert " Change " in it.drawn
        assert "change↓" in it.drawn
        assert " +68K " in it.drawn
        assert " -39K " in it.drawn
        await it.press("ctrl+r")
        assert [name for name in names(it) if "." in name] == files


async def test_ctrl_space_adds_up_the_folder_under_the_cursor(library):
    async with library() as it:
        await it.press("home", "down", "ctrl+@")
        await it.until(lambda: "docs holds 97.7 KiB" in it.status)
        assert " 98K " in next(line for line in it.drawn.splitlines() if "/docs" in line)
        await it.press("end", "ctrl+@")
        await it.until(lambda: "is not a folder" in it.status)


async def test_the_palette_finds_a_command_and_runs_it(face):
    async with face() as it:
        await it.press("f9")
        await it.type("hidden f")
        await it.press("enter")
        await it.until(lambda: it.commander.workspace.show_hidden)


async def test_the_palette_asks_for_what_a_command_needs(face):
    async with face() as it:
        await it.press("ctrl+p")
        await it.type("jump to")
        await it.press("enter")
        assert it.window == "Ask"
        await it.press("escape")


async def test_volumes_can_be_chosen(face):
    async with face() as it:
        await it.press("ctrl+v")
        await it.until(lambda: it.window == "VolumePicker")
        assert "Root" in it.drawn
        await it.press("enter")
        await it.until(lambda: not it.commander.workspace.dialogs)


async def test_the_room_of_a_volume_is_shown_even_if_it_was_known_before_the_window_stood(face, monkeypatch):
    """The answer came while the window was being put up, and nobody wrote it down."""
    monkeypatch.setattr("cmdr.core.panes.free_space.space_at", lambda path: (3 << 30, 4 << 30))
    monkeypatch.setattr("cmdr.core.panes.browser.volumes", lambda: (Volume("usb", b"/mnt/usb", "vfat"),))
    async with face() as it:
        await it.press("ctrl+v")
        await it.until(lambda: it.window == "VolumePicker" and "3.0 GiB free of 4.0 GiB" in it.drawn)


async def test_the_palette_offers_nothing_that_only_a_program_can_use(face):
    async with face() as it:
        await it.press("f9")
        await it.type("rest set")
        assert "Give a set another name." not in it.drawn
        await it.press(*["backspace"] * 8)
        await it.type("current selection")
        assert "What the person has selected" not in it.drawn
