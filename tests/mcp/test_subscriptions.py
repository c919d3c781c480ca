"""Subscribers hear of news at once, and of progress alone at most once in a while."""

import asyncio

from cmdr.core.audit import Audit
from cmdr.core.commander import Commander
from cmdr.mcp import subscriptions
from cmdr.mcp.resources import JOB, STATE
from cmdr.mcp.subscriptions import Subscriptions
from cmdr.model.job import JobState
from cmdr.model.scan_job import ScanJob
from cmdr.model.workspace import Workspace


def test_progress_alone_is_told_later_and_news_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(subscriptions, "PROGRESS_EVERY", 1000.0)
    monkeypatch.setattr(subscriptions, "GATHER", 0.0)

    async def follow():
        commander = Commander(Workspace.at(b"/", b"/"), Audit(str(tmp_path)), watch=False)
        told = Subscriptions(commander)
        heard = asyncio.Queue()
        told._bus.subscribe(lambda event: heard.put_nowait(str(event.uri)))
        told.start()
        await asyncio.sleep(0)
        for _ in range(20):
            commander.events.progressed()
            await asyncio.sleep(0)
        assert heard.empty()
        commander.events.changed()
        assert await asyncio.wait_for(heard.get(), 10) == STATE
        assert heard.empty()
        monkeypatch.setattr(subscriptions, "PROGRESS_EVERY", 0.0)
        for _ in range(2):  # the first ends the wait that had begun before
            commander.events.changed()
            await asyncio.wait_for(heard.get(), 10)
        commander.events.progressed()
        assert await asyncio.wait_for(heard.get(), 10) == STATE
        await told.close()
        await commander.close()

    asyncio.run(follow())


def test_an_end_in_the_very_moment_of_news_is_an_end(tmp_path, monkeypatch):
    """The cancel was lost in the news, and quitting hung."""
    monkeypatch.setattr(subscriptions, "PROGRESS_EVERY", 1000.0)

    async def follow(steps):
        commander = Commander(Workspace.at(b"/", b"/"), Audit(str(tmp_path / str(steps))), watch=False)
        told = Subscriptions(commander)
        told.start()
        await asyncio.sleep(0)
        commander.events.progressed()
        for _ in range(5):
            await asyncio.sleep(0)
        commander.events.changed()
        for _ in range(steps):
            await asyncio.sleep(0)
        ended, _ = await asyncio.wait({asyncio.ensure_future(told.close())}, timeout=5)
        assert ended
        await commander.close()

    for steps in range(6):
        asyncio.run(follow(steps))


def test_a_scan_tells_its_subscribers_when_it_begins_comes_further_and_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(subscriptions, "GATHER", 0.0)
    monkeypatch.setattr(subscriptions, "PROGRESS_EVERY", 0.0)

    async def follow():
        commander = Commander(Workspace.at(b"/", b"/"), Audit(str(tmp_path)), watch=False)
        scan = ScanJob("j_1", b"/tree", "i_1", "agent:a")
        monkeypatch.setattr(commander, "scans", lambda: [scan])
        told = Subscriptions(commander)
        heard = asyncio.Queue()
        told._bus.subscribe(lambda event: heard.put_nowait(str(event.uri)))
        told.start()
        await asyncio.sleep(0)

        async def news():
            commander.events.changed()
            while (uri := await asyncio.wait_for(heard.get(), 10)) == STATE:
                commander.events.changed()
            return uri

        assert await news() == JOB + "j_1"
        scan.entries = 1000
        assert await news() == JOB + "j_1"
        scan.state = JobState.DONE
        assert await news() == JOB + "j_1"
        await told.close()
        await commander.close()

    asyncio.run(follow())
