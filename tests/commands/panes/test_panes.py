"""The two panes: focus and swap."""


async def test_the_focus_moves_to_the_other_pane_and_back(desk):
    async with desk() as at:
        assert await at.agent("switch_pane") == "OK: Switched focus to right pane"
        assert (await at.state())["focused"] == "right"
        assert await at.agent("pane.switch") == "OK: Switched focus to left pane"


async def test_nothing_but_switching_moves_the_focus(desk):
    async with desk() as at:
        for name, how in {
            "nav_to_path": {"path": at.path("left/docs")},
            "sort": {"by": "ext"},
            "select": {"count": 1},
            "move_cursor": {"to": 0},
        }.items():
            assert (await at.agent(name, pane="right", **how)).startswith("OK")
        assert at.workspace.focused == "left"


async def test_swapping_exchanges_everything_the_panes_show(desk):
    async with desk() as at:
        await at.agent("tab.new", path="docs")
        await at.agent("select", pane="left", names=["guide.md"])
        left, right = list(at.workspace.left.tabs), list(at.workspace.right.tabs)
        rev = at.tab().rev
        answer = await at.agent("swap_panes")
        assert answer == f"OK: Swapped panes\nrev: {at.workspace.rev}"
        assert (at.workspace.right.tabs, at.workspace.left.tabs) == (left, right)
        assert at.selected("right") == {"guide.md"}
        assert at.workspace.focused == "left"
        assert "stale rev" in await at.agent("select", pane="right", start=0, count=1, rev=rev)
