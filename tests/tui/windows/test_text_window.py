"""Help, about and facts about an entry."""


async def test_help_lists_the_keys_and_any_of_them_closes_it(face):
    async with face() as it:
        await it.press("f1")
        assert "F5" in it.drawn and "Copy" in it.drawn
        await it.press("escape")
        assert it.window == "MainScreen"


async def test_info_tells_size_and_rights(face):
    async with face() as it:
        await it.press("end", "alt+i")
        await it.until(lambda: "Permissions" in it.drawn)
        assert "10 B" in it.drawn
        await it.press("escape")
        await it.until(lambda: it.window == "MainScreen")


async def test_about_names_the_version(face):
    async with face() as it:
        await it.commander.run(it.terminal.person, "app.about")
        await it.until(lambda: "0.1.0" in it.drawn)
