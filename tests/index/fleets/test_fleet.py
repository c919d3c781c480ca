"""Exports of many hosts and roots, asked as one, find what each index finds in its own tree."""

import itertools
import os
import time
from dataclasses import replace

import ibis
import numpy as np
import polars as pl
import pytest
import sqlglot
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.index.forest import NOW, filters, naive, plant

from cmdr.cli.verbs.fleet import DIALECTS
from cmdr.index.errors import BadPattern, BadQuestion
from cmdr.index.fleets import parquet_export
from cmdr.index.fleets.export_rows import ExportedRows
from cmdr.index.fleets.fleet import Fleet, sql
from cmdr.index.fleets.ibis_query import kept, table
from cmdr.index.fleets.parquet_export import export
from cmdr.index.library import Library
from cmdr.index.query.evaluate import evaluate
from cmdr.index.query.leaves import EvaluationContext
from cmdr.index.snapshots.columns import Flag
from cmdr.model.filters import filter as f
from cmdr.model.filters.filter_text import from_text
from cmdr.model.names import from_wire, to_wire
from cmdr.model.trees.indexes import WalkOptions
from cmdr.model.trees.node import DirState

FEW = WalkOptions(workers=2, nice=0)
QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Exports:
    """One tree as its index knows it, and the same tree exported and opened in two engines."""

    def __init__(self, answers, fleet):
        self.answers, self.view, self.fleet = answers, answers.view, fleet
        files = [export.path for export in fleet.exports]
        self.polars = ibis.polars.connect({"entries": pl.scan_parquet(files, hive_partitioning=False)}).table("entries")

    def by_index(self, wanted):
        around = EvaluationContext(self.answers.directory, None, None, NOW)
        return sorted(map(to_wire, self.view.paths(evaluate(self.view, wanted, around).rows)))

    def by_duckdb(self, wanted):
        return sorted(path for (path,) in self.fleet._asked(kept(table(), wanted, NOW).select("path")))

    def by_polars(self, wanted):
        return sorted(kept(self.polars, wanted, NOW).select("path").to_polars()["path"])


@pytest.fixture(scope="module")
def forest(tmp_path_factory):
    root = os.fsencode(str(tmp_path_factory.mktemp("forest")))
    plant(root)
    to = str(tmp_path_factory.mktemp("fleet"))
    with Library.open(str(tmp_path_factory.mktemp("state"))) as library:
        answers = library.get(library.index(root, FEW).id)
        export(answers, root, to, "host")
        with Fleet(to) as fleet:
            exports = Exports(answers, fleet)
            exports.nodes = [answers.node(answers.view.path(row)) for row in range(1, answers.view.base_rows)]
            exports.folders = [node.path for node in exports.nodes if node.kind == "dir"]
            yield exports


def placed(wanted, folders):
    """The same filter with each number under which to look made a folder."""
    match wanted:
        case f.Under(place) if place.isdecimal():
            return f.Under(to_wire(folders[int(place) % len(folders)]))
        case f.Not(item):
            return f.Not(placed(item, folders))
        case f.And(items) | f.Or(items):
            return replace(wanted, items=tuple(placed(item, folders) for item in items))
    return wanted


more = st.one_of(
    filters,
    st.builds(f.Under, st.integers(0, 60).map(str)),
    st.builds(f.Time, st.just("ctime"), st.sampled_from(["2020-01-01", "1w"]), st.none()),
    st.builds(f.Number, st.just("allocated"), st.none(), st.sampled_from([0, 4096, 1 << 62])),
)
both = st.one_of(
    more,
    st.builds(f.And, st.lists(more, max_size=3).map(tuple)),
    st.builds(f.Or, st.lists(more, max_size=3).map(tuple)),
)


@settings(QUIET, max_examples=80)  # three engines, each of them dear
@given(wanted=both)
def test_every_engine_finds_what_the_index_and_a_naive_evaluator_find(forest, wanted):
    wanted = placed(wanted, forest.folders)
    expected = sorted(to_wire(node.path) for node in forest.nodes if naive(wanted, node, forest.view.root))
    assert forest.by_index(wanted) == expected
    assert forest.by_duckdb(wanted) == expected
    assert forest.by_polars(wanted) == expected


