"""Walkers: where they step, what they write, and how many of them there are."""

import os
import subprocess
import sys

import numpy as np
import pytest

from cmdr.index.scan import walk as walking
from cmdr.index.scan.compiled_reader import compiled_library
from cmdr.index.scan.part_file import ColumnFile
from cmdr.index.scan.walk import walk
from cmdr.model.trees.indexes import WalkOptions

STEP = """
import os, sys
from cmdr.index.scan.statx import packed_device
from cmdr.index.scan.walker_process import Walker
root, shared = os.fsencode(sys.argv[1]), sys.argv[2]
with open(shared, "wb") as out:
    out.write(bytes(256))
facts = os.stat(root)
walker = Walker({"wid": 0, "depth_limit": -1, "cross": False, "follow": False, "root": root, "shared": shared,
                 "device": packed_device(facts.st_dev), "part": shared + "-part", "library": sys.argv[3] or None})
for place, inode in ((b"/docs", b"/docs"), (b"/docs/deep", b"/docs/deep"), (b"/swapped", b"/docs"), (b"/src", b"/bad"),
                     (b"/src", b"/src")):
    print(walker.working_directory.step_into(root + place, os.stat(root + inode).st_ino if place != b"/swapped" else 1))
"""

BOTH_READERS = pytest.mark.parametrize("library", [compiled_library() or "", ""], ids=["compiled", "python"])


@BOTH_READERS
def test_only_the_directory_that_was_seen_is_entered(tree, tmp_path, library):
    os.symlink("/", tree + b"/swapped")  # was a directory when its parent was listed
    done = subprocess.run(
        [sys.executable, "-c", STEP, tree, str(tmp_path / "shared"), library],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "True", "False", "False", "True"]


MOVED = """
import os, sys
from cmdr.index.scan.compiled_reader import directory_reader
from cmdr.index.scan.walker_process import WorkingDirectory
root = os.fsencode(sys.argv[1])
inode = {place: os.stat(root + place).st_ino for place in (b"/docs", b"/docs/deep", b"/src")}
steps = WorkingDirectory(directory_reader(sys.argv[2] or None), None)
print(steps.step_into(root + b"/docs/deep", inode[b"/docs/deep"]))
os.makedirs(root + b"/far/off")
os.rename(root + b"/docs/deep", root + b"/far/off/deep")  # the way up leads elsewhere now
print(steps.step_into(root + b"/docs", inode[b"/docs"]), os.getcwdb() == root + b"/docs")
os.rename(root + b"/docs", root + b"/far/docs")
print(steps.step_into(root + b"/src", inode[b"/src"]), os.getcwdb() == root + b"/src")
"""


@BOTH_READERS
def test_a_walker_finds_its_way_when_the_directory_it_is_in_was_moved(tree, library):
    done = subprocess.run([sys.executable, "-c", MOVED, tree, library], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 5


def test_a_column_of_one_value_is_never_written_until_another_comes(tmp_path):
    column = ColumnFile(str(tmp_path / "device"), 4)
    column.add(b"\1\0\0\0" * 70_000, 70_000)
    assert column.same == b"\1\0\0\0"
    assert not (tmp_path / "device").exists()
    column.add(b"\1\0\0\0\2\0\0\0", 2)
    column.add(b"\3\0\0\0", 1)
    assert column.same is None
    written = np.fromfile(tmp_path / "device", "<u4")
    assert written.tolist() == [1] * 70_001 + [2, 3]


@pytest.mark.parametrize(("waits", "walkers"), [(False, 2), (True, 4), (None, 4)])
def test_more_walkers_come_only_while_those_there_wait_for_the_disk(tree, tmp_path, monkeypatch, waits, walkers):
    monkeypatch.setattr(walking, "_WAIT_CHECK_INTERVAL_S", 0)
    monkeypatch.setattr(walking.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(walking.Worker, "waits_for_disk", lambda self: waits)
    pool = walking._WorkerPool(tree, os.stat(tree), WalkOptions(nice=0), str(tmp_path))
    try:
        pool.start_more_if_waiting()
        assert len(pool.workers) == walkers
    finally:
        pool.end()


@pytest.mark.parametrize(("looks", "walkers"), [([1, 0, 0, 0, 0, 0], 2), ([1, 0, 1, 0, 1, 0], 4)])
def test_a_tree_in_memory_makes_walkers_wait_by_chance_only(tree, tmp_path, monkeypatch, looks, walkers):
    """Two looks in a row with all of them waiting hardly ever came, and a cold tree was read by two."""
    monkeypatch.setattr(walking, "_WAIT_CHECK_INTERVAL_S", 0)
    monkeypatch.setattr(walking.os, "cpu_count", lambda: 2)
    pool = walking._WorkerPool(tree, os.stat(tree), WalkOptions(nice=0), str(tmp_path))
    try:
        for one_waits in looks:
            for number, worker in enumerate(pool.workers):
                monkeypatch.setattr(worker, "waits_for_disk", lambda number=number, it=one_waits: number < it)
            pool.start_more_if_waiting()
        assert len(pool.workers) == walkers
    finally:
        pool.end()


def test_however_many_walkers_there_are_every_entry_is_seen_once(tree, tmp_path, monkeypatch):
    monkeypatch.setattr(walking, "_WAIT_CHECK_INTERVAL_S", 0)
    monkeypatch.setattr(walking.Worker, "waits_for_disk", lambda self: True)
    result = walk(tree, WalkOptions(nice=0), str(tmp_path))
    expected = sum(len(folders) + len(files) for _, folders, files in os.walk(tree))
    assert sum(part.rows for part in result.parts) == expected
