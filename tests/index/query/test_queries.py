"""Filters over an index: the fast evaluator agrees with one that looks at every entry in turn."""

import os
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.index.forest import NOW, filters, naive, plant

from cmdr.index.errors import BadCursor, BadPattern, BadQuestion, Cancelled, ForeignCursor, StaleCursor
from cmdr.index.library import Library
from cmdr.index.query import globs, ordering
from cmdr.index.query.evaluate import evaluate
from cmdr.index.query.globs import parse_glob
from cmdr.index.query.leaves import EvaluationContext
from cmdr.index.query.queries import KindCounts
from cmdr.index.snapshots.name_blobs import fold
from cmdr.model.filters import filter as f
from cmdr.model.filters.filter_text import from_text
from cmdr.model.names import to_wire
from cmdr.model.panes.sorting import name_order
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


@pytest.fixture(scope="module")
def forest(tmp_path_factory):
    """A few hundred entries with names that are hard to compare."""
    root = os.fsencode(str(tmp_path_factory.mktemp("forest")))
    plant(root)
    library = Library.open(str(tmp_path_factory.mktemp("forest-state")))
    answers = library.get(library.index(root, FEW).id)
    everything = [answers.node(answers.view.path(row)) for row in range(1, answers.view.base_rows)]
    yield answers, everything
    library.close()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=filters)
def test_the_fast_evaluator_agrees_with_a_naive_one(forest, wanted):
    answers, everything = forest
    view = answers.view
    found = evaluate(view, wanted, EvaluationContext(None, None, None, NOW))
    assert view.paths(found.rows) == [node.path for node in everything if naive(wanted, node, view.root)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    wanted=filters,
    sort=st.sampled_from(["tree", "name", "size", "mtime", "depth"]),
    down=st.booleans(),
    limit=st.integers(1, 90),
    natural=st.sampled_from([0, 1000]),
    few=st.sampled_from([1, 500]),
)
def test_pages_bring_everything_once_and_in_order(forest, wanted, sort, down, limit, natural, few):
    answers, _ = forest
    question = f.Question(wanted, sort, down)
    with (
        mock.patch.object(ordering, "_NATURAL", natural),
        mock.patch.object(ordering, "_FEW", few),
        mock.patch.object(ordering, "_FEW", few),
    ):
        listed, total = all_pages(answers, question, limit)
    assert len(listed) == total == len({node.id for node in listed})
    keys = {
        "name": lambda n: fold(n.name),
        "size": lambda n: n.size,
        "mtime": lambda n: n.mtime_ns,
    }
    if sort == "name" and total <= natural:
        assert [node.name for node in listed] == as_in_a_pane(listed, down)
    elif sort in keys:
        values = [keys[sort](node) for node in listed]
        assert values == sorted(values, reverse=down)


def as_in_a_pane(nodes, down):
    """The names in the order of a pane: folders first, in both directions."""
    named = sorted(nodes, key=lambda node: node.name)
    order = name_order([node.name for node in named], [node.kind == "dir" for node in named])
    names = [named[place].name for place in order]
    split = sum(node.kind == "dir" for node in nodes)
    return names[:split][::-1] + names[split:][::-1] if down else names


def all_pages(answers, question, limit):
    """The nodes of every page, and how many there are in all."""
    listed, cursor = [], None
    while True:
        page = answers.page(question, limit=limit, cursor=cursor)
        listed += page.nodes
        cursor = page.cursor
        assert page.after == page.total - len(listed)
        if cursor is None:
            return listed, page.total
        assert len(page.nodes) == limit


def test_a_subtree_is_searched_without_the_rest(forest):
    answers, everything = forest
    folder = next(node for node in everything if node.kind == "dir" and node.children)
    found = answers.ask(f.EVERYTHING, folder.id)
    below = [node for node in everything if node.path.startswith(folder.path + b"/")]
    assert answers.view.paths(found.rows) == [node.path for node in below]
    under = answers.ask(f.Under(to_wire(folder.path)))
    assert under.count == found.count == len(below)
    assert answers.ask(f.Not(f.Under(folder.id))).count == len(everything) - len(below)


def test_explain_tells_the_normal_form_the_order_and_what_was_examined(forest):
    answers, everything = forest
    answer = answers.ask(from_text("not (not name:report) size>=1 kind:file"))
    told = answer.explanation
    assert told.normal_form == 'name:"report" size>=1 kind:file'
    assert told.steps[0].startswith('look up name:"report": ')
    assert told.steps[1:] == ("kind:file", "size>=1")
    assert told.rows_total == len(everything)
    assert told.complete
    assert told.not_covered == ()


def test_an_expression_that_would_explode_ends_at_once_and_a_bad_one_is_refused(forest):
    answers, _ = forest
    answers.ask(f.Text("name", "regex", "(a+)+$"))
    answers.ask(f.Text("path", "regex", "(.*)*(.*)*x$"))
    for pattern in ("[", "(a{1000}){1000}", "a" * 5000, "(?=x)y"):
        with pytest.raises(BadPattern):
            answers.ask(f.Text("name", "regex", pattern))


def test_a_glob_of_many_stars_ends_at_once():
    verify = parse_glob(b"*a" * 50 + b"*b").verifier()
    assert verify.match(b"a" * 255) is None
    assert verify.match(b"a" * 100 + b"b") is not None


