"""A folder of very many entries in which little changes: only the changes are looked at and kept."""

import os
import random

import pytest

from cmdr.index.delta import large_directory
from cmdr.index.errors import Gone
from cmdr.index.library import Library
from cmdr.index.scan.scan import scan
from cmdr.index.snapshots.view import View
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)
FACTS = ("size", "allocated", "mtime", "born", "ino", "mode")


@pytest.fixture(autouse=True)
def large(monkeypatch):
    monkeypatch.setattr(large_directory, "LARGE_DIRECTORY", 20)


@pytest.fixture
def flat(tmp_path):
    root = os.fsencode(tmp_path / "root")
    os.makedirs(root + b"/flat/inner/deep")
    os.makedirs(root + b"/other")
    for number in range(300):
        write(root + b"/flat/photo_%03d.jpg" % number, number)
    os.link(root + b"/flat/photo_007.jpg", root + b"/other/twin")
    write(root + b"/flat/inner/deep/file", 7)
    write(root + b"/other/README", 9)
    return root


def write(path: bytes, size: int = 1) -> None:
    with open(path, "wb") as out:
        out.write(b"z" * size)


def aged(root: bytes) -> bytes:
    for folder, _, _ in os.walk(root):
        os.utime(folder, ns=(10**18, 10**18))
    return root


def known(view: View) -> dict[bytes, tuple[int, ...]]:
    """All entries by path; of folders the totals, for their own times are told by their parents' listings."""
    found: dict[bytes, tuple[int, ...]] = {}
    stack = [0]
    while stack:
        number = stack.pop()
        totals = ("dfiles", "ddirs", "dcn", "dstate", "dmiss", "ddepth")
        found[view.directory_path(number) + b"/"] = tuple(int(view.dirs[name][number]) for name in totals)
        for row in view.child_rows(number):
            assert view.row_of(view.id_of(row)) == row
            assert view.find(view.path(row)) == row
            below = view.directory(row)
            if below is None:
                found[view.path(row)] = tuple(view.value(name, row) for name in FACTS)
            else:
                stack.append(below)
    found[b"bytes"] = (int(view.dirs["dbytes"][0]), int(view.dirs["dalloc"][0]))
    return found


def change(root: bytes, chance: random.Random) -> None:
    """Some names come, go, move and are replaced, and folders too; nothing is edited in place."""
    names = sorted(os.listdir(root + b"/flat"))
    files = [root + b"/flat/" + name for name in names if os.path.isfile(root + b"/flat/" + name)]
    for path in chance.sample(files, 6):
        turn = chance.randrange(4)
        if turn == 0:
            os.unlink(path)
        elif turn == 1:
            os.rename(path, path + b".moved")
        elif turn == 2:
            write(root + b"/new", chance.randrange(900))
            os.rename(root + b"/new", path)  # the way in which editors save
        else:
            os.rename(path, root + b"/other/%d" % chance.randrange(10**9))
    for _ in range(chance.randrange(4)):
        write(root + b"/flat/%d" % chance.randrange(10**9), 5)
    fresh = root + b"/flat/folder %d" % chance.randrange(10**9)
    os.makedirs(fresh + b"/inside")
    write(fresh + b"/inside/it", 3)
    if chance.random() < 0.5 and os.path.isdir(root + b"/flat/inner"):
        os.rename(root + b"/flat/inner", root + b"/flat/%d" % chance.randrange(10**9))


@pytest.mark.parametrize("seed", range(6))
def test_a_large_folder_after_any_changes_equals_a_new_scan_and_so_does_its_compaction(flat, tmp_path, seed):
    chance = random.Random(seed)
    with Library.open(str(tmp_path / "state")) as library:
        index = library.index(aged(flat), options=FEW).id
        for number in range(4):
            change(flat, chance)
            assert not library.refresh(index).full_scan
            expected = known(scan(flat, str(tmp_path / f"expected-{number}"), FEW))
            assert known(library.get(index).view) == expected
        assert library.get(index).indexed.delta_rows < 100  # not three hundred, and each only once
    with Library.open(str(tmp_path / "state")) as library:  # what was kept is enough to know it all again
        assert known(library.get(index).view) == expected
        library.get(index).indexed.compact()
        assert known(library.get(index).view) == expected


def test_entries_of_a_large_folder_keep_their_ids(flat, tmp_path):
    with Library.open(str(tmp_path / "state")) as library:
        index = library.index(aged(flat), options=FEW).id
        view = library.get(index).view
        stays, moves, goes = (view.id_of(view.find(flat + b"/flat/photo_%03d.jpg" % n)) for n in (100, 200, 250))
        deep = view.id_of(view.find(flat + b"/flat/inner/deep/file"))
        os.rename(flat + b"/flat/photo_200.jpg", flat + b"/flat/a better name")
        os.unlink(flat + b"/flat/photo_250.jpg")
        library.refresh(index)
        view = library.get(index).view
        assert view.path(view.row_of(stays)) == flat + b"/flat/photo_100.jpg"
        assert view.path(view.row_of(moves)) == flat + b"/flat/a better name"
        assert view.path(view.row_of(deep)) == flat + b"/flat/inner/deep/file"
        assert view.rows_of([stays, moves]).tolist() == [view.row_of(stays), view.row_of(moves)]
        with pytest.raises(Gone) as gone:
            view.row_of(goes)
        assert gone.value.last_path == flat + b"/flat/photo_250.jpg"


def test_a_large_folder_that_was_emptied_or_is_gone_is_found_out(flat, tmp_path):
    os.unlink(flat + b"/other/twin")
    with Library.open(str(tmp_path / "state")) as library:
        index = library.index(aged(flat), options=FEW).id
        for name in os.listdir(flat + b"/flat"):
            if name != b"inner":
                os.unlink(flat + b"/flat/" + name)
        library.refresh(index)
        view = library.get(index).view
        assert [view.name(row) for row in view.child_rows(view.directory(view.find(flat + b"/flat")))] == [b"inner"]
        os.rename(flat + b"/flat", flat + b"/flat was here")
        library.refresh(index)
        expected = known(scan(flat, str(tmp_path / "expected"), FEW))
        assert known(library.get(index).view) == expected


def test_edits_in_a_large_folder_are_seen_when_the_system_tells_of_them(flat, tmp_path):
    with Library.open(str(tmp_path / "state")) as library:
        index = library.index(aged(flat), options=FEW).id
        write(flat + b"/flat/photo_001.jpg", 12_345)
        view = library.get(index).view
        library.get(index).indexed.relist([view.directory(view.find(flat + b"/flat"))])
        view = library.get(index).view
        assert view.value("size", view.find(flat + b"/flat/photo_001.jpg")) == 12_345


def test_a_large_folder_that_is_listed_in_another_order_is_compared_by_name(flat, tmp_path, monkeypatch):
    """Not every file system lists a folder in the same order again."""
    listed = large_directory._listed

    def turned(fd):
        found = listed(fd)
        names = found.all()[::-1]
        blob = large_directory.np.frombuffer(b"\0".join(names) + b"\0", "u1")
        return large_directory._Names(blob, large_directory.np.flatnonzero(blob == 0) + 1, found.inodes[::-1])

    monkeypatch.setattr(large_directory, "_listed", turned)
    with Library.open(str(tmp_path / "state")) as library:
        index = library.index(aged(flat), options=FEW).id
        change(flat, random.Random(7))
        library.refresh(index)
        assert known(library.get(index).view) == known(scan(flat, str(tmp_path / "expected"), FEW))
        assert library.get(index).indexed.delta_rows < 50
