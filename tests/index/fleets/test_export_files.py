"""An export takes its place whole, and only exports that can be trusted are asked."""

import fcntl
import os
import subprocess
import sys
import threading
from urllib.parse import unquote

import polars as pl
import pytest

from cmdr.index.errors import ExportRunning, NoSuchFleet
from cmdr.index.fleets import parquet_export
from cmdr.index.fleets.fleet import Fleet, sql
from cmdr.index.fleets.parquet_export import FILE, export, partition
from cmdr.model.filters.filter import EVERYTHING, Question
from cmdr.model.trees.indexes import WalkOptions

FEW = WalkOptions(workers=2, nice=0)


def test_readers_meanwhile_have_one_export_or_the_other(library, tree, tmp_path):
    to = str(tmp_path / "out")
    small = library.get(library.index(tree, FEW).id)
    export(small, tree, to, "host")
    counts = {small.ask(EVERYTHING).count}
    for number in range(200):
        with open(tree + b"/src/more%d" % number, "wb"):
            pass
    big = library.get(library.index(tree, FEW).id)
    counts.add(big.ask(EVERYTHING).count)
    over = threading.Event()
    seen, broken = set(), []

    def read():
        while not over.is_set():
            try:
                with Fleet(to) as fleet:
                    totals, listed = fleet.totals(EVERYTHING).entries, len(list(fleet.find(Question())))
                seen.update((totals, listed))
            except Exception as trouble:
                broken.append(trouble)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(15):
            with open(tree + b"/src/more0", "wb"):
                pass
            export(big, tree, to, "host")
    finally:
        over.set()
        reader.join()
    assert not broken
    assert seen <= counts


def test_two_exports_to_one_place_do_not_mix(indexed, tree, tmp_path):
    to = str(tmp_path / "out")
    place = export(indexed, tree, to, "host").folder
    with open(f"{place}/.coming", "wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ExportRunning):
            export(indexed, tree, to, "host")
        assert os.path.exists(f"{place}/.coming")
    export(indexed, tree, to, "host")
    assert os.listdir(place) == [FILE]


def test_what_a_killed_export_left_is_nobodys_answer_and_goes(indexed, tree, tmp_path):
    to = str(tmp_path / "out")
    made = export(indexed, tree, to, "host")
    with open(f"{made.folder}/.coming", "wb") as left:
        left.write(b"PAR1 half of it")
    with Fleet(to) as fleet:
        assert fleet.totals(EVERYTHING).entries == made.rows - 1
    assert len(pl.read_parquet(f"{to}/**/*.parquet")) == made.rows
    export(indexed, tree, to, "host")
    assert os.listdir(made.folder) == [FILE]


def test_a_disk_that_is_full_leaves_the_earlier_export(indexed, tree, tmp_path, monkeypatch):
    to = str(tmp_path / "out")
    made = export(indexed, tree, to, "host")
    program = f"""
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from cmdr.index.errors import DiskFull
from cmdr.index.library import Library
from cmdr.index.fleets.parquet_export import export
from cmdr.model.trees.indexes import WalkOptions
with Library.open({str(tmp_path / "other-state")!r}) as library:
    answers = library.get(library.index({tree!r}, WalkOptions(workers=2, nice=0)).id)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
    try:
        export(answers, {tree!r}, {to!r}, "host")
    except DiskFull as full:
        print(full)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "There is no room on the disk for the export; an earlier one stays.\n", done.stderr
    assert os.listdir(made.folder) == [FILE]
    with Fleet(to) as fleet:
        assert fleet.totals(EVERYTHING).entries == made.rows - 1


def test_a_name_that_is_too_long_for_a_folder_is_still_told_whole(indexed, tree, tmp_path):
    host = "host " * 80 + "é"
    export(indexed, tree, str(tmp_path / "out"), host)
    (folder,) = os.listdir(tmp_path / "out")
    assert len(folder) < 255
    assert host.startswith(unquote(folder.removeprefix("machine=").partition("~")[0]))
    assert partition("root", "/" * 300) != partition("root", "/" * 301)
    with Fleet(str(tmp_path / "out")) as fleet:
        assert [one.host for one in fleet.trees()] == [host]


@pytest.mark.parametrize("name", ["a [x]*", "it's", 'quo"te', "sp ace?", "ü", "100%25", "{b,c}", "new\nline"])
def test_a_folder_with_an_odd_name_is_read(indexed, tree, tmp_path, name):
    made = export(indexed, tree, str(tmp_path / name), "host")
    with Fleet(str(tmp_path / name)) as fleet:
        assert fleet.totals(EVERYTHING).entries == made.rows - 1


def test_a_folder_that_cannot_be_asked_is_told_kindly(indexed, tree, tmp_path, monkeypatch):
    def why(folder):
        with pytest.raises(NoSuchFleet) as told, Fleet(str(folder)):
            pass
        return str(told.value)

    assert "cmdr index export" in why(tmp_path / "nothing")
    assert "rename it" in why(f"{tmp_path}/\udcff")
    bad = tmp_path / "bad" / "machine=a" / "tree=b"
    bad.mkdir(parents=True)
    (bad / FILE).write_bytes(b"no Parquet")
    assert "cannot be read" in why(tmp_path / "bad")
    monkeypatch.setattr(parquet_export, "VERSION", "1")
    export(indexed, tree, str(tmp_path / "old"), "host")
    assert "export that tree again" in why(tmp_path / "old")


def test_a_folder_that_is_not_text_is_written_all_the_same(indexed, tree, tmp_path):
    made = export(indexed, tree, f"{tmp_path}/\udcff", "host")
    os.symlink(os.fsencode(tmp_path) + b"/\xff", tmp_path / "link")
    with Fleet(str(tmp_path / "link")) as fleet:
        assert fleet.totals(EVERYTHING).entries == made.rows - 1


def test_a_file_that_says_nothing_of_itself_is_refused(tmp_path):
    about = {parquet_export.VERSION_KEY: parquet_export.VERSION}
    pl.DataFrame({"path": ["/x"]}).write_parquet(tmp_path / "machine=a" / "tree=b" / FILE, mkdir=True, metadata=about)
    with pytest.raises(NoSuchFleet, match="whose tree"), Fleet(str(tmp_path)):
        pass


@pytest.mark.parametrize("missing", ["duckdb", "ibis"])
def test_without_the_extra_a_line_says_how_to_get_it(tmp_path, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(NoSuchFleet, match="pip install ibis-framework duckdb"):
        Fleet(str(tmp_path)).__enter__()
    with pytest.raises(NoSuchFleet, match="pip install ibis-framework duckdb"):
        sql(Question(), "duckdb")


def test_nothing_is_left_behind_when_a_fleet_is_closed(indexed, tree, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    export(indexed, tree, str(tmp_path / "out"), "host")
    with Fleet(str(tmp_path / "out")) as fleet:
        fleet.trees()
        assert os.listdir(tmp_path / "temporary")
    with pytest.raises(NoSuchFleet), Fleet(str(tmp_path / "nothing")):
        pass
    assert not os.listdir(tmp_path / "temporary")
