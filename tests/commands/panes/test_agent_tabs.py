"""Agents keep out of the person's way: while somebody looks at the panes, each agent works in tabs of its own."""

import asyncio
import os
import re
from contextlib import asynccontextmanager

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmdr.core.admission.limits import AGENT_TABS_PER_PANE, AGENT_VIEWS, OWN_TABS_PER_AGENT
from cmdr.core.dispatch.principals import Principal
from cmdr.model.panes.workspace import DialogType

OTHER = Principal("agent", "other")


@pytest.fixture
def watched(desk):
    """A desk somebody looks at: `async with watched() as at`."""

    @asynccontextmanager
    async def opened(**how):
        async with desk(**how) as at:
            at.commander.desktop.pages = 1
            at.commander.agent_fronts.clock = lambda: 0.0  # the person does not rest
            at.commander.agent_fronts.touched()
            yield at

    return opened


def of_person(at):
    """Everything the person sees of their own, or feels under their fingers."""
    return (
        at.workspace.focused,
        at.workspace.show_hidden,
        *(
            (
                pane.side,
                pane.tab.id,
                [
                    (
                        *(tab.id, tab.path, tab.cursor_name(), tab.on_parent_row, tab.filter, str(tab.sort), tab.view),
                        *(tab.pinned, tuple(tab.selection.rows()), tuple(tab.listing.order), tab.found),
                    )
                    for tab in pane.person_tabs
                ],
            )
            for pane in at.workspace.panes
        ),
    )


async def state_of(at, principal):
    return yaml.safe_load(await at.ask(principal, "state", {}))


CHANGES = [
    ("nav_to_path", {"pane": "left", "path": "docs"}),
    ("nav_to_parent", {"pane": "left"}),
    ("open_under_cursor", {"pane": "left"}),
    ("move_cursor", {"pane": "left", "to": 3}),
    ("cursor.up_row", {"pane": "left"}),
    ("select", {"pane": "left", "start": 0, "count": "all"}),
    ("selection.toggle", {"pane": "left", "index": 2, "step": 1}),
    ("selection.all", {"pane": "left"}),
    ("selection.none", {"pane": "left"}),
    ("selection.invert", {"pane": "left"}),
    ("selection.mask", {"pane": "left", "mask": "*.md"}),
    ("sort", {"pane": "left", "by": "size", "order": "desc"}),
    ("set_view_mode", {"pane": "left", "mode": "full"}),
    ("view.fullMode", {"pane": "left"}),
    ("filter", {"pane": "left", "text": "a"}),
    ("toggle_hidden", {}),
    ("switch_pane", {}),
    ("swap_panes", {}),
    ("compare_panes", {}),
    ("tab.new", {"pane": "left", "path": "docs"}),
    ("find.go", {"path": "docs/guide.md"}),
    ("scroll_to", {"pane": "left", "index": 4}),
    ("command", {"id": "nav.parent"}),
]


@pytest.mark.parametrize(("name", "arguments"), CHANGES, ids=[name for name, _ in CHANGES])
async def test_what_an_agent_changes_changes_nothing_of_the_persons(watched, name, arguments):
    async with watched() as at:
        await at.person("move_cursor", pane="left", to="docs")
        await at.person("selection.toggle", index=3)
        before = of_person(at)
        assert (await at.agent(name, **arguments)).startswith("OK: ")
        assert of_person(at) == before


@pytest.mark.parametrize(("name", "arguments"), CHANGES, ids=[name for name, _ in CHANGES])
async def test_the_answer_is_the_same_whether_the_tab_is_the_agents_own_or_shared(desk, name, arguments):
    answers = []
    for pages in (0, 1):
        async with desk() as at:
            at.commander.desktop.pages = pages
            at.commander.agent_fronts.touched()
            await at.person("move_cursor", pane="left", to="docs")
            answers.append(await at.agent(name, **arguments))
    assert without_numbers(answers[0]) == without_numbers(answers[1])


