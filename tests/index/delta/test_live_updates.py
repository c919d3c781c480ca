"""Watching a tree: folders that move, come back or are replaced are followed, and few names cost little."""

import os
import shutil
import threading

import pytest

from cmdr.index.delta import large_directory
from cmdr.index.delta.watcher import Watcher
from cmdr.index.query.sizes import largest_files
from cmdr.index.scan.scan import scan
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


def write(path: bytes, size: int = 1) -> None:
    with open(path, "wb") as out:
        out.write(b"z" * size)


class Watched:
    """A tree with an index that is told of changes."""

    def __init__(self, library, root: bytes) -> None:
        self.root, self.told = root, threading.Event()
        self.index = library.index(root, FEW).id
        self.answers = library.get(self.index)
        indexed = self.answers.indexed
        assert indexed.watch(self.told.set).reason == "watched"
        assert indexed.as_of(indexed.begin_moment(), root).behind == 0  # every folder was compared since

    def size(self, name: bytes) -> int | None:
        view = self.answers.view
        try:
            return view.value("size", view.find(self.root + name))
        except Exception:  # it is not known
            return None

    def until(self, happened) -> None:
        for _ in range(50):
            self.told.clear()
            if happened():
                return
            self.told.wait(1)
        assert happened()

    def writes(self, name: bytes, size: int) -> None:
        """A new file is told of, and so is an edit of it."""
        write(self.root + name, size)
        self.until(lambda: self.size(name) == size)
        write(self.root + name, size + 1)
        self.until(lambda: self.size(name) == size + 1)


@pytest.fixture
def watched(library, tmp_path):
    root = bytes(tmp_path / "root")
    os.makedirs(root + b"/a/sub/deep")
    os.makedirs(root + b"/other")
    found = Watched(library, root)
    yield found
    found.answers.indexed.close()


def test_a_folder_that_moved_away_and_back_is_still_watched_below(watched):
    root = watched.root
    os.rename(root + b"/a", root + b"/b")
    watched.until(lambda: watched.size(b"/b/sub/deep") is not None)
    watched.writes(b"/b/sub/one", 5)
    os.rename(root + b"/b", root + b"/a")
    watched.until(lambda: watched.size(b"/a/sub/deep") is not None)
    watched.writes(b"/a/sub/two", 6)
    watched.writes(b"/a/sub/deep/three", 7)


def test_a_folder_that_left_the_tree_and_came_back_is_still_watched_below(watched, tmp_path):
    root, outside = watched.root, bytes(tmp_path / "outside")
    os.rename(root + b"/a", outside)
    watched.until(lambda: watched.size(b"/a") is None)
    os.rename(outside, root + b"/other/a")
    watched.until(lambda: watched.size(b"/other/a/sub/deep") is not None)
    watched.writes(b"/other/a/sub/deep/one", 5)


def test_new_folders_under_the_names_of_those_that_moved_are_watched(watched):
    root = watched.root
    os.rename(root + b"/a", root + b"/other/a")
    os.makedirs(root + b"/a/sub/deep")
    watched.until(lambda: None not in (watched.size(b"/other/a/sub/deep"), watched.size(b"/a/sub/deep")))
    watched.writes(b"/a/sub/deep/one", 5)
    watched.writes(b"/other/a/sub/deep/two", 6)


def test_folders_that_were_removed_and_made_again_at_once_are_watched(watched):
    root = watched.root
    for number in range(5):
        shutil.rmtree(root + b"/a")
        os.makedirs(root + b"/a/sub/deep")
        watched.writes(b"/a/sub/deep/%d" % number, 10 + number)


def test_what_happened_between_a_listing_and_its_watch_is_found(watched, monkeypatch):
    """A folder is listed, then watched: a file that comes in between is in neither."""
    from cmdr.index import tree_state

    root, apply_delta = watched.root, tree_state.apply_delta

    def late(base, delta, revision):
        if os.path.isdir(root + b"/other/new") and not os.path.exists(root + b"/other/new/between"):
            write(root + b"/other/new/between", 9)
        return apply_delta(base, delta, revision)

    monkeypatch.setattr(tree_state, "apply_delta", late)
    os.mkdir(root + b"/other/new")
    watched.until(lambda: watched.size(b"/other/new/between") == 9)


def test_folders_beyond_the_depth_limit_are_neither_watched_nor_listed(library, tmp_path):
    root = bytes(tmp_path / "root")
    os.makedirs(root + b"/a/b")
    index = library.index(root, WalkOptions(depth_limit=1, workers=2)).id
    answers, told = library.get(index), threading.Event()
    answers.indexed.watch(told.set)
    write(root + b"/a/unseen")
    write(root + b"/seen")
    assert told.wait(60)
    view = answers.view
    assert view.totals(view.directory(view.find(root + b"/a"))).files == 0
    answers.indexed.close()