letters = st.sampled_from(
    [
        *("a", "B", "é", "e\u0301", "ß", "İ", "ǆ", "文", "😀", "\u200d", "\u202e", "\U0010fee9", "\uf8ff", "\ufffd"),
        *(" ", ".", "\n", "\\", "'", '"', "%", "_", "*", "?", "[", "]", "-", "^", "$", "|", "{", ";", "\x01", "\x7f"),
        *("\udcff", "\udce9", "\udc80", "\\xff", "\\u{e9}"),
    ]
)
names = st.lists(letters, min_size=1, max_size=6).map("".join).map(os.fsencode).filter(lambda n: n not in (b".", b".."))


@st.composite
def little_trees(draw):
    """Paths of folders and files, and filters made of pieces of their names."""
    folders = draw(st.lists(names, max_size=3, unique=True))
    files = draw(st.lists(st.tuples(st.integers(0, 3), names), min_size=1, max_size=8, unique=True))
    pieces = [piece.decode("utf-8", "surrogateescape") for piece in [*folders, *(name for _, name in files)]]
    wanted = []
    for _ in range(6):
        piece = draw(st.sampled_from(pieces))
        start = draw(st.integers(0, len(piece) - 1))
        text = to_wire(os.fsencode(piece[start : start + draw(st.integers(1, 4))]))
        how = draw(st.sampled_from(["contains", "exact", "glob"]))
        if how == "glob":
            text = "".join(draw(st.sampled_from([one, "?", "*", one + "*"])) for one in text) or "*"
        text = draw(st.sampled_from([text, text.swapcase() if "\\" not in text else text]))
        field, case = draw(st.sampled_from(["name", "path"])), draw(st.booleans())
        wanted.append(f.Not(f.Text(field, how, text, case)) if draw(st.booleans()) else f.Text(field, how, text, case))
        wanted.append(f.Ext((to_wire(os.fsencode(piece[start:])),)))
    return folders, files, wanted


@pytest.fixture(scope="module")
def nursery(tmp_path_factory):
    with Library.open(str(tmp_path_factory.mktemp("nursery-state"))) as library:
        yield library, tmp_path_factory


def _asks_for_a_byte(wanted):
    """Whether a filter holds a byte that is part of no character."""
    match wanted:
        case f.Not(item):
            return _asks_for_a_byte(item)
        case f.And(items) | f.Or(items):
            return any(map(_asks_for_a_byte, items))
        case f.Text(_, _, value):
            return from_wire(value).decode("utf-8", "ignore").encode() != from_wire(value)
    return False


@settings(QUIET, max_examples=18, phases=[Phase.explicit, Phase.reuse, Phase.generate])  # a tree is slow to make
@given(tree=little_trees())
def test_hostile_names_are_found_as_the_index_finds_them(nursery, tree):
    library, places = nursery
    folders, files, wanted = tree
    names = [*folders, *(name for _, name in files)]
    root, to = os.fsencode(str(places.mktemp("little"))), str(places.mktemp("little-fleet"))
    for name in folders:
        os.mkdir(root + b"/" + name)
    for number, name in files:
        above = [root, *(root + b"/" + one for one in folders)]
        path = above[number % len(above)] + b"/" + name
        if not os.path.lexists(path):
            with open(path, "wb"):
                pass
    record = library.index(root, FEW)
    answers = library.get(record.id)
    export(answers, root, to, "host")
    with Fleet(to) as fleet:
        exports = Exports(answers, fleet)
        has_letters = any(not text.isascii() for text in (name.decode("utf-8", "ignore") for name in names))
        for one in [f.EVERYTHING, *wanted]:
            if has_letters and _asks_for_a_byte(one):
                continue  # the index finds such a byte inside a letter too; an export knows only whole letters
            expected = exports.by_index(one)
            assert exports.by_duckdb(one) == expected, one
            assert exports.by_polars(one) == expected, one
    library.remove(record.id)


@settings(QUIET, max_examples=60)
@given(wanted=filters)
def test_what_is_unknown_satisfies_nothing_and_its_opposite_everything(forest, doubtful, wanted):
    view, polars = doubtful
    found = evaluate(view, wanted, EvaluationContext(None, None, None, NOW))
    told = kept(polars, wanted, NOW).select("path").to_polars()["path"]
    assert sorted(told) == sorted(map(to_wire, view.paths(found.rows)))


