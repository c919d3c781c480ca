"""A line to type in."""


async def test_what_was_typed_before_comes_back_with_the_arrows(face):
    async with face() as it:
        for mask in ("*.md", "*.py"):
            await it.press("plus")
            await it.type(mask)
            await it.press("enter")
        await it.press("plus", "x")
        line = it.terminal.screen._input
        seen = []
        for key in ("up", "up", "up", "down", "down"):
            await it.press(key)
            seen.append(line.value)
        assert seen == ["*.py", "*.md", "*.md", "*.py", "x"]
