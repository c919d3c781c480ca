"""Windows that draw the workspace's dialogs."""


async def test_a_dialog_closed_elsewhere_closes_here(face):
    async with face() as it:
        await it.press("alt+s")
        assert it.window == "SettingsWindow"
        await it.commander.run(it.terminal.person, "dialog", {"action": "close", "type": "settings"})
        await it.until(lambda: it.window == "MainScreen")