@pytest.fixture(scope="module")
def doubtful(forest):
    """The forest with entries that could not be examined and folders that could not be listed."""
    view = forest.view
    flags, mode, states = view.base["flags"].copy(), view.base["mode"].copy(), view.dirs["dstate"].copy()
    size, owner = view.base["size"].copy(), view.base["owner"].copy()
    rows = np.arange(5, view.base_rows, 3)
    rows = rows[view.directories(rows) < 0]
    flags[rows] = int(Flag.UNKNOWN)
    for column in (mode, size, owner):
        column[rows] = 0
    states[1::2] = int(DirState.DENIED)
    columns = {**view.base.columns, "flags": flags, "mode": mode, "size": size, "owner": owner}
    view = replace(view, base=replace(view.base, columns=columns), dirs={**view.dirs, "dstate": states})
    frame = ExportedRows(view, "host", view.root).frame(np.arange(view.base_rows))
    assert frame.filter(pl.col("kind") == "unknown")["size"].null_count() == len(rows)
    return view, ibis.polars.connect({"entries": frame}).table("entries")


@pytest.mark.parametrize("sort", ["size", "allocated", "mtime", "ctime", "depth"])
@pytest.mark.parametrize("down", [False, True])
def test_the_order_is_that_of_the_index(forest, sort, down):
    page = forest.answers.page(f.Question(f.EVERYTHING, sort, down), limit=1000)
    facts = {
        "size": lambda node: node.size,
        "allocated": lambda node: node.allocated,
        "mtime": lambda node: node.mtime_ns,
        "ctime": lambda node: node.ctime_ns,
        "depth": lambda node: node.path.count(b"/"),
    }[sort]
    by_path = {to_wire(node.path): facts(node) for node in page.nodes}
    found = [by_path[hit.path] for hit in forest.fleet.find(f.Question(f.EVERYTHING, sort, down))]
    assert found == [facts(node) for node in page.nodes]


def test_a_hit_says_where_it_is_and_what_it_is(forest):
    node = max((node for node in forest.nodes if node.kind == "file"), key=lambda node: (node.size, node.path))
    root = to_wire(forest.view.root)
    hits = list(forest.fleet.find(f.Question(from_text("kind:file"), "size", True)))
    hit = next(hit for hit in hits if hit.path == to_wire(node.path))
    assert (hit.host, hit.root, hit.kind, hit.size, hit.mtime_ns) == ("host", root, "file", node.size, node.mtime_ns)
    assert [one.path for one in forest.fleet.find(f.Question(from_text("kind:file"), "size", True, 3))] == [
        one.path for one in hits[:3]
    ]


@pytest.fixture
def several(indexed, tree, tmp_path):
    """Two hosts, one of them with a root inside another root."""
    to = str(tmp_path / "out")
    export(indexed, tree, to, "alpha")
    export(indexed, tree + b"/src", to, "alpha")
    export(indexed, tree, to, "beta")
    with Fleet(to) as fleet:
        yield fleet


def test_every_tree_of_every_host_is_told_the_biggest_first(several, indexed, tree):
    whole, part = indexed.summary(tree).totals, indexed.summary(tree + b"/src").totals
    root = to_wire(tree)
    assert [(one.host, one.root, one.files, one.folders, one.bytes) for one in several.trees()] == [
        ("alpha", root, whole.files, whole.dirs, whole.bytes),
        ("beta", root, whole.files, whole.dirs, whole.bytes),
        ("alpha", root + "/src", part.files, part.dirs, part.bytes),
    ]
    assert all(one.exported_ns < time.time_ns() for one in several.trees())


def test_totals_count_each_file_once_for_each_host(several, indexed):
    found = several.totals(from_text("ext:py kind:file"))
    assert indexed.ask(from_text("ext:py kind:file")).bytes * 2 == found.bytes
    assert (found.entries, found.hosts) == (len(list(several.find(f.Question(from_text("ext:py"))))), 2)
    nothing = several.totals(from_text("nothing-has-this-name"))
    assert (nothing.entries, nothing.hosts, nothing.bytes) == (0, 0, 0)