SESSION = [
    ("nav_to_path", {"pane": "left", "path": "docs"}),
    ("nav_to_parent", {"pane": "left"}),
    ("set_view_mode", {"pane": "left", "mode": "full"}),
    ("sort", {"pane": "left", "by": "modified", "order": "desc"}),
    ("move_cursor", {"pane": "left", "to": "package.json"}),
    ("select", {"pane": "left", "start": 1, "count": 2}),
    ("select", {"pane": "left", "start": 4, "count": 1, "mode": "add"}),
    ("scroll_to", {"pane": "left", "index": 1}),
    ("nav_to_path", {"pane": "right", "path": "../left/docs"}),
    ("switch_pane", {}),
    ("toggle_hidden", {}),
    ("swap_panes", {}),
    ("refresh", {"pane": "focused"}),
]


async def test_a_session_of_the_seeds_reads_the_same_in_a_tab_of_its_own_and_in_a_shared_one(desk):
    """Each answer and each state, byte for byte but for ids and revisions; the person's view only comes after it."""
    told = {}
    for pages in (0, 1):
        async with desk() as at:
            at.commander.desktop.pages = pages
            at.commander.agent_fronts.clock = lambda: 0.0
            at.commander.agent_fronts.touched()
            texts = []
            for name, arguments in SESSION:
                texts += [await at.agent(name, **arguments), await at.agent("state")]
            told[pages] = [without_numbers(text) for text in texts]
            assert ("person:" in texts[-1]) is bool(pages)
    for own, shared in zip(told[1], told[0], strict=True):
        assert own.partition("person:\n")[0] == shared


def without_numbers(told):
    """An answer without the ids and revisions that are never twice the same."""
    return re.sub(r"\bt\d+\b|\brev: \d+", "", told)


async def test_an_agent_sees_its_own_view_first_and_the_persons_beside_it(watched):
    async with watched() as at:
        assert "person" not in await state_of(at, OTHER)
        await at.agent("nav_to_path", pane="left", path="docs")
        await at.agent("select", pane="left", start=0, count="all")
        await at.person("selection.toggle", index=3)
        seen = await at.state()
        assert (seen["left"]["path"], seen["left"]["selected"]) == (at.path("left/docs"), 2)
        assert "tabs" not in seen["left"]
        assert seen["person"] == {"focused": "left", "left": f"{at.tab().id} {at.path()}, cursor docs, 1 selected"}
        assert (await state_of(at, OTHER))["left"]["path"] == at.path()


async def test_until_it_changes_something_an_agent_reads_what_the_person_has_live(watched):
    async with watched(engine=True) as at:
        await at.agent("nav_to_path", pane="right", path="..")
        await at.person("select", pane="left", names=["README.md", "a9.txt"])
        assert (await at.state())["left"]["selected"] == 2
        told = await at.agent("copy", pane="left", to=at.path("right"))
        assert told.splitlines()[0] == "OK: Copy dialog opened. Waiting for user confirmation."
        (proposal,) = at.commander.proposals.pending()
        assert {os.path.basename(item.source.path) for item in proposal.plan.items} == {b"README.md", b"a9.txt"}


async def test_what_is_proposed_from_the_pane_is_what_the_agent_chose_in_its_own_tab(watched):
    async with watched(engine=True) as at:
        await at.agent("select", pane="left", names=["a10.txt"])
        await at.person("select", pane="left", names=["README.md"])
        await at.agent("copy", pane="left")
        (proposal,) = at.commander.proposals.pending()
        assert [os.path.basename(item.source.path) for item in proposal.plan.items] == [b"a10.txt"]
        assert at.selected() == {"README.md"}


async def test_the_first_change_starts_from_what_the_person_has_and_reads_nothing_again(watched):
    async with watched() as at:
        await at.person("sort", pane="left", by="size")
        await at.person("filter", pane="left", text="a")
        await at.person("select", pane="left", names=["README.md"])
        await at.agent("selection.toggle", pane="left", index=0)
        own = at.workspace.left.tabs[-1]
        assert (own.agent, own.agent_name) == ("agent:tester", "tester")
        assert (own.path, own.filter, own.sort, own.rev) == (at.tab().path, "a", at.tab().sort, at.tab().rev)
        assert own.listing is at.tab().listing
        assert own.selection.count == 2


