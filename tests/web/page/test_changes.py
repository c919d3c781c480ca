"""The stream of changes: one notice for many changes, and an end when cmdr ends."""

import asyncio
import os

import pytest

from cmdr import commands
from cmdr.core.audit.log import Audit
from cmdr.core.commander import Commander
from cmdr.model.panes.workspace import Workspace
from cmdr.web.page.changes import changes
from cmdr.web.page.open_pages import OpenPages


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
        stream = aiter(changes(made, OpenPages(made), "page").body_iterator)
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
        stream = aiter(changes(made, OpenPages(made), "page").body_iterator)
        told.append(await anext(stream))
        made.quitting.set()
        told += [piece async for piece in stream]
        return told

    assert run(scene())[-1] == "event: over\ndata: over\n\n"


def test_nobody_listens_any_more_once_a_page_has_left(commander):
    async def scene():
        made = commander()
        stream = changes(made, OpenPages(made), "page").body_iterator
        await anext(aiter(stream))
        before = len(made.events._listeners), len(made.activity._listeners)
        await stream.aclose()
        return before, (len(made.events._listeners), len(made.activity._listeners))

    before, after = run(scene())
    assert after == (before[0] - 1, before[1] - 1)
