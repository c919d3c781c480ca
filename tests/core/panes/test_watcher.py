"""Shown folders stay live: every change is seen, a busy folder keeps nobody busy, and a quit is not held up."""

import asyncio
import os
import threading

import pytest

from cmdr.core.dispatch.principals import PERSON
from cmdr.core.panes import browser as browsing
from cmdr.core.panes import folder_reader
from cmdr.core.panes import watcher as live


def names(tab):
    return {tab.listing.name(place) for place in range(len(tab.listing))}


async def until(commander, condition):
    while not condition():
        await asyncio.wait_for(commander.events.beyond(commander.events.rev), 60)


@pytest.fixture
def left(tmp_path):
    folder = tmp_path / "left"
    folder.mkdir()
    return folder


async def test_created_renamed_and_deleted_files_are_seen(core, left):
    (left / "old").touch()
    async with core(watch=True) as commander:
        tab = commander.workspace.left.tab
        (left / "new").touch()
        await until(commander, lambda: names(tab) == {b"old", b"new"})
        (left / "new").rename(left / "newer")
        await until(commander, lambda: names(tab) == {b"old", b"newer"})
        (left / "old").unlink()
        await until(commander, lambda: names(tab) == {b"newer"})


async def test_cursor_and_selection_follow_a_renamed_file(core, left):
    for name in ("a", "b", "c"):
        (left / name).touch()
    async with core(watch=True) as commander:
        tab = commander.workspace.left.tab
        await commander.run(PERSON, "move_cursor", {"pane": "left", "to": "b"})
        await commander.run(PERSON, "select", {"pane": "left", "names": ["b"]})
        (left / "b").rename(left / "z")
        await until(commander, lambda: b"z" in names(tab))
        assert tab.cursor_name() == b"z"
        assert [tab.listing.columns.name(row) for row in tab.selection.rows()] == [b"z"]


async def test_a_change_between_the_reading_and_the_watch_is_not_lost(core, left, monkeypatch):
    """Nothing told of it, and the pane stayed wrong until the next change."""
    (left / "old").touch()
    os.utime(left, (1000, 1000))
    real = live.changes

    async def late(path, stop):
        if path == bytes(left) and not (left / "between").exists():
            (left / "between").touch()
        async for batch in real(path, stop):
            yield batch

    monkeypatch.setattr(live, "changes", late)
    async with core(watch=True) as commander:
        await until(commander, lambda: b"between" in names(commander.workspace.left.tab))


async def test_an_untouched_folder_is_read_only_once(core, left, monkeypatch):
    os.utime(left, (1000, 1000))
    reads = []
    real = folder_reader.scan
    monkeypatch.setattr(folder_reader, "scan", lambda path, *a, **k: (reads.append(path), real(path, *a, **k))[1])
    standing = asyncio.Event()
    real_stale = browsing.Browser._is_stale

    async def stale(self, tab):
        found = await real_stale(self, tab)
        if tab.path == bytes(left):
            standing.set()
        return found

    monkeypatch.setattr(browsing.Browser, "_is_stale", stale)
    async with core(watch=True):
        await asyncio.wait_for(standing.wait(), 60)
        await asyncio.sleep(0)
    assert reads.count(bytes(left)) == 1


async def test_after_navigating_the_new_folder_is_live_and_the_old_one_is_not(core, left):
    (left / "sub").mkdir()
    async with core(watch=True) as commander:
        await commander.run(PERSON, "nav_to_path", {"pane": "left", "path": "sub"})
        tab = commander.workspace.left.tab
        (left / "outside").touch()
        (left / "sub" / "inside").touch()
        await until(commander, lambda: b"inside" in names(tab))
        assert tab.path == bytes(left / "sub")
        watched = {watch.path for watch in commander.browser._watcher._watches.values()}
        assert watched == {bytes(left / "sub"), bytes(left.parent / "right")}


@pytest.mark.parametrize("stands", [True, False], ids=["watched", "not yet watched"])
async def test_a_folder_that_vanishes_and_comes_back_is_live_again(core, left, stands):
    (left / "sub").mkdir()
    async with core(watch=True) as commander:
        await commander.run(PERSON, "nav_to_path", {"pane": "left", "path": "sub"})
        tab = commander.workspace.left.tab
        if stands:
            (left / "sub" / "x").touch()
            await until(commander, lambda: b"x" in names(tab))
            (left / "sub" / "x").unlink()
            await until(commander, lambda: not names(tab))
        os.rmdir(left / "sub")
        await until(commander, lambda: tab.problem is not None)
        assert "Path not found" in tab.problem
        (left / "sub").mkdir()
        await commander.run(PERSON, "refresh", {"pane": "left"})
        assert tab.problem is None
        (left / "sub" / "again").touch()
        await until(commander, lambda: b"again" in names(tab))


async def test_a_folder_gone_from_under_both_panes_is_not_looked_for_without_end(core, left, monkeypatch):
    """Each look of one pane began a watch of the other, and cmdr was busy with it until it ended."""
    looks = 0
    real = folder_reader.scan

    def counted(*args, **how):
        nonlocal looks
        looks += 1
        return real(*args, **how)

    async with core(watch=True) as commander:
        panes = commander.workspace.left, commander.workspace.right
        await commander.run(PERSON, "nav_to_path", {"pane": "right", "path": str(left)})
        monkeypatch.setattr(folder_reader, "scan", counted)
        left.rmdir()
        await until(commander, lambda: all(pane.tab.problem is not None for pane in panes))
        watches = commander.browser._watcher._tasks
        while watches:
            await asyncio.wait(set(watches))
        assert looks <= 4


async def test_a_hostile_name_does_not_end_the_watch(core, left):
    async with core(watch=True) as commander:
        tab = commander.workspace.left.tab
        with open(os.path.join(bytes(left), b"bad\xff"), "wb"):
            await until(commander, lambda: b"bad\xff" in names(tab))
        (left / "good").touch()
        await until(commander, lambda: b"good" in names(tab))


async def test_a_quit_is_not_held_up_by_a_refresh_on_a_dead_mount(core, left, monkeypatch):
    """Ending the watch waited for the refresh, and the refresh for the mount."""
    async with core(watch=True) as commander:
        stuck, hang = threading.Event(), threading.Event()

        def dead(*args, **kwargs):
            stuck.set()
            hang.wait()

        monkeypatch.setattr(folder_reader, "scan", dead)
        (left / "new").touch()
        assert await asyncio.to_thread(stuck.wait, 60)
        async with asyncio.timeout(60):  # the mount alone would hold it up for longer
            await commander.browser.close()
        hang.set()


async def test_a_folder_that_never_rests_costs_only_a_part_of_the_time(monkeypatch, tmp_path):
    """Between two refreshes lies nine times the time that one takes."""
    paused = []

    async def changes(path, stop):
        for _ in range(3):
            yield frozenset({b"x"})

    async def refresh(tab):
        clock[0] += 1.0

    def timeout(seconds):
        paused.append(seconds)
        raise TimeoutError

    async def is_stale(tab):
        return False

    clock = [0.0]
    monkeypatch.setattr(live, "changes", changes)
    monkeypatch.setattr(live.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(live.asyncio, "timeout", timeout)
    watching = live.FolderWatcher(refresh, is_stale)
    tab = live.Tab("t1", bytes(tmp_path))
    await watching._follow(tab, bytes(tmp_path), asyncio.Event())
    assert paused == pytest.approx([9.0] * 3)
