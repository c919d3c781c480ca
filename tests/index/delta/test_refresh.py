"""Keeping an index fresh: a refreshed view is the same as a new scan, and nodes keep their ids."""

import os
import random
import shutil
import threading

import pytest

from cmdr.index.delta.compact import compact
from cmdr.index.errors import BadHandle, Gone, NotIndexed
from cmdr.index.library import Library
from cmdr.index.scan.scan import scan
from cmdr.index.snapshots.view import View
from cmdr.index.tree import IndexedTree
from cmdr.model.filters.filter_text import from_text
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)
ROW_FACTS = ("size", "allocated", "mtime", "ctime", "born", "ino", "mode")
TOTALS = ("dfiles", "ddirs", "dbytes", "dalloc", "dnewest", "dmiss", "dstate", "dcn", "ddepth")


def everything(view: View) -> dict[bytes, tuple[int, ...]]:
    """All live entries by path with their facts, and for folders their totals."""
    found = {}
    stack = [0]
    while stack:
        number = stack.pop()
        # Which name of a file with several names counts depends on the order of rows; the sum for the root does not.
        facts = tuple(int(view.dirs[name][number]) for name in TOTALS if not number or name not in ("dbytes", "dalloc"))
        found[view.directory_path(number) + b"/"] = facts
        for row in view.child_rows(number):
            entry = [view.value(name, row) for name in ROW_FACTS]
            entry.append(view.value("flags", row) & ~1)
            entry.append(int(view.base.owners[view.value("owner", row)]))
            entry.append(view.base.extensions[view.value("ext", row)])
            found[view.path(row)] = tuple(entry)
            assert view.row_of(view.id_of(row)) == row
            below = view.directory(row)
            if below is not None:
                stack.append(below)
    return found


def ids(view: View) -> dict[bytes, int]:
    answer = range(view.base_rows + (view.delta.rows if view.delta else 0))
    live = [row for row in answer if view.dead is None or row >= view.base_rows or not view.dead[row]]
    return {view.path(row): view.id_of(row) for row in live}


def old(root: bytes) -> None:
    """Age all folders: what changes within the clock's grain of a listing is listed again in any case."""
    for folder, _, _ in os.walk(root):
        os.utime(folder, ns=(10**18, 10**18))


def write(path: bytes, size: int = 1) -> None:
    with open(path, "wb") as out:
        out.write(b"z" * size)


def test_nothing_is_listed_when_nothing_changed(library, tree):
    old(tree)
    info = library.index(tree, FEW)
    assert library.refresh(info.id).directories_listed == 0
    assert library.get(info.id).indexed.freshness.state == "fresh"


def test_new_changed_moved_and_removed_entries_are_found_and_keep_their_ids(library, tree):
    old(tree)
    info = library.index(tree, FEW)
    answers = library.get(info.id)
    before = {
        name: answers.node(tree + name).id
        for name in (b"/src/main.py", b"/src/util.py", b"/docs/deep", b"/docs/deep/notes.md")
    }
    os.rename(tree + b"/src/util.py", tree + b"/empty/renamed.py")
    os.rename(tree + b"/docs/deep", tree + b"/src/deep-moved")
    write(tree + b"/src/new.txt", 5)
    os.makedirs(tree + b"/empty/a/b")
    write(tree + b"/empty/a/b/c.rs", 7)
    os.unlink(tree + b"/archive.tar.gz")
    gone = answers.node(tree + b"/archive.tar.gz").id
    changes = library.refresh(info.id)
    assert changes.removed == 1
    assert changes.added == 4
    assert answers.node(before[b"/src/util.py"]).path == tree + b"/empty/renamed.py"
    assert answers.node(before[b"/docs/deep"]).path == tree + b"/src/deep-moved"
    assert answers.node(before[b"/docs/deep/notes.md"]).path == tree + b"/src/deep-moved/notes.md"
    assert answers.node(tree + b"/empty/a/b/c.rs").size == 7
    assert answers.ask(from_text("ext:rs")).count == 1
    with pytest.raises(Gone) as told:
        answers.node(gone)
    assert told.value.last_path == tree + b"/archive.tar.gz"
    assert everything(answers.view) == everything(scan(tree, str(tree.decode()) + "-elsewhere", FEW))


