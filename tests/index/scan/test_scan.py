"""Scanning: everything below the root becomes a row, and totals agree with the disk."""

import os
import shutil
import stat
import subprocess
import sys
import threading
import time

import pytest

from cmdr.index.errors import DiskFull, RootMissing, ScanRunning, WalkFailed
from cmdr.index.scan import walk
from cmdr.index.scan.scan import scan
from cmdr.index.snapshots.snapshot import SnapshotWriter
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


def on_disk(root: bytes) -> dict[bytes, os.stat_result]:
    found = {}
    for folder, dirs, files in os.walk(root):
        for name in dirs + files:
            path = folder + b"/" + name
            found[path] = os.lstat(path)
    return found


def test_every_entry_is_there_with_its_facts(indexed, tree):
    view = indexed.view
    disk = on_disk(tree)
    rows = {view.path(row): row for row in range(1, view.base_rows)}
    assert rows.keys() == disk.keys()
    for path, facts in disk.items():
        row = rows[path]
        assert view.value("size", row) == facts.st_size
        assert view.value("mtime", row) == facts.st_mtime_ns
        assert view.value("ctime", row) == facts.st_ctime_ns
        assert view.value("mode", row) == facts.st_mode
        assert view.value("ino", row) == facts.st_ino
        assert view.value("allocated", row) == facts.st_blocks * 512
        assert view.find(path) == row


def test_totals_of_every_folder_agree_with_the_disk_and_count_hard_links_once(indexed, tree):
    view = indexed.view
    shared = {view.path(row) for row in range(view.base_rows) if view.value("flags", row) & 1}
    for folder, _, _ in os.walk(tree):
        inside = on_disk(folder)
        totals = view.totals(view.directory(view.find(folder)))
        regular = {path: facts for path, facts in inside.items() if stat.S_ISREG(facts.st_mode)}
        assert totals.files == sum(not stat.S_ISDIR(facts.st_mode) for facts in inside.values())
        assert totals.dirs == sum(stat.S_ISDIR(facts.st_mode) for facts in inside.values())
        assert totals.bytes == sum(facts.st_size for path, facts in regular.items() if path not in shared)
        assert totals.newest_ns == max((facts.st_mtime_ns for facts in inside.values()), default=None)
        assert totals.complete
    assert len(shared) == 1


def test_links_pipes_and_broken_links_are_entries_and_nothing_is_followed(indexed, tree):
    assert indexed.node(tree + b"/bad/pipe").kind == "fifo"
    assert indexed.node(tree + b"/bad/broken").broken_link
    link = indexed.node(tree + b"/src/docs-link")
    assert link.kind == "link"
    assert link.totals is None
    assert not link.broken_link


DENIED = """
import os, sys
from cmdr.model.trees.node import DirState
from cmdr.index.library import Library
from cmdr.model.trees.indexes import WalkOptions
tree = os.fsencode(sys.argv[1])
with Library.open(sys.argv[2]) as library:
    info = library.index(tree, WalkOptions(workers=2))
    assert not info.totals.complete and info.problems == 1 and info.freshness.state == "partial", info
    answers = library.get(info.id)
    node = answers.node(tree + b"/docs/deep")
    assert node.size is None and node.children is None and node.totals.state == DirState.DENIED, node
    problems = library.report(info.id, "problems", 100)
    assert [(row.path, row.reason) for row in problems.rows[:1]] == [(tree + b"/docs/deep", "Permission denied")]
    assert (tree + b"/src/main.py", "seen by name only") in [(row.path, row.reason) for row in problems.rows]
    assert problems.total == len(problems.rows) == 6, problems
    assert library.report(info.id, "problems", below=tree + b"/docs").total == 1
    assert library.report(info.id, "problems", below=tree + b"/bad").total == 0
    assert library.report(info.id, "sizes", below=tree + b"/docs").not_covered == ("1 folder could not be opened",)
    assert library.report(info.id, "sizes", below=tree + b"/src").not_covered == (
        "some entries could be seen by name only",)
    assert library.report(info.id, "sizes", below=tree + b"/bad").complete
    assert "1 folder could not be opened" in library.report(info.id, "sizes").not_covered
    listed = answers.node(tree + b"/src/main.py")
    assert listed.kind == "unknown" and listed.size is None and listed.mtime_ns is None, listed
    os.chmod(tree + b"/docs/deep", 0o755)
    library.refresh(info.id)
    assert answers.node(tree + b"/docs/deep/notes.md").size == 10
"""


