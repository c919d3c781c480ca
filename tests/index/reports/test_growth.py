"""What changed between two snapshots: files and folders, over scans, refreshes and compactions, a page at a time."""

import os
from dataclasses import replace

import numpy as np
import pytest

from cmdr.index.errors import BadCursor, BadQuestion, ForeignCursor
from cmdr.index.reports import growth
from cmdr.index.snapshots import history, history_files
from cmdr.index.snapshots.history_files import totals_path
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


def write(path, size):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.truncate(size)


def first(report, tree):
    """Each change as (what, where below the tree, before, after)."""
    return [(row.change, (row.path or b"?")[len(tree) + 1 :].decode(), row.before, row.size) for row in report.rows]


def test_the_first_snapshot_has_nothing_to_compare_with(library, tree):
    report = library.report(library.index(tree, FEW).id, "growth")
    assert report.note == "There is no earlier epoch to compare with yet."
    assert report.rows == ()


def test_files_that_came_went_grew_and_shrank_are_named(library, tree):
    index = library.index(tree, FEW).id
    write(tree + b"/src/huge.bin", 1_000_000)
    write(tree + b"/settings.properties", 50_000)
    write(tree + b"/docs/Report Final.PDF", 1000)
    os.unlink(tree + b"/docs/report.txt")
    library.index(tree, FEW)
    report = library.report(index, "growth")
    assert [one for one in first(report, tree) if one[1] not in ("", "src", "docs")] == [
        ("added", "src/huge.bin", 0, 1_000_000),
        ("shrunk", "docs/Report Final.PDF", 120_000, 1000),
        ("grown", "settings.properties", 12, 50_000),
        ("removed", "docs/report.txt", 5000, 0),
    ]
    assert report.after - report.before == 1_000_000 + 49_988 - 119_000 - 5000
    assert report.complete


def test_a_folder_that_one_thing_in_it_explains_is_not_told(library, tree):
    index = library.index(tree, FEW).id
    write(tree + b"/a/b/c/one big file", 900_000)
    for number in range(100):
        write(tree + b"/many/small/%d" % number, 5000)
    library.index(tree, FEW)
    first, *_ = library.report(index, "growth", below=tree + b"/a").rows
    assert (first.path, first.folder, first.count) == (tree + b"/a/b/c/one big file", False, None)
    first, *_ = library.report(index, "growth", below=tree + b"/many").rows
    assert (first.path, first.folder, first.count, first.size) == (tree + b"/many/small", True, 100, 500_000)
    paths = {row.path for row in library.report(index, "growth", limit=1000).rows}
    assert not paths & {tree + b"/a", tree + b"/a/b", tree + b"/a/b/c", tree + b"/many"}


def test_a_file_that_only_moved_has_not_changed(library, tree):
    index = library.index(tree, FEW).id
    os.rename(tree + b"/archive.tar.gz", tree + b"/empty/elsewhere.gz")
    library.index(tree, FEW)
    rows = library.report(index, "growth", limit=100).rows
    assert [row for row in rows if not row.folder] == []
    assert {row.path: row.size - row.before for row in rows} == {tree + b"/empty": 9999}


def test_a_file_that_another_one_replaced_under_its_name_is_one_that_changed(library, tree):
    os.unlink(tree + b"/docs/main-again.py")  # else it is by chance which of its names a file is counted under
    index = library.index(tree, FEW).id
    for name, size in ((b"/docs/report.txt", 9000), (b"/src/util.py", 300)):
        write(tree + name + b".part", size)
        library.refresh(index)  # sees each new one before it gets its name
        os.replace(tree + name + b".part", tree + name)
    write(tree + b"/docs/new", 50)
    os.unlink(tree + b"/docs/deep/notes.md")
    library.refresh(index)
    files = [row for row in library.report(index, "growth", limit=100).rows if not row.folder]
    assert {(row.change, row.path[len(tree) :], row.before, row.size) for row in files} == {
        ("grown", b"/docs/report.txt", 5000, 9000),
        ("added", b"/docs/new", 0, 50),
        ("removed", b"/docs/deep/notes.md", 10, 0),
    }


