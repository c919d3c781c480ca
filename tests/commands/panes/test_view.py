"""How panes are shown: every sort, hidden files, brief and full."""

import os

import pytest

ORDERS = {
    ("name", "asc"): ["docs", "src", "a9.txt", "a10.txt", "package.json", "README.md"],
    ("name", "desc"): ["src", "docs", "README.md", "package.json", "a10.txt", "a9.txt"],
    ("ext", "asc"): ["docs", "src", "package.json", "README.md", "a9.txt", "a10.txt"],
    ("ext", "desc"): ["docs", "src", "a9.txt", "a10.txt", "README.md", "package.json"],
    ("size", "asc"): ["docs", "src", "a10.txt", "a9.txt", "package.json", "README.md"],
    ("size", "desc"): ["docs", "src", "README.md", "package.json", "a9.txt", "a10.txt"],
    ("modified", "asc"): ["docs", "src", "package.json", "a9.txt", "a10.txt", "README.md"],
    ("modified", "desc"): ["src", "docs", "README.md", "a10.txt", "a9.txt", "package.json"],
}


@pytest.mark.parametrize(("by", "order"), ORDERS)
async def test_a_pane_is_sorted_by_every_key_in_both_directions(desk, small_tree, by, order):
    for name, seconds in {"docs": 10, "src": 20}.items():
        os.utime(small_tree / "left" / name, (seconds, seconds))
    async with desk() as at:
        answer = await at.agent("sort", pane="left", by=by, order=order)
        assert answer == f"OK: Sorted left pane by {by} ({order})\nrev: {at.tab().rev}"
        assert at.names() == ORDERS[by, order]
        assert (await at.state())["left"]["sort"] == f"{by}:{order}"


async def test_creation_times_sort_files_in_the_order_they_were_made(desk, small_tree):
    async with desk() as at:
        await at.agent("sort", pane="left", by="created")
        assert set(at.names()) == {"docs", "src", "a9.txt", "a10.txt", "package.json", "README.md"}


async def test_what_is_unknown_comes_last_in_both_directions(desk, monkeypatch):
    from cmdr.files import folder_reader

    real = folder_reader.stat_entry
    monkeypatch.setattr(
        folder_reader, "stat_entry", lambda folder, name: None if name == b"a9.txt" else real(folder, name)
    )
    async with desk() as at:
        for order in ("asc", "desc"):
            await at.agent("sort", pane="left", by="size", order=order)
            assert at.names()[-1] == "a9.txt"


async def test_a_sort_stays_with_the_tab_when_it_moves_on(desk):
    async with desk() as at:
        await at.agent("sort", pane="left", by="size", order="desc")
        await at.agent("nav_to_path", pane="left", path="docs")
        assert (await at.state())["left"]["sort"] == "size:desc"
        assert (await at.state())["right"]["sort"] == "name:asc"


async def test_hidden_files_are_toggled_or_set_in_both_panes(desk):
    async with desk() as at:
        assert await at.agent("toggle_hidden") == "OK: Hidden files shown"
        assert at.names()[0] == ".git"
        assert await at.agent("toggle_hidden", value=True) == "OK: Hidden files shown"
        assert await at.agent("view.showHidden") == "OK: Hidden files hidden"
        state = await at.state()
        assert (state["showHidden"], state["left"]["totalFiles"], state["left"]["hiddenFiles"]) == (False, 6, 2)


async def test_the_cursor_stays_on_its_entry_when_hidden_files_come_and_go(desk):
    async with desk() as at:
        await at.agent("move_cursor", pane="left", to="a9.txt")
        await at.agent("toggle_hidden")
        assert at.tab().cursor_name() == b"a9.txt"
        await at.agent("move_cursor", pane="left", to=".env")
        await at.agent("toggle_hidden")
        assert at.tab().cursor_name() == b"a9.txt"


async def test_view_modes_are_set_by_tool_and_by_palette(desk):
    async with desk() as at:
        assert await at.agent("set_view_mode", pane="left", mode="full") == "OK: Left pane set to full view"
        assert (await at.state())["left"]["view"] == "full"
        assert await at.agent("view.briefMode", pane="left") == "OK: Left pane set to brief view"
        await at.agent("view.fullMode", pane="right")
        assert (await at.state())["right"]["view"] == "full"
