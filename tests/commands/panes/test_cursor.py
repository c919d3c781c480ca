"""The cursor and the agents' window: by index and name, never by a stale row."""

import pytest


async def test_the_cursor_goes_to_an_index_or_a_name(desk):
    async with desk() as at:
        assert await at.agent("move_cursor", pane="left", to=4) == "OK: Cursor moved to index 4 (package.json)"
        assert await at.agent("move_cursor", pane="left", to="a9.txt") == "OK: Cursor moved to index 2 (a9.txt)"
        assert await at.agent("move_cursor", pane="left", to="0") == "OK: Cursor moved to index 0 (docs)"


async def test_a_name_of_digits_is_a_name_first(desk):
    async with desk() as at:
        (at.root / "left" / "3").touch()
        await at.agent("refresh", pane="left")
        assert (await at.agent("move_cursor", pane="left", to="3")).endswith("(3)")


@pytest.mark.parametrize(
    ("to", "told"),
    [
        (500, "Index 500 out of range (max: 5)"),
        (-1, "Index -1 out of range (max: 5)"),
        ("500", "Index 500 out of range (max: 5)"),
        ("nope", "No entry named nope in {left}"),
        ("a\nb", "No entry named a\\u{{a}}b in {left}"),
        ("\ud800", "No entry named \\xed\\xa0\\x80 in {left}"),
        (".git", "No entry named .git in {left}"),
    ],
    ids=["far", "negative", "far text", "unknown", "lines", "surrogate", "hidden"],
)
async def test_a_place_that_is_not_there_is_told(desk, to, told):
    async with desk() as at:
        assert await at.agent("move_cursor", pane="left", to=to) == "ERROR: " + told.format(left=at.path())


async def test_an_empty_pane_has_no_places(desk):
    async with desk() as at:
        await at.agent("nav_to_path", pane="left", path="src")
        assert await at.agent("move_cursor", pane="left", to=0) == "ERROR: The pane is empty."
        assert await at.agent("scroll_to", pane="left", index=0) == "ERROR: The pane is empty."
        assert await at.agent("select", pane="left", start=0, count="all") == "OK: Selected 0 files"


async def test_a_stale_rev_is_refused_and_a_current_one_is_not(desk):
    async with desk() as at:
        rev = (await at.state())["left"]["rev"]
        assert (await at.agent("move_cursor", pane="left", to=1, rev=rev)).startswith("OK")
        await at.agent("sort", pane="left", by="ext")
        now = at.tab().rev
        told = f"ERROR: stale rev {rev}: the listing is now at rev {now}. Read the state again, then repeat."
        assert await at.agent("move_cursor", pane="left", to=1, rev=rev) == told
        assert await at.agent("select", pane="left", start=0, count=1, rev=rev) == told
        assert at.selected() == set()
        assert (await at.agent("select", pane="left", start=0, count=1, rev=now)).startswith("OK")


async def test_moving_the_cursor_does_not_make_rows_stale(desk):
    async with desk() as at:
        rev = at.tab().rev
        await at.agent("move_cursor", pane="left", to=3)
        await at.agent("select", pane="left", start=0, count=2)
        assert (await at.agent("move_cursor", pane="left", to=1, rev=rev)).startswith("OK")


async def test_the_window_moves_and_the_cursor_stays(desk):
    async with desk() as at:
        assert await at.agent("scroll_to", pane="left", index=3) == "OK: Scrolled to index 3"
        state = (await at.state(limit=2))["left"]
        assert state["loadedRange"] == [3, 5]
        assert state["cursor"]["index"] == 0
        assert await at.agent("scroll_to", pane="left", index=6) == "ERROR: Index 6 out of range (max: 5)"
