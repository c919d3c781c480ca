"""The selection, one entry or all of it at a time."""

import os

import pytest

from cmdr.commands.changes.planning import AGENT

ALL = {"docs", "src", "a9.txt", "a10.txt", "package.json", "README.md"}


async def test_one_entry_is_turned_over_and_the_cursor_moves_on(desk):
    async with desk() as at:
        assert await at.person("selection.toggle", step=1) == "OK: Selected 1 file"
        assert (at.selected(), at.tab().cursor) == ({"docs"}, 1)
        await at.person("selection.toggle", index=0)
        assert at.selected() == set()
        assert await at.person("selection.toggle", index=99) == "ERROR: There is nothing to select."


async def test_all_none_and_the_inverse(desk):
    async with desk() as at:
        assert await at.person("selection.all") == "OK: Selected 6 files"
        assert await at.person("selection.none") == "OK: Selected nothing"
        await at.person("select", pane="left", names=["docs", "a9.txt"])
        await at.person("selection.invert")
        assert at.selected() == {"docs", "a10.txt", "package.json", "README.md"}
        await at.person("selection.invert", folders=True)
        assert at.selected() == {"src", "a9.txt"}


async def test_masks_select_files_and_folders_only_when_wanted(desk):
    async with desk() as at:
        await at.person("selection.mask", mask="*.TXT;*.md")
        assert at.selected() == {"README.md"}
        await at.person("selection.mask", mask="*.txt;*.md")
        assert at.selected() == {"a9.txt", "a10.txt", "README.md"}
        await at.person("selection.mask", mask="readme*", mode="subtract")
        await at.person("selection.mask", mask="d*", folders=True)
        assert at.selected() == {"a9.txt", "a10.txt", "docs"}


async def test_a_filter_shows_only_matches_and_deselects_the_rest(desk):
    async with desk() as at:
        await at.person("select", pane="left", names=["docs", "a9.txt"])
        answer = await at.person("filter", text="a")
        assert answer.startswith("OK: 4 entries of 8 shown\n")
        assert (at.names(), at.selected()) == (["a9.txt", "a10.txt", "package.json", "README.md"], {"a9.txt"})
        await at.person("sort", pane="left", by="size")
        (at.root / "left" / "abc").touch()
        await at.person("refresh", pane="left")
        assert at.names() == ["abc", "a10.txt", "a9.txt", "package.json", "README.md"]
        await at.person("filter")
        assert len(at.names()) == 7


async def test_another_folder_is_shown_without_the_filter(desk):
    async with desk() as at:
        await at.person("filter", text="docs")
        await at.person("open_under_cursor")
        assert at.names() == ["deep", "guide.md"]
        await at.person("nav_to_parent")
        assert len(at.names()) == 6


async def test_fifty_thousand_selected_files_are_planned_as_their_folder_is(desk):
    """They were refused: more than 10,000 chosen."""
    async with desk(engine=True) as at:
        many = at.root / "many"
        many.mkdir()
        for number in range(10_001):
            os.close(os.open(many / f"{number}", os.O_CREAT))
        await at.agent("nav_to_path", pane="left", path=str(many))
        await at.person("selection.all", pane="left")
        assert "(10001 files)" in await at.agent("copy", pane="left")
        assert AGENT.top >= 50_000


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
