"""The slow walk begins when it has been quiet, ends when somebody comes, and finds what folder times do not show."""

import asyncio
import functools
import os
import time

import pytest

from cmdr.core.dispatch.principals import PERSON
from cmdr.core.trees.idle_scans import UNWATCHED_RESCAN_S, WATCHED_RESCAN_S, IdleScans, ScannedTree
from cmdr.index.errors import RootMissing

SOON = 0.01


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """A loop whose clock goes on to the next timer whenever nothing is ready: no test waits, and none is too slow."""

    def __init__(self):
        super().__init__()
        self._now = 0.0
        select = self._selector.select

        def select_or_go_on(timeout=None):
            events = select(timeout if timeout is None else 0)
            if not events and timeout:
                self._now += timeout
            return events

        self._selector.select = select_or_go_on

    def time(self):
        return self._now


def in_virtual_time(test):
    @functools.wraps(test)
    def run():
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            runner.run(test())

    return run


class Ground:
    """Trees that can be walked, and what was done with them."""

    def __init__(self, *trees):
        self.trees = {tree.index: tree for tree in trees}
        self.walked = []
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()
        self.hold = False
        self.idle = IdleScans(self.in_use, self.walk, SOON)

    async def in_use(self):
        return list(self.trees.values())

    async def walk(self, index, stop):
        self.begun.set()
        while self.hold and not stop():
            await asyncio.sleep(0)
        self.walked.append((index, "stopped" if stop() else "done"))
        if not stop():
            self.trees[index] = ScannedTree(index, time.time(), self.trees[index].is_watched)
        self.ended.set()


def old(index, seconds, is_watched=False):
    return ScannedTree(index, time.time() - seconds, is_watched)


async def quiet(ground):
    """As long as it takes until a walk would have begun."""
    await asyncio.sleep(SOON * 5)


@in_virtual_time
async def test_trees_that_are_due_are_walked_one_after_the_other_the_oldest_first():
    ground = Ground(old("a", UNWATCHED_RESCAN_S + 5), old("b", UNWATCHED_RESCAN_S + 50), old("c", 5))
    ground.idle.touched()
    while len(ground.walked) < 2:
        await ground.ended.wait()
        await asyncio.sleep(0)
    await quiet(ground)
    assert ground.walked == [("b", "done"), ("a", "done")]
    await ground.idle.close()


@in_virtual_time
async def test_a_watched_tree_may_be_a_day_old():
    ground = Ground(old("fresh enough", WATCHED_RESCAN_S - 60, True), old("too old", WATCHED_RESCAN_S + 60, True))
    ground.idle.touched()
    await ground.ended.wait()
    await quiet(ground)
    assert ground.walked == [("too old", "done")]
    await ground.idle.close()


@in_virtual_time
async def test_a_command_ends_the_walk_and_it_begins_anew_afterwards():
    ground = Ground(old("a", UNWATCHED_RESCAN_S + 5))
    ground.hold = True
    ground.idle.touched()
    await ground.begun.wait()
    ground.idle.touched()
    await ground.ended.wait()
    assert ground.walked == [("a", "stopped")]
    ground.hold = False
    ground.ended.clear()
    await ground.ended.wait()
    assert ground.walked == [("a", "stopped"), ("a", "done")]
    await ground.idle.close()


@in_virtual_time
async def test_nothing_is_walked_when_it_is_switched_off_or_while_jobs_run():
    ground = Ground(old("a", UNWATCHED_RESCAN_S + 5))
    ground.idle.is_allowed = lambda: False
    ground.idle.touched()
    await quiet(ground)
    assert ground.walked == []
    ground.idle.is_allowed = lambda: True
    ground.idle.is_busy = lambda: True
    ground.idle.touched()
    await quiet(ground)
    assert ground.walked == []
    ground.idle.is_busy = lambda: False
    await ground.ended.wait()
    await ground.idle.close()


@in_virtual_time
async def test_closing_ends_the_walk_and_no_other_begins():
    ground = Ground(old("a", UNWATCHED_RESCAN_S + 5))
    ground.hold = True
    ground.idle.touched()
    await ground.begun.wait()
    await ground.idle.close()
    assert ground.walked == [("a", "stopped")]
    ground.idle.touched()
    await quiet(ground)
    assert len(ground.walked) == 1