async def test_a_row_counted_before_the_tab_was_made_is_the_same_row_after_it(watched):
    async with watched() as at:
        rev = (await at.state())["left"]["rev"]
        assert (await at.agent("move_cursor", pane="left", to=3, rev=rev)).startswith("OK: ")


async def test_a_call_that_fails_leaves_no_tab_behind(watched):
    async with watched() as at:
        for name, arguments in (
            ("nav_to_path", {"pane": "left", "path": "gone"}),
            ("nav_back", {"pane": "left"}),
            ("move_cursor", {"pane": "left", "to": 99}),
            ("select", {"pane": "left"}),
            ("tab.new", {"pane": "left", "path": "gone"}),
        ):
            assert (await at.agent(name, **arguments)).startswith("ERROR: ")
            assert len(at.workspace.tabs) == 2
        assert "person" not in await at.state()


async def test_two_agents_do_not_disturb_each_other(watched):
    async with watched() as at:
        await at.agent("nav_to_path", pane="left", path="docs")
        before = (await at.state())["left"]
        await at.ask(OTHER, "nav_to_path", {"pane": "left", "path": "src"})
        await at.ask(OTHER, "switch_pane", {})
        await at.ask(OTHER, "toggle_hidden", {})
        await at.ask(OTHER, "scroll_to", {"pane": "right", "index": 0})
        after = await at.state()
        assert (after["left"], after["focused"], after["showHidden"]) == (before, "left", False)
        theirs = await state_of(at, OTHER)
        assert (theirs["left"]["path"], theirs["focused"], theirs["showHidden"]) == (at.path("left/src"), "right", True)


async def test_each_agent_reads_on_where_it_scrolled_to_itself(watched):
    async with watched() as at:
        await at.agent("scroll_to", pane="left", index=4)
        assert (await at.state())["left"]["loadedRange"] == [4, 6]
        assert (await state_of(at, OTHER))["left"]["loadedRange"] == [0, 6]
        assert len(at.workspace.tabs) == 2
        await at.person("nav_to_path", pane="left", path="docs")
        assert (await at.state())["left"]["loadedRange"] == [0, 2]


async def test_without_anybody_at_the_panes_agents_work_in_them_until_somebody_comes(desk):
    async with desk() as at:
        await at.agent("nav_to_path", pane="left", path="docs")
        await at.agent("switch_pane")
        assert (at.tab().path, at.workspace.focused, len(at.workspace.tabs)) == (
            bytes(at.root / "left/docs"),
            "right",
            2,
        )
        at.commander.desktop.pages = 1
        at.commander.agent_fronts.clock = lambda: 0.0
        at.commander.agent_fronts.touched()
        await at.agent("nav_to_parent", pane="left")
        assert at.tab().path == bytes(at.root / "left/docs")
        at.commander.desktop.pages = 0
        await at.agent("nav_to_path", pane="left", path="src")
        assert at.tab().path == bytes(at.root / "left/docs")
        assert (await at.state())["left"]["path"] == at.path("left/src")


async def test_shared_panes_are_as_they_were(watched):
    async with watched() as at:
        await at.agent("nav_to_path", pane="left", path="docs")
        await at.commander.settings.choose("agents.panes", "shared")
        assert len(at.workspace.tabs) == 2
        await at.agent("nav_to_path", pane="left", path="docs")
        await at.agent("select", pane="left", start=0, count="all")
        await at.agent("switch_pane")
        assert (at.tab().path, at.tab().selection.count) == (bytes(at.root / "left/docs"), 2)
        assert at.workspace.focused == "right"


