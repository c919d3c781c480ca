"""One damaged export is named and left out; all the other machines are asked as if it were not there."""

import os
import pathlib
import random

import polars as pl
import pytest

from cmdr.index.errors import NoSuchFleet
from cmdr.index.fleets import export_files, parquet_export
from cmdr.index.fleets.fleet import Fleet
from cmdr.index.fleets.parquet_export import FILE, export
from cmdr.model.filters.filter import EVERYTHING, Question


@pytest.fixture
def fleet(indexed, tree, tmp_path):
    """The exports of three machines; `fleet.b` is the file that the tests damage."""
    to = str(tmp_path / "fleet")
    places = {host: export(indexed, tree, to, host).folder for host in ("a", "b b", "c")}

    class Exports:
        folder = to
        b = os.path.join(places["b b"], FILE)
        rows = indexed.ask(EVERYTHING).count

    return Exports


def cut(path, keep):
    with open(path, "r+b") as file:
        file.truncate(keep)


def rewritten(path, change, **metadata):
    about = {
        parquet_export.VERSION_KEY: parquet_export.VERSION,
        parquet_export.WHEN_KEY: "1",
        parquet_export.HOST_KEY: "b b",
        parquet_export.ROOT_KEY: "/",
        **metadata,
    }
    change(pl.read_parquet(path, hive_partitioning=False)).write_parquet(path, metadata=about)


def in_place_of_it(path, make):
    os.unlink(path)
    make(path)


DAMAGE = {
    "zero bytes": (lambda path: cut(path, 0), "cannot be read"),
    "a beginning": (lambda path: cut(path, 900), "cannot be read"),
    "all but the end": (lambda path: cut(path, os.stat(path).st_size - 5), "cannot be read"),
    "no Parquet": (lambda path: pathlib.Path(path).write_bytes(b"no Parquet at all, but a text"), "cannot be read"),
    "another table": (lambda path: rewritten(path, lambda _: pl.DataFrame({"path": ["/x"]})), "other columns"),
    "a column less": (lambda path: rewritten(path, lambda rows: rows.drop("size")), "other columns"),
    "a column of another type": (
        lambda path: rewritten(path, lambda rows: rows.with_columns(size=pl.lit("big"))),
        "other columns",
    ),
    "another version": (
        lambda path: rewritten(path, lambda rows: rows, **{parquet_export.VERSION_KEY: "1"}),
        "export that tree again",
    ),
    "no moment": (lambda path: rewritten(path, lambda rows: rows, **{parquet_export.WHEN_KEY: "soon"}), "whose tree"),
    "a folder": (lambda path: in_place_of_it(path, os.mkdir), "it is no file"),
    "a pipe": (lambda path: in_place_of_it(path, os.mkfifo), "it is no file"),
    "a link to itself": (lambda path: in_place_of_it(path, lambda p: os.symlink(p, p)), "cannot be opened"),
    "nothing": (os.unlink, "holds no rows"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_export_is_named_and_left_out(fleet, kind):
    damage, why = DAMAGE[kind]
    damage(fleet.b)
    with Fleet(fleet.folder) as opened:
        totals, hits = opened.ask(Question())
        assert (totals.entries, totals.hosts) == (2 * fleet.rows, 2)
        assert {hit.host for hit in hits} == {"a", "c"}
        assert [tree.host for tree in opened.trees()] == ["a", "c"]
        (left,) = opened.left_out
    assert left.machine == "b b"
    assert why in left.why
    assert "/dev/fd" not in str(left)


def test_what_turns_out_to_be_damaged_while_it_is_asked_is_left_out_of_the_whole_answer(fleet):
    """The end of the file, which says what it holds, is whole; what it speaks of is not."""
    size = os.stat(fleet.b).st_size
    noise = random.Random(13).randbytes(size // 2)
    with open(fleet.b, "r+b") as file:
        file.seek(4)
        file.write(noise)
    with Fleet(fleet.folder) as opened:
        assert len(opened.exports) == 3
        totals, hits = opened.ask(Question())
        assert totals.entries == 2 * fleet.rows == len(list(hits))
        (left,) = opened.left_out
        assert left.machine == "b b"
        assert "to the end" in left.why
        assert opened.totals(EVERYTHING).hosts == 2


def test_one_that_is_cut_off_between_two_questions_is_left_out_from_then_on(fleet):
    with Fleet(fleet.folder) as opened:
        assert opened.totals(EVERYTHING).hosts == 3
        cut(fleet.b, 100)
        totals, hits = opened.ask(Question())
        assert (totals.hosts, {hit.host for hit in hits}) == (2, {"a", "c"})
        assert [left.machine for left in opened.left_out] == ["b b"]


def test_one_that_is_deleted_while_it_is_asked_is_still_there_for_that(fleet):
    with Fleet(fleet.folder) as opened:
        os.unlink(fleet.b)
        assert opened.ask(Question())[0].hosts == 3
        assert opened.left_out == []


def test_one_that_goes_away_between_looking_and_opening_is_named(fleet, monkeypatch):
    found = export_files._places

    def then_gone(folder):
        places = list(found(folder))
        os.unlink(fleet.b)
        return iter(places)

    monkeypatch.setattr(export_files, "_places", then_gone)
    with Fleet(fleet.folder) as opened:
        assert opened.totals(EVERYTHING).hosts == 2
        assert [left.machine for left in opened.left_out] == ["b b"]


def test_when_all_are_damaged_there_is_nothing_to_ask(fleet):
    for host in os.listdir(fleet.folder):
        for place in os.listdir(f"{fleet.folder}/{host}"):
            cut(f"{fleet.folder}/{host}/{place}/{FILE}", 0)
    with pytest.raises(NoSuchFleet, match="None of the exports"), Fleet(fleet.folder):
        pass


def test_when_the_last_one_turns_out_to_be_damaged_that_is_told(fleet):
    with Fleet(fleet.folder) as opened:
        for one in opened.exports:
            cut(one.path, 100)
        with pytest.raises(NoSuchFleet, match="None of the exports"):
            opened.totals(EVERYTHING)


def test_a_folder_that_is_no_export_is_no_matter(fleet):
    os.mkdir(f"{fleet.folder}/lost+found")
    with open(f"{fleet.folder}/machine=notes.txt", "w") as file:
        file.write("not a folder")
    with Fleet(fleet.folder) as opened:
        assert opened.totals(EVERYTHING).hosts == 3
        assert opened.left_out == []
