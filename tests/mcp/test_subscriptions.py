"""Subscribers hear of news at once, and of progress alone at most once in a while."""

import asyncio
import json

import pytest

from cmdr.core.admission.limits import SUBSCRIPTIONS_PER_SESSION
from cmdr.core.audit.log import Audit
from cmdr.core.commander import Commander
from cmdr.mcp import subscriptions
from cmdr.mcp.resources import JOB, STATE
from cmdr.mcp.subscriptions import Subscribers, Subscriptions
from cmdr.model.job import JobState, ScanJob
from cmdr.model.panes.workspace import Workspace


def test_progress_alone_is_told_later_and_news_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(subscriptions, "PROGRESS_INTERVAL_S", 1000.0)
    monkeypatch.setattr(subscriptions, "GATHER_S", 0.0)

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
        assert await asyncio.wait_for(heard.get(), 60) == STATE
        assert heard.empty()
        monkeypatch.setattr(subscriptions, "PROGRESS_INTERVAL_S", 0.0)
        for _ in range(2):  # the first ends the wait that had begun before
            commander.events.changed()
            await asyncio.wait_for(heard.get(), 60)
        commander.events.progressed()
        assert await asyncio.wait_for(heard.get(), 60) == STATE
        await told.close()
        await commander.close()

    asyncio.run(follow())


def test_an_end_in_the_very_moment_of_news_is_an_end(tmp_path, monkeypatch):
    """The cancel was lost in the news, and quitting hung."""
    monkeypatch.setattr(subscriptions, "PROGRESS_INTERVAL_S", 1000.0)

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
        ended, _ = await asyncio.wait({asyncio.ensure_future(told.close())}, timeout=60)
        assert ended
        await commander.close()

    for steps in range(6):
        asyncio.run(follow(steps))


def test_a_scan_tells_its_subscribers_when_it_begins_comes_further_and_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(subscriptions, "GATHER_S", 0.0)
    monkeypatch.setattr(subscriptions, "PROGRESS_INTERVAL_S", 0.0)

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
            while (uri := await asyncio.wait_for(heard.get(), 60)) == STATE:
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


def _subscribing(inside, session, uri, verb="subscribe", id=9):
    headers = {
        **inside.headers,
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-session-id": session,
        "mcp-protocol-version": "2025-11-25",
    }
    message = {"jsonrpc": "2.0", "id": id, "method": f"resources/{verb}", "params": {"uri": uri}}
    body = inside.exchange("POST", "/mcp", headers, json.dumps(message).encode()).body.decode()
    return json.loads(next(line for line in body.splitlines() if '"jsonrpc"' in line).removeprefix("data: "))


def _session(inside):
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    headers = {
        **inside.headers,
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    }
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
    return inside.exchange("POST", "/mcp", headers, json.dumps(message).encode()).headers["mcp-session-id"]


@pytest.fixture
def kept(monkeypatch):
    """What is kept about the older clients of the face that is built next."""
    made = []
    begin = Subscriptions.__init__

    def noted(self, commander):
        begin(self, commander)
        made.append(self._older)

    monkeypatch.setattr(Subscriptions, "__init__", noted)
    return made


def test_one_subscribes_to_what_one_can_read_and_nothing_stays_when_it_is_over(kept, inside):
    # Made-up addresses were kept for ever, and unsubscribing did nothing: every request has its own session object.
    session, (older,) = _session(inside), kept
    for uri in ("cmdr://nothing", "cmdr://jobs/j_never", "x" * 1000):
        assert _subscribing(inside, session, uri)["error"]["code"] == -32002
    assert _subscribing(inside, session, "cmdr://state?pane=up")["error"]["code"] == -32602
    assert len(older) == 0
    for _ in range(3):
        assert "result" in _subscribing(inside, session, STATE)
    assert len(older) == 1
    assert "result" in _subscribing(inside, session, STATE, "unsubscribe")
    assert len(older) == 0


def test_a_session_that_asks_for_too_much_is_told_and_one_that_ends_leaves_nothing(kept, inside):
    session, (older,) = _session(inside), kept
    room = SUBSCRIPTIONS_PER_SESSION
    answers = [_subscribing(inside, session, f"{STATE}?limit={number}") for number in range(room + 1)]
    assert all("result" in answer for answer in answers[:room])
    assert "too many subscriptions" in answers[room]["error"]["message"]
    inside.exchange("DELETE", "/mcp", {**inside.headers, "mcp-session-id": session})
    assert len(older) == 0


def test_a_wish_counts_once_however_often_it_is_told_and_the_newest_way_is_kept():
    known = Subscribers()
    assert known.add("s1", "cmdr://state", "old")
    assert known.add("s1", "cmdr://state", "new")
    assert known.of("cmdr://state") == [("s1", "cmdr://state", "new")]


def test_a_part_of_the_state_is_told_by_its_own_address():
    known = Subscribers()
    known.add("s1", "cmdr://state?pane=left", 1)
    assert known.of("cmdr://state") == [("s1", "cmdr://state?pane=left", 1)]
    assert known.of("cmdr://jobs/j_1") == []


def test_nothing_stays_of_what_was_wanted_once():
    known = Subscribers()
    for number in range(50):
        known.add("s1", f"cmdr://jobs/{number}", 1)
        known.remove("s1", f"cmdr://jobs/{number}")
    known.remove("s1", "cmdr://jobs/0")
    known.remove("s2", "cmdr://state")
    known.add("s3", "cmdr://state", 1)
    known.add("s3", "cmdr://commands", 1)
    known.forget("s3")
    known.forget("s3")
    assert (len(known), known._wanted, dict(known._hearing)) == (0, {}, {})


def test_a_session_has_room_for_so_many_and_all_sessions_together_as_well():
    known = Subscribers(per_session=2, sessions=2)
    assert [known.add("s1", uri, 1) for uri in ("a", "b", "c", "a")] == [True, True, False, True]
    known.add("s2", "a", 2)
    known.add("s3", "a", 3)
    assert [session for session, _, _ in known.of("a")] == ["s2", "s3"]
