"""Tabs: open, activate, pin, close, reopen."""

import os

from cmdr.core.admission.limits import TABS_PER_PANE


async def test_a_new_tab_opens_beside_the_one_in_front(desk):
    async with desk() as at:
        first = at.tab()
        answer = await at.agent("tab.new", path="docs")
        assert answer == f"OK: Opened tab {at.tab().id} ({at.path('left/docs')})"
        assert [tab.path for tab in at.workspace.left.tabs] == [first.path, bytes(at.root / "left/docs")]
        assert [visit.path for visit in at.tab().history.visits] == [bytes(at.root / "left/docs")]


async def test_a_new_tab_without_a_path_shows_the_same_folder(desk):
    async with desk() as at:
        await at.agent("sort", pane="left", by="size")
        await at.agent("tab.new")
        assert (at.tab().path, str(at.tab().sort), len(at.names())) == (bytes(at.root / "left"), "size:asc", 6)


async def test_a_new_tab_that_cannot_be_opened_leaves_no_trace(desk):
    """It was closed again, could be reopened, and the tab to its right came to the front."""
    async with desk() as at:
        first = at.tab()
        await at.agent("tab.new", path="docs")
        await at.agent("activate_tab", pane="left", tab=first.id)
        assert await at.agent("tab.new", path="gone") == f"ERROR: Path not found: {at.path('left/gone')}"
        assert at.tab() is first
        assert len(at.workspace.left.tabs) == 2
        assert at.workspace.left.closed == []


async def test_activating_reads_the_folder_again(desk):
    async with desk() as at:
        first = at.tab()
        await at.agent("tab.new", path="docs")
        (at.root / "left" / "new").touch()
        answer = await at.agent("activate_tab", pane="left", tab=first.id)
        assert answer == f"OK: Activated tab {first.id} ({at.path()})"
        assert "new" in at.names()


async def test_an_unknown_tab_is_told_with_the_known_ones(desk):
    async with desk() as at:
        for name in ("activate_tab", "pin_tab"):
            answer = await at.agent(name, pane="left", tab="t\n9")
            assert answer == f'ERROR: No tab "t\\u{{a}}9" in the left pane. There are: {at.tab().id}.'


async def test_pinned_tabs_are_marked_and_not_closed(desk):
    async with desk() as at:
        first = at.tab()
        await at.agent("tab.new", path="docs")
        assert await at.agent("pin_tab", pane="left", tab=first.id) == f"OK: Pinned tab {first.id}"
        state = (await at.state())["left"]
        assert state["tabs"] == [f"{first.id} {at.path()} [pinned]", f"{at.tab().id} {at.path('left/docs')} [active]"]
        assert await at.agent("tab.close", tab=first.id) == f"ERROR: Tab {first.id} is pinned. Unpin it first."
        assert await at.agent("pin_tab", pane="left", tab=first.id, pinned=False) == f"OK: Unpinned tab {first.id}"
        assert await at.agent("tab.close", tab=first.id) == f"OK: Closed tab {first.id}"


async def test_the_last_tab_stays(desk):
    async with desk() as at:
        assert await at.agent("tab.close", pane="right") == "ERROR: The right pane keeps its last tab."


async def test_a_closed_tab_comes_back_with_cursor_and_history(desk):
    async with desk() as at:
        await at.agent("tab.new", path="docs")
        await at.agent("move_cursor", pane="left", to="guide.md")
        closed = at.tab()
        await at.agent("tab.close")
        assert at.tab().path == bytes(at.root / "left")
        (at.root / "left/docs/a-new-one").touch()
        answer = await at.agent("tab.reopen")
        assert answer == f"OK: Reopened tab {closed.id} ({at.path('left/docs')})"
        assert (at.tab(), at.tab().cursor_name()) == (closed, b"guide.md")
        assert await at.agent("tab.reopen") == "ERROR: No closed tab to reopen."


async def test_a_tab_name_with_a_marker_in_it_is_quoted(desk):
    async with desk() as at:
        folder = at.root / "left" / "x [active]"
        os.mkdir(folder)
        await at.agent("tab.new", path="x [active]")
        assert (await at.state())["left"]["tabs"][1] == f'{at.tab().id} "{folder}" [active]'


async def test_agents_add_tabs_only_up_to_a_number_and_the_person_as_many_as_they_like(desk):
    """An agent opened three hundred."""
    async with desk() as at:
        for _ in range(TABS_PER_PANE - 1):
            await at.agent("tab.new")
        refused = "ERROR: The left pane has 30 tabs. Close one, or use one that is there."
        assert await at.agent("tab.new") == refused
        await at.agent("tab.close")
        assert (await at.person("tab.new")).startswith("OK: Opened tab")
        assert await at.agent("tab.reopen") == refused
        assert (await at.person("tab.reopen")).startswith("OK: Reopened tab")
        assert (await at.agent("nav_to_path", pane="left", path="docs")).startswith("OK: Navigated")
