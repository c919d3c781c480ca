"""Big trees at a shell prompt: read, found again, and exported."""

import json
import os
import signal
import subprocess
import sys

import polars as pl
import pytest

from cmdr.cli.verbs import trees
from cmdr.core.dispatch.answer import Reply
from cmdr.index.contents.compiled import contents_library


@pytest.fixture
def cmdr(tmp_path):
    """Runs cmdr in a home of its own; exit code, and what it printed."""
    homes = {name: tmp_path / name for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME")}
    for home in homes.values():
        home.mkdir(mode=0o700)
    environment = {**os.environ, **{name: str(home) for name, home in homes.items()}}

    def run(*words):
        command = [sys.executable, "-m", "cmdr", *map(str, words)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    run.environment = environment
    return run


def told_as(result):
    return Reply(json.dumps(result), result)


INTERRUPTED = """
import signal, sys
from cmdr.cli.verbs import trees
trees._find = lambda ask, chosen: signal.raise_signal(signal.SIGINT)
from cmdr.app import main
sys.exit(main())
"""


def test_an_index_is_exported_and_made_first_when_there_is_none(cmdr, tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "file").write_bytes(b"x" * 5)
    code, told, _ = cmdr("index", "export", tree, tmp_path / "out")
    assert code == 0
    assert told.splitlines()[0].startswith("done: 1 entry")
    assert told.splitlines()[1].startswith("2 entries in ")
    frame = pl.read_parquet(f"{tmp_path}/out/**/*.parquet", hive_partitioning=True)
    assert frame["path"].to_list() == [str(tree), str(tree / "file")]
    assert frame["size"].to_list()[1] == 5


def test_words_that_make_no_sense_are_answered_with_the_ways_there_are(cmdr):
    code, _, said = cmdr("index", "one", "two")
    assert code == 2
    assert "cmdr index export PATH DIR" in said


def test_a_reader_that_has_enough_is_no_failure_of_ours(cmdr, tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(3000):
        (tree / f"file with a rather long name so that a pipe is soon full {number}").touch()
    command = [sys.executable, "-m", "cmdr", "find", "file", "--in", str(tree)]
    with subprocess.Popen(
        command, env=cmdr.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as finding:
        assert finding.stdout.readline().startswith(str(tree))
        finding.stdout.close()
        assert finding.stderr.read() == ""
    assert finding.returncode == -signal.SIGPIPE


def test_ctrl_c_ends_a_verb_without_a_word(cmdr, tmp_path):
    command = [sys.executable, "-c", INTERRUPTED, "find", "x", "--in", str(tmp_path)]
    done = subprocess.run(command, env=cmdr.environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "")


def test_a_folder_whose_name_is_no_text_is_told_in_its_printable_form(cmdr, tmp_path):
    odd = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(odd)
    command = [sys.executable, "-m", "cmdr", "du", odd]
    environment = cmdr.environment | {"PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "caf\\xe9" in done.stdout


def test_what_an_index_never_looked_into_is_read_before_it_is_measured(tmp_path):
    told = []

    def ask(name, arguments):
        told.append(name)
        if name == "node.find":
            size = 5 if "index" in told else None
            totals = {"complete": False, "files": size}
            return told_as({"index": "i", "node": {"id": "n", "size": size, "kind": "dir", "totals": totals}})
        if name == "index":
            return told_as({"job": "j_1"})
        if name == "await":
            return told_as({"kind": "scanEnded", "state": "done", "headline": "done: 1 entry"})
        return told_as({"total": 1, "entries": [{"name": "f", "size": 5, "kind": "file", "totals": None}]})

    assert trees._du(ask, str(tmp_path), 20) == 0
    assert told == ["node.find", "index", "await", "node.find", "tree.page"]


@pytest.mark.parametrize("total", [None, 1])
def test_a_folder_that_is_not_known_whole_is_measured_as_at_least(tmp_path, capsys, total):
    size = None if total is None else 2048

    def ask(name, arguments):
        if name == "node.find":
            node = {"id": "n", "size": size, "kind": "dir", "totals": {"complete": False}}
            return told_as({"index": "i", "node": node})
        if name in ("index", "await"):
            return told_as({"kind": "scanEnded", "state": "done", "headline": "done", "job": "j_1"})
        return told_as({"total": total, "entries": []})

    assert trees._du(ask, str(tmp_path), 20) == (1 if total is None else 0)
    printed = capsys.readouterr()
    assert f"{'?' if total is None else '≥2.0 KiB'}  {tmp_path}" in printed.out
    assert ("could not be read" in printed.err) == (total is None)


@pytest.mark.skipif(contents_library() is None, reason="the library of contents was not built here")
def test_contents_are_indexed_with_what_it_takes_told_before(cmdr, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a").write_text("the quick fox\n")
    code, told, trouble = cmdr("index", "--contents", tmp_path / "texts")
    assert (code, trouble) == (0, "")
    lines = told.splitlines()
    assert lines[1].startswith(f"Contents of {tmp_path}/texts are not indexed. That takes about ")
    assert lines[2].startswith("done: contents of 1 file, ")
    assert lines[3].startswith(f"Contents of {tmp_path}/texts are indexed: ")
    code, told, _ = cmdr("index", "--forget-contents", tmp_path / "texts")
    assert (code, told) == (0, f"The index of contents of {tmp_path}/texts is forgotten.\n")
