"""Planning beside the loop: large plans in a process of their own, told how far they are, ended when given up."""

import asyncio
import os

import pytest

from cmdr.commands.changes import planning
from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import PERSON
from cmdr.model.panes.tab import SelectedEntries
from cmdr.model.plans.plan import Verb


@pytest.fixture
def large(monkeypatch):
    """Three entries are many."""
    monkeypatch.setattr(planning, "LARGE", 3)
    seen = []
    made = planning.plan_in_process

    def told(*arguments):
        seen.append(arguments[0])
        return made(*arguments)

    monkeypatch.setattr(planning, "plan_in_process", told)
    return seen


async def test_many_chosen_files_are_planned_in_a_process(desk, large):
    async with desk() as at:
        await at.person("selection.all", pane="left")
        answer = await at.person("delete", pane="left", permanent=True)
        assert answer.startswith("OK: Delete dialog opened")
        assert large == [Verb.DELETE]


async def test_a_folder_that_turns_out_large_is_planned_in_a_process(desk, large):
    async with desk() as at:
        deep = at.root / "left" / "deep"
        deep.mkdir()
        for number in range(10):
            (deep / str(number)).touch()
        answer = await at.person("delete", paths=[str(deep)], permanent=True)
        assert "1 folder, 10 files" in answer
        assert large == [Verb.DELETE]


async def test_a_small_plan_needs_no_process(desk, large):
    async with desk() as at:
        name = next(entry for entry in os.listdir(at.root / "left") if (at.root / "left" / entry).is_file())
        await at.person("delete", paths=[str(at.root / "left" / name)])
        assert not large


async def test_what_was_chosen_is_planned_and_not_what_is_selected_when_the_command_runs(desk):
    async with desk() as at:
        tab = at.workspace.left.tab
        tab.put_cursor(len(tab.listing) - 1)
        chosen = SelectedEntries.of(tab)
        await at.person("selection.all", pane="left")
        await at.commander.ask(PERSON, "delete", {"permanent": True}, chosen=chosen)
        plan = at.commander.proposals.pending()[-1].plan
        assert [item.place.path for item in plan.items] == list(chosen.paths())


async def test_giving_up_ends_the_planning(desk, monkeypatch):
    begun, ended = asyncio.Event(), asyncio.Event()

    async with desk() as at:
        loop = asyncio.get_running_loop()

        def forever(verb, paths, destination, choices):
            loop.call_soon_threadsafe(begun.set)
            try:
                while True:
                    choices.check()
            finally:
                loop.call_soon_threadsafe(ended.set)

        monkeypatch.setattr(planning, "make_plan", forever)
        monkeypatch.setattr(planning, "LARGE", float("inf"))
        task = asyncio.ensure_future(at.person("delete", pane="left"))
        await begun.wait()
        task.cancel()
        await ended.wait()
        assert not at.commander.proposals.pending()


async def test_whoever_waits_is_told_how_far_it_is(desk, monkeypatch):
    told = asyncio.Event()

    async with desk() as at:

        def until_told(verb, paths, destination, choices):
            choices.check()
            while not told.is_set():
                pass
            raise planning._Stopped

        async def hear(elapsed, message):
            assert message.endswith(" checks made")
            told.set()

        monkeypatch.setattr(planning, "make_plan", until_told)
        monkeypatch.setattr(planning, "PROGRESS_INTERVAL_S", 0.01)
        call = Call(at.commander, PERSON, hear)
        with pytest.raises(planning._Stopped):
            await at.commander.perform(at.commander.registry.find("delete"), {"pane": "left"}, call)
        assert told.is_set()
