"""When agents' tabs are seen: while the person rests, in the pane they are not in, and not a moment longer."""

import asyncio

from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.panes.agent_fronts import PERSON_IDLE_S
from cmdr.model.panes.pane import Side

ONE, TWO = Principal("agent", "one"), Principal("agent", "two")


class Desk:
    """A core that somebody looks at, whose time passes only when a test says so."""

    def __init__(self, commander):
        self.commander, self.fronts, self.workspace = commander, commander.agent_fronts, commander.workspace
        self.time = 100.0
        self.fronts.clock = lambda: self.time
        commander.desktop.pages = 1
        self.fronts.touched()

    @property
    def right(self):
        return self.workspace.right.tab

    async def move(self, agent, side="right"):
        await self.commander.run(agent, "cursor.up_row", {"pane": side})

    def rest(self, seconds=PERSON_IDLE_S):
        self.time += seconds
        self.fronts.look()


async def test_a_tab_waits_until_the_person_has_rested_for_the_whole_moment(core):
    async with core() as commander:
        at = Desk(commander)
        own = at.right
        await at.move(ONE)
        at.rest(PERSON_IDLE_S - 0.1)
        assert at.right is own
        at.rest(0.1)
        assert (at.right.agent, at.fronts.brought) == ("agent:one", (at.right,))


async def test_the_timer_brings_it_forward_without_anybody_asking(core):
    async with core() as commander:
        at = Desk(commander)
        at.time += PERSON_IDLE_S
        await at.move(ONE)
        while not at.right.agent:
            await commander.events.beyond(commander.events.rev)
        assert at.right.agent == "agent:one"


async def test_a_key_brings_the_persons_tab_back_and_a_click_does_not(core):
    async with core() as commander:
        at = Desk(commander)
        own = at.right
        await at.move(ONE)
        at.rest()
        at.fronts.touched(by_key=False)
        assert at.right.agent == "agent:one"
        at.fronts.touched()
        assert (at.right, at.fronts.brought) == (own, ())


async def test_a_click_into_the_tab_keeps_it_in_front(core):
    async with core() as commander:
        at = Desk(commander)
        await at.move(ONE)
        at.rest()
        at.fronts.chosen(at.workspace.right)
        at.fronts.touched()
        assert at.right.agent == "agent:one"
        await at.move(TWO)
        at.rest()
        assert at.right.agent == "agent:one"  # the person chose it


async def test_the_pane_with_the_focus_never_changes_by_itself(core):
    async with core() as commander:
        at = Desk(commander)
        await at.move(ONE, "left")
        at.rest()
        assert at.workspace.left.tab.agent == ""


async def test_the_agent_that_moved_last_is_seen(core):
    async with core() as commander:
        at = Desk(commander)
        await at.move(ONE)
        at.rest()
        await at.move(TWO)
        at.rest()
        assert at.right.agent == "agent:two"
        at.fronts.touched()
        assert at.right.agent == ""


async def test_nothing_comes_forward_while_a_face_is_in_the_middle_of_something(core):
    async with core() as commander:
        at = Desk(commander)
        busy = True
        at.fronts.is_busy["here"] = lambda: busy
        await at.move(ONE)
        at.rest()
        assert at.right.agent == ""
        busy = False
        at.fronts.touched()
        at.rest()
        assert at.right.agent == "agent:one"


async def test_what_is_followed_waits_while_a_face_is_in_the_middle_of_something(core):
    async with core() as commander:
        at = Desk(commander)
        await at.move(ONE, "left")
        await commander.run(PERSON, "tab.follow_agent", {})
        at.fronts.is_busy["here"] = lambda: True
        await at.move(ONE)
        assert at.right.agent == ""
        at.fronts.is_busy.clear()
        commander.events.changed()
        assert at.right.agent == "agent:one"


async def test_a_tab_that_was_closed_meanwhile_does_not_come_forward(core):
    async with core() as commander:
        at = Desk(commander)
        await at.move(ONE)
        commander.agent_tabs.end("agent:one")
        at.rest()
        assert at.right.agent == ""


async def test_an_agent_that_ends_while_its_tab_is_in_front_leaves_the_persons_there(core):
    async with core() as commander:
        at = Desk(commander)
        own = at.right
        await at.move(ONE)
        at.rest()
        commander.agent_tabs.end("agent:one")
        assert at.right is own
        at.fronts.touched()
        assert at.right is own


async def test_taking_over_ends_following(core):
    async with core() as commander:
        at = Desk(commander)
        await at.move(ONE, "left")
        await commander.run(PERSON, "tab.follow_agent", {"agent": "one"})
        own = at.workspace.left.tab
        await commander.run(PERSON, "set_view_mode", {"pane": "left", "mode": "full"})
        assert (own.agent, at.fronts.following) == ("", "")
        await at.move(ONE, "left")
        assert at.workspace.left.tab is own


async def test_choosing_a_tab_where_the_followed_agent_has_none_goes_on_following(core):
    async with core() as commander:
        at = Desk(commander)
        await at.move(ONE, "left")
        await commander.run(PERSON, "tab.follow_agent", {})
        at.fronts.chosen(at.workspace.pane(Side.RIGHT))
        assert at.fronts.following == "agent:one"


async def test_a_person_who_goes_on_working_is_asked_again_later(core):
    async with core() as commander:
        at = Desk(commander)
        await at.move(ONE)
        at.time += 1
        at.fronts.touched()
        at.rest(PERSON_IDLE_S - 1)
        assert at.right.agent == ""
        at.rest(1)
        assert at.right.agent == "agent:one"
        await asyncio.sleep(0)


async def test_of_a_pane_the_person_swapped_away_their_tab_is_still_found(core):
    async with core() as commander:
        at = Desk(commander)
        left, right = at.workspace.left.tab, at.right
        await at.move(ONE)
        at.rest()
        at.fronts.touched()
        await commander.run(PERSON, "swap_panes", {})
        assert (at.workspace.left.tab, at.right) == (right, left)