@pytest.mark.parametrize("remembered", [True, False])
def test_a_snapshot_that_a_crash_kept_from_use_is_not_told_of(library, tree, remembered):
    """Its number is given again, and its files, which no index has, were looked for in the next one."""
    index = library.index(tree, FEW).id
    first_epoch = library.get(index).view.epoch
    write(tree + b"/grows", 1000)
    library.refresh(index)
    library.get(index).indexed.compact()  # another number, and no moment that is remembered
    answers = library.get(index)
    home, view = answers.indexed.home, answers.view
    assert view.epoch > first_epoch
    docs = view.id_of(answers.row(tree + b"/docs", view))
    came = [np.array([number]) for number in (100_000, docs, -1, 77)]
    history_files.save_changes(home, history_files.FileChanges(first_epoch, view.epoch + 1, True, *came))
    if remembered:
        totals = history_files.load_totals(home, first_epoch)
        history_files.save_totals(home, replace(totals, epoch=view.epoch + 1))
    os.unlink(tree + b"/docs/report.txt")
    write(tree + b"/docs/new", 50)
    library.index(tree, FEW)
    report = library.report(index, "growth", limit=100)
    assert {row.path: row.size - row.before for row in report.rows} == {tree + b"/docs": 50 - 5000}
    assert not report.complete


def test_very_many_files_that_went_are_not_looked_up(library, tree, monkeypatch):
    monkeypatch.setattr(growth, "MAX_REPLACED_FILES", 0)
    index = library.index(tree, FEW).id
    write(tree + b"/part", 9000)
    library.refresh(index)
    os.replace(tree + b"/part", tree + b"/archive.tar.gz")
    library.refresh(index)
    assert {row.change for row in library.report(index, "growth").rows if not row.folder} == {"added", "removed"}


def test_growth_adds_up_over_scans_refreshes_and_compactions(library, tree):
    index = library.index(tree, FEW).id
    indexed = library.get(index).indexed
    write(tree + b"/grows", 1000)
    library.refresh(index)
    indexed.compact()
    write(tree + b"/grows", 30_000)
    write(tree + b"/comes and goes", 77_000)
    library.index(tree, FEW)
    os.unlink(tree + b"/comes and goes")
    write(tree + b"/src/later", 2000)
    library.refresh(index)
    assert indexed.delta_rows
    files = [one for one in first(library.report(index, "growth", since="1"), tree) if "." not in one[1]]
    assert files == [("added", "grows", 0, 30_000), ("added", "src/later", 0, 2000)]


def test_only_what_is_below_a_folder_or_in_a_set_is_told(library, tree):
    index = library.index(tree, FEW).id
    write(tree + b"/src/new", 4000)
    write(tree + b"/docs/new", 3000)
    os.unlink(tree + b"/src/util.py")
    library.index(tree, FEW)
    below = library.report(index, "growth", below=tree + b"/src")
    assert {path for _, path, _, _ in first(below, tree)} == {"src/new", "src/util.py"}
    assert below.after - below.before == 3700
    chosen = library.sets.create(index, "chosen", [tree + b"/docs/new"])
    assert [path for _, path, _, _ in first(library.report(index, "growth", set_id=chosen.id), tree)] == ["docs/new"]