async def test_the_person_goes_to_an_agents_tab_and_takes_it_over_by_changing_it(watched):
    async with watched() as at:
        first = at.tab()
        await at.agent("nav_to_path", pane="left", path="docs")
        own = at.workspace.left.tabs[-1]
        await at.person("activate_tab", pane="left", tab=own.id)
        assert (at.tab(), own.agent) == (own, "agent:tester")
        await at.agent("move_cursor", pane="left", to=1)
        assert at.tab().cursor == 1
        await at.person("move_cursor", pane="left", to=0)
        assert (at.tab(), own.agent) == (own, "")
        assert "person" not in await at.state()
        await at.agent("move_cursor", pane="left", to=1)
        assert (own.cursor, [tab.agent for tab in at.workspace.left.tabs]) == (0, ["", "", "agent:tester"])
        assert at.workspace.left.tabs[0] is first


async def test_the_person_closes_an_agents_tab_and_has_their_own_back(watched):
    async with watched() as at:
        first = at.tab()
        await at.person("tab.new", path="src")
        second = at.tab()
        await at.agent("nav_to_path", pane="left", path="..")
        await at.person("activate_tab", pane="left", tab=at.workspace.left.tabs[-1].id)
        assert (await at.person("tab.close")).startswith("OK: Closed tab ")
        assert (at.tab(), at.workspace.left.tabs) == (second, [first, second])
        assert (await at.state())["left"]["path"] == at.path("left/src")
        assert await at.person("tab.reopen") == "ERROR: No closed tab to reopen."


async def test_the_pane_keeps_the_persons_last_tab_whatever_agents_have_open(watched):
    async with watched() as at:
        await at.agent("nav_to_path", pane="left", path="docs")
        assert await at.person("tab.close") == "ERROR: The left pane keeps its last tab."


async def test_an_agent_opens_pins_and_closes_only_its_own_tabs(watched):
    async with watched() as at:
        mine = at.tab().id
        refusal = f"ERROR: Tab {mine} is the person's. Pin and close your own tabs; tab.new opens one."
        assert await at.agent("pin_tab", pane="left", tab=mine) == refusal
        assert await at.agent("tab.close", pane="left") == refusal
        await at.agent("tab.new", pane="left", path="docs")
        copy, new = at.workspace.left.tabs[1:]
        assert (await at.state())["left"]["tabs"] == [
            f"{copy.id} {at.path()}",
            f"{new.id} {at.path('left/docs')} [active]",
        ]
        assert await at.agent("tab.close", pane="left", tab=mine) == refusal
        assert await at.ask(OTHER, "tab.close", {"pane": "left", "tab": new.id}) == refusal.replace(
            f"{mine} is the person's", f"{new.id} is tester's"
        )
        assert await at.agent("pin_tab", pane="left", tab=new.id) == f"OK: Pinned tab {new.id}"
        assert await at.agent("pin_tab", pane="left", tab=new.id, pinned=False) == f"OK: Unpinned tab {new.id}"
        assert await at.agent("tab.close", pane="left") == f"OK: Closed tab {new.id}"
        assert await at.agent("tab.close", pane="left") == f"OK: Closed tab {copy.id}"
        assert "person" not in await at.state()
        assert await at.agent("tab.reopen", pane="left") == "ERROR: No closed tab to reopen."


async def test_an_agent_that_goes_to_the_persons_tab_reads_along_and_to_another_gets_a_copy(watched):
    async with watched() as at:
        first = at.tab().id
        await at.person("tab.new", path="src")
        front = at.tab().id
        await at.agent("nav_to_path", pane="left", path="..")
        told = await at.agent("activate_tab", pane="left", tab=front)
        assert told == f"OK: Activated tab {front} ({at.path('left/src')})"
        assert ("person" in await at.state(), len(at.workspace.left.tabs)) == (False, 2)
        told = await at.agent("activate_tab", pane="left", tab=first)
        own = at.workspace.left.tabs[-1]
        assert told == f"OK: Activated tab {first} ({at.path()})\nown tab: {own.id}"
        assert (own.agent, at.tab().id) == ("agent:tester", front)
        assert (await at.agent("activate_tab", pane="left", tab="t99")).startswith(
            'ERROR: No tab "t99" in the left pane.'
        )


