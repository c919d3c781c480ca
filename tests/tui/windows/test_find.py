"""The find window: what is typed is found at once, gone to with Enter, shown whole in the pane."""

import asyncio
import os
import threading
from collections import defaultdict

import pytest
from rich.style import Style

from cmdr import commands
from cmdr.core.dispatch.principals import PERSON
from cmdr.core.errors import CommandError
from cmdr.model.filters.filter import Ext, FilterError, Text
from cmdr.model.panes.entry import Entry, FolderSize, Kind
from cmdr.tui.panes.rows import FullColumns, RowState, full_row
from cmdr.tui.theme.appearance import RowFormat


@pytest.fixture
def library(face, places, tmp_path):
    """Opens the face over a tree with something deep in it, and indexes kept beside it."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    deep = places[0] / "docs" / "deep"
    deep.mkdir()
    (deep / "annual report.md").write_text("x" * 2048)
    (deep / "report.txt").write_text("y" * 10)
    return lambda **how: face(indexes=str(state), **how)


async def found(it, count):
    await it.until(lambda: f"Find: {count} found" in it.drawn)


async def test_typing_refines_and_enter_goes_to_the_file(library):
    async with library() as it:
        await it.press("ctrl+f")
        assert it.window == "Find" and "part of a name" in it.drawn
        await it.type("report")
        await found(it, 2)
        assert "docs/deep/annual report.md" in it.drawn and "2.0 KiB" in it.drawn and "2.0K" in it.drawn
        await it.press("backspace")
        await it.type("t.t")
        await found(it, 1)
        await it.press("enter")
        await it.until(lambda: it.window == "MainScreen" and it.tab.path.endswith(b"/docs/deep"))
        assert it.name == "report.txt"


async def test_the_arrows_choose_among_what_was_found_while_one_types(library):
    """The line took them for itself, so that only the first was ever reached by keys."""
    async with library() as it:
        await it.press("ctrl+f")
        await it.type("file")
        await found(it, 5)
        await it.press("down", "down", "up", "enter")
        await it.until(lambda: it.window == "MainScreen")
        assert it.name == "file2.txt"


async def test_names_that_begin_with_what_was_typed_come_first_and_numbers_in_order(library, places):
    for name in ("port10", "port9", "airport", "Port1"):
        (places[0] / name).touch()
    async with library() as it:
        await it.press("ctrl+f")
        await it.type("port")
        await found(it, 6)
        rows = [row.path.rpartition("/")[2] for row, _ in it.terminal.screen._rows]
        assert rows[:3] == ["Port1", "port9", "port10"] and rows[3] == "airport"


async def test_enter_typed_ahead_of_the_answer_acts_on_what_was_typed(library):
    async with library() as it:
        for key in ("ctrl+f", "a", "n", "n", "u", "enter"):
            await it.pilot.press(key)
        await it.until(lambda: it.window == "MainScreen" and it.tab.path.endswith(b"/docs/deep"))
        assert it.name == "annual report.md"


async def test_filters_work_and_a_broken_one_is_explained(library):
    async with library() as it:
        await it.press("alt+f7")
        find = it.terminal.screen
        find._input.value = "ext:md size>=1000"
        await found(it, 1)
        find._input.value = "size>="
        await it.until(lambda: "A value is missing" in it.drawn)
        await it.press("escape")
        assert it.window == "MainScreen"


async def test_all_results_are_shown_in_the_pane(library):
    async with library() as it:
        await it.press("ctrl+f")
        await it.type("report")
        await it.press("ctrl+l")
        await it.until(lambda: it.window == "MainScreen" and it.tab.found is not None)
        names = {it.tab.listing.name(place) for place in range(len(it.tab.listing))}
        assert names == {b"docs/deep/annual report.md", b"docs/deep/report.txt"}


async def test_an_unindexed_tree_is_told_with_the_progress_of_its_scan(library, monkeypatch):
    from cmdr.index.library import Library
    from cmdr.index.scan.walk import Progress

    real, go_on = Library.index, threading.Event()

    def index(self, root, options, told, stopped):
        told(Progress("walking", 1234, 5, 6, 0.0))
        go_on.wait()
        return real(self, root, options, told, stopped)

    monkeypatch.setattr(Library, "index", index)
    async with library() as it:
        await it.press("ctrl+f", "r")
        await it.until(lambda: "Not indexed yet: reading, 1,234 entries" in it.drawn)
        await it.press("e", "p")
        assert it.window == "Find"
        go_on.set()
        await found(it, 2)


async def test_without_an_index_it_says_so(face):
    async with face() as it:
        await it.press("ctrl+f", "r")
        await it.until(lambda: "This cmdr has no index." in it.drawn)


async def test_hostile_names_are_drawn_safely(library, places):
    (places[0] / "docs" / "bad\x1b[31m\nname").write_text("")
    async with library() as it:
        await it.press("ctrl+f")
        await it.type("bad")
        await found(it, 1)
        assert "\x1b[31m" not in it.drawn


async def test_a_hidden_file_is_told_and_a_filter_gives_way(library):
    async with library() as it:
        await it.commander.run(PERSON, "filter", {"text": "main"})
        await it.commander.run(PERSON, "find.go", {"path": "file3.txt"})
        assert it.name == "file3.txt"
        with pytest.raises(CommandError, match="hidden"):
            await it.commander.run(PERSON, "find.go", {"path": ".hidden"})
        with pytest.raises(CommandError, match="gone"):
            await it.commander.run(PERSON, "find.go", {"path": "nothing"})


async def test_long_answers_are_whole_as_data(library, places):
    for number in range(150):
        (places[0] / "docs" / f"{'long' * 50}{number}").write_text("")
    async with library() as it:
        answer = (await it.commander.ask(PERSON, "find.run", {"text": "long"})).json
        assert answer["count"] == len(answer["rows"]) == 150


async def test_a_dropped_question_stops_its_thread(library, monkeypatch):
    from cmdr.index.query.queries import IndexQueries

    asked, ended = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    async with library() as it:
        await it.commander.run(PERSON, "find.run", {"text": "report"})

        def ask(self, wanted, below, stop):
            loop.call_soon_threadsafe(asked.set)
            while not stop():
                os.sched_yield()
            loop.call_soon_threadsafe(ended.set)
            raise AssertionError

        monkeypatch.setattr(IndexQueries, "ask", ask)
        question = asyncio.ensure_future(it.commander.run(PERSON, "find.run", {"text": "slow"}))
        await asked.wait()
        question.cancel()
        await asyncio.wait_for(ended.wait(), 60)


def test_words_are_part_of_a_name_until_they_have_a_filters_signs():
    commands.register()  # in their own order, before one of them is imported alone
    from cmdr.commands.trees.find import wanted_by

    assert wanted_by("not found") == Text("name", "contains", "not found")
    assert wanted_by("ext:md") == Ext(("md",))
    assert wanted_by("*.py") == Text("name", "glob", "*.py")
    with pytest.raises(FilterError):
        wanted_by("nosuch:thing")


async def test_folders_show_their_size_once_an_index_knows_it(library):
    async with library() as it:
        docs = it.lines(it.main.left)
        assert any("docs" in line and "<DIR>" in line for line in docs)
        await it.commander.run(PERSON, "find.run", {"text": "report"})
        await it.until(lambda: any("docs" in line and "2.0K" in line for line in it.lines(it.main.left)))
        assert it.tab.listing.entry(it.tab.listing.position_of(b"docs")).folder_size.bytes == 2058


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (None, "<DIR>"),
        (FolderSize(2048, complete=True, fresh=True), "2.0K"),
        (FolderSize(2048, complete=False, fresh=True), "≥2.0K"),
        (FolderSize(1000 << 20, complete=True, fresh=False), "~1000M"),
    ],
)
@pytest.mark.parametrize("style", ["binary", "bytes"])
def test_a_folder_row_tells_what_is_known(size, told, style):
    row = RowFormat(sizes=style)
    state = RowState(cursor=False, active=True, selected=False, changed=False)
    columns = FullColumns.within(40, row)
    styles = defaultdict(Style)
    cells = full_row(Entry(b"docs", Kind.FOLDER, is_folder=True, folder_size=size), "docs", state, columns, row, styles)
    shown = cells[2].text
    assert len(shown) == columns.size + 1
    if style == "binary" or size is None or size.bytes > 99999:
        assert shown.strip() == told


async def test_a_question_dropped_while_the_indexes_open_does_not_lock_out_the_next(library):
    """The library that came too late kept its lock: "Another cmdr works with these indexes."."""
    async with library() as it:
        first = asyncio.ensure_future(it.commander.indexing.library())
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait({first})
        assert await it.commander.indexing.library() is await it.commander.indexing.library()


async def test_contents_are_shown_with_their_line_viewed_and_edited_there(library, places):
    (places[0] / "docs" / "deep" / "tale.txt").write_text(
        "".join(f"line {n}\n" for n in range(1, 200)) + "a grey wolf\n"
    )
    async with library() as it:
        await it.press("ctrl+f")
        await it.type("content:wolf")
        await found(it, 1)
        await it.until(lambda: "docs/deep/tale.txt:200: a grey wolf" in it.drawn)
        await it.press("enter")
        await it.until(lambda: it.window == "Viewer" and "a grey wolf" in it.drawn)
        await it.press("escape")
        await it.until(lambda: it.window == "Find")
        await it.press("f4")
        await it.until(lambda: it.window == "Editor")
        assert it.terminal.screen.area.cursor_location == (199, 0)
