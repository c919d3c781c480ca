"""Revisions only rise, and everybody who waits is woken, once and for all."""

import asyncio

import pytest

from cmdr.core.events import Events
from cmdr.model.panes.workspace import Workspace


@pytest.fixture
def events():
    return Events(Workspace.at(b"/", b"/"))


async def test_whoever_waits_is_woken_by_the_next_change(events):
    waiting = [asyncio.ensure_future(events.beyond(0)) for _ in range(3)]
    await asyncio.sleep(0)
    assert events.changed() == 1
    assert await asyncio.gather(*waiting) == [1, 1, 1]


async def test_a_change_that_has_happened_is_not_waited_for(events):
    events.changed()
    events.changed()
    assert await asyncio.wait_for(events.beyond(1), 60) == 2


async def test_no_wake_up_is_lost_when_changes_follow_each_other(events):
    seen = []

    async def follow():
        rev = 0
        while rev < 50:
            rev = await events.beyond(rev)
            seen.append(rev)

    followers = [asyncio.ensure_future(follow()) for _ in range(5)]
    for number in range(50):
        if number % 3:
            await asyncio.sleep(0)
        events.changed()
    await asyncio.gather(*followers)
    assert seen[-1] == 50
    assert seen == sorted(seen)


async def test_waiting_for_a_far_revision_survives_the_ones_before(events):
    waiting = asyncio.ensure_future(events.beyond(2))
    for _ in range(2):
        events.changed()
        await asyncio.sleep(0)
        assert not waiting.done()
    events.changed()
    assert await waiting == 3


async def test_a_cancelled_waiter_leaves_nothing_behind(events):
    waiting = [asyncio.ensure_future(events.beyond(0)) for _ in range(10)]
    await asyncio.sleep(0)
    for waiter in waiting:
        waiter.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert events._waiting == set()
    events.changed()


async def test_a_waiter_cancelled_in_the_same_step_as_the_change_harms_nobody(events):
    first, second = (asyncio.ensure_future(events.beyond(0)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    events.changed()
    assert await second == 1
    with pytest.raises(asyncio.CancelledError):
        await first


def test_listeners_are_told_every_revision_until_they_leave(events):
    seen = []
    leave = events.listen(seen.append)
    events.changed()
    events.changed()
    leave()
    events.changed()
    assert seen == [1, 2]
    assert events.rev == 3


def test_a_listener_that_leaves_while_it_is_told_takes_no_other_with_it(events):
    """Removing itself from the list that was being walked made the next listener miss the revision."""
    seen = []
    leave = events.listen(lambda rev: leave())
    events.listen(seen.append)
    events.changed()
    assert seen == [1]


async def test_progress_raises_the_revision_and_is_no_news(events):
    news = asyncio.ensure_future(events.news_beyond(events.rev))
    waiting = asyncio.ensure_future(events.beyond(events.rev))
    await asyncio.sleep(0)
    assert events.progressed() == 1
    assert await waiting == 1
    for _ in range(3):
        await asyncio.sleep(0)
    assert not news.done()
    assert events.changed() == 2
    await asyncio.wait_for(news, 60)
    await asyncio.wait_for(events.news_beyond(1), 60)
