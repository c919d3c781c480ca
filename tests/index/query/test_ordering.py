"""Long lists by name: the same order as sorting them all, across a delta, and whatever their names share."""

import os

import numpy as np
import pytest

from cmdr.index.query import ordering, queries
from cmdr.index.query.coverage import FilterResult
from cmdr.index.query.queries import ResultCache
from cmdr.index.snapshots.name_blobs import fold
from cmdr.model.filters import filter as f
from cmdr.model.filters.filter_text import from_text
from cmdr.model.trees.queries import Explanation


def every_page(queries, question, limit):
    listed, cursor = [], None
    while True:
        page = queries.page(question, limit=limit, cursor=cursor)
        listed += page.nodes
        if (cursor := page.cursor) is None:
            return listed


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("sort", ["name", "size"])
def test_pages_over_a_snapshot_and_its_delta_are_in_one_order(library, tree, monkeypatch, down, sort):
    monkeypatch.setattr(ordering, "_NATURAL", 0)
    monkeypatch.setattr(ordering, "_FEW", 0)
    monkeypatch.setattr(ordering, "_FEW", 2)
    monkeypatch.setattr(ordering, "_STEP", 5)
    for folder in (b"/src", b"/docs"):
        for name in (b"a-name-of-some-length", b"a-name-of-some-length-and-more", b"a-name-o", b"a-name-", b"same"):
            with open(tree + folder + b"/" + name, "wb") as out:
                out.write(name)
    info = library.index(tree)
    for name in (b"/src/a-name-of-some-le", b"/empty/same", b"/docs/Z"):
        with open(tree + name, "wb"):
            pass
    os.unlink(tree + b"/docs/a-name-o")
    library.refresh(info.id)
    queries = library.get(info.id)
    assert queries.view.delta is not None
    listed = every_page(queries, f.Question(f.EVERYTHING, sort, down), 3)
    rows = queries.ask(f.EVERYTHING).count
    assert len({node.id for node in listed}) == len(listed) == rows
    keys = [fold(node.name) if sort == "name" else node.size for node in listed]
    assert keys == sorted(keys, reverse=down)


@pytest.mark.parametrize("down", [False, True])
def test_one_name_in_many_folders_is_paged_by_id(library, tmp_path, monkeypatch, down):
    monkeypatch.setattr(ordering, "_NATURAL", 0)
    monkeypatch.setattr(ordering, "_FEW", 2)
    for number in range(30):
        os.makedirs(tmp_path / "many" / str(number))
        (tmp_path / "many" / str(number) / "the very same name").touch()
    queries = library.get(library.index(os.fsencode(tmp_path / "many")).id)
    listed = every_page(queries, f.Question(from_text("kind:file"), "name", down), 4)
    ids = [queries.view.id_of(queries.row(node.id)) for node in listed]
    assert len(ids) == 30
    assert ids == sorted(ids, reverse=down)


def found(rows: int) -> FilterResult:
    return FilterResult(np.arange(rows), Explanation("", (), 0, 0, True, ()))


def test_big_answers_make_room_and_the_newest_always_stays(monkeypatch):
    monkeypatch.setattr(queries, "_MAX_RESULT_BYTES", 8 * 100)
    kept = ResultCache()
    kept.put("a", found(40))
    kept.put("b", found(40))
    assert kept.get("a") is not None
    kept.put("c", found(40))
    assert kept.get("b") is None  # a was asked for since
    assert kept.get("a") is not None
    kept.put("huge", found(1000))
    assert kept.get("huge") is not None
    assert kept.get("a") is kept.get("c") is None
    for number in range(20):
        kept.put(number, found(1))
    assert [number for number in range(20) if kept.get(number)] == list(range(12, 20))
