"""What is typed after `cmdr`: a verb, folders, or a slip of the finger."""

import contextlib
import os
import shlex
import sqlite3
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hostile"))

from ops_ground import mounted

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


@pytest.fixture
def started(tmp_path):
    """Run a verb with folders of its own; what it said on standard error, and that it failed without a traceback."""
    folders = {f"XDG_{name}_HOME": tmp_path / name.lower() for name in ("STATE", "CONFIG", "DATA", "CACHE")}
    for folder in (*folders.values(), tmp_path / "run"):
        folder.mkdir(mode=0o700)
    (tmp_path / "state" / "cmdr").mkdir(mode=0o700)
    places = {**folders, "HOME": tmp_path, "XDG_RUNTIME_DIR": tmp_path / "run"}

    def run(verb, **others):
        told = {**places, **others}
        command = [sys.executable, "-m", "cmdr", *verb]
        if not verb:  # the panes need a terminal
            command = ["script", "-qec", shlex.join(command), "/dev/null"]
        done = subprocess.run(
            command,
            env={**os.environ, **{name: str(path) for name, path in told.items()}, "TERM": "xterm"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        said = done.stdout.rpartition("\x1b[?25h")[2] if not verb else done.stderr
        assert done.returncode == 1, said
        assert "Traceback" not in done.stdout + done.stderr
        (line,) = said.splitlines()
        return line

    return run


VERBS = [("serve", "--port", "0"), ("history",), ()]


@pytest.mark.parametrize("verb", VERBS)
def test_a_folder_where_the_journal_should_be_is_told_in_one_sentence(started, tmp_path, verb):
    journal = tmp_path / "state" / "cmdr" / "journal.db"
    journal.mkdir()
    assert started(verb) == (
        f"cmdr cannot use {journal}: Is a directory. A folder stands in its place: move that away, then try again."
    )


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_where_the_audit_log_should_be_is_told_in_one_sentence(started, tmp_path, verb):
    audit = tmp_path / "state" / "cmdr" / "audit"
    audit.touch()
    assert started(verb).startswith(f"cmdr cannot use {audit}: File exists. A file stands where a folder should be")


@pytest.mark.parametrize("verb", VERBS)
def test_a_full_disk_is_told_in_one_sentence(started, verb):
    """It ended with a traceback of SQLite."""
    with mounted("128k", 1) as places:
        if not places:
            pytest.skip("mounting a file system is not allowed here")
        with open(places[0] + b"/filler", "wb", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(b"x" * 4096)
        told = started(verb, XDG_STATE_HOME=os.fsdecode(places[0]))
    assert told.startswith(f"cmdr cannot use {os.fsdecode(places[0])}")
    assert told.endswith(": No space left on device. Make room on that disk, then try again.")


@pytest.mark.parametrize("verb", VERBS)
def test_a_disk_that_cannot_be_written_is_told_in_one_sentence(started, verb):
    with mounted("1m", 1) as places:
        if not places or subprocess.run(["mount", "-o", "remount,ro", places[0]], check=False).returncode:
            pytest.skip("mounting a file system is not allowed here")
        told = started(verb, XDG_STATE_HOME=os.fsdecode(places[0]))
    assert "Read-only file system. Name a folder that can be written with XDG_STATE_HOME" in told


def test_a_file_where_our_folder_should_be_is_told_in_one_sentence(started, tmp_path):
    (tmp_path / "state" / "cmdr").rmdir()
    (tmp_path / "state" / "cmdr").touch()
    assert started(("audit",)).endswith("cmdr is not a directory; move it away so that cmdr can make one.")
    (tmp_path / "file").touch()
    assert started(("audit",), XDG_STATE_HOME=tmp_path / "file" / "below").startswith(
        f"cmdr cannot use {tmp_path}/file/below/cmdr: Not a directory. A file stands where a folder should be"
    )


@pytest.mark.parametrize("verb", [("serve", "--port", "0"), ("history",)])
def test_a_journal_of_a_newer_cmdr_is_told_in_words(started, tmp_path, verb):
    """It ended with a traceback."""
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / "cmdr" / "journal.db")) as journal:
        journal.execute("pragma user_version = 99")
    (tmp_path / "state" / "cmdr" / "journal.db").chmod(0o600)
    assert started(verb).startswith("The journal has format 99")