async def test_let_into_a_tab_agents_work_in_it_as_long_as_it_is_in_front(watched):
    async with watched() as at:
        await at.agent("nav_to_path", pane="left", path="src")
        assert await at.person("tab.let_agents_in") == "OK: Agents work in this tab with you"
        await at.agent("nav_to_path", pane="left", path="docs")
        assert (at.tab().path, at.tab().agent) == (bytes(at.root / "left/docs"), "")
        assert (await at.agent("swap_panes")).startswith("ERROR: One pane is your own")
        assert await at.person("tab.let_agents_in") == "OK: Agents keep out of this tab"
        await at.agent("nav_to_parent", pane="left")
        assert at.tab().path == bytes(at.root / "left/docs")
        assert (await at.agent("tab.let_agents_in")).startswith("ERROR: ")


async def test_the_person_follows_an_agent_until_they_choose_another_tab(watched):
    async with watched() as at:
        first = at.tab()
        assert await at.person("tab.follow_agent") == "ERROR: No agent has a tab of its own at the moment."
        await at.agent("nav_to_path", pane="left", path="docs")
        assert (
            await at.person("tab.follow_agent", agent="nobody") == "ERROR: nobody has no tab of its own at the moment."
        )
        assert await at.person("tab.follow_agent") == "OK: Following tester"
        assert at.tab().agent == "agent:tester"
        await at.agent("tab.new", pane="left", path=at.path("left/src"))
        await at.agent("nav_to_path", pane="right", path="..")
        assert (at.tab().path, at.tab("right").path) == (bytes(at.root / "left/src"), bytes(at.root))
        await at.person("activate_tab", pane="left", tab=first.id)
        await at.agent("nav_to_path", pane="left", path="..")
        assert (at.tab(), at.commander.agent_fronts.following) == (first, "")
        await at.person("tab.follow_agent")
        assert await at.person("tab.follow_agent") == "OK: Not following tester any more"
        assert at.tab() is first


async def test_the_persons_swap_leaves_agents_tabs_where_they_are(watched):
    async with watched() as at:
        left, right = at.tab(), at.tab("right")
        await at.agent("nav_to_path", pane="left", path="docs")
        own = at.workspace.left.tabs[-1]
        await at.person("swap_panes")
        assert (at.workspace.left.tabs, at.workspace.right.tabs) == ([right, own], [left])
        assert (at.tab(), at.tab("right")) == (right, left)
        await at.person("activate_tab", pane="left", tab=own.id)
        await at.person("swap_panes")
        assert (own.agent, at.tab("right"), at.tab()) == ("", own, left)


async def test_an_agents_tabs_and_viewers_go_when_it_is_gone(watched):
    async with watched() as at:
        at.commander.agent_tabs.grace_s = 0.0
        await at.agent("nav_to_path", pane="left", path="docs")
        await at.agent("dialog", action="open", type="file-viewer", path=at.path("left/README.md"))
        await at.ask(OTHER, "dialog", {"action": "open", "type": "info", "path": at.path("left/docs")})
        at.commander.agent_tabs.gone("agent:tester")
        while len(at.workspace.tabs) > 2:
            await asyncio.sleep(0)
        assert [dialog.type for dialog in at.workspace.dialogs] == [DialogType.INFO]


async def test_a_viewer_that_the_person_looks_at_stays_when_its_agent_goes(watched):
    async with watched() as at:
        await at.agent("dialog", action="open", type="file-viewer", path=at.path("left/README.md"))
        at.commander.desktop.shows = lambda dialog: True
        at.commander.agent_tabs.end("agent:tester")
        assert len(at.workspace.dialogs) == 1


async def test_an_agent_that_calls_again_keeps_what_it_had(watched):
    async with watched() as at:
        await at.agent("nav_to_path", pane="left", path="docs")
        at.commander.agent_tabs.gone("agent:tester")
        assert (await at.state())["left"]["path"] == at.path("left/docs")
        (view,) = at.commander.agent_tabs.views()
        assert view.ends_at > asyncio.get_running_loop().time() + at.commander.agent_tabs.grace_s