def test_a_question_mark_in_a_glob_is_one_whole_character():
    for pattern in ("?", "é", "*?", "?*", "[!a]"):
        assert parse_glob(pattern.encode()).verifier().match("é".encode())
    for pattern in ("??", "*??", "?*?", "*?*?", "[!a]?"):
        assert not parse_glob(pattern.encode()).verifier().match("é".encode())
    assert parse_glob(b"???").verifier().match("é\u0301x".encode())
    assert parse_glob(b"??").verifier().match(b"\xe9\xff")


@pytest.mark.parametrize("pattern", ["*é", "é?", "*straße?", "é*.py", "?é"])
def test_a_glob_with_an_accent_finds_the_same_among_very_many(forest, pattern):
    answers, everything = forest
    wanted = f.Text("name", "glob", pattern)
    with mock.patch.object(globs, "_MANY", 0):
        found = evaluate(answers.view, wanted, EvaluationContext(None, None, None, NOW))
    assert answers.view.paths(found.rows) == [
        node.path for node in everything if naive(wanted, node, answers.view.root)
    ]


def test_a_cancel_is_seen(forest):
    answers, _ = forest
    for line in ("name:x", "size>1", "path:*x*", 'name:regex"x"'):
        with pytest.raises(Cancelled):
            evaluate(answers.view, from_text(line), EvaluationContext(None, None, None), stop=lambda: True)


def test_a_place_that_is_not_indexed_is_a_clear_error(forest):
    answers, _ = forest
    with pytest.raises(BadQuestion):
        answers.ask(f.Under("/nowhere/at/all"))
    with pytest.raises(BadQuestion):
        answers.ask(f.Under("n_aaaa"))


def test_cursors_that_are_forged_foreign_or_stale_are_told_apart(indexed, library, tree):
    page = indexed.children(tree, limit=2)
    assert page.cursor is not None
    for forged in ("", "x", page.cursor[:-2] + "aa", page.cursor * 100, "é", "a" * 100):
        with pytest.raises(BadCursor):
            indexed.children(tree, limit=2, cursor=forged)
    with pytest.raises(ForeignCursor):
        indexed.children(tree + b"/docs", limit=2, cursor=page.cursor)
    with pytest.raises(ForeignCursor):
        indexed.children(tree, limit=2, cursor=page.cursor, sort="size")
    library.index(tree, FEW)
    with pytest.raises(StaleCursor):
        indexed.children(tree, limit=2, cursor=page.cursor)


def test_a_summary_says_how_much_and_what_is_biggest_and_newest(indexed, tree):
    summary = indexed.summary(tree + b"/docs", 2)
    assert summary.children == 4
    assert [node.name for node in summary.biggest] == [b"Report Final.PDF", b"report.txt"]
    assert len(summary.newest) == 2
    assert summary.totals.files == 5


def test_a_regex_finds_a_letter_whose_accent_stands_apart(library, tree):
    with open(tree + b"/" + "cafe\u0301 menu.txt".encode(), "wb"):
        pass
    answers = library.get(library.index(tree, FEW).id)
    for pattern in ("cafe", "CAFE.*menu", "nothing|cafe"):
        assert answers.ask(f.Text("name", "regex", pattern)).count == 1


def shown(indexed, line, count):
    answer = indexed.ask(from_text(line))
    return [(one.kind, one.size) for one in indexed.biggest(answer, count)]


def test_what_was_found_is_counted_by_kind_and_files_hold_nothing_twice(indexed, tree):
    answer = indexed.ask(from_text("under:" + os.fsdecode(tree) + "/docs"))
    # docs/main-again.py has a second name elsewhere and is one file.
    assert answer.kinds() == KindCounts(5, 2, 0, 5000 + 120_000 + 10 + 2048)
    assert answer.bytes == 5000 + 120_000 + 10 + 2048
    assert indexed.ask(from_text("kind:dir")).kinds() == KindCounts(0, 6, 0, 0)
    assert indexed.ask(from_text("kind:link,fifo")).kinds() == KindCounts(0, 0, 3, 0)


def test_all_that_was_found_is_shown_where_there_is_room(indexed):
    everything = indexed.ask(from_text("")).count
    assert len(shown(indexed, "", everything)) == len(shown(indexed, "", 100)) == everything
    kinds = [kind if kind in ("file", "dir") else "other" for kind, _ in shown(indexed, "", 100)]
    assert kinds == sorted(kinds, key=["file", "dir", "other"].index)


def test_where_there_is_no_room_for_all_both_files_and_folders_are_shown_the_biggest_first(indexed):
    found = shown(indexed, "", 5)
    assert [kind for kind, _ in found] == ["file", "file", "file", "dir", "dir"]
    assert [size for _, size in found][:3] == [120_000, 9999, 5000]
    assert [kind for kind, _ in shown(indexed, "kind:dir", 3)] == ["dir"] * 3
    assert [kind for kind, _ in shown(indexed, "kind:file", 3)] == ["file"] * 3
    assert shown(indexed, "", 0) == []
    assert [kind for kind, _ in shown(indexed, "", 1)] == ["file"]
