"""An index in bad luck: its disk unmounted, its watches refused, its clock set back, links in circles."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from index_ground import alone, needs_own_mounts, plant

from cmdr.index.library import Library
from cmdr.model.filters.filter import Text
from cmdr.model.names import to_wire
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)

UNMOUNTED = """
mount(place + "/disk")
plant(place + "/disk/tree", 100, 100)
tree = os.fsencode(place + "/disk/tree")
at_root = sys.argv[3] == "root"
root = os.fsencode(place + "/disk") if at_root else tree
with Library.open(place + "/state") as library:
    index = library.index(root, FEW).id
    answers = library.get(index)
    gone = []
    def unmount(progress):
        if not gone:
            gone.append(subprocess.run(["umount", "-l", place + "/disk"], check=True))
    try:
        library.index(root, FEW, progress=unmount)
        said = ""
    except RootMissing as trouble:
        said = str(trouble)
    tell(said=said, epoch=answers.view.epoch, files=answers.view.totals(0).files, unmounted=bool(gone),
         state=answers.indexed.freshness.state, reason=answers.indexed.freshness.reason,
         left=leavings(place + "/state"))
    try:
        library.refresh(index)
        tell(refused="")
    except RootMissing as trouble:
        tell(refused=str(trouble))
    mount(place + "/disk")
    plant(place + "/disk/tree", 2, 3)
    library.index(root, FEW)
    tell(files=answers.view.totals(0).files, state=answers.indexed.freshness.state)
"""


@needs_own_mounts
@pytest.mark.parametrize("where", ["root", "above"])
def test_a_disk_that_is_unmounted_during_a_scan_keeps_its_old_epoch(tmp_path, where):
    during, refresh, back = alone(UNMOUNTED, str(tmp_path), where)
    assert during["unmounted"]
    assert "the old epoch is kept" in during["said"]
    assert (during["epoch"], during["files"], during["left"]) == (1, 10_000, [])
    assert (during["state"], during["reason"]) == ("stale", "its folder is not there")
    assert where == "root" or "is not there" in refresh["refused"]
    assert back == {"files": 6, "state": "fresh"}


WATCHES = """
plant(place + "/tree", 30, 2)
tree = os.fsencode(place + "/tree")
with open("/proc/sys/user/max_inotify_watches", "w") as limit:
    limit.write("8")
with Library.open(place + "/state") as library:
    index = library.index(tree, FEW).id
    answers = library.get(index)
    freshness = answers.indexed.watch()
    tell(trouble=answers.indexed.watch_trouble, state=freshness.state, reason=freshness.reason)
    with open(place + "/tree/folder 29/new", "wb") as out:
        out.write(b"new")
    library.refresh(index)
    tell(size=answers.node(tree + b"/folder 29/new").size)
    with open("/proc/sys/user/max_inotify_instances", "w") as limit:
        limit.write("0")
    other = library.index(tree + b"/folder 1", FEW).id
    freshness = library.get(other).indexed.watch()
    tell(trouble=library.get(other).indexed.watch_trouble, state=freshness.state)
"""


@needs_own_mounts
def test_at_the_systems_limit_of_watches_the_index_says_so_and_checks_instead(tmp_path):
    watched, refreshed, none = alone(WATCHES, str(tmp_path))
    assert watched["trouble"] == "the system's limit of inotify watches is reached"
    assert watched["state"] == "fresh"
    assert watched["reason"].startswith("checked")
    assert refreshed["size"] == 3
    assert none == {"trouble": "this system has no inotify watches to give", "state": "fresh"}


def test_names_in_every_encoding_are_indexed_found_and_come_back_as_they_are(tmp_path):
    words = [
        "Größe",
        "日本語のファイル",
        "Ελληνικά",
        "עברית\u202egnp.exe",
        "e\u0301",
        "\u200bhidden",
        "line\nbreak",
        "tab\t",
        "\\x41",
    ]
    names = {bytes([byte]) for byte in range(1, 256) if byte not in b"/."}
    for word in words:
        for encoding in ("utf-8", "latin-1", "shift-jis", "utf-16-le", "iso8859-7", "utf-7"):
            name = word.encode(encoding, "replace").replace(b"\0", b"\1").replace(b"/", b"_")
            names.add(name)
    names |= {b"\xff" * 255, b"n" * 255, b"\xed\xa0\x80", b" ", b"-rf", b"*", b"%s%n"}
    root = os.fsencode(tmp_path / "tree")
    os.mkdir(root)
    for name in names:
        with open(root + b"/" + name, "wb") as out:
            out.write(name)
    with Library.open(str(tmp_path / "state")) as library:
        answers = library.get(library.index(root, FEW).id)
        page = answers.children(root, 1000)
        assert {node.name for node in page.nodes} == names
        for name in names:
            assert answers.node(root + b"/" + name).size == len(name)
            exact = answers.ask(Text("name", "exact", to_wire(name), True))
            assert answers.view.names(exact.rows) == [name]


@pytest.fixture
def clock(monkeypatch):
    """A clock that can be set."""
    import time

    real, real_ns = time.time, time.time_ns
    shift = [0]
    monkeypatch.setattr(time, "time", lambda: real() + shift[0])
    monkeypatch.setattr(time, "time_ns", lambda: real_ns() + shift[0] * 10**9)
    return lambda seconds: shift.__setitem__(0, seconds)


def test_with_the_clock_set_back_changes_are_found_and_nothing_is_given_out_twice(tmp_path, clock):
    plant(str(tmp_path / "tree"), 3, 5)
    tree = os.fsencode(tmp_path / "tree")
    clock(86_400 * 365)
    with Library.open(str(tmp_path / "state")) as library:
        index = library.index(tree, FEW).id
        answers = library.get(index)
        old = {answers.node(tree + b"/folder 1").id}
        clock(0)  # a year back
        (tmp_path / "tree" / "folder 1" / "after").write_bytes(b"x" * 5000)
        library.refresh(index)
        assert answers.node(tree + b"/folder 1/after").size == 5000
        assert answers.node(tree + b"/folder 1").id in old
        assert answers.node(tree + b"/folder 1/after").id not in old
        library.index(tree, FEW)
        assert answers.indexed.freshness.state == "fresh"
        growth = library.report(index, "growth", since="1")
        assert [row.path for row in growth.rows] == [tree + b"/folder 1/after"]
        assert library.report(index, "ages").rows


def test_links_in_circles_end(tmp_path):
    plant(str(tmp_path / "tree"), 2, 2)
    tree = os.fsencode(tmp_path / "tree")
    os.symlink("..", tree + b"/folder 0/up")
    os.symlink("me", tree + b"/me")
    os.symlink("../folder 1/there", tree + b"/folder 0/here")
    os.symlink("../folder 0/here", tree + b"/folder 1/there")
    with Library.open(str(tmp_path / "state")) as library:
        for options in (FEW, WalkOptions(follow_symlinks=True, workers=2, nice=0)):
            info = library.index(tree, options)
            assert info.totals.bytes == 2
            assert {row.path for row in library.report(info.id, "broken-links").rows} == {
                tree + b"/me",
                tree + b"/folder 0/here",
                tree + b"/folder 1/there",
            }
