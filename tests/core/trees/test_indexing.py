"""Scans as jobs: joined, told when they fail, and never in the way of an idle walk."""

import asyncio
import os

import pytest

from cmdr.core.dispatch.principals import PERSON
from cmdr.model.job import JobState
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=1, nice=0)


@pytest.fixture
def standing(core, tmp_path):
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_bytes(b"x")
    return lambda: core(indexes=str(state))


async def test_a_second_scan_of_one_root_joins_the_first(standing, tmp_path):
    async with standing() as at:
        first = await at.indexing.scan(os.fsencode(tmp_path / "tree"), FEW, PERSON)
        second = await at.indexing.scan(os.fsencode(tmp_path / "tree"), FEW, PERSON)
        assert first is second
        assert await at.indexing.finished(first, 10)
        third = await at.indexing.scan(os.fsencode(tmp_path / "tree"), FEW, PERSON)
        assert third is not first
        assert await at.indexing.finished(third, 10)
        assert third.state is JobState.DONE


async def test_a_library_that_could_not_be_opened_is_tried_again_by_the_next_who_asks(standing, monkeypatch):
    from cmdr.core.trees import indexing

    async with standing() as at:
        with monkeypatch.context() as broken:
            broken.setattr(indexing, "_open", lambda state: (_ for _ in ()).throw(OSError(5, "Input/output error")))
            with pytest.raises(OSError, match="Input/output"):
                await at.indexing.library()
        assert await at.indexing.library() is not None


async def test_a_library_is_kept_when_who_asked_leaves_at_the_moment_it_is_open(standing):
    """Nobody had it then and it was locked: fast typing in Find left it without answers until cmdr was started anew."""
    async with standing() as at:
        asked = asyncio.create_task(at.indexing.library())
        while at.indexing._being_opened is None:
            await asyncio.sleep(0)
        # Behind the callback that wakes whoever asked: they are told of the library and sent away in the same moment.
        await asyncio.sleep(0)
        at.indexing._being_opened.add_done_callback(lambda _: asked.cancel())
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert await at.indexing.library() is not None


async def test_a_scan_that_the_system_fails_says_why(standing, tmp_path, monkeypatch):
    def fails(*_, **__):
        raise OSError(5, "Input/output error")

    async with standing() as at:
        library = await at.indexing.library()
        monkeypatch.setattr(library, "index", fails)
        job = await at.indexing.scan(os.fsencode(tmp_path / "tree"), FEW, PERSON)
        await at.indexing.finished(job, 10)
        assert job.state is JobState.FAILED
        assert job.problem.endswith("could not be indexed: Input/output error.")


async def test_a_scan_that_fails_inside_says_so_and_is_logged(standing, tmp_path, monkeypatch, caplog):
    async with standing() as at:
        library = await at.indexing.library()
        monkeypatch.setattr(library, "index", lambda *_, **__: 1 / 0)
        job = await at.indexing.scan(os.fsencode(tmp_path / "tree"), FEW, PERSON)
        await at.indexing.finished(job, 10)
        assert job.state is JobState.FAILED
        assert "cmdr failed inside" in job.problem
    assert "ZeroDivisionError" in caplog.text


async def test_a_scan_waits_until_an_idle_walk_has_made_way(standing, tmp_path, monkeypatch):
    async with standing() as at:
        indexing = at.indexing
        await indexing.ensure(os.fsencode(tmp_path / "tree"), PERSON)
        begun = asyncio.Event()
        order = []

        async def walk(index, stop):
            begun.set()
            while not stop():
                await asyncio.sleep(0)
            order.append("walk made way")

        monkeypatch.setattr("cmdr.core.trees.idle_scans.UNWATCHED_RESCAN_S", 0.0)
        monkeypatch.setattr("cmdr.core.trees.idle_scans.WATCHED_RESCAN_S", 0.0)
        indexing.idle._walk, indexing.idle.quiet = walk, 0.01
        indexing.idle.touched()
        await begun.wait()
        job = await indexing.scan(os.fsencode(tmp_path / "tree"), FEW, PERSON)
        assert await indexing.finished(job, 10)
        order.append("scan ended")
        assert order[:2] == ["walk made way", "scan ended"]
        assert job.state is JobState.DONE


async def test_an_index_that_is_opened_by_its_id_is_brought_up_to_date_too(standing, tmp_path):
    tree = tmp_path / "tree"
    async with standing() as at:
        answers, _ = await at.indexing.ensure(os.fsencode(tree), PERSON)
        index = answers.indexed.record.id
    (tree / "later").write_bytes(b"later")
    async with standing() as at:
        answers = await at.indexing.open(index)
        while answers.indexed.freshness.state != "fresh":
            await at.events.beyond(at.events.rev)
        assert answers.node(os.fsencode(tree / "later")).size == 5


async def test_sizes_of_folders_are_answered_from_memory_until_an_index_knows_something_else(
    standing, tmp_path, monkeypatch
):
    tree = os.fsencode(tmp_path / "tree")
    os.mkdir(tree + b"/inner")
    async with standing() as at:
        indexing = at.indexing
        await indexing.ensure(tree, PERSON)
        await asyncio.wait(indexing._background)
        first = await indexing.folder_sizes(tree, [b"inner", b"unknown"])
        assert first[b"inner"].bytes == 0
        assert first[b"inner"].fresh

        asked = []
        ask = indexing.ask_of_folder

        async def counted(path, question):
            asked.append(path)
            return await ask(path, question)

        monkeypatch.setattr(indexing, "ask_of_folder", counted)
        assert await indexing.folder_sizes(tree, [b"inner", b"unknown"]) == first
        assert not asked
        (tmp_path / "tree" / "inner" / "file").write_bytes(b"xyz")
        indexed = (await indexing.covering_entry(tree)).indexed
        indexed.check()
        assert (await indexing.folder_sizes(tree, [b"inner"]))[b"inner"].bytes == 3
        indexed.mark_stale("somebody says so")
        assert not (await indexing.folder_sizes(tree, [b"inner"]))[b"inner"].fresh
        assert len(asked) == 2


async def test_sizes_that_were_asked_for_before_an_index_changed_are_not_kept_as_new(standing, tmp_path, monkeypatch):
    """The answer came from the view before; the next look asks again."""
    tree = os.fsencode(tmp_path / "tree")
    os.mkdir(tree + b"/inner")
    async with standing() as at:
        indexing = at.indexing
        await indexing.ensure(tree, PERSON)
        await asyncio.wait(indexing._background)
        ask = indexing.ask_of_folder

        async def overtaken(path, question):
            answer = await ask(path, question)
            monkeypatch.setattr(indexing, "ask_of_folder", ask)
            found = await indexing.folder_sizes(path, [b"inner"])
            (tmp_path / "tree" / "inner" / "file").write_bytes(b"xyz")
            (await indexing.covering_entry(path)).indexed.check()
            assert found[b"inner"].bytes == 0
            return answer

        monkeypatch.setattr(indexing, "ask_of_folder", overtaken)
        await indexing.folder_sizes(tree, [b"inner"])
        assert (await indexing.folder_sizes(tree, [b"inner"]))[b"inner"].bytes == 3