def test_pages_tell_every_change_once_even_when_more_come_meanwhile(library, tree):
    index = library.index(tree, FEW).id
    for number in range(25):
        write(tree + b"/new/%02d" % number, 100 * (number // 2))
    library.index(tree, FEW)
    everything = [row.path for row in library.report(index, "growth", since="1", limit=1000).rows]
    seen, cursor = [], None
    while True:
        page = library.report(index, "growth", since="1", limit=4, cursor=cursor)
        seen += [row.path for row in page.rows]
        if page.cursor is None:
            break
        cursor = page.cursor
        write(tree + b"/settings.properties", 12)  # the next page comes from another view
        library.refresh(index)
    assert [path for path in seen if path != tree] == [path for path in everything if path != tree]
    assert page.total == len(everything)


def test_a_cursor_of_another_question_or_a_made_up_one_is_refused(library, tree):
    index = library.index(tree, FEW).id
    for number in range(5):
        write(tree + b"/new/%02d" % number, 100)
    library.index(tree, FEW)
    cursor = library.report(index, "growth", since="1", limit=2).cursor
    with pytest.raises(ForeignCursor):
        library.report(index, "growth", since="1", limit=2, below=tree + b"/new", cursor=cursor)
    with pytest.raises(BadCursor):
        library.report(index, "growth", since="1", limit=2, cursor="x" + cursor[1:])


def test_growth_is_measured_from_the_snapshot_nearest_to_a_week_ago_or_to_what_is_asked(library, tree):
    index = library.index(tree, FEW).id
    home = library.get(index).indexed.home
    for number in range(1, 5):
        write(tree + b"/step%d" % number, 1000)
        library.index(tree, FEW)
    now = os.path.getmtime(totals_path(home, 5))
    for epoch, days in ((1, 40), (2, 8), (3, 3), (4, 1)):
        os.utime(totals_path(home, epoch), (now, now - days * 86_400))

    def new(since=None):
        paths = {path for _, path, _, _ in first(library.report(index, "growth", since=since, limit=100), tree)}
        return sorted(path for path in paths if path.startswith("step"))

    assert new() == ["step2", "step3", "step4"]
    assert new("1d") == ["step4"]
    assert new("1y") == ["step1", "step2", "step3", "step4"]
    assert new("3") == ["step3", "step4"]
    with pytest.raises(BadQuestion, match="there are: 1, 2, 3, 4, 5"):
        new("77")
    with pytest.raises(BadQuestion, match="such as 30d"):
        new("someday")


def test_only_so_many_moments_are_kept_and_the_first_and_last_stay(library, tree, monkeypatch):
    monkeypatch.setattr(history, "MAX_TOTALS", 4)
    index = library.index(tree, FEW).id
    for number in range(7):
        write(tree + b"/step%d" % number, 1000)
        library.index(tree, FEW)
    epochs = library.epochs(index)
    assert len(epochs) == 4
    assert (epochs[0], epochs[-1]) == (1, 8)
    paths = {row.path for row in library.report(index, "growth", since="1", limit=100).rows}
    assert {tree + b"/step%d" % number for number in range(7)} <= paths


def test_when_a_link_of_the_chain_is_damaged_folders_are_told_and_the_rest_is_said_to_be_unknown(library, tree):
    index = library.index(tree, FEW).id
    write(tree + b"/src/new", 4000)
    library.index(tree, FEW)
    with open(history_files.changes_path(library.get(index).indexed.home, 1), "r+b") as file:
        file.seek(20)
        file.write(b"\xff\xff")
    report = library.report(index, "growth")
    assert not report.complete
    assert "only folders" in report.note
    assert [row.path for row in report.rows] == [tree + b"/src"]


def test_damaged_totals_are_passed_over(library, tree):
    index = library.index(tree, FEW).id
    write(tree + b"/src/new", 4000)
    library.index(tree, FEW)
    write(tree + b"/src/newer", 5000)
    library.index(tree, FEW)
    home = library.get(index).indexed.home
    with open(totals_path(home, 1), "wb") as file:
        file.write(b"cmdrtot1 of an older version")
    os.utime(totals_path(home, 1), (0, 0))
    files = [row.path for row in library.report(index, "growth", since="10y").rows if not row.folder]
    assert files == [tree + b"/src/newer"]


def test_beyond_a_number_of_changes_the_biggest_are_remembered_and_the_report_says_so(library, tree, monkeypatch):
    monkeypatch.setattr(history_files, "MAX_CHANGES", 3)
    index = library.index(tree, FEW).id
    for number in range(1, 8):
        write(tree + b"/new%d" % number, number * 1000)
    library.index(tree, FEW)
    report = library.report(index, "growth")
    assert {row.path for row in report.rows if not row.folder} == {tree + b"/new%d" % number for number in (5, 6, 7)}
    assert not report.complete
    assert "only the biggest" in report.note


def test_a_full_disk_costs_only_the_history(library, tree, monkeypatch):
    index = library.index(tree, FEW).id

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(history, "save_changes", full)
    write(tree + b"/new", 4000)
    assert library.index(tree, FEW).epoch == 2
    monkeypatch.undo()
    assert library.get(index).node(tree + b"/new").size == 4000