@in_virtual_time
async def test_a_walk_that_was_about_to_begin_does_not_after_closing():
    ground = Ground(old("a", UNWATCHED_RESCAN_S + 5))
    ground.idle.quiet = 0.0
    ground.idle.touched()
    await ground.idle.close()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not ground.begun.is_set()


@in_virtual_time
async def test_a_tree_that_cannot_be_walked_is_left_alone_until_its_time_comes_again():
    ground = Ground(old("gone", UNWATCHED_RESCAN_S + 5), old("there", UNWATCHED_RESCAN_S + 1))

    async def walk(index, stop):
        if index == "gone":
            ground.walked.append((index, "failed"))
            raise RootMissing("not there")
        await Ground.walk(ground, index, stop)

    ground.idle._walk = walk
    ground.idle.touched()
    await ground.ended.wait()
    await quiet(ground)
    assert ground.walked == [("gone", "failed"), ("there", "done")]
    await ground.idle.close()


@in_virtual_time
async def test_a_walk_in_the_future_means_the_clock_was_set_back_and_the_tree_is_walked():
    ground = Ground(old("a", -86_400))
    ground.idle.touched()
    await ground.ended.wait()
    await ground.idle.close()


@pytest.fixture
def standing(core, tmp_path):
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    return lambda: core(indexes=str(state))


async def test_an_edit_inside_a_file_that_nobody_told_of_is_found(standing, tmp_path, monkeypatch):
    from cmdr.index.tree import IndexedTree

    monkeypatch.setattr(IndexedTree, "watch", lambda self, told=None: self.freshness)
    monkeypatch.setattr("cmdr.index.tree.IDLE_NICE", 0)  # beside other tests the lowest might wait for ever
    tree = tmp_path / "indexed"
    tree.mkdir()
    (tree / "log").write_bytes(b"x" * 100)
    os.utime(tree, (1_700_000_000, 1_700_000_000))
    async with standing() as at:
        indexing = at.indexing
        answers, _ = await indexing.ensure(os.fsencode(tree), PERSON)
        (tree / "log").write_bytes(b"x" * 5000)
        library = await indexing.library()
        answers = library.get(answers.indexed.record.id)  # what it knows at any time, not what it answered
        library.refresh(answers.indexed.record.id)
        assert answers.node(os.fsencode(tree / "log")).size == 100
        epoch = answers.view.epoch
        monkeypatch.setattr("cmdr.core.trees.idle_scans.UNWATCHED_RESCAN_S", 0.0)
        indexing.idle.quiet = SOON
        indexing.idle.touched()
        while answers.view.epoch == epoch:
            await at.events.beyond(at.events.rev)
        await indexing.idle.stop()
        assert answers.node(os.fsencode(tree / "log")).size == 5000
        assert answers.indexed.freshness.state == "fresh"


async def test_a_stopped_idle_walk_leaves_the_index_as_fresh_as_it_was(standing, tmp_path, monkeypatch):
    monkeypatch.setattr("cmdr.index.tree.IDLE_NICE", 0)
    tree = tmp_path / "indexed"
    tree.mkdir()
    (tree / "file").write_bytes(b"x")
    async with standing() as at:
        answers, _ = await at.indexing.ensure(os.fsencode(tree), PERSON)
        library = await at.indexing.library()
        library.refresh(answers.indexed.record.id)
        epoch = answers.view.epoch
        library.rescan_when_idle(answers.indexed.record.id, lambda: True)
        assert (answers.view.epoch, answers.indexed.freshness.state) == (epoch, "fresh")


async def test_only_one_walker_of_the_lowest_priority_walks_when_idle(standing, tmp_path, monkeypatch):
    from cmdr.index import tree

    folder = tmp_path / "indexed"
    folder.mkdir()
    async with standing() as at:
        answers, _ = await at.indexing.ensure(os.fsencode(folder), PERSON)
        seen = []
        real = tree.scan

        def scan(root, home, options, *rest):
            seen.append((options.workers, options.nice))
            return real(root, home, tree.replace(options, nice=0), *rest)

        monkeypatch.setattr(tree, "scan", scan)
        await at.indexing._rescan(answers.indexed.record.id, lambda: False)
        assert seen == [(1, 19)]