def test_a_watcher_that_fails_inside_no_longer_says_that_it_watches(tmp_path, caplog):
    heard = threading.Event()

    def fails(*_):
        heard.set()
        raise ValueError("a bug")

    watcher = Watcher(fails)
    try:
        watcher.watch([(1, os.fsencode(tmp_path))])
        (tmp_path / "new").touch()
        assert heard.wait(60)
        watcher._thread.join(60)
        assert watcher.trouble == "watching failed; the log says how"
    finally:
        watcher.close()
    assert "a bug" in caplog.text


def test_a_watch_takes_four_bytes(tmp_path):
    watcher = Watcher(lambda *_: None)
    folders = []
    for number in range(300):
        folders.append((number, bytes(tmp_path / f"{number}")))
        os.mkdir(folders[-1][1])
    assert watcher.watch(folders) == list(range(300))
    assert watcher.watch(folders) == []
    assert watcher._watched.itemsize * len(watcher._watched) <= 4 * 310
    watcher.close()


# -- few names in a large folder ------------------------------------------------------------------------------------
@pytest.fixture
def flat(library, tmp_path, monkeypatch):
    monkeypatch.setattr(large_directory, "LARGE_DIRECTORY", 20)
    monkeypatch.setattr("cmdr.index.delta.live_updates.HUGE_DIRECTORY", 100)
    root = bytes(tmp_path / "root")
    os.makedirs(root + b"/flat/inner")
    for number in range(300):
        write(root + b"/flat/photo_%03d.jpg" % number, number)
    found = Watched(library, root)
    yield found
    found.answers.indexed.close()


def facts(view):
    """All entries with what is known of them, and the totals of every folder."""
    found = {}
    for number in range(len(view.dirs["dpar"])):
        totals = view.totals(number)
        found[view.directory_path(number) + b"/"] = (totals.files, totals.dirs, totals.bytes, totals.allocated)
        for row in view.child_rows(number):
            assert view.row_of(view.id_of(row)) == row
            if not view.is_directory(row):
                names = ("size", "allocated", "mtime", "ctime", "ino", "mode", "born", "flags")
                ext = view.base.extensions[view.value("ext", row)]
                found[view.path(row)] = (ext, *(view.value(name, row) for name in names))
    return found


def test_a_few_named_files_of_a_huge_folder_are_looked_at_alone(flat, tmp_path, monkeypatch):
    listed = []
    for where in ("cmdr.index.delta.large_directory._listed", "cmdr.index.delta.refresh.read_listing"):
        monkeypatch.setattr(where, listed.append)
    root = flat.root + b"/flat"
    write(root + b"/photo_007.jpg", 70_000)
    flat.until(lambda: flat.size(b"/flat/photo_007.jpg") == 70_000)
    view = flat.answers.view
    assert view.find(root + b"/photo_007.jpg") < view.base_rows  # its row was edited where it stands
    assert facts(view) == facts(scan(flat.root, str(tmp_path / "one"), FEW))
    assert view.name(largest_files(view, 1)[0]) == b"photo_007.jpg"
    os.rename(root + b"/photo_008.jpg", root + b"/another.jpg")
    os.unlink(root + b"/photo_009.jpg")
    write(root + b"/photo_010.jpg", 10_000)
    flat.until(lambda: flat.size(b"/flat/photo_010.jpg") == 10_000)
    assert facts(flat.answers.view) == facts(scan(flat.root, str(tmp_path / "two"), FEW))
    assert flat.answers.indexed.freshness.state == "fresh"
    assert not listed


def test_a_file_edited_in_a_huge_folder_is_known_after_a_restart_a_compaction_and_a_check(flat, library, tmp_path):
    root, path = flat.root, flat.root + b"/flat/photo_100.jpg"
    before = flat.answers.node(path).id
    write(path, 5_000)
    flat.until(lambda: flat.size(b"/flat/photo_100.jpg") == 5_000)
    spare = bytes(tmp_path / "spare")  # where nobody looks, or it would be known as a file of its own before
    write(spare, 6_000)
    os.rename(spare, path)  # the way in which editors save
    flat.until(lambda: flat.size(b"/flat/photo_100.jpg") == 6_000)
    assert flat.answers.node(path).id == before
    flat.answers.indexed.close()
    library.refresh(flat.index)
    assert facts(flat.answers.view) == facts(scan(root, str(tmp_path / "one"), FEW))
    flat.answers.indexed.compact()
    assert facts(flat.answers.view) == facts(scan(root, str(tmp_path / "two"), FEW))
    assert flat.answers.node(path).id == before


def test_what_grew_where_it_stands_is_told_by_the_growth_report(flat, library):
    from cmdr.index.snapshots.history_files import delta_changes

    path = flat.root + b"/flat/photo_100.jpg"
    nid = flat.answers.view.id_of(flat.answers.view.find(path))
    write(path, 5_000)
    flat.until(lambda: flat.size(b"/flat/photo_100.jpg") == 5_000)
    changes = delta_changes(flat.answers.view)
    found = zip(changes.ids.tolist(), changes.before.tolist(), changes.after.tolist(), strict=True)
    assert list(found) == [(nid, 100, 5_000)]
