"""The rows of a state: only those that are looked at, at the same cost in a large folder as in a small one."""

import asyncio
import gc
import os
import sys

import pytest

from cmdr import commands
from cmdr.core.audit.log import Audit
from cmdr.core.commander import Commander
from cmdr.core.dispatch.principals import Principal
from cmdr.model.panes.entry import Facts
from cmdr.model.panes.listing import Columns, Listing
from cmdr.model.panes.pane import Side
from cmdr.model.panes.sorting import SortOrder
from cmdr.model.panes.workspace import Workspace
from cmdr.web.page.rows import MAX_ROWS, Rows, Window
from cmdr.web.page.state import page_state


@pytest.mark.parametrize(
    ("text", "start", "count"),
    [
        ("10,60", 10, 60),
        ("0,0", 0, 1),
        ("5,100000", 5, MAX_ROWS),
        ("", 0, 100),
        ("1", 0, 100),
        ("-1,5", 0, 100),
        ("1e3,5", 0, 100),
        ("٣,٥", 0, 100),
        ("9" * 12 + ",5", 0, 100),
        ("1,2,3", 0, 100),
        ("<script>,1", 0, 100),
    ],
)
def test_a_window_is_read_or_is_the_beginning(text, start, count):
    assert Window.read(text) == Window(start, count)


@pytest.fixture
def workspace(tmp_path):
    commands.register()
    return Workspace.at(os.fsencode(tmp_path), os.fsencode(tmp_path))


@pytest.fixture
def commander(workspace, tmp_path):
    """A commander on no disk: the listings are made up."""
    return lambda: Commander(workspace, Audit(str(tmp_path / "audit")), watch=False)


def listing_of(count):
    """A made-up folder whose first rows have been looked at."""
    names = [b"%07d.txt" % number for number in range(count)]
    listing = Listing.of(Columns.pack(names, "f" * count, range(1, count + 1)), SortOrder(), show_hidden=True)
    known = Facts(1000, 1_700_000_000_000_000_000, None, 0o644, 1, 1)
    listing.looked_up.update(dict.fromkeys(range(100), known))
    return listing


def calls_for(commander, windows):
    """How many functions of cmdr a state calls."""
    called = 0

    def count(frame, event, _):
        nonlocal called
        called += event == "call" and "/cmdr/" in frame.f_code.co_filename

    async def draw():
        rows = Rows(commander)
        await page_state(commander, rows, windows)
        gc.collect()
        gc.disable()  # what the garbage calls when it goes is no work of a state
        sys.setprofile(count)
        try:
            return await page_state(commander, rows, windows)
        finally:
            sys.setprofile(None)
            gc.enable()

    return asyncio.run(draw()), called


def test_a_state_of_a_million_rows_costs_what_one_of_sixty_costs(commander, workspace):
    costs = {}
    for count in (60, 1_000_000):
        workspace.left.tab.show(listing_of(count))
        drawn, costs[count] = calls_for(commander(), {Side.LEFT: Window(0, 60)})
        assert len(drawn["panes"]["left"]["rows"]) == 60
        assert drawn["panes"]["left"]["count"] == count
    assert abs(costs[1_000_000] - costs[60]) < 60  # less than one call for each row that is drawn


async def test_what_changes_while_the_other_pane_waits_for_its_facts_is_asked_for_again(commander, workspace):
    it = commander()
    workspace.left.tab.show(listing_of(2))
    arrived, rows = asyncio.Event(), Rows(it)

    async def waits(tab, start, stop):
        if tab is workspace.right.tab:
            arrived.set()
            await asyncio.Event().wait()

    it.look_up = waits
    drawing = asyncio.ensure_future(page_state(it, rows, {}))
    await arrived.wait()
    while rows._looking.keys() != {(workspace.right.tab.id, 0, 100)}:
        await asyncio.sleep(0)
    workspace.left.tab.selection.toggle(0)
    it.events.changed()
    assert (await drawing)["rev"] < it.events.rev


def test_where_growth_is_the_point_the_size_is_the_change(commander, workspace):
    listing = listing_of(3)
    listing.changes.update({0: 2048, 1: -1024})
    workspace.left.tab.show(listing)
    drawn, _ = calls_for(commander(), {})
    assert [row["size"] for row in drawn["panes"]["left"]["rows"]] == ["+2.0K", "-1.0K", "1000"]


def test_a_window_beyond_the_end_shows_the_last_rows(commander, workspace):
    workspace.left.tab.show(listing_of(70))
    drawn, _ = calls_for(commander(), {Side.LEFT: Window(10_000, 60)})
    assert drawn["panes"]["left"]["start"] == 10
    assert drawn["panes"]["left"]["rows"][-1]["name"] == "0000069.txt"


def test_a_disk_that_hangs_holds_up_no_state_and_is_asked_once(commander, workspace, monkeypatch):
    """Names come at once; states that follow wait for the same look, and silence announces nothing."""
    workspace.left.tab.show(listing_of(200))
    asked = []

    async def scene():
        made = commander()
        monkeypatch.setattr(made.space, "at", lambda path, changed: None)
        rows, hangs = Rows(made), asyncio.Event()

        async def look_up(tab, start, stop):
            asked.append((tab.id, start))
            await hangs.wait()

        monkeypatch.setattr(made, "look_up", look_up)
        windows = {Side.LEFT: Window(120, 60)}
        drawn = [await page_state(made, rows, windows) for _ in range(3)]
        names = [row["name"] for row in drawn[-1]["panes"]["left"]["rows"]]
        before = made.events.rev
        hangs.set()
        await asyncio.wait(rows._looking.values())
        return names, drawn[-1]["panes"]["left"]["rows"][0]["size"], made.events.rev - before

    names, size, announced = asyncio.run(scene())
    assert names[0] == "0000120.txt"
    assert size == ""
    assert sorted(asked) == sorted({*asked})
    assert announced == 0


def test_facts_that_come_late_are_announced(commander, workspace, monkeypatch):
    workspace.left.tab.show(listing_of(200))

    async def scene():
        made = commander()
        rows, slow = Rows(made), asyncio.Event()

        async def look_up(tab, start, stop):
            await slow.wait()
            if tab is workspace.left.tab:
                tab.listing.looked_up[120] = Facts(5, 0, None, 0o644, 1, 1)

        monkeypatch.setattr(made, "look_up", look_up)
        await page_state(made, rows, {Side.LEFT: Window(120, 60)})
        before = made.events.rev
        slow.set()
        await made.events.beyond(before)
        return await page_state(made, rows, {Side.LEFT: Window(120, 60)})

    drawn = asyncio.run(asyncio.wait_for(scene(), 60))
    assert drawn["panes"]["left"]["rows"][0]["size"] == "5"


def test_what_appears_while_an_agent_works_is_marked(commander, workspace):
    tab = workspace.left.tab
    tab.show(listing_of(3))

    async def scene():
        made = commander()
        rows = Rows(made)
        await page_state(made, rows, {})
        made.activity.end(made.activity.begin(Principal("agent", "claude"), "copy", {}), "ok", 1)
        tab.show(listing_of(4))
        return await page_state(made, rows, {})

    rows = asyncio.run(scene())["panes"]["left"]["rows"]
    assert [row["fresh"] for row in rows] == [False, False, False, True]