def test_a_place_is_seen_from_each_root_or_from_the_top(several, tree):
    def found(line):
        return {(hit.host, hit.root, hit.path) for hit in several.find(f.Question(from_text(line)))}

    root = to_wire(tree)
    deep = {
        (host, root, f"{root}/docs/deep/{name}") for host in ("alpha", "beta") for name in ("notes.md", "er", "er/zero")
    }
    assert found("under:docs/deep") == found("under:./docs//deep/") == found(f"under:{root}/x/../docs/deep/") == deep
    assert found("under:.") == found("under:/") == found("")
    assert not found("under:nowhere") | found("under:doc") | found('under:"a\\u{0}b"')
    for outside in ("under:..", "under:../x", "under:n_0000000a12", "in:s_abc", "duplicateof:/x"):
        with pytest.raises(BadQuestion):
            found(outside)
    for pattern in ("[", "(?=x)", "a" * 2000):
        with pytest.raises(BadPattern):
            found(f'name:regex"{pattern}"')


def test_below_the_root_of_everything(indexed, tree, tmp_path):
    """The root `/` is too big to export here, so its export is made of another: only the paths differ."""
    frame = ExportedRows(indexed.view, "host", b"/").frame(np.arange(indexed.view.base_rows))
    short = pl.col("path").str.strip_prefix(to_wire(tree))
    place = tmp_path / "machine=host" / "tree=%2F" / "rows.parquet"
    about = {
        parquet_export.VERSION_KEY: parquet_export.VERSION,
        parquet_export.WHEN_KEY: "0",
        parquet_export.HOST_KEY: "host",
        parquet_export.ROOT_KEY: "/",
    }
    frame = frame.with_columns(path=pl.when(short == "").then(pl.lit("/")).otherwise(short))
    frame.write_parquet(place, mkdir=True, metadata=about)
    with Fleet(str(tmp_path)) as fleet:
        for line in ("under:docs/deep", "under:/docs/deep"):
            found = [hit.path for hit in fleet.find(f.Question(from_text(line), "name"))]
            assert found == ["/docs/deep/er", "/docs/deep/notes.md", "/docs/deep/er/zero"]
        assert fleet.totals(f.EVERYTHING).entries == len(frame) - 1
        assert [tree.root for tree in fleet.trees()] == ["/"]


def test_owners_are_found_by_the_names_they_have_where_they_are(several):
    mine = [hit.path for hit in several.find(f.Question(f.Owner((str(os.getuid()),))))]
    assert mine == [hit.path for hit in several.find(f.Question(f.EVERYTHING))]
    assert not list(several.find(f.Question(f.Owner(("nobody-has-this", str(1 << 70))))))


EVERY_LEAF = [
    *("name:x", 'path:"it\'s"c', 'name:glob"a?[b-d]*\'"', 'name:exact"\\xff"', 'path:regex"\\d\\.$"', "ext:py,tar.gz"),
    *("kind:file", "size>=10M", "depth:1..3", "mtime>30d", "ctime:2020-01-01..1w", "under:/a", "under:a", "mode:0111"),
    *(
        "owner:root,7",
        "is:empty",
        "is:brokenlink",
        "is:hardlinked",
        "not (name:x or size>1)",
        "",
        "or()",
        "*.py",
        "a*b",
    ),
]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_question_can_be_said_to_every_engine(dialect):
    for line, sort in zip(EVERY_LEAF, itertools.cycle(("tree", "name", "size", "mtime")), strict=False):
        asked = sqlglot.parse_one(sql(f.Question(from_text(line), sort, True, 5), dialect), dialect=dialect)
        assert asked.find(sqlglot.exp.Table).name == "entries"
        assert asked.args["order"] and asked.args["limit"]  # the outermost, or no engine need keep the order


def test_an_export_of_an_empty_folder_can_be_asked(library, tmp_path):
    (tmp_path / "bare").mkdir()
    root = os.fsencode(str(tmp_path / "bare"))
    export(library.get(library.index(root, FEW).id), root, str(tmp_path / "out"), "host")
    with Fleet(str(tmp_path / "out")) as fleet:
        assert list(fleet.find(f.Question())) == []
        assert [(one.files, one.bytes) for one in fleet.trees()] == [(0, 0)]


def test_an_export_in_many_pieces_is_the_same(indexed, tree, tmp_path, monkeypatch):
    export(indexed, tree, str(tmp_path / "one"), "host")
    monkeypatch.setattr(parquet_export, "ROWS_AT_ONCE", 3)
    export(indexed, tree, str(tmp_path / "many"), "host")
    one, many = (pl.read_parquet(f"{tmp_path}/{name}/**/*.parquet") for name in ("one", "many"))
    assert one.equals(many)