def test_years_that_no_column_can_count_are_the_same_after_a_refresh_and_a_scan(library, tree):
    """A file with such a date, as a wrong clock makes them, stopped every refresh; such a root could not be indexed."""
    far = 13_569_465_600  # the year 2400
    for path in (b"", b"/docs", b"/src/main.py"):
        os.utime(tree + path, (0, far))
    info = library.index(tree, FEW)
    write(tree + b"/src/new.txt", 5)
    for path in (b"", b"/src", b"/src/new.txt"):
        os.utime(tree + path, (0, far))
    library.refresh(info.id)
    view = library.get(info.id).view
    assert everything(view) == everything(scan(tree, str(tree.decode()) + "-elsewhere", FEW))


def test_a_file_saved_by_replacing_it_is_the_same_node(library, tree):
    old(tree)
    info = library.index(tree, FEW)
    answers = library.get(info.id)
    before = answers.node(tree + b"/src/main.py").id
    write(tree + b"/src/main.py.tmp", 99)
    os.replace(tree + b"/src/main.py.tmp", tree + b"/src/main.py")
    library.refresh(info.id)
    assert answers.node(before).path == tree + b"/src/main.py"
    assert answers.node(before).size == 99
    write(tree + b"/src/main.py.tmp", 100)
    os.replace(tree + b"/src/main.py.tmp", tree + b"/src/main.py")
    library.index(tree, FEW)
    assert answers.node(before).size == 100


@pytest.mark.parametrize("with_overlay", [False, True])
def test_ids_stay_when_the_rows_are_matched_in_small_portions(library, tree, monkeypatch, with_overlay):
    monkeypatch.setattr("cmdr.index.snapshots.identity._STEP", 3)
    index = library.index(tree, FEW).id
    answers = library.get(index)
    if with_overlay:
        write(tree + b"/src/between.txt")
        library.refresh(index)
        assert answers.indexed.delta_rows
    before = ids(answers.view)
    os.rename(tree + b"/archive.tar.gz", tree + b"/empty/moved.gz")
    os.rename(tree + b"/docs/deep", tree + b"/src/deeper")
    write(tree + b"/fresh.txt")
    library.index(tree, FEW)
    after = ids(answers.view)
    assert after[tree + b"/empty/moved.gz"] == before[tree + b"/archive.tar.gz"]
    assert after[tree + b"/src/deeper/er/zero"] == before[tree + b"/docs/deep/er/zero"]
    assert after[tree + b"/fresh.txt"] not in before.values()
    kept = set(before) & set(after)
    assert {path: after[path] for path in kept} == {path: before[path] for path in kept}
    assert len(set(after.values())) == len(after)


def test_an_inode_that_another_file_took_over_is_another_node(library, tree):
    info = library.index(tree, FEW)
    answers = library.get(info.id)
    before = answers.node(tree + b"/settings.properties").id
    os.unlink(tree + b"/settings.properties")
    write(tree + b"/docs/quite-different.txt", 12)
    library.index(tree, FEW)
    with pytest.raises(Gone):
        answers.node(before)
    assert answers.node(tree + b"/docs/quite-different.txt").id != before


def test_ids_are_never_given_out_twice_even_after_a_crash(tmp_path, tree):
    old(tree)
    state = str(tmp_path / "state")
    with Library.open(state) as library:
        info = library.index(tree, FEW)
        write(tree + b"/src/one.txt")
        library.refresh(info.id)
        first = library.get(info.id).node(tree + b"/src/one.txt").id
        patches = [name for name in os.listdir(library.get(info.id).indexed.home) if name.startswith("patch-")]
        assert len(patches) == 1
        os.unlink(f"{library.get(info.id).indexed.home}/{patches[0]}")  # as if it had never reached the disk
    os.unlink(tree + b"/src/one.txt")
    write(tree + b"/src/two.txt")
    with Library.open(state) as library:
        library.refresh(info.id)
        second = library.get(info.id).node(tree + b"/src/two.txt").id
        assert first != second


