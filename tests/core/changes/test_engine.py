"""The engine as the core sees it: the way back is found, or it is said why there is none."""

import asyncio
import errno
import os
import threading

import pytest

from cmdr.core.changes import engine as engines
from cmdr.core.changes.engine import Engine
from cmdr.core.errors import CommandError
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.plan.refusals import NotTakenBack
from cmdr.engine.plan.transfer_plan import plan_copy, plan_move
from cmdr.engine.run.control import Cancelled, Unattended
from cmdr.model.history import OperationState
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


def trash(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


async def left_in(engine, number):
    return {entry.id: entry.left for entry in await engine.history()}[number]


async def test_what_an_undo_skipped_can_be_tried_again_and_history_says_what_is_left(engine, tmp_path, monkeypatch):
    trash(monkeypatch, tmp_path)
    (tmp_path / "to").mkdir()
    for name in "abc":
        (tmp_path / name).write_text(name)
    plan = plan_move([os.fsencode(tmp_path / name) for name in "abc"], os.fsencode(tmp_path / "to"))
    number = engine.run(plan, "person:terminal", Unattended()).operation
    (tmp_path / "b").write_text("in the way")
    back = engine.run(await engine.undo_plan(number), "person:terminal", Unattended())
    assert (len(back.skipped), await left_in(engine, number)) == (1, 1)
    again = engine.run(await engine.undo_plan(number), "person:terminal", Unattended())
    assert (len(again.skipped), await left_in(engine, number)) == (1, 1)
    (tmp_path / "b").unlink()
    rest = await engine.undo_plan(number)
    assert [item.place.name for item in rest.items] == [b"b"]
    last = engine.run(rest, "person:terminal", Unattended()).operation
    assert (tmp_path / "b").read_text() == "b"
    assert await left_in(engine, number) == 0
    with pytest.raises(CommandError, match=f"already undone, by operation {last}"):
        await engine.undo_plan(number)
    assert engine.run(await engine.undo_plan(last), "person:terminal", Unattended()).is_clean
    assert sorted(os.listdir(tmp_path / "to")) == ["a", "b", "c"], "all the attempts are taken back as one"
    with pytest.raises(CommandError, match=f"was undone by operation {last}, and that was taken back"):
        await engine.undo_plan(number)


async def test_what_an_undo_left_alone_can_be_tried_again_once_it_is_as_it_was(engine, tmp_path, monkeypatch):
    trash(monkeypatch, tmp_path)
    number = engine.run(many(tmp_path), "person:terminal", Unattended()).operation
    aside = tmp_path / "to" / "b"
    aside.rename(tmp_path / "elsewhere")
    aside.write_text("another file")
    engine.run(await engine.undo_plan(number), "person:terminal", Unattended())
    assert os.listdir(tmp_path / "to") == ["b"]
    assert await left_in(engine, number) == 1
    with pytest.raises(NotTakenBack, match="to/b: it has changed since"):
        await engine.undo_plan(number)
    (tmp_path / "elsewhere").rename(aside)
    last = engine.run(await engine.undo_plan(number), "person:terminal", Unattended())
    assert (last.is_clean, os.listdir(tmp_path / "to")) == (True, [])
    assert await left_in(engine, number) == 0


async def test_what_went_with_its_folder_is_not_looked_for_again(engine, tmp_path, monkeypatch):
    trash(monkeypatch, tmp_path)
    (tmp_path / "to").mkdir()
    (tmp_path / "tree" / "sub").mkdir(parents=True)
    (tmp_path / "tree" / "sub" / "x").write_text("x")
    (tmp_path / "a").write_text("a")
    sources = [os.fsencode(tmp_path / name) for name in ("tree", "a")]
    number = engine.run(plan_copy(sources, os.fsencode(tmp_path / "to")), "person:terminal", Unattended()).operation
    (tmp_path / "to" / "a").write_text("edited since")
    back = engine.run(await engine.undo_plan(number), "person:terminal", Unattended())
    assert os.listdir(tmp_path / "to") == ["a"]
    (tmp_path / "to" / "a").unlink()
    with pytest.raises(NotTakenBack, match="to/a: it has changed since"):
        await engine.undo_plan(number)
    (tmp_path / "to" / "tree").mkdir()
    assert await left_in(engine, number) == 1
    assert engine.run(await engine.undo_plan(back.operation), "person:terminal", Unattended()).skipped


class Denied(Syscalls):
    """A disk that refuses some names, until it does not."""

    names: tuple[bytes, ...] = ()

    def rename(self, name, folder, new_name, new_folder, flags=0):
        if name in self.names:
            raise PermissionError(errno.EACCES, "denied")
        super().rename(name, folder, new_name, new_folder, flags)


async def test_an_undo_that_failed_wholly_or_in_part_can_be_tried_again(tmp_path, monkeypatch):
    trash(monkeypatch, tmp_path)
    disk = Denied()
    engine = Engine(Journal(os.fsencode(tmp_path / "journal.db")), disk)
    number = engine.run(many(tmp_path), "person:terminal", Unattended()).operation
    disk.names = (b"a", b"b", b"c")
    assert len(engine.run(await engine.undo_plan(None), "person:terminal", Unattended()).failed) == 3
    assert [entry.undone_by for entry in await engine.history()] == [None, None]
    disk.names = (b"b",)
    half = await engine.undo_plan(None)
    assert half.undoes == number
    assert len(engine.run(half, "person:terminal", Unattended()).failed) == 1
    assert await left_in(engine, number) == 1
    disk.names = ()
    assert engine.run(await engine.undo_plan(number), "person:terminal", Unattended()).is_clean
    assert (os.listdir(tmp_path / "to"), await left_in(engine, number)) == ([], 0)
    await engine.close()


async def test_a_resumed_operation_whose_undo_left_something_is_tried_again_as_one(engine, tmp_path, monkeypatch):
    trash(monkeypatch, tmp_path)
    first = engine.run(many(tmp_path), "person:terminal", Stops()).operation
    second = engine.run(await engine.resume_plan(first), "person:terminal", Unattended()).operation
    for name in "ac":
        (tmp_path / "to" / name).rename(tmp_path / f"aside {name}")
        (tmp_path / "to" / name).write_text("in its stead")
    engine.run(await engine.undo_plan(first), "person:terminal", Unattended())
    assert [await left_in(engine, number) for number in (first, second)] == [2, 2]
    for name in "ac":
        (tmp_path / f"aside {name}").rename(tmp_path / "to" / name)
    last = engine.run(await engine.undo_plan(first), "person:terminal", Unattended())
    assert (last.is_clean, os.listdir(tmp_path / "to")) == (True, [])
    undone = {entry.id: (entry.undone_by, entry.left) for entry in await engine.history()}
    assert undone[first] == undone[second] == (last.operation, 0)


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


async def test_one_entry_of_the_history_is_found_by_its_number(engine, tmp_path):
    number = copied(engine, tmp_path)
    assert (await engine.entry(number)).id == number
    for unknown in (number + 1, 0, -1):
        assert await engine.entry(unknown) is None


async def test_the_rest_of_an_operation_was_begun_by_whoever_began_the_operation(engine, tmp_path):
    (tmp_path / "to").mkdir()
    for name in "ab":
        (tmp_path / name).write_text(name)
    plan = plan_copy([os.fsencode(tmp_path / name) for name in "ab"], os.fsencode(tmp_path / "to"))

    class Stopping(Unattended):
        def checkpoint(self):
            raise Cancelled

    stopped = engine.run(plan, "agent:claude", Stopping())
    rest = engine.run(await engine.resume_plan(stopped.operation), "person:terminal", Unattended())
    assert (await engine.entry(rest.operation)).continues == stopped.operation
    assert await engine.begun_by(rest.operation) == "agent:claude"
    assert await engine.begun_by(99) is None
