"""Pages: one notice for many changes, an end when cmdr ends; a page that has gone leaves no dialog behind."""

import asyncio
import os

import pytest

from cmdr import commands
from cmdr.core.audit.log import Audit
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.errors import NotAllowed
from cmdr.http.browser_login import BROWSER
from cmdr.model.panes.workspace import DialogType, Workspace
from cmdr.web.page.events import OpenPages, event_stream

AGENT = Principal("agent", "claude")


@pytest.fixture
def commander(tmp_path):
    commands.register()
    here = os.fsencode(tmp_path)
    return lambda: Commander(Workspace.at(here, here), Audit(str(tmp_path / "audit")), watch=False)


def run(scene):
    return asyncio.run(asyncio.wait_for(scene, 60))


def test_a_thousand_changes_at_once_are_one_notice(commander):
    async def scene():
        made = commander()
        stream = aiter(event_stream(made, OpenPages(made), "page").body_iterator)
        first = await anext(stream)
        for _ in range(1000):
            made.events.changed()
        second = await anext(stream)
        rev = made.events.rev
        third = asyncio.ensure_future(anext(stream))
        made.events.changed()
        return first, second, rev, await third

    first, second, rev, third = run(scene())
    assert first == "data: 0\n\n"
    assert second == f"data: {rev}\n\n"
    assert third == f"data: {rev + 1}\n\n"


def test_the_stream_says_when_it_is_over_and_ends(commander):
    async def scene():
        made = commander()
        told = []
        stream = aiter(event_stream(made, OpenPages(made), "page").body_iterator)
        told.append(await anext(stream))
        made.quitting.set()
        told += [piece async for piece in stream]
        return told

    assert run(scene())[-1] == "event: over\ndata: over\n\n"


def test_nobody_listens_any_more_once_a_page_has_left(commander):
    async def scene():
        made = commander()
        stream = event_stream(made, OpenPages(made), "page").body_iterator
        await anext(aiter(stream))
        before = len(made.events._listeners), len(made.activity._listeners)
        await stream.aclose()
        return before, (len(made.events._listeners), len(made.activity._listeners))

    before, after = run(scene())
    assert after == (before[0] - 1, before[1] - 1)


def viewer(made, by, path=b"/a"):
    return made.workspace.open_dialog(DialogType.FILE_VIEWER, by.id, path=path)


async def left_after(made, *pages):
    """The dialogs that are left once the grace of these pages is over."""
    rev = made.events.rev
    await asyncio.wait_for(made.events.beyond(rev), 60)
    return list(made.workspace.dialogs)


def test_a_page_that_has_gone_takes_its_dialogs_with_it_and_no_others(commander):
    async def scene():
        made = commander()
        pages = OpenPages(made, grace=0)
        with pages.listening("one"):
            mine, terminals, agents = viewer(made, BROWSER), viewer(made, PERSON, b"/b"), viewer(made, AGENT, b"/c")
            pages.shows("one", [mine, terminals, agents])
        return await left_after(made), [terminals, agents]

    left, expected = run(scene())
    assert left == expected


def test_a_dialog_that_another_page_shows_too_stays_until_that_one_goes(commander):
    async def scene():
        made = commander()
        pages = OpenPages(made, grace=0)
        shared, own = viewer(made, BROWSER), viewer(made, BROWSER, b"/b")
        with pages.listening("two"):
            with pages.listening("one"):
                pages.shows("one", [shared, own])
                pages.shows("two", [shared])
            between = await left_after(made)
        return between == [shared], await left_after(made)

    assert run(scene()) == (True, [])


def test_a_page_that_comes_back_in_time_keeps_its_dialog(commander):
    async def scene():
        made = commander()
        pages = OpenPages(made, grace=0)
        with pages.listening("one"):
            pages.shows("one", [viewer(made, BROWSER)])
        with pages.listening("one"):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            return len(made.workspace.dialogs), made.events.rev

    assert run(scene()) == (1, 0)


def test_the_end_of_a_stream_is_the_end_of_its_page(commander):
    async def scene():
        made = commander()
        pages = OpenPages(made, grace=0)
        stream = event_stream(made, pages, "one").body_iterator
        await anext(aiter(stream))
        pages.shows("one", [viewer(made, BROWSER)])
        await stream.aclose()
        return await left_after(made)

    assert run(scene()) == []


def test_a_page_that_never_listened_leaves_nothing_either(commander):
    async def scene():
        made = commander()
        pages = OpenPages(made, grace=0)
        pages.shows("one", [viewer(made, BROWSER)])
        return await left_after(made)

    assert run(scene()) == []


def test_nothing_is_remembered_of_pages_that_have_gone(commander):
    async def scene():
        made = commander()
        pages = OpenPages(made, grace=0)
        for number in range(50):
            with pages.listening(str(number)):
                pages.shows(str(number), [viewer(made, BROWSER)])
            await left_after(made)
        return pages._streams, pages._shown, pages._leaving

    assert run(scene()) == ({}, {}, {})


def test_no_agent_quits_while_a_page_is_open(commander):
    """An agent could end the cmdr that the person looked at in the browser."""

    async def scene():
        made = commander()
        pages = OpenPages(made, grace=0)
        with pages.listening("one"), pytest.raises(NotAllowed, match="open in their browser"):
            await made.run(AGENT, "quit")
        # A page that is only loaded anew was open all the while.
        with pytest.raises(NotAllowed, match="open in their browser"):
            await made.run(AGENT, "quit")
        while made.desktop.pages:
            await asyncio.sleep(0)
        return await made.run(AGENT, "quit")

    assert run(scene()) == "OK: Quitting"


def test_the_person_quits_whatever_is_open(commander):
    async def scene():
        made = commander()
        with OpenPages(made, grace=0).listening("one"):
            return await made.run(PERSON, "quit")

    assert run(scene()) == "OK: Quitting"