def test_the_delta_survives_a_restart(tmp_path, tree):
    old(tree)
    state = str(tmp_path / "state")
    with Library.open(state) as library:
        info = library.index(tree, FEW)
        write(tree + b"/src/one.txt", 3)
        library.refresh(info.id)
        before = library.get(info.id).node(tree + b"/src/one.txt")
    with Library.open(state) as library:
        assert library.get(info.id).node(before.id) == before


def mutate(chance: random.Random, root: bytes, number: int) -> None:
    folders = [folder for folder, _, _ in os.walk(root)]
    files = [folder + b"/" + name for folder, _, names in os.walk(root) for name in names]
    match chance.randrange(8):
        case 0 | 1:
            write(
                chance.choice(folders) + b"/new%d.%s" % (number, chance.choice([b"py", b"md", b"new%d" % number])),
                chance.randrange(9000),
            )
        case 2:
            os.makedirs(chance.choice(folders) + b"/d%d/e" % number)
        case 3 if files:
            os.unlink(chance.choice(files))
        case 4 if len(folders) > 4:
            shutil.rmtree(chance.choice(folders[1:]))
        case 5 if files:
            os.rename(chance.choice(files), chance.choice(folders) + b"/moved%d" % number)
        case 6 if len(folders) > 2:
            source, target = chance.choice(folders[1:]), chance.choice(folders)
            if not (target + b"/").startswith(source + b"/"):
                os.rename(source, target + b"/dir-moved%d" % number)
        case 7 if files:
            path = chance.choice(files)
            if not os.path.islink(path) and os.path.isfile(path) and os.lstat(path).st_nlink == 1:
                os.link(path, chance.choice(folders) + b"/link%d" % number)


@pytest.mark.parametrize("seed", range(6))
def test_after_any_changes_a_refreshed_view_equals_a_new_scan_and_so_does_its_compaction(library, tree, tmp_path, seed):
    chance = random.Random(seed)
    old(tree)
    info = library.index(tree, FEW)
    answers = library.get(info.id)
    for round_ in range(4):
        known = ids(answers.view)
        inodes = {path: os.lstat(path).st_ino for path in known}
        for number in range(chance.randrange(1, 9)):
            mutate(chance, tree, 100 * round_ + number)
        changed = answers.view.live_dirs().tolist() if round_ == 3 else None
        if changed is None:
            library.refresh(info.id)
        else:  # links change the times of files elsewhere: look everywhere once
            with answers.indexed._lock:
                answers.indexed.relist(changed)
        fresh = scan(tree, str(tmp_path / f"fresh{round_}"), FEW)
        mine, theirs = everything(answers.view), everything(fresh)
        assert mine.keys() == theirs.keys()
        assert answers.view.totals(0)[:4] == fresh.totals(0)[:4]
        if changed is not None:
            assert mine == theirs
        now = ids(answers.view)
        assert len(set(now.values())) == len(now)
        for path, nid in known.items():
            if path in now and os.lstat(path).st_ino == inodes[path] and os.lstat(path).st_nlink == 1:
                assert now[path] == nid
        for line in ("", "kind:file", "size>100", "name:new", "ext:py,md", "is:empty", "depth>2", "not name:moved"):
            want = {fresh.path(r) for r in answers_rows(fresh, line)}
            got = set(answers.view.paths(answers.ask(from_text(line)).rows))
            if line not in ("size>100",):
                assert got == want
    whole = compact(answers.view, str(tmp_path / "whole"))
    assert everything(whole) == everything(answers.view)
    assert ids(whole) == ids(answers.view)
    answers.indexed.compact()
    assert answers.view.delta is None
    assert answers.indexed.verify()


