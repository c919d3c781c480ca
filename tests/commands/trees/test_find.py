"""Going to what was found: the cursor stands on it, and a filter gives way only where it must."""

import os


async def test_going_to_a_file_puts_the_cursor_on_it(desk):
    async with desk() as at:
        answer = await at.person("find.go", path=at.path("right/other.txt"))
        tab = at.workspace.left.tab
        assert answer == f"OK: Went to {at.path('right/other.txt')}\nindex: 0 rev: {tab.rev}"
        assert os.fsdecode(tab.path) == at.path("right")
        assert tab.cursor_name() == b"other.txt"


async def test_a_filter_that_shows_the_file_stays(desk):
    async with desk() as at:
        await at.person("view.filter", text="txt")
        assert at.names() == ["a9.txt", "a10.txt"]
        await at.person("find.go", path=at.path("left/a10.txt"))
        assert at.tab().filter == "txt"
        assert at.tab().cursor_name() == b"a10.txt"


async def test_a_filter_that_hides_the_file_gives_way(desk):
    async with desk() as at:
        await at.person("view.filter", text="txt")
        await at.person("find.go", path=at.path("left/README.md"))
        assert at.tab().filter == ""
        assert at.tab().cursor_name() == b"README.md"


async def test_going_to_the_root_of_everything_is_possible(desk):
    async with desk() as at:
        answer = await at.person("find.go", path="/")
        assert answer.startswith("OK: Went to /\nindex: 0")
        assert at.tab().path == b"/"


async def test_a_file_that_is_hidden_or_gone_is_told_as_such(desk):
    async with desk() as at:
        hidden = await at.person("find.go", path=at.path("left/.env"))
        assert hidden == f"ERROR: {at.path('left/.env')} is hidden; view hidden files to see it."
        assert await at.person("find.go", path="nothing") == f"ERROR: {at.path('left/nothing')} is gone."
