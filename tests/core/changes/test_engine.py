"""The engine as the core sees it: the way back is found, or it is said why there is none."""

import asyncio
import os
import threading

import pytest

from cmdr.core.changes import engine as engines
from cmdr.core.changes.engine import Engine
from cmdr.core.changes.journal import Journal
from cmdr.core.errors import CommandError
from cmdr.files.engine.control import Cancelled, Unattended
from cmdr.files.engine.planning import plan_copy
from cmdr.files.engine.recorder import OperationState
from cmdr.model.plans.plan import Plan, Verb


@pytest.fixture
def engine(tmp_path):
    made = Engine(Journal(os.fsencode(tmp_path / "journal.db")))
    yield made
    asyncio.run(made.close())


def copied(engine, tmp_path):
    (tmp_path / "to").mkdir()
    (tmp_path / "a").write_text("a")
    plan = plan_copy([os.fsencode(tmp_path / "a")], os.fsencode(tmp_path / "to"))
    return engine.run(plan, "person:terminal", Unattended()).operation


async def test_where_nothing_was_done_there_is_nothing_to_undo(engine):
    with pytest.raises(CommandError, match="Nothing to undo"):
        await engine.undo_plan(None)


@pytest.mark.parametrize("way", [Engine.undo_plan, Engine.resume_plan])
async def test_an_operation_that_never_was_is_told(engine, way):
    with pytest.raises(CommandError, match="no operation 7"):
        await way(engine, 7)


async def test_the_last_operation_is_undone_and_only_once(engine, tmp_path):
    number = copied(engine, tmp_path)
    plan = await engine.undo_plan(None)
    assert (plan.verb, plan.undoes) == (Verb.UNDO, number)
    back = engine.run(plan, "person:terminal", Unattended())
    assert os.listdir(tmp_path / "to") == []
    with pytest.raises(CommandError, match=f"already undone, by operation {back.operation}"):
        await engine.undo_plan(number)
    assert [entry.id for entry in await engine.history()] == [back.operation, number]


async def test_everything_a_person_is_shown_about_a_way_back_is_found_out_beside_the_loop(
    engine, tmp_path, monkeypatch
):
    number = copied(engine, tmp_path)
    threads = []
    real = Plan.weigh
    monkeypatch.setattr(Plan, "weigh", lambda plan: (threads.append(threading.current_thread()), real(plan))[1])
    monkeypatch.setattr(engines, "plan_resume", lambda record: record.plan)
    await engine.undo_plan(number)
    await engine.resume_plan(number)
    assert len(threads) == 2
    assert threading.main_thread() not in threads


class Stops(Unattended):
    """A person who says stop at the second file."""

    left = 2

    def checkpoint(self):
        self.left -= 1
        if self.left < 0:
            raise Cancelled


def many(tmp_path):
    (tmp_path / "to").mkdir()
    for name in "abc":
        (tmp_path / name).write_text(name)
    return plan_copy([os.fsencode(tmp_path / name) for name in "abc"], os.fsencode(tmp_path / "to"))


async def test_an_undo_that_was_stopped_goes_on_when_it_is_asked_for_again(engine, tmp_path):
    number = engine.run(many(tmp_path), "person:terminal", Unattended()).operation
    engine.run(await engine.undo_plan(number), "person:terminal", Stops())
    assert os.listdir(tmp_path / "to") != []
    rest = await engine.undo_plan(number)
    assert rest.verb is Verb.UNDO
    assert rest.undoes == number
    last = engine.run(rest, "person:terminal", Unattended())
    assert os.listdir(tmp_path / "to") == []
    with pytest.raises(CommandError, match=f"already undone, by operation {last.operation}"):
        await engine.undo_plan(number)


async def test_an_undo_that_was_killed_is_resumed_and_not_begun_anew(engine, tmp_path):
    number = engine.run(many(tmp_path), "person:terminal", Unattended()).operation
    undo = engine.run(await engine.undo_plan(number), "person:terminal", Stops()).operation
    engine._journal.finish(undo, OperationState.INTERRUPTED)
    with pytest.raises(CommandError, match=f"interrupted. Resume operation {undo}"):
        await engine.undo_plan(number)


async def test_an_operation_goes_on_once_and_only_while_it_stands(engine, tmp_path):
    number = engine.run(many(tmp_path), "person:terminal", Stops()).operation
    later = engine.run(await engine.resume_plan(number), "person:terminal", Unattended()).operation
    assert sorted(os.listdir(tmp_path / "to")) == ["a", "b", "c"]
    with pytest.raises(CommandError, match=f"went on as operation {later}"):
        await engine.resume_plan(number)
    undo = engine.run(await engine.undo_plan(number), "person:terminal", Unattended()).operation
    assert os.listdir(tmp_path / "to") == []
    with pytest.raises(CommandError, match=f"was undone, by operation {undo}"):
        await engine.resume_plan(number)
    running = engine._journal.begin(Plan(Verb.COPY, ()), "person:terminal")
    with pytest.raises(CommandError, match="still runs"):
        await engine.resume_plan(running)
