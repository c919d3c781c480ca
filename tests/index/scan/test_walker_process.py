"""What a check lists is known from then on, and names of one file are counted once whatever goes."""

import os
import shutil

import pytest

from cmdr.index.library import Library
from cmdr.index.scan.scan import scan
from cmdr.model.filters.filter_text import from_text
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


def write(path: bytes, size: int = 1) -> None:
    with open(path, "wb") as out:
        out.write(b"z" * size)


def aged(root: bytes, ns: int = 10**18) -> bytes:
    """Age all folders: what changes within the clock's grain of a listing is listed again in any case."""
    for folder, _, _ in os.walk(root):
        os.utime(folder, ns=(ns, ns))
    return root


def totals(view, path: bytes):
    return view.totals(view.directory(view.find(path)))


@pytest.mark.parametrize("folder", [b"", b"/docs", b"/docs/deep/er"])
def test_a_folder_that_was_listed_again_is_not_listed_at_every_later_check(library, tree, folder):
    index = library.index(aged(tree), FEW).id
    write(tree + folder + b"/new.txt")
    aged(tree + folder, 10**18 + 5)
    assert library.refresh(index).directories_listed >= 1
    assert library.refresh(index).directories_listed == 0
    answers = library.get(index)
    assert answers.node(tree + folder).mtime_ns == 10**18 + 5
    answers.indexed.compact()
    assert library.refresh(index).directories_listed == 0


def test_a_new_folder_that_changed_after_it_was_listed_is_not_listed_at_every_later_check(library, tree):
    index = library.index(aged(tree), FEW).id
    os.mkdir(tree + b"/empty/inner")
    aged(tree + b"/empty", 10**18 + 5)
    library.refresh(index)
    write(tree + b"/empty/inner/late.txt")
    aged(tree + b"/empty/inner", 10**18 + 6)
    assert library.refresh(index).directories_listed == 1
    assert library.refresh(index).directories_listed == 0


def test_that_a_folder_was_listed_again_is_remembered_over_a_restart(tmp_path, tree):
    with Library.open(str(tmp_path / "state")) as library:
        index = library.index(aged(tree), FEW).id
        write(tree + b"/docs/new.txt")
        aged(tree + b"/docs", 10**18 + 5)
        library.refresh(index)
    with Library.open(str(tmp_path / "state")) as library:
        assert library.refresh(index).directories_listed == 0


def test_a_question_for_times_finds_a_folder_by_the_time_it_has_now(library, tree):
    index = library.index(aged(tree), FEW).id
    write(tree + b"/docs/new.txt")
    os.utime(tree + b"/docs", ns=(2 * 10**18, 2 * 10**18))
    library.refresh(index)
    answers = library.get(index)
    found = answers.ask(from_text("kind:dir mtime>2030-01-01"))
    assert answers.view.paths(found.rows) == [tree + b"/docs"]


@pytest.mark.parametrize("first", [b"docs", b"src"])
def test_when_the_counted_name_of_a_file_goes_another_one_counts(library, tmp_path, tree, first):
    """Whichever of the two names counted, the bytes of the file stay in the total."""
    index = library.index(aged(tree), FEW).id
    os.unlink(tree + {b"docs": b"/docs/main-again.py", b"src": b"/src/main.py"}[first])
    library.refresh(index)
    view, fresh = library.get(index).view, scan(tree, str(tmp_path / "fresh"), FEW)
    for folder in (tree, tree + b"/docs", tree + b"/src"):
        assert totals(view, folder)[:4] == totals(fresh, folder)[:4]
    biggest = library.report(index, "largest-files", 20).rows
    assert sum(row.size == 2048 for row in biggest) == 1
    library.get(index).indexed.compact()
    assert totals(library.get(index).view, tree)[:4] == totals(fresh, tree)[:4]


@pytest.mark.parametrize("folder", [b"/a", b"/b", b"/c"])
def test_when_a_folder_with_a_counted_name_goes_exactly_one_other_name_counts(library, tmp_path, folder):
    root = bytes(tmp_path / "root")
    for name in (b"/a", b"/b", b"/c"):
        os.makedirs(root + name)
    write(root + b"/a/file", 100_000)
    os.link(root + b"/a/file", root + b"/b/file")
    os.link(root + b"/a/file", root + b"/c/file")
    index = library.index(aged(root), FEW).id
    shutil.rmtree(root + folder)
    library.refresh(index)
    view = library.get(index).view
    assert totals(view, root).bytes == 100_000
    folders = [totals(view, root + name).bytes for name in (b"/a", b"/b", b"/c") if name != folder]
    assert sorted(folders) == [0, 100_000]


def test_a_file_that_got_another_name_elsewhere_is_counted_once(library, tmp_path, tree, monkeypatch):
    index = library.index(aged(tree), FEW).id
    before = totals(library.get(index).view, tree).bytes
    os.link(tree + b"/docs/report.txt", tree + b"/empty/report again.txt")
    library.refresh(index)
    assert totals(library.get(index).view, tree).bytes == before
    monkeypatch.setattr("cmdr.index.delta.large_directory.LARGE_DIRECTORY", 2)
    os.link(tree + b"/src/util.py", tree + b"/empty/util again.py")
    library.refresh(index)
    view, fresh = library.get(index).view, scan(tree, str(tmp_path / "fresh"), FEW)
    assert totals(view, tree)[:4] == totals(fresh, tree)[:4]
