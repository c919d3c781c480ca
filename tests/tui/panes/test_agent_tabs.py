"""Agents' tabs in the terminal: nothing of the person's moves, the frame tells whose tabs there are."""

from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.panes.agent_fronts import PERSON_IDLE_S

AGENT = Principal("agent", "claude")
MOVES = [
    ("move_cursor", {"pane": "left", "to": 0}),
    ("nav_to_path", {"pane": "left", "path": "docs"}),
    ("select", {"pane": "left", "start": 0, "count": "all"}),
    ("sort", {"pane": "left", "by": "size"}),
    ("filter", {"pane": "left", "text": "o"}),
    ("set_view_mode", {"pane": "left", "mode": "brief"}),
    ("toggle_hidden", {}),
    ("switch_pane", {}),
    ("nav_to_path", {"pane": "right", "path": "/"}),
]


async def rest(it):
    """The person does nothing for a while."""
    it.clock.forward(PERSON_IDLE_S)
    it.commander.agent_fronts.look()
    await it.pilot.pause()


async def test_agents_move_nothing_under_a_search_that_is_half_typed(face):
    async with face() as it:
        await it.type("file3")
        tab = it.tab
        left, right = it.lines(it.main.left), it.lines(it.main.right)
        for name, arguments in MOVES:
            answer = await it.commander.run(AGENT, name, arguments)
            assert answer.startswith("OK: ")
            await rest(it)
            assert (it.tab, it.name, it.main.quick_search.search, it.selected) == (tab, "file3.txt", "file3", [])
            assert (tab.path, tab.filter, str(tab.sort)) == (bytes(it.left), "", "name:asc")
        assert it.lines(it.main.left)[1:] == left[1:]
        assert it.lines(it.main.right)[1:] == right[1:]
        await it.type(".")
        assert (it.main.quick_search.search, it.name) == ("file3.", "file3.txt")


async def test_the_frame_names_the_agents_that_have_tabs_here_and_no_row_moves(face):
    async with face() as it:
        before = it.lines(it.main.left)
        await it.commander.run(AGENT, "nav_to_path", {"pane": "left", "path": "docs"})
        await it.pilot.pause()
        it.main.redraw()
        after = it.lines(it.main.left)
        assert "▸claude" in after[0]
        assert after[1:] == before[1:]


async def test_a_click_on_an_agents_name_goes_to_its_tab(face):
    async with face() as it:
        await it.commander.run(AGENT, "nav_to_path", {"pane": "left", "path": "docs"})
        it.main.redraw()
        await it.pilot.click(it.main.left, offset=(it.lines(it.main.left)[0].index("▸claude") + 1, 0))
        await it.press()
        assert it.tab.agent == "agent:claude"
        assert "▸claude docs" in it.lines(it.main.left)[1]
        assert it.lines(it.main.left)[0].startswith("┌─ ▸claude")


async def test_while_the_person_rests_an_agents_tab_comes_to_the_front_of_the_other_pane(face):
    async with face() as it:
        own = it.commander.workspace.right.tab
        await it.commander.run(AGENT, "nav_to_path", {"pane": "right", "path": str(it.left)})
        await it.commander.run(AGENT, "nav_to_path", {"pane": "left", "path": "docs"})
        assert it.commander.workspace.right.tab is own
        await rest(it)
        it.main.redraw()
        assert it.commander.workspace.right.tab.agent == "agent:claude"
        assert "▸claude, any key: yours" in it.lines(it.main.right)[0]
        assert it.tab.agent == ""  # never in the pane with the focus
        await it.press("down")
        assert it.commander.workspace.right.tab is own
        assert it.tab.agent == ""


async def test_the_first_key_acts_on_the_persons_own_tabs(face):
    async with face() as it:
        own = it.commander.workspace.right.tab
        await it.commander.run(AGENT, "nav_to_path", {"pane": "right", "path": str(it.left)})
        await rest(it)
        await it.press("tab")
        assert (it.tab, it.commander.workspace.focused) == (own, "right")


async def test_what_is_clicked_is_what_is_seen(face):
    async with face() as it:
        await it.commander.run(AGENT, "nav_to_path", {"pane": "right", "path": str(it.left)})
        await rest(it)
        it.main.redraw()
        tab = it.commander.workspace.right.tab
        line = next(y for y, text in enumerate(it.lines(it.main.right)) if "file2.txt" in text)
        await it.pilot.click(it.main.right, offset=(5, line))
        await it.press("down")
        assert (it.tab, it.tab.agent, it.name) == (tab, "", "file3.txt")


async def test_nothing_comes_forward_behind_a_window(face):
    async with face() as it:
        await it.press("f1")
        await it.commander.run(AGENT, "nav_to_path", {"pane": "right", "path": str(it.left)})
        await rest(it)
        assert it.commander.workspace.right.tab.agent == ""
        await it.press("escape")
        await rest(it)
        assert it.commander.workspace.right.tab.agent == "agent:claude"


async def test_a_tab_one_key_away_is_the_agents_and_keys_take_it_over(face):
    async with face() as it:
        await it.commander.run(AGENT, "nav_to_path", {"pane": "left", "path": str(it.left)})
        await it.commander.run(AGENT, "move_cursor", {"pane": "left", "to": "file2.txt"})
        keys = it.main.keys
        await it.press(keys.keys["next_tab"][0])
        assert (it.tab.agent, it.name) == ("agent:claude", "file2.txt")
        await it.press("down")
        assert (it.tab.agent, it.name) == ("", "file3.txt")
        await it.press(keys.keys["previous_tab"][0])
        assert it.tab is it.commander.workspace.left.tabs[0]


async def test_a_tab_that_agents_are_let_into_says_so(face):
    async with face() as it:
        await it.commander.run(PERSON, "tab.let_agents_in", {})
        it.main.redraw()
        assert "agents let in" in it.lines(it.main.left)[0]
        await it.commander.run(AGENT, "nav_to_path", {"pane": "left", "path": "docs"})
        assert it.tab.path == bytes(it.left / "docs")


async def test_tabs_of_agents_that_were_stopped_say_so_and_can_be_closed(face):
    async with face() as it:
        await it.commander.run(AGENT, "nav_to_path", {"pane": "left", "path": "docs"})
        await it.press(it.main.keys.keys["next_tab"][0])
        it.commander.stop_agents()
        it.main.redraw()
        assert "▸claude, stopped" in it.lines(it.main.left)[0]
        await it.press("ctrl+w")
        assert [tab.agent for tab in it.commander.workspace.left.tabs] == [""]
