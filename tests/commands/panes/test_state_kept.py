"""The kept state is always the one that would be told anew, whatever happened since."""

import os
import random

import pytest

from cmdr.core.agents.text_cache import MAX_TEXTS, TextCache
from cmdr.model.panes.entry import FolderSize
from cmdr.model.results.result import PlainText

STEPS = 60


def a_step(dice, at):
    """Something that anybody may do next, as a command with its arguments."""
    pane = dice.choice(["left", "right"])
    names = at.names(pane) or ["nothing"]
    tabs = [tab.id for tab in getattr(at.workspace, pane).tabs]
    return dice.choice(
        [
            ("move_cursor", {"pane": pane, "to": dice.randrange(len(names))}),
            ("scroll_to", {"pane": pane, "index": dice.randrange(len(names))}),
            ("select", {"pane": pane, "names": dice.sample(names, 1), "mode": dice.choice(["replace", "add"])}),
            ("selection.toggle", {"pane": pane}),
            ("selection.all", {"pane": pane}),
            ("selection.none", {"pane": pane}),
            ("sort", {"pane": pane, "by": dice.choice(["name", "size", "modified", "extension"]), "order": "desc"}),
            ("toggle_hidden", {}),
            ("set_view_mode", {"pane": pane, "mode": dice.choice(["full", "brief"])}),
            ("switch_pane", {}),
            ("swap_panes", {}),
            ("filter", {"pane": pane, "text": dice.choice(["", "a", "*.txt"])}),
            ("tab.new", {"pane": pane}),
            ("tab.close", {"pane": pane}),
            ("pin_tab", {"pane": pane, "tab": dice.choice(tabs), "pinned": dice.choice([True, False])}),
            ("activate_tab", {"pane": pane, "tab": dice.choice(tabs)}),
            ("nav_to_path", {"pane": pane, "path": at.path(dice.choice(["left", "left/docs", "right"]))}),
            ("nav_to_parent", {"pane": pane}),
            ("nav_back", {"pane": pane}),
            ("dialog", {"action": "open", "type": "about"}),
            ("dialog", {"action": "close", "type": "about"}),
            ("refresh", {"pane": pane}),
        ]
    )


def touch_the_disk(dice, at):
    """A file comes, grows or goes."""
    path = at.root / "left" / dice.choice(["a9.txt", "new", "b.txt", "docs/guide.md"])
    if path.exists() and dice.random() < 0.4:
        path.unlink()
    else:
        path.write_bytes(b"x" * dice.randrange(5000))


def learn_sizes(dice, at):
    """An index tells what a folder holds, without anything else having changed."""
    listing = at.tab().listing
    if listing.columns.folder_count:
        listing.folder_sizes[0] = FolderSize(dice.randrange(10**6), complete=True, fresh=dice.choice([True, False]))


@pytest.mark.parametrize("lets_go", [True, False], ids=["let go at each change", "by what it was made of alone"])
@pytest.mark.parametrize("seed", range(8))
async def test_the_kept_text_equals_a_fresh_one_through_any_commands(desk, seed, lets_go):
    dice = random.Random(seed)
    async with desk() as at:
        if not lets_go:
            at.commander.text_cache = TextCache()  # one that nobody tells about changes
        kept = at.commander.text_cache
        for _ in range(STEPS):
            name, arguments = a_step(dice, at)
            await at.agent(name, **arguments)
            if dice.random() < 0.2:
                touch_the_disk(dice, at)
            if dice.random() < 0.2:
                learn_sizes(dice, at)
            asked = {"limit": dice.choice([0, 2, 50]), **dice.choice([{}, {"detail": "full"}, {"pane": "left"}])}
            told = await at.agent("state", **asked)
            at.commander.text_cache = TextCache()
            assert await at.agent("state", **asked) == told, (name, arguments, asked)
            at.commander.text_cache = kept


async def test_the_same_state_is_made_once(desk):
    async with desk() as at:
        await at.agent("state")
        first = dict(at.commander.text_cache._kept)
        await at.agent("state")
        after = at.commander.text_cache._kept
        assert first and all(after[name][1] is text for name, (_, text) in first.items())


async def test_a_change_lets_go_of_the_folder_that_was_left(desk):
    async with desk() as at:
        await at.agent("state")
        assert at.commander.text_cache._kept
        await at.person("nav_to_path", pane="left", path="docs")
        assert not at.commander.text_cache._kept


async def test_a_file_that_is_looked_at_again_is_told_anew(desk):
    """Facts come without a change of the workspace."""
    async with desk() as at:
        row = at.tab().listing.order[at.names().index("README.md")]
        assert "2403b" in await at.agent("state", detail="short")
        (at.root / "left" / "README.md").write_bytes(b"x")
        del at.tab().listing.looked_up[row]
        assert "README.md 1b" in await at.agent("state", detail="short")


def test_no_more_texts_are_kept_than_anybody_needs():
    kept = TextCache()
    for number in range(10 * MAX_TEXTS):
        kept.text(number, (number,), lambda: "x" * 20_000)
    assert len(kept._kept) <= MAX_TEXTS


async def test_nothing_waits_where_everything_is_known(desk):
    """Each state went through four tasks, though nothing had to be looked up."""
    async with desk() as at:
        await at.agent("state", detail="full")
        command = at.commander.registry.find("state")
        from cmdr.core.dispatch.call import Call
        from cmdr.core.dispatch.principals import PERSON

        assert isinstance(command.function(Call(at.commander, PERSON), detail="full"), PlainText)
        assert os.fspath(at.path()) in command.function(Call(at.commander, PERSON)).text()
