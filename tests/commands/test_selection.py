"""The selection, one entry or all of it at a time."""

import os

from cmdr.commands.sources import AGENT


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
        for number in range(10_500):
            os.close(os.open(many / f"{number}", os.O_CREAT))
        await at.agent("nav_to_path", pane="left", path=str(many))
        await at.person("selection.all", pane="left")
        assert "(10500 files)" in await at.agent("copy", pane="left")
        assert AGENT.top >= 50_000