def answers_rows(view: View, line: str):
    from cmdr.index.query.evaluate import evaluate
    from cmdr.index.query.leaves import EvaluationContext

    return evaluate(view, from_text(line), EvaluationContext(None, None, None)).rows.tolist()


def test_a_big_delta_is_compacted_behind(library, tree):
    old(tree)
    info = library.index(tree, FEW)
    answers = library.get(info.id)
    answers.indexed.compact_above = 0
    write(tree + b"/src/one.txt", 3)
    before = answers.node(tree + b"/src/main.py").id
    library.refresh(info.id)
    library._background.submit(lambda: None).result()
    assert answers.view.delta is None
    assert answers.view.epoch == 2
    assert answers.node(tree + b"/src/one.txt").size == 3
    assert answers.node(before).path == tree + b"/src/main.py"


def test_watching_tells_of_changes_without_asking(library, tree):
    info = library.index(tree, FEW)
    answers = library.get(info.id)
    told = threading.Event()
    looked: list[int] = []

    def changed() -> None:
        looked.append(1)
        told.set()

    freshness = answers.indexed.watch(changed)
    assert (freshness.state, freshness.reason) == ("fresh", "watched")
    os.mkdir(tree + b"/empty/inside")
    wait_until(lambda: answers.ask(from_text("name:inside")).count == 1, told)
    write(tree + b"/empty/inside/deep.txt", 4)
    wait_until(lambda: answers.ask(from_text("name:deep.txt size:4..4")).count == 1, told)
    with open(tree + b"/src/main.py", "ab") as out:  # an edit in place does not change the folder's time
        out.write(b"more")
    wait_until(lambda: answers.node(tree + b"/src/main.py").size == 2052, told)
    answers.indexed.close()


def wait_until(happened, told: threading.Event) -> None:
    for _ in range(50):
        told.clear()
        if happened():
            return
        told.wait(1)
    assert happened()


def test_without_watches_to_give_the_index_says_so_and_checks_instead(library, tree, monkeypatch):
    import ctypes

    from cmdr.index.delta import watcher

    info = library.index(tree, FEW)
    indexed = library.get(info.id).indexed

    start = ctypes.CDLL(None, use_errno=True).inotify_init1

    class NoWatches:
        inotify_init1 = staticmethod(start)

        def inotify_add_watch(self, *args: object) -> int:
            ctypes.set_errno(28)
            return -1

    monkeypatch.setattr(watcher.ctypes, "CDLL", lambda *args, **kw: NoWatches())
    freshness = indexed.watch()
    assert indexed.watch_trouble == "the system's limit of inotify watches is reached"
    assert freshness.reason.startswith("checked; edits inside files are known up to")


def test_a_huge_folder_is_not_listed_again_when_nobody_tells_what_changed_in_it(library, tree, monkeypatch):
    monkeypatch.setattr("cmdr.index.delta.live_updates.HUGE_DIRECTORY", 3)
    index = library.index(tree, FEW).id
    library.refresh(index)
    answers = library.get(index)
    write(tree + b"/src/more.txt")
    write(tree + b"/empty/more.txt")
    src, empty = (answers.view.id_of(answers.view.find(tree + name)) for name in (b"/src", b"/empty"))
    answers.indexed._live_updates.changed({src: None, empty: None})
    assert answers.node(tree + b"/empty/more.txt").kind == "file"
    with pytest.raises(NotIndexed):
        answers.node(tree + b"/src/more.txt")
    assert answers.indexed.freshness.state == "stale"
    assert "is huge and has changed" in answers.indexed.freshness.reason
    answers.indexed._live_updates.changed({empty: None})
    assert answers.indexed.freshness.state == "stale"  # an event elsewhere makes up for nothing
    library.refresh(index)
    assert answers.node(tree + b"/src/more.txt").kind == "file"
    assert answers.indexed.freshness.state == "fresh"


def test_when_the_changed_folders_hold_most_entries_the_whole_tree_is_scanned_instead(library, tree, monkeypatch):
    monkeypatch.setattr("cmdr.index.tree.MANY_ROWS", 3)
    index = library.index(tree, FEW).id
    for folder in (b"/src", b"/docs", b"/bad"):
        write(tree + folder + b"/more.txt")
    assert library.refresh(index).full_scan
    assert library.get(index).node(tree + b"/src/more.txt").kind == "file"


def test_when_events_are_lost_everything_is_checked(library, tree):
    info = library.index(tree, FEW)
    indexed = library.get(info.id).indexed
    write(tree + b"/src/lost.txt")
    indexed._live_updates.changed(None)
    assert library.get(info.id).node(tree + b"/src/lost.txt").kind == "file"


def test_a_clock_set_back_loses_nothing(library, tree):
    info = library.index(tree, FEW)
    answers = library.get(info.id)
    write(tree + b"/src/later.txt")
    os.utime(tree + b"/src", ns=(10**18, 10**18))  # the folder's time went back
    library.refresh(info.id)
    assert answers.node(tree + b"/src/later.txt").kind == "file"


def test_an_unknown_node_id_is_refused(indexed):
    with pytest.raises(BadHandle):
        indexed.node("n_7777777777777")
    assert isinstance(indexed.indexed, IndexedTree)


def test_our_own_state_below_the_root_is_not_followed(tmp_path, tree):
    old(tree)
    with Library.open(os.fsdecode(tree) + "/state") as library:
        info = library.index(tree, FEW)
        library.refresh(info.id)
        assert library.refresh(info.id).directories_listed == 0
        library.sets.create(info.id, "some", [tree + b"/src"])
        assert library.refresh(info.id).directories_listed == 0


def test_a_followed_link_stays_followed_when_its_folder_is_listed_again(library, tree):
    old(tree)
    info = library.index(tree, WalkOptions(follow_symlinks=True, workers=2))
    answers = library.get(info.id)
    before = answers.node(tree + b"/src/docs-link/report.txt")
    write(tree + b"/src/new.txt", 5)
    library.refresh(info.id)
    assert answers.node(tree + b"/src/new.txt").size == 5
    assert answers.node(tree + b"/src/docs-link/report.txt") == before
    answers.indexed.compact()
    assert answers.node(tree + b"/src/docs-link/report.txt") == before
    assert answers.node(tree + b"/src/docs-link").totals is not None


def test_when_most_folders_changed_the_whole_tree_is_scanned_instead(library, tree, monkeypatch):
    monkeypatch.setattr("cmdr.index.tree.MANY_DIRECTORIES", 0)
    info = library.index(tree, FEW)
    before = library.get(info.id).node(tree + b"/src/main.py").id
    write(tree + b"/src/new.txt", 5)
    changes = library.refresh(info.id)
    assert changes.full_scan
    assert library.get(info.id).view.epoch == 2
    assert library.get(info.id).node(before).path == tree + b"/src/main.py"


def test_a_scan_waits_for_a_refresh_instead_of_being_refused(tmp_path):
    from cmdr.index.library import Library

    root = tmp_path / "root"
    root.mkdir()
    with Library.open(str(tmp_path / "state")) as library:
        info = library.index(bytes(root))
        indexed = library.get(info.id).indexed
        entered, go_on = threading.Event(), threading.Event()

        def slow_refresh():
            with indexed._lock:
                entered.set()
                assert go_on.wait(60)

        refreshing = threading.Thread(target=slow_refresh)
        refreshing.start()
        assert entered.wait(60)
        scanning = threading.Thread(target=lambda: library.index(bytes(root)))
        scanning.start()
        go_on.set()
        scanning.join(60)
        refreshing.join(60)
        assert library.info(info.id).epoch == info.epoch + 1