@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs util-linux to give up root's right to open everything")
def test_a_folder_that_cannot_be_opened_is_named_and_makes_totals_lower_bounds(tree, tmp_path):
    os.chmod(tree + b"/docs/deep", 0)
    os.chmod(tree + b"/src", 0o644)  # names can be read there, nothing else
    drop = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.getuid() == 0 else []
    try:
        ran = subprocess.run([*drop, sys.executable, "-c", DENIED, tree, str(tmp_path / "other")], capture_output=True)
    finally:
        os.chmod(tree + b"/docs/deep", 0o755)
        os.chmod(tree + b"/src", 0o755)
    assert ran.returncode == 0, ran.stderr.decode()


def test_beyond_the_depth_limit_folders_are_unlisted_not_empty(library, tree):
    info = library.index(tree, WalkOptions(depth_limit=1, workers=1))
    assert {node.name for node in library.get(info.id).children(tree).nodes} == set(os.listdir(tree))
    node = library.get(info.id).node(tree + b"/docs")
    assert (node.size, node.children, node.totals.complete) == (None, None, False)
    assert not info.totals.complete
    assert library.info(info.id).freshness.reason == "4 folders beyond the depth limit"
    deeper = library.index(tree, WalkOptions(depth_limit=2, workers=1))
    assert library.get(deeper.id).node(tree + b"/docs/deep").size is None
    assert library.get(deeper.id).node(tree + b"/docs").children == 4


def test_followed_links_are_listed_below_the_link_and_counted_once(library, tree):
    os.symlink(b"../..", tree + b"/docs/deep/up")
    os.symlink(b"/usr", tree + b"/out")
    os.symlink(b"../docs", tree + b"/src/docs-again")
    plain = library.index(tree, FEW).totals
    info = library.index(tree, WalkOptions(follow_symlinks=True, workers=3))
    answers = library.get(info.id)
    assert info.totals.bytes == plain.bytes
    linked = [name for name in (b"docs-link", b"docs-again") if answers.node(tree + b"/src/" + name).totals]
    assert len(linked) == 1  # the second link to one folder stays a link
    below = tree + b"/src/" + linked[0]
    assert answers.node(below + b"/deep/notes.md").size == 10
    assert answers.node(below + b"/deep/notes.md").shared
    assert answers.node(tree + b"/out").totals is None
    assert answers.node(tree + b"/docs/deep/up").totals is None


LEVELS = 3000
"""More than a path may be long, or a recursion deep."""


