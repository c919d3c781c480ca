"""Filters over an index: the fast evaluator agrees with one that looks at every entry in turn."""

import os
import random
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmdr.index import ordering, spelling
from cmdr.index.errors import BadCursor, BadPattern, BadQuestion, Cancelled, ForeignCursor, StaleCursor
from cmdr.index.evaluate import evaluate
from cmdr.index.extensions import LONGEST, extension
from cmdr.index.folding import fold
from cmdr.index.globs import parse_glob
from cmdr.index.library import Library
from cmdr.index.looked_up import Surroundings
from cmdr.index.moments import moment_ns
from cmdr.index.path_leaf import match_paths
from cmdr.index.walk import WalkOptions
from cmdr.model import filter as f
from cmdr.model.filter_text import from_text
from cmdr.model.names import from_wire, to_wire
from cmdr.model.sorting import name_order

FEW = WalkOptions(workers=2, nice=0)
NOW = 1_800_000_000 * 10**9
WORDS = ["report", "Report", "img_1", "a", "é", "E\u0301", "straße", "STRASSE", "İx", "x y", "tar", "[z]", "*"]


@pytest.fixture(scope="module")
def forest(tmp_path_factory):
    """A few hundred entries with names that are hard to compare."""
    chance = random.Random(7)
    root = os.fsencode(str(tmp_path_factory.mktemp("forest")))
    folders = [root]
    for number in range(40):
        path = chance.choice(folders) + b"/" + chance.choice(WORDS).encode() + b"%d" % number
        os.mkdir(path)
        folders.append(path)
    for number in range(400):
        name = chance.choice(WORDS).encode() + chance.choice([b"", b"%d" % number, b"\xff%d" % number])
        name += chance.choice([b"", b".py", b".PY", b".tar.gz", b".properties", b".x"])
        path = chance.choice(folders) + b"/" + name
        kind = chance.random()
        try:
            if kind < 0.05:
                os.symlink(b"nowhere", path)
            else:
                fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, chance.choice([0o644, 0o755, 0o600]))
                os.truncate(fd, chance.choice([0, 1, 100, 5000, 70_000]))
                os.close(fd)
                when = NOW - chance.randrange(0, 10**9) * 10**9
                os.utime(path, ns=(when, when))
                if kind > 0.95:
                    os.link(path, chance.choice(folders) + b"/linked%d" % number)
        except FileExistsError:
            continue
    library = Library.open(str(tmp_path_factory.mktemp("forest-state")))
    answers = library.get(library.index(root, FEW).id)
    everything = [answers.node(answers.view.path(row)) for row in range(1, answers.view.base_rows)]
    yield answers, everything
    library.close()


def naive(wanted: f.Filter, node, root: bytes) -> bool:
    match wanted:
        case f.And(items):
            return all(naive(item, node, root) for item in items)
        case f.Or(items):
            return any(naive(item, node, root) for item in items)
        case f.Not(item):
            return not naive(item, node, root)
        case f.Text(field, "regex"):
            return match_paths(f.Text("path", "regex", wanted.value, wanted.case), [getattr(node, field)])[0]
        case f.Text(field, op, value, case):
            have, want = getattr(node, field), from_wire(value)
            if not case:
                have, want = fold(have), fold(want)
            if op == "glob":
                return parse_glob(want).verifier().match(have) is not None
            return want in have if op == "contains" else want == have
        case f.Ext(values):
            if node.kind != "file":
                return False
            wanted_exts = [fold(from_wire(one)) for one in values]
            longer = [one for one in wanted_exts if len(one) > LONGEST or b"." in one]
            ends = any(fold(node.name).endswith(b"." + one) and len(fold(node.name)) > len(one) + 1 for one in longer)
            return ends or (extension(node.name) in wanted_exts and extension(node.name) != b"")
        case f.KindIs(values):
            return node.kind in values
        case f.Number("depth", least, most):
            depth = node.path[len(root) :].count(b"/")
            return (least is None or depth >= least) and (most is None or depth <= most)
        case f.Number(field, least, most):
            facts = os.lstat(node.path)
            have = facts.st_size if field == "size" else facts.st_blocks * 512
            return (least is None or have >= least) and (most is None or have <= most)
        case f.Time(field, after, before):
            have = node.mtime_ns if field == "mtime" else node.ctime_ns
            late = after is None or have >= moment_ns(after, NOW)
            return late and (before is None or have < moment_ns(before, NOW))
        case f.Under(place):
            return node.path.startswith(from_wire(place) + b"/")
        case f.Mode(bits):
            return node.mode & bits == bits & 0o7777
        case f.Owner(values):
            return str(node.owner) in values or (node.owner == 0 and "root" in values)
        case f.Is("empty"):
            return (node.kind == "file" and node.size == 0) or (node.kind == "dir" and node.children == 0)
        case f.Is("brokenLink"):
            return node.broken_link
        case f.Is(_):
            return node.hardlinked
    raise TypeError(wanted)


