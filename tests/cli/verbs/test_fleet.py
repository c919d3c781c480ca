"""Exports of many machines at a shell prompt."""

import json
import os
import subprocess
import sys
import time

import pytest

from cmdr.app import main
from cmdr.index.fleets.parquet_export import export
from cmdr.index.library import Library
from cmdr.model.trees.indexes import WalkOptions


@pytest.fixture
def cmdr(tmp_path, monkeypatch, capfd):
    """Runs cmdr in a home of its own; exit code, and what it printed.

    In this process, unless the test says how Python is to be called: to load the engines takes longer than any answer.
    """
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"):
        (tmp_path / name).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()

    def run(*words, python=()):
        if python:
            command = [sys.executable, *python, *map(str, words)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            return done.returncode, done.stdout, done.stderr
        capfd.readouterr()
        try:
            code = main(list(map(str, words)))
        except SystemExit as ended:
            code = ended.code
        return code, *capfd.readouterr()

    yield run
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def fleet(tmp_path):
    """The exports of two hosts."""
    for host, sizes in (("alpha", (5, 5000)), ("beta\x1b[31m", (70,))):
        root = tmp_path / host.encode().hex()
        root.mkdir()
        for size in sizes:
            (root / f"file{size}.log").write_bytes(b"x" * size)
            os.utime(root / f"file{size}.log", ns=(1_700_000_000_000_000_000, 1_700_000_000_123_456_789))
        os.close(os.open(os.fsencode(root) + b"/bad\xff\n.log", os.O_CREAT | os.O_WRONLY))
        with Library.open(str(tmp_path / f"state-{root.name}")) as library:
            answers = library.get(library.index(os.fsencode(root), WalkOptions(workers=2, nice=0)).id)
            export(answers, os.fsencode(root), str(tmp_path / "fleet"), host)
    return tmp_path / "fleet"


def test_without_a_filter_every_tree_is_told_and_all_of_them_together(cmdr, fleet, tmp_path):
    code, told, total = cmdr("fleet", fleet)
    assert code == 0
    first, second = told.splitlines()
    assert first.split()[:5] == ["4.9", "KiB", "3", "files", "0"]
    assert first.endswith(f"alpha:{tmp_path}/{b'alpha'.hex()}")
    assert "beta\\u{1b}[31m:" in second
    assert total == "2 trees of 2 hosts: 5 files, 5.0 KiB\n"


def test_what_is_found_is_listed_in_order_with_one_line_for_all(cmdr, fleet, tmp_path):
    code, told, total = cmdr("fleet", fleet, "ext:log size>=1", "--sort", "size", "--reverse", "--limit", "2")
    assert code == 0
    first, second = told.splitlines()
    assert first == f"   4.9 KiB  2023-11-14 22:13  alpha:{tmp_path}/{b'alpha'.hex()}/file5000.log"
    assert second.endswith("/file70.log")
    assert total == "3 entries on 2 hosts, 5.0 KiB in files; the first 2 are listed\n"
    code, told, total = cmdr("fleet", fleet, "nothing-has-this-name")
    assert (code, told, total) == (1, "", "0 entries on 0 hosts, 0 B in files\n")


def test_programs_get_json_and_no_name_breaks_a_line(cmdr, fleet):
    _, told, _ = cmdr("fleet", fleet, "bad", "--json")
    hits = [json.loads(line) for line in told.splitlines()]
    assert sorted(hit["host"] for hit in hits) == ["alpha", "beta\x1b[31m"]
    assert {os.path.basename(hit["path"]) for hit in hits} == {"bad\\xff\\u{a}.log"}
    _, told, _ = cmdr("fleet", fleet, "bad")
    assert len(told.splitlines()) == 2
    assert "\x1b" not in told
    _, told, _ = cmdr("fleet", fleet, "--json")
    assert {json.loads(line)["files"] for line in told.splitlines()} == {2, 3}


def test_the_question_is_printed_for_another_engine_even_without_exports(cmdr, tmp_path):
    code, told, _ = cmdr("fleet", tmp_path / "nothing", "ext:py under:src", "--sql", "postgres", "--limit", "3")
    assert code == 0
    assert '"entries"' in told
    assert told.rstrip().endswith("LIMIT 3")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("size>",), "at character"),
        (("in:s_1",), "A set belongs to one index"),
        (('name:regex"["',), "cannot be used"),
        (("x", "--limit", "-1"), "no whole number"),
        (("x", "--sql", "cobol"), "invalid choice"),
    ],
)
def test_a_question_that_cannot_be_asked_is_answered_with_the_reason(cmdr, fleet, words, why):
    code, told, said = cmdr("fleet", fleet, *words)
    assert code != 0
    assert told == ""
    assert why in said
    assert "Traceback" not in said


def test_a_folder_without_exports_and_a_missing_extra_are_told_kindly(cmdr, fleet, tmp_path):
    code, _, said = cmdr("fleet", tmp_path)
    assert code == 1
    assert "cmdr index export" in said
    program = "import sys; sys.modules['duckdb'] = None; from cmdr.app import main; sys.exit(main())"
    code, _, said = cmdr("fleet", fleet, python=["-c", program])
    assert code == 1
    assert said == f"Asking exports needs ibis and DuckDB: {sys.executable} -m pip install ibis-framework duckdb\n"


@pytest.mark.parametrize("words", [(), ("ext:log",), ("nothing-has-this-name",), ("ext:log", "--json")])
def test_a_damaged_export_is_named_and_the_exit_code_says_that_the_answer_is_not_whole(cmdr, fleet, words):
    """Was: one of them made all machines unanswerable."""
    (damaged,) = fleet.glob("machine=alpha/*/rows.parquet")
    damaged.write_bytes(b"")
    code, told, said = cmdr("fleet", fleet, *words)
    assert code == 3
    assert "alpha" not in told
    assert len(told.splitlines()) == (0 if "nothing-has-this-name" in words else 2 if words else 1)
    first, second = said.splitlines()[-2:]
    assert first == "Not in this answer: 1 of 2 exports."
    assert second.startswith("    alpha:/")
    assert "cannot be read" in second
    assert "Traceback" not in said


def test_somebody_who_wants_only_the_first_line_gets_it_without_a_fuss(fleet):
    command = f"{sys.executable} -m cmdr fleet {fleet} '' | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr
