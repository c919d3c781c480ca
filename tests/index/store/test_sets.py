"""Sets, saved queries and reports."""

import os
import sqlite3

import pytest

from cmdr.index.errors import BadCursor, BadQuestion, Corrupt, NoSuchIndex, NoSuchQuery, NoSuchSet
from cmdr.index.library import Library
from cmdr.index.query.coverage import Coverage
from cmdr.index.store import sets
from cmdr.model.filters import filter as f
from cmdr.model.filters.filter_text import from_text
from cmdr.model.trees.indexes import WalkOptions
from cmdr.model.trees.reports import KINDS

FEW = WalkOptions(workers=2, nice=0)


def paths(library, set_id):
    return {one.path for one in library.sets.page(set_id, limit=100).members}


def states(library, set_id):
    return {os.path.basename(one.path): one.state for one in library.sets.page(set_id, limit=100).members}


def test_a_set_of_what_a_question_found_can_be_paged_and_is_kept(library, indexed, tree):
    answer = indexed.ask(from_text("ext:py"))
    made = library.sets.create_from(indexed.indexed.record.id, "python", answer)
    assert (made.count, made.bytes) == (4, 2048 + 300 + 77)
    page = library.sets.page(made.id, 3)
    assert (len(page.members), page.total, page.after) == (3, 4, 1)
    rest = library.sets.page(made.id, 3, page.cursor)
    assert (len(rest.members), rest.after, rest.cursor) == (1, 0, None)
    assert paths(library, made.id) == set(answer.view.paths(answer.rows))
    assert library.sets.all() == (made,)
    assert indexed.ask(f.And((f.InSet(made.id), from_text("size>1000")))).count == 2
    assert indexed.ask(f.Not(f.InSet(made.id))).count == indexed.ask(f.EVERYTHING).count - 4


def test_sets_are_combined_by_node(library, indexed, tree):
    index_id = indexed.indexed.record.id
    left = library.sets.create(index_id, "left", [tree + b"/src/main.py", tree + b"/src/util.py", tree])
    right = library.sets.create(index_id, "right", [indexed.node(tree + b"/src/util.py").id, tree + b"/archive.tar.gz"])
    union = library.sets.combine("union", left.id, right.id, "all")
    assert paths(library, union.id) == {
        tree,
        *(tree + x for x in (b"/src/main.py", b"/src/util.py", b"/archive.tar.gz")),
    }
    assert paths(library, library.sets.combine("intersect", left.id, right.id, "both").id) == {tree + b"/src/util.py"}
    assert paths(library, library.sets.combine("subtract", right.id, left.id).id) == {tree + b"/archive.tar.gz"}
    assert library.sets.info(right.id).count == 1
    grown = library.sets.add(right.id, [tree + b"/docs/report.txt", tree + b"/archive.tar.gz"])
    assert grown.count == 2
    shrunk = library.sets.take_out(right.id, [indexed.node(tree + b"/archive.tar.gz").id])
    assert paths(library, shrunk.id) == {tree + b"/docs/report.txt"}
    assert library.sets.rename(shrunk.id, "new name").name == "new name"


def test_members_say_what_has_become_of_them(library, indexed, tree):
    index_id = indexed.indexed.record.id
    names = [b"/src/main.py", b"/src/util.py", b"/archive.tar.gz", b"/docs/report.txt"]
    made = library.sets.create(index_id, "watch", [tree + name for name in names])
    os.rename(tree + b"/src/util.py", tree + b"/empty/util.py")
    os.unlink(tree + b"/archive.tar.gz")
    with open(tree + b"/docs/report.txt", "ab") as out:
        out.write(b"more")
    library.index(tree, FEW)
    expected = {b"main.py": "ok", b"util.py": "moved", b"archive.tar.gz": "gone", b"report.txt": "changed"}
    assert states(library, made.id) == expected
    library.sets.take_out(made.id, [one.node for one in library.sets.page(made.id).members if one.state == "gone"])
    assert library.sets.info(made.id).count == 3


def test_a_file_that_was_saved_anew_is_a_changed_member_and_not_a_gone_one(library, indexed, tree):
    made = library.sets.create(indexed.indexed.record.id, "watch", [tree + b"/docs/report.txt"])
    with open(tree + b"/docs/report.new", "wb") as out:
        out.write(b"other")
    library.refresh(indexed.indexed.record.id)  # sees the new file under its first name
    os.replace(tree + b"/docs/report.new", tree + b"/docs/report.txt")
    library.refresh(indexed.indexed.record.id)
    (entry,) = library.sets.page(made.id).members
    assert (entry.state, entry.path_now) == ("changed", tree + b"/docs/report.txt")


@pytest.mark.parametrize("is_sorted", [True, False])
def test_a_page_of_a_set_begins_behind_the_last_member_even_when_that_one_was_taken_out(
    library, indexed, is_sorted, monkeypatch
):
    if not is_sorted:
        monkeypatch.setattr(sets, "MAX_SORTED_MEMBERS", 1)
    made = library.sets.create_from(indexed.indexed.record.id, "files", indexed.ask(from_text("kind:file")))
    everyone = [one.node for one in library.sets.page(made.id).members]
    first = library.sets.page(made.id, 4)
    library.sets.take_out(made.id, [everyone[0], first.cursor])
    assert [one.node for one in library.sets.page(made.id, 4, first.cursor).members] == everyone[4:8]


@pytest.mark.parametrize("cursor", ["2", "n_0000000001", "of another index"])
def test_a_cursor_that_is_none_of_a_set_is_refused(library, indexed, tree, cursor):
    made = library.sets.create(indexed.indexed.record.id, "one", [tree + b"/src/main.py"])
    unknown = f"n_{indexed.tag:08x}ffffff"
    for wrong in (cursor, unknown):
        with pytest.raises(BadCursor, match="start again"):
            library.sets.page(made.id, 5, wrong)


def test_sets_survive_a_restart_and_damage_is_not_believed(library, indexed, tree):
    made = library.sets.create(indexed.indexed.record.id, "kept", [tree + b"/src/main.py"])
    state = os.path.dirname(library.home)
    library.close()
    with Library.open(state) as again:
        assert paths(again, made.id) == {tree + b"/src/main.py"}
        with open(f"{state}/sets/{made.id}", "r+b") as file:
            file.seek(40)
            file.write(b"!")
        with pytest.raises(Corrupt):
            again.sets.page(made.id)
        again.sets.delete(made.id)
        with pytest.raises(NoSuchSet):
            again.sets.info(made.id)


def test_sets_of_trees_that_have_nothing_in_common_do_not_mix(library, indexed, tree, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_bytes(b"x")
    other = library.index(os.fsencode(tmp_path / "elsewhere"), FEW)
    one = library.sets.create(indexed.indexed.record.id, "one", [tree + b"/src"])
    two = library.sets.create(other.id, "two", [os.fsencode(tmp_path / "elsewhere" / "file")])
    with pytest.raises(BadQuestion):
        library.sets.combine("union", one.id, two.id)
    assert library.sets.combine("intersect", one.id, two.id, "none").count == 0
    with pytest.raises(BadQuestion):
        indexed.ask(f.InSet(two.id))
    with pytest.raises(NoSuchSet):
        indexed.ask(f.InSet("s_none"))


def test_the_deepest_index_covers_a_path(library, indexed, tree):
    other = library.index(tree + b"/docs", FEW)
    assert library.covering(tree + b"/docs/deep").indexed.record.id == other.id
    assert library.covering(tree + b"/src").indexed.record.id == indexed.indexed.record.id
    assert library.covering(tree + b"/docsx") is None
    assert library.covering(b"/nowhere") is None
    assert {info.id for info in library.indexes()} == {other.id, indexed.indexed.record.id}
    library.remove(other.id)
    with pytest.raises(NoSuchIndex):
        library.get(other.id)


def test_an_index_does_not_answer_for_a_folder_it_never_listed(library, tree):
    shallow = library.index(tree + b"/docs", WalkOptions(depth_limit=1, workers=1)).id
    assert library.covering(tree + b"/docs/deep") is None
    assert library.covering(tree + b"/docs/deep/er") is None
    assert library.covering(tree + b"/docs/deep", Coverage.ENTRY).indexed.record.id == shallow
    whole = library.index(tree, FEW).id
    for folder in (b"/docs/deep/er", b"/docs/deep", b"/docs"):
        assert library.covering(tree + folder).indexed.record.id == whole


def test_one_root_with_the_same_options_is_one_index(library, tree):
    first = library.index(tree, FEW)
    second = library.index(tree + b"/../tree/", FEW)
    assert first.id == second.id
    assert (first.epoch, second.epoch) == (1, 2)
    assert library.index(tree, WalkOptions(depth_limit=1, workers=1)).id != first.id


def test_a_saved_query_is_asked_again_by_name_or_id(library, indexed):
    question = f.Question(from_text("ext:py size>1K"), "size", True, 5)
    saved = library.queries.save("big python", question)
    assert saved.last_run_ns is None
    assert library.queries.get("big python") == (saved, question)
    assert library.queries.get(saved.id) == (saved, question)
    assert indexed.ask(library.queries.get(saved.id)[1].filter).count == 2
    library.queries.note_run(saved.id)
    assert library.queries.get(saved.id)[0].last_run_ns is not None
    again = library.queries.save("big python", f.Question(from_text("ext:py")))
    assert again.id == saved.id
    assert [one.name for one in library.queries.all()] == ["big python"]
    library.queries.delete("big python")
    with pytest.raises(NoSuchQuery):
        library.queries.get(saved.id)


def rows(library, indexed, kind, **more):
    return library.report(indexed.indexed.record.id, kind, **more).rows


def test_reports_say_what_fills_the_tree(library, indexed, tree):
    biggest = rows(library, indexed, "largest-files", limit=3)
    assert [(row.path, row.size) for row in biggest] == [
        (tree + b"/docs/Report Final.PDF", 120_000),
        (tree + b"/archive.tar.gz", 9999),
        (tree + b"/docs/report.txt", 5000),
    ]
    folders = rows(library, indexed, "largest-dirs", limit=1)
    assert folders[0].path == tree + b"/docs"
    extensions = {row.label: (row.count, row.size) for row in rows(library, indexed, "extensions")}
    assert extensions[".py"] == (3, 2048 + 300 + 77)
    assert extensions[".pdf"] == (1, 120_000)
    categories = {row.label: row.count for row in rows(library, indexed, "categories")}
    assert categories["code"] == 3
    assert categories["document"] == 3
    sizes = {row.label: row.count for row in rows(library, indexed, "sizes")}
    assert sizes["empty"] == 1
    assert sizes["< 1M"] == 1
    assert {row.label: row.count for row in rows(library, indexed, "ages")} == {"today": 11}
    assert sum(row.count for row in rows(library, indexed, "owners")) == 11
    assert {row.label: row.count for row in rows(library, indexed, "depth")} == {"1": 2, "2": 7, "3": 1, "4": 1}
    assert {row.path for row in rows(library, indexed, "empty")} == {tree + b"/empty", tree + b"/docs/deep/er/zero"}
    assert [row.path for row in rows(library, indexed, "broken-links")] == [tree + b"/bad/broken"]
    assert len(rows(library, indexed, "recent", limit=4)) == 4
    assert rows(library, indexed, "problems") == ()


def test_reports_are_over_a_folder_or_a_set_too(library, indexed, tree):
    below = library.report(indexed.indexed.record.id, "largest-files", below=tree + b"/src")
    assert [row.size for row in below.rows] == [2048, 300, 77, 1] or [row.size for row in below.rows] == [300, 77, 1]
    chosen = library.sets.create(indexed.indexed.record.id, "some", [tree + b"/src/util.py", tree + b"/archive.tar.gz"])
    report = library.report(indexed.indexed.record.id, "extensions", set_id=chosen.id)
    assert {row.label for row in report.rows} == {".py", ".gz"}
    with pytest.raises(BadQuestion):
        library.report(indexed.indexed.record.id, "colours")
    for kind in KINDS:
        assert library.report(indexed.indexed.record.id, kind, below=tree + b"/docs").total >= 0
        assert library.report(indexed.indexed.record.id, kind, limit=0).rows == ()


def test_duplicates_are_files_with_the_same_contents_not_the_same_size(library, tree):
    for name, data in {
        b"a": b"1" * 40_000,
        b"b": b"1" * 40_000,
        b"c": b"1" * 39_999 + b"2",
        b"d": b"3" * 40_000,
    }.items():
        with open(tree + b"/empty/" + name, "wb") as out:
            out.write(data)
    indexed = library.get(library.index(tree, FEW).id)
    report = library.report(indexed.indexed.record.id, "duplicates")
    assert report.total == 1
    assert set(report.rows[0].members) == {tree + b"/empty/a", tree + b"/empty/b"}
    assert report.rows[0].size == 40_000
    answer = indexed.ask(f.DuplicateOf(indexed.node(tree + b"/empty/a").id))
    assert set(answer.view.paths(answer.rows)) == {tree + b"/empty/a", tree + b"/empty/b"}


def test_queries_that_were_saved_before_they_had_a_folder_are_kept(tmp_path):
    state = tmp_path / "index"
    with Library.open(str(state)) as library:
        library.queries.save("kept", f.Question(from_text("ext:py")), root=b"/srv")
        kept = os.path.join(library.home, "catalogue.sqlite")
    with sqlite3.connect(kept) as db:
        db.execute("alter table saved_queries drop column root")
    db.close()
    with Library.open(str(state)) as library:
        saved, question = library.queries.get("kept")
        assert (saved.root, question) == (None, f.Question(from_text("ext:py")))
        library.queries.save("kept", question, root=b"/srv")
        library.queries.note_run("kept")
        assert library.queries.get("kept")[0].root == b"/srv"


def test_of_equal_files_the_oldest_or_the_newest_is_kept(library, tree):
    for name, age in ((b"/a.bin", 300), (b"/b.bin", 100), (b"/c.bin", 200)):
        with open(tree + name, "wb") as out:
            out.write(b"same" * 50)
        os.utime(tree + name, (1_700_000_000 - age,) * 2)
    index = library.index(tree, FEW).id
    for keep, order in (("oldest", b"acb"), ("newest", b"bca")):
        made, spare_files = library.duplicates(index, keep=keep)
        assert [os.path.basename(path)[:1] for path in made.rows[0].members] == [bytes([one]) for one in order]
        spare = library.sets.create_spare(index, keep, spare_files)
        assert paths(library, spare.id) == {tree + b"/%c.bin" % one for one in order[1:]}


def test_queries_that_were_saved_before_they_had_owners_become_the_persons(tmp_path):
    state = tmp_path / "index"
    with Library.open(str(state)) as library:
        library.queries.save("kept", f.Question(from_text("ext:py")))
        library.queries.save("theirs", f.Question(from_text("ext:py")), "agent:one")
        kept = os.path.join(library.home, "catalogue.sqlite")
    with sqlite3.connect(kept) as db:
        columns = "id, name, filter, sort, descending, row_limit, created_ns, last_run_ns"
        db.execute(f"create table queries as select {columns} from saved_queries where name = 'kept'")
        db.execute("delete from saved_queries where name = 'kept'")
    db.close()
    with Library.open(str(state)) as library:
        assert [(one.name, one.owner) for one in library.queries.all()] == [("kept", "person"), ("theirs", "agent:one")]
        assert library.queries.get("kept")[1] == f.Question(from_text("ext:py"))
        with pytest.raises(NoSuchQuery):
            library.queries.get("kept", "agent:one")


def test_sets_of_a_tree_and_of_a_folder_in_it_are_combined(library, tree):
    whole, part = library.index(tree, FEW).id, library.index(tree + b"/src", FEW).id
    large = library.sets.create(whole, "large", [tree + b"/src/main.py", tree + b"/docs/report.txt"]).id
    small = library.sets.create(part, "small", [tree + b"/src/main.py", tree + b"/src/util.py"]).id
    assert paths(library, library.sets.combine("intersect", large, small, "both").id) == {tree + b"/src/main.py"}
    assert paths(library, library.sets.combine("subtract", small, large, "rest").id) == {tree + b"/src/util.py"}
    with pytest.raises(BadQuestion, match="index a folder above"):
        library.sets.combine("union", small, large)
    assert len(paths(library, library.sets.combine("union", large, small).id)) == 3
    found = library.get(whole).ask(f.InSet(small))
    assert set(found.view.paths(found.rows)) == {tree + b"/src/main.py", tree + b"/src/util.py"}
    found = library.get(part).ask(f.InSet(large))
    assert set(found.view.paths(found.rows)) == {tree + b"/src/main.py", tree + b"/src/util.py"}
