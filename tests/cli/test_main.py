"""What is typed after `cmdr`: a verb, folders, or a slip of the finger."""

import contextlib
import os
import sqlite3
import subprocess
import sys

import pytest

from cmdr.cli.main import run


@pytest.fixture
def said(capsys):
    def refused(*words):
        with pytest.raises(SystemExit) as ended:
            run(list(words), None)
        assert ended.value.code == 2
        return capsys.readouterr().err

    return refused


def test_a_verb_with_a_slip_is_not_taken_for_a_folder(said):
    assert "Did you mean pending?" in said("pendin")


def test_a_word_that_is_no_verb_is_a_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendin").mkdir()
    assert run(["pendin"], None) == 2
    assert run(["photos"], None) == 2
    assert capsys.readouterr().err.count("This is not a terminal.") == 2


@pytest.mark.parametrize("words", [("serve", "--port", "99999"), ("serve", "--port", "http")])
def test_a_port_that_cannot_be_is_told_as_such(said, words):
    assert "is no port" in said(*words)


def test_a_token_does_not_end_before_it_begins(said):
    assert "is no time" in said("token", "--client", "a", "--for", "0h")


@pytest.mark.parametrize("verb", [("serve", "--port", "0"), ("history",)])
def test_a_journal_of_a_newer_cmdr_is_told_in_words(tmp_path, verb):
    """It ended with a traceback."""
    folders = {f"XDG_{name}_HOME": tmp_path / name.lower() for name in ("STATE", "CONFIG", "DATA", "CACHE")}
    for folder in (*folders.values(), tmp_path / "run"):
        folder.mkdir(mode=0o700)
    (tmp_path / "state" / "cmdr").mkdir(mode=0o700)
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / "cmdr" / "journal.db")) as journal:
        journal.execute("pragma user_version = 99")
    (tmp_path / "state" / "cmdr" / "journal.db").chmod(0o600)
    places = {**folders, "HOME": tmp_path, "XDG_RUNTIME_DIR": tmp_path / "run"}
    done = subprocess.run(
        [sys.executable, "-m", "cmdr", *verb],
        env={**os.environ, **{name: str(path) for name, path in places.items()}},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("The journal has format 99")
    assert "Traceback" not in done.stderr