def test_a_very_deep_tree_is_indexed_and_found_again(library, tmp_path):
    root = os.fsencode(str(tmp_path)) + b"/abyss"
    os.mkdir(root)
    here = os.open(root, os.O_RDONLY)
    for _ in range(LEVELS):
        os.mkdir(b"d", dir_fd=here)
        below = os.open(b"d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open(b"bottom.txt", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    try:
        info = library.index(root, FEW)
        assert (info.totals.files, info.totals.dirs) == (1, LEVELS)
        answers = library.get(info.id)
        path = root + b"/d" * LEVELS + b"/bottom.txt"
        assert answers.node(path).kind == "file"
        assert library.refresh(info.id).added == 0
    finally:
        subprocess.run(["rm", "-rf", root], check=True)


def test_an_empty_root_is_an_index_with_nothing_in_it(library, tmp_path):
    root = tmp_path / "nothing"
    root.mkdir()
    info = library.index(os.fsencode(str(root)), FEW)
    assert (info.totals.files, info.totals.dirs, info.totals.bytes) == (0, 0, 0)
    assert info.totals.newest_ns is None
    assert library.get(info.id).children(info.root).nodes == ()


def test_a_cancelled_scan_keeps_what_was_read_but_never_replaces_a_complete_one(library, tree):
    calls = []

    def stop() -> bool:
        calls.append(1)
        return True

    info = library.index(tree, WalkOptions(workers=1), cancelled=stop)
    assert calls
    assert info.freshness.state == "partial"
    complete = library.index(tree, WalkOptions(workers=1))
    assert complete.freshness.state == "fresh"
    stopped = library.index(tree, WalkOptions(workers=1), cancelled=lambda: True)
    assert (stopped.epoch, stopped.totals) == (complete.epoch, complete.totals)
    assert stopped.freshness.state == "stale"


def test_progress_knows_a_percentage_only_after_an_earlier_scan(library, tree):
    first, second = [], []
    library.index(tree, FEW, progress=first.append)
    library.index(tree, FEW, progress=second.append)
    assert all(one.percent is None for one in first)
    assert second[0].expected == 22
    assert any(one.percent is not None for one in second)
    assert [one for one in second if one.phase == "walking"][-1].entries == 21


def test_a_root_that_is_missing_or_no_folder_is_refused(library, tree, tmp_path):
    with pytest.raises(RootMissing):
        library.index(tree + b"/nothing here")
    with pytest.raises(RootMissing):
        library.index(tree + b"/archive.tar.gz")
    with pytest.raises(RootMissing):
        scan(tree + b"/archive.tar.gz", str(tmp_path / "x"))


def test_a_root_that_went_away_keeps_its_old_snapshot(library, tree):
    info = library.index(tree, FEW)
    os.rename(tree, tree + b"-moved")
    answers = library.get(info.id)
    with pytest.raises(RootMissing):
        answers.indexed.scan()
    with pytest.raises(RootMissing):
        library.refresh(info.id)
    assert answers.node(tree + b"/src/main.py").size == 2048
    assert answers.indexed.freshness.state == "stale"


def test_a_second_scan_of_one_root_is_refused_while_the_first_runs(library, tree):
    index_id = library.prepare(tree, FEW).id
    answers = library.get(index_id)
    refused = []

    def during(progress) -> None:
        if not refused:
            with pytest.raises(ScanRunning) as caught:
                answers.indexed.scan()
            refused.append(caught.value)
            assert answers.indexed.freshness.state == "scanning"

    library.index(tree, FEW, progress=during)
    assert refused


def test_a_full_disk_is_its_own_error_and_the_old_snapshot_stays(library, tree, monkeypatch):
    info = library.index(tree, FEW)

    def full(self, name, stored, dtype) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SnapshotWriter, "_write", full)
    with pytest.raises(DiskFull):
        library.index(tree, FEW)
    monkeypatch.undo()
    answers = library.get(info.id)
    assert answers.view.epoch == 1
    assert answers.node(tree + b"/src/main.py").size == 2048
    assert not [name for name in os.listdir(answers.indexed.home) if name.endswith(".tmp") or "scratch" in name]


def test_a_walker_that_dies_ends_the_scan_with_an_error(library, tree, monkeypatch):
    info = library.index(tree, FEW)
    monkeypatch.setattr("cmdr.index.scan.walk._START", "import os; os._exit(3)")
    with pytest.raises(WalkFailed):
        library.index(tree, FEW)
    assert library.get(info.id).view.epoch == 1