texts = st.sampled_from([*WORDS, ".py", "STRASSE", "é", "re", "\\xff", "1", "e", "po", "zz"])
globs = st.sampled_from(["*.py", "*", "?*", "rep*1*", "*é*", "[a-r]*", "[!a-r]*", "*.tar.*", "*stra*e*", "\\xff?*"])
regexes = st.sampled_from(
    ["rep.*\\d$", "^a", "\\.py$", "(a+)+$", "é|ß", "[0-9]{2}", "tar|img", "straße1", "E\\d", "report\\d+\\.py", "e1"]
)
cases = st.booleans()
leaves = st.one_of(
    st.builds(f.Text, st.sampled_from(["name", "path"]), st.sampled_from(["contains", "exact"]), texts, cases),
    st.builds(f.Text, st.sampled_from(["name", "path"]), st.just("glob"), globs, cases),
    st.builds(f.Text, st.sampled_from(["name", "path"]), st.just("regex"), regexes, cases),
    st.builds(
        f.Ext, st.lists(st.sampled_from(["py", "gz", "properties", "x", "tar.gz", "nope"]), min_size=1).map(tuple)
    ),
    st.builds(f.KindIs, st.lists(st.sampled_from(["file", "dir", "link"]), min_size=1).map(tuple)),
    st.builds(f.Number, st.sampled_from(["size", "depth", "allocated"]), st.sampled_from([0, 1, 2, 4, 100]), st.none()),
    st.builds(f.Number, st.sampled_from(["size", "depth"]), st.none(), st.sampled_from([0, 3, 99, 5000])),
    st.builds(f.Time, st.just("mtime"), st.sampled_from(["1000d", "5000d", "2020-01-01"]), st.none()),
    st.builds(f.Time, st.just("mtime"), st.none(), st.sampled_from(["30d", "2015-06-01T12:00"])),
    st.builds(f.Mode, st.sampled_from([0o111, 0o044, 0o001])),
    st.builds(f.Owner, st.sampled_from([("0",), ("root", "7"), ("nobody-has-this",)])),
    st.builds(f.Is, st.sampled_from(["empty", "brokenLink", "hardlinked"])),
)
filters = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(f.Not, inner),
        st.builds(f.And, st.lists(inner, max_size=4).map(tuple)),
        st.builds(f.Or, st.lists(inner, max_size=4).map(tuple)),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=filters)
def test_the_fast_evaluator_agrees_with_a_naive_one(forest, wanted):
    answers, everything = forest
    view = answers.view
    found = evaluate(view, wanted, Surroundings(None, None, None, NOW))
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
        mock.patch.object(spelling, "_FEW", few),
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


def test_a_cancel_is_seen(forest):
    answers, _ = forest
    for line in ("name:x", "size>1", "path:*x*", 'name:regex"x"'):
        with pytest.raises(Cancelled):
            evaluate(answers.view, from_text(line), Surroundings(None, None, None), stop=lambda: True)


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