async def test_a_thousand_agents_leave_few_tabs(watched):
    async with watched() as at:
        for number in range(1000):
            agent = Principal("agent", f"a{number}")
            assert (await at.ask(agent, "move_cursor", {"pane": "left", "to": 1})).startswith("OK: ")
        assert len(at.workspace.left.tabs) <= AGENT_TABS_PER_PANE + 1
        assert len(at.commander.agent_tabs.views()) <= AGENT_VIEWS


async def test_one_agent_has_few_tabs(watched):
    async with watched() as at:
        answers = [await at.agent("tab.new", pane="left", path=at.path("left/docs")) for _ in range(20)]
        assert answers[-1].startswith("ERROR: The left pane has ")
        assert len(at.workspace.left.tabs) == OWN_TABS_PER_AGENT + 1


async def test_an_agents_tab_is_kept_live(watched):
    async with watched(watch=True) as at:
        await at.agent("nav_to_path", pane="left", path="docs")
        own = at.workspace.left.tabs[-1]
        (at.root / "left/docs/new.txt").touch()
        while own.listing.position_of(b"new.txt") is None:
            await at.commander.events.beyond(at.commander.events.rev)
        assert at.tab().listing.position_of(b"new.txt") is None


async def test_agents_that_are_stopped_keep_their_tabs_and_the_person_closes_them(watched):
    async with watched() as at:
        await at.agent("nav_to_path", pane="left", path="docs")
        at.commander.stop_agents()
        own = at.workspace.left.tabs[-1]
        assert own.agent == "agent:tester"
        assert await at.person("tab.close", pane="left", tab=own.id) == f"OK: Closed tab {own.id}"


async def test_sets_and_lists_open_in_the_agents_own_tab(watched, tmp_path):
    async with watched(indexes=str(tmp_path / "indexes")) as at:
        before = of_person(at)
        told = await at.agent("command", id="report.open", args={"kind": "largest-files", "root": at.path()})
        assert told.startswith("OK: "), told
        assert of_person(at) == before
        assert (await at.state())["left"]["shows"] == "largest-files"


_ANY = {
    "path": ["docs", "..", "src", "/", "gone"],
    "to": [0, 1, 5, 7],
    "start": [0, 3],
    "count": [0, 2, "all"],
    "by": ["name", "size", "modified"],
    "text": ["", "a", "*.md"],
    "mode": ["brief", "full"],
    "index": [0, 2, 5],
    "tab": ["t1", "t2", "t3", "t4", "t5"],
    "pane": ["left", "right", "focused", "other"],
}
_CALLS = {
    **dict.fromkeys("nav_to_parent nav_back nav_forward open_under_cursor refresh cursor.up_row".split(), ("pane",)),
    **dict.fromkeys("selection.all selection.none selection.invert tab.new tab.close tab.reopen".split(), ("pane",)),
    **dict.fromkeys("switch_pane swap_panes toggle_hidden compare_panes state".split(), ()),
    **dict.fromkeys(("activate_tab", "pin_tab"), ("pane", "tab")),
    "nav_to_path": ("pane", "path"),
    "move_cursor": ("pane", "to"),
    "select": ("pane", "start", "count"),
    "sort": ("pane", "by"),
    "filter": ("pane", "text"),
    "set_view_mode": ("pane", "mode"),
    "scroll_to": ("pane", "index"),
}
_STEPS = st.sampled_from(sorted(_CALLS)).flatmap(
    lambda name: st.tuples(
        st.just(name), st.fixed_dictionaries({key: st.sampled_from(_ANY[key]) for key in _CALLS[name]})
    )
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.booleans(), _STEPS), max_size=12))
def test_no_sequence_of_agents_calls_changes_anything_of_the_persons(watched, steps):
    async def run():
        async with watched() as at:
            await at.person("tab.new", pane="left", path=at.path("left"))
            await at.person("select", pane="left", names=["README.md"])
            await at.person("move_cursor", pane="left", to=2)
            before = of_person(at)
            for first, (name, arguments) in steps:
                await at.ask(OTHER if first else Principal("agent", "tester"), name, arguments)
                assert of_person(at) == before
            for tab in at.workspace.tabs:
                assert tab.cursor <= max(0, len(tab.listing) - 1)

    asyncio.run(run())
