"""Watching a folder through the system's own notices: nothing that happens once it stands is missed."""

import asyncio
import functools
import os
from contextlib import aclosing

import pytest

from cmdr.files.watch import changes

PATIENCE = 60


def on_a_loop(test):
    @functools.wraps(test)
    def run(*args, **kwargs):
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), PATIENCE))

    return run


async def names_until(watch, wanted):
    seen = set()
    while not wanted <= seen:
        seen |= await anext(watch)
    return seen


@on_a_loop
async def test_it_says_first_that_it_stands_and_then_what_changes(tmp_path):
    (tmp_path / "old").touch()
    async with aclosing(changes(bytes(tmp_path), asyncio.Event())) as watch:
        assert await anext(watch) == frozenset()
        (tmp_path / "new").touch()
        assert await names_until(watch, {b"new"}) == {b"new"}
        (tmp_path / "new").rename(tmp_path / "newer")
        await names_until(watch, {b"new", b"newer"})
        (tmp_path / "old").unlink()
        await names_until(watch, {b"old"})


@on_a_loop
async def test_nothing_is_missed_between_two_answers(tmp_path):
    async with aclosing(changes(bytes(tmp_path), asyncio.Event())) as watch:
        await anext(watch)
        (tmp_path / "first").touch()
        await anext(watch)
        for number in range(20):
            (tmp_path / f"n{number}").touch()
        await names_until(watch, {b"n%d" % number for number in range(20)})


@on_a_loop
async def test_a_name_that_is_not_text_is_a_change_like_any_other(tmp_path):
    """It broke the watcher: one such name, and its folder was never live again."""
    async with aclosing(changes(bytes(tmp_path), asyncio.Event())) as watch:
        await anext(watch)
        for number in range(2):
            with open(os.path.join(bytes(tmp_path), b"bad\xff%d" % number), "wb"):
                assert await anext(watch)
            assert await anext(watch) == frozenset()
        (tmp_path / "good").touch()
        await names_until(watch, {b"good"})


@on_a_loop
async def test_a_folder_whose_path_is_not_utf8_is_watched_too(tmp_path):
    """Its path could not be handed to the watcher, and it was never live."""
    folder = os.path.join(bytes(tmp_path), b"bad\xff")
    os.mkdir(folder)
    async with aclosing(changes(folder, asyncio.Event())) as watch:
        await anext(watch)
        with open(os.path.join(folder, b"new"), "wb"):
            assert await names_until(watch, {b"new"})


@on_a_loop
async def test_changes_deeper_down_are_not_told(tmp_path):
    (tmp_path / "sub").mkdir()
    async with aclosing(changes(bytes(tmp_path), asyncio.Event())) as watch:
        await anext(watch)
        (tmp_path / "sub" / "deep").touch()
        (tmp_path / "here").touch()
        assert b"deep" not in await names_until(watch, {b"here"})


@on_a_loop
async def test_it_ends_when_it_is_stopped(tmp_path):
    stop = asyncio.Event()
    async with aclosing(changes(bytes(tmp_path), stop)) as watch:
        await anext(watch)
        stop.set()
        with pytest.raises(StopAsyncIteration):
            await anext(watch)


@on_a_loop
async def test_a_folder_that_cannot_be_watched_ends_at_once(tmp_path):
    async with aclosing(changes(bytes(tmp_path / "gone"), asyncio.Event())) as watch:
        assert [names async for names in watch] == []


@on_a_loop
async def test_a_watcher_that_is_dropped_leaves_no_task_behind(tmp_path):
    before = asyncio.all_tasks()
    async with aclosing(changes(bytes(tmp_path), asyncio.Event())) as watch:
        await anext(watch)
    assert asyncio.all_tasks() == before