def test_a_flat_directory_larger_than_the_buffer_is_complete(library, tmp_path):
    root = os.fsencode(str(tmp_path)) + b"/flat"
    os.mkdir(root)
    here = os.open(root, os.O_RDONLY)
    for number in range(20_000):
        os.close(os.open(b"%d" % number, os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    info = library.index(root, FEW)
    assert info.totals.files == 20_000
    assert library.get(info.id).node(root + b"/19999").kind == "file"


def test_entries_that_can_be_seen_but_not_examined_are_unknown(tmp_path):
    from cmdr.index.scan.statx import Statx

    statx = Statx()
    statx.buffer[0:256] = b"\xff" * 256
    assert statx.fill_one_by_one([b"gone-before-it-was-examined", b"x" * 300], 0) == [b"x" * 300]
    assert bytes(statx.buffer[0:256]) == bytes(256)


def test_a_tree_that_changes_while_it_is_walked_gives_a_whole_snapshot(library, tree):
    done = threading.Event()

    def disturb() -> None:
        number = 0
        while not done.is_set():
            number += 1
            path = tree + b"/src/come-and-go%d" % (number % 50)
            try:
                os.mkdir(path)
                os.close(os.open(path + b"/file", os.O_CREAT | os.O_WRONLY))
                os.rename(path + b"/file", tree + b"/docs/moved")
                os.unlink(tree + b"/docs/moved")
                os.rmdir(path)
            except OSError:
                continue

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(3):
            info = library.index(tree, FEW)
            answers = library.get(info.id)
            assert answers.indexed.verify()
            assert answers.node(tree + b"/src/main.py").size == 2048
    finally:
        done.set()
        thread.join()
    library.refresh(info.id)
    assert {node.name for node in answers.children(tree + b"/src").nodes} == set(os.listdir(tree + b"/src"))


def test_walkers_end_when_the_application_is_killed(tree, tmp_path):
    code = """
import os, signal, sys
from cmdr.index.scan import walk
def kill(progress):
    with open(sys.argv[2], "w") as out:
        out.write(" ".join(str(one) for one in crews[0]))
    os.kill(os.getpid(), signal.SIGKILL)
crews = []
start = walk.Worker.__init__
def remember(self, part):
    start(self, part)
    crews.append([]) if not crews else None
    crews[0].append(self.process.pid)
walk.Worker.__init__ = remember
walk.walk(os.fsencode(sys.argv[1]), walk.WalkOptions(workers=3), sys.argv[3], kill)
"""
    pids, scratch = tmp_path / "pids", tmp_path / "scratch"
    scratch.mkdir()
    subprocess.run([sys.executable, "-c", code, tree, str(pids), str(scratch)], check=False)
    walkers = [int(one) for one in pids.read_text().split()]
    assert len(walkers) == 3
    for pid in walkers:
        wait_for_end(pid)


def wait_for_end(pid: int) -> None:
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    import select

    try:
        assert select.select([fd], [], [], 30)[0]
    finally:
        os.close(fd)


def test_no_walker_is_hired_once_the_others_were_sent_home(tree, tmp_path, monkeypatch):
    plain = walk._WorkerPool.hand_out

    def hand_out(pool):
        at_the_end = len(pool.idle) == len(pool.workers) and not pool.queue
        plain(pool)
        if at_the_end:
            pool.start_workers()

    monkeypatch.setattr(walk._WorkerPool, "hand_out", hand_out)
    monkeypatch.setattr(walk, "_CANCEL_TIMEOUT_S", 0.0)
    late = time.monotonic() + 60
    result = walk.walk(tree, WalkOptions(nice=0), str(tmp_path), cancelled=lambda: time.monotonic() > late)
    assert not result.cancelled
    assert sum(part.rows for part in result.parts) > 10


def test_building_tells_as_much_as_the_walk_before_it(library, tree):
    steps = []
    library.index(tree, WalkOptions(workers=1), progress=steps.append)
    walked, built = steps[-2:]
    assert (walked.phase, built.phase) == ("walking", "building")
    assert (built.entries, built.dirs, built.bytes) == (walked.entries, walked.dirs, walked.bytes)
    assert built.bytes > 0


def test_after_a_refresh_too_only_what_is_below_a_folder_makes_its_answers_incomplete(library, tree):
    info = library.index(tree, WalkOptions(depth_limit=2, workers=1))
    os.mkdir(tree + b"/src/new")
    os.mkdir(tree + b"/src/new/deeper")
    library.refresh(info.id)
    covered = {
        name: library.report(info.id, "sizes", below=tree + name).not_covered for name in (b"/docs", b"/src", b"/bad")
    }
    assert covered == {
        b"/docs": ("1 folder beyond the depth limit",),
        b"/src": ("1 folder beyond the depth limit",),
        b"/bad": (),
    }
    os.rmdir(tree + b"/src/new/deeper")
    os.rmdir(tree + b"/src/new")
    library.refresh(info.id)
    assert library.report(info.id, "sizes", below=tree + b"/src").complete
