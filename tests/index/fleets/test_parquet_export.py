"""An exported index holds every entry, answers the same questions, and replaces an earlier export only when whole."""

import os

import polars as pl
import pytest

from cmdr.index.errors import Cancelled
from cmdr.index.fleets import parquet_export
from cmdr.index.fleets.parquet_export import export
from cmdr.model.filters.filter_text import from_text
from cmdr.model.names import to_wire


def read(to):
    return pl.read_parquet(f"{to}/**/*.parquet", hive_partitioning=True)


@pytest.fixture
def exported(indexed, tree, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_export, "ROWS_AT_ONCE", 7)
    made = export(indexed, tree, str(tmp_path / "out"), "a host/1")
    assert made.rows > 7
    return read(tmp_path / "out")


def test_every_entry_is_there_once_with_its_path(indexed, tree, exported):
    rows = indexed.ask(from_text("")).rows
    assert exported["path"].sort().to_list() == sorted([to_wire(tree), *map(to_wire, indexed.view.paths(rows))])
    assert set(exported["host"]) == {"a host/1"}
    assert set(exported["root"]) == {to_wire(tree)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("kind:file size>=1K", (pl.col("kind") == "file") & (pl.col("size") >= 1024)),
        ("ext:py", pl.col("ext") == "py"),
        ("depth:3", pl.col("depth") == 3),
        ("is:brokenlink", pl.col("broken")),
        ("is:hardlinked", pl.col("hardlinked")),
        ("kind:dir is:empty", (pl.col("kind") == "dir") & (pl.col("children") == 0)),
        ("path:docs", pl.col("path").str.contains("docs", literal=True)),
        ("mtime>1h", pl.col("mtime") > pl.lit("2020-01-01").str.to_datetime(time_unit="ns", time_zone="UTC")),
    ],
)
def test_other_engines_find_what_the_index_finds(indexed, tree, exported, text, wanted):
    answer = indexed.ask(from_text(text))
    found = exported.filter(wanted & (pl.col("path") != to_wire(tree)))["path"].to_list()
    assert sorted(found) == sorted(map(to_wire, answer.view.paths(answer.rows)))


def test_a_folder_of_an_index_is_exported_alone(indexed, tree, tmp_path):
    export(indexed, tree + b"/src", str(tmp_path / "out"), "here")
    paths = read(tmp_path / "out")["path"].to_list()
    assert to_wire(tree + b"/src") in paths
    assert all(path.startswith(to_wire(tree + b"/src")) for path in paths)


def test_a_stopped_export_leaves_the_earlier_one(indexed, tree, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_export, "ROWS_AT_ONCE", 7)
    made = export(indexed, tree, str(tmp_path / "out"), "here")
    calls = []

    def soon():
        calls.append(1)
        return len(calls) > 2

    with pytest.raises(Cancelled):
        export(indexed, tree, str(tmp_path / "out"), "here", soon)
    assert len(read(tmp_path / "out")) == made.rows
    assert os.listdir(os.path.dirname(made.folder)) == [os.path.basename(made.folder)]
    assert export(indexed, tree, str(tmp_path / "out"), "here").rows == made.rows
