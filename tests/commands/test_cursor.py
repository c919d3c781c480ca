"""Cursor, window and selection: by index, name, range and glob, never by a stale row."""

import pytest

ALL = {"docs", "src", "a9.txt", "a10.txt", "package.json", "README.md"}


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


@pytest.mark.parametrize(
    ("how", "names"),
    [
        ({"start": 2, "count": 2}, {"a9.txt", "a10.txt"}),
        ({"start": 0, "count": "all"}, ALL),
        ({"start": 4, "count": 100}, {"package.json", "README.md"}),
        ({"start": 4, "count": "all"}, {"package.json", "README.md"}),
        ({"count": 1}, {"docs"}),
        ({"start": 0, "count": 0}, set()),
        ({"names": ["src", "README.md"]}, {"src", "README.md"}),
        ({"names": []}, set()),
        ({"glob": "*.txt"}, {"a9.txt", "a10.txt"}),
        ({"glob": "[ds]*"}, {"docs", "src"}),
        ({"glob": "nothing*"}, set()),
    ],
    # The set of names has no order of its own, and ids must be the same in every process.
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
async def test_ranges_names_and_globs_select(desk, how, names):
    async with desk() as at:
        await at.agent("select", pane="left", names=["a9.txt"])
        answer = await at.agent("select", pane="left", **how)
        assert at.selected() == names
        assert answer == f"OK: Selected {len(names)} file{'' if len(names) == 1 else 's'}"


async def test_modes_add_and_subtract(desk):
    async with desk() as at:
        await at.agent("select", pane="left", start=0, count=2)
        await at.agent("select", pane="left", start=1, count=2, mode="add")
        assert at.selected() == {"docs", "src", "a9.txt"}
        await at.agent("select", pane="left", names=["src"], mode="subtract")
        assert at.selected() == {"docs", "a9.txt"}
        await at.agent("select", pane="left", glob="*", mode="subtract")
        assert at.selected() == set()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({}, 'select needs "count" (a number or "all"), "names", "glob" or "set".'),
        ({"start": 9, "count": 1}, "Index 9 out of range (max: 5)"),
        ({"start": -1, "count": 1}, '"start" must be a whole number from 0, not -1.'),
        ({"count": "some"}, '"count" must be a whole number from 0 or "all", not "some".'),
        ({"names": ["src", "x", "y\n", "z", "w"]}, "Not in {left}: x, y\\u{{a}}, z and 1 more"),
        (
            {"names": ["x"], "mode": "replaced"},
            '"mode" must be one of replace, add, subtract, not "replaced". Did you mean "replace"?',
        ),
    ],
    ids=["nothing", "far", "negative", "word", "missing", "mode"],
)
async def test_what_cannot_be_selected_leaves_the_selection_as_it_was(desk, how, told):
    async with desk() as at:
        await at.agent("select", pane="left", names=["docs"])
        assert await at.agent("select", pane="left", **how) == "ERROR: " + told.format(left=at.path())
        assert at.selected() == {"docs"}


async def test_the_selection_survives_sorting_hiding_and_refreshing(desk):
    async with desk() as at:
        await at.agent("toggle_hidden", value=True)
        await at.agent("select", pane="left", names=["a9.txt", ".env", "docs"])
        await at.agent("sort", pane="left", by="size", order="desc")
        await at.agent("toggle_hidden", value=False)
        await at.agent("toggle_hidden", value=True)
        (at.root / "left" / "0new").touch()
        (at.root / "left" / "a9.txt").rename(at.root / "left" / "z9.txt")
        await at.agent("refresh", pane="left")
        assert at.selected() == {"z9.txt", ".env", "docs"}


async def test_every_pane_word_means_its_pane(desk):
    async with desk() as at:
        for pane, side in {"left": "left", "right": "right", "focused": "left", "other": "right"}.items():
            await at.agent("select", pane=pane, start=0, count=1)
            assert len(at.selected(side)) == 1
            await at.agent("select", pane=pane, count=0)
            assert at.selected(side) == set()
        assert await at.agent("select", pane="middle", count=0) == (
            'ERROR: "pane" must be one of left, right, focused, other, not "middle".'
        )
