"""Folders to come back to."""

import yaml


async def test_folders_are_marked_listed_and_unmarked(desk):
    async with desk() as at:
        assert await at.agent("bookmark.add", path="docs") == f"OK: Bookmarked {at.path('left/docs')}"
        told = yaml.safe_load(await at.agent("bookmark.list"))
        assert told["bookmarks"] == [at.path("left/docs")]
        assert at.path("left") in told["frequent"]
        assert await at.agent("bookmark.remove", path="docs") == f"OK: Removed the bookmark {at.path('left/docs')}"
        assert await at.agent("bookmark.remove") == f"ERROR: {at.path()} is not bookmarked."


async def test_a_jump_goes_to_the_folder_whose_path_holds_the_words(desk):
    async with desk() as at:
        await at.person("nav_to_path", pane="left", path="docs/deep")
        await at.person("nav_to_path", pane="left", path=at.path("left"))
        assert (await at.agent("nav.jump", text="docs deep")).startswith(
            f"OK: Navigated to {at.path('left/docs/deep')}\n"
        )
        assert await at.agent("nav.jump", text="no\nwhere") == "ERROR: No folder visited before matches no\\u{a}where."
