"""The program itself gives way to another only when nothing is under way."""


async def test_giving_way_is_refused_while_something_waits(desk):
    async with desk(engine=True) as at:
        proposal = (await at.agent("mkdir", name="new")).partition("proposal: ")[2].split()[0]
        assert await at.person("app.giveWay") == "ERROR: 1 proposal waiting for an answer."
        assert "for the person only" in await at.agent("app.giveWay")
        await at.person("reject", proposal=proposal)
        assert await at.person("app.giveWay") == "OK: Quitting"
        assert at.commander.quitting.is_set()
