"""Big trees at a shell prompt: read, found again, and exported."""

import os
import subprocess
import sys

import polars as pl
import pytest


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

    return run


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
