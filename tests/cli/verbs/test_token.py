"""`cmdr token`: made once, listed with what it is held to, revoked."""

import re

import pytest

from cmdr.cli.main import run
from cmdr.cli.verbs.token import line_of
from cmdr.core.agents.tokens import Client, Tokens

HASH = "0" * 64


@pytest.fixture
def token(tmp_path, monkeypatch, capsys):
    """Runs the verb in a home of its own: the exit code, what was printed and what was complained of."""
    for name in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"):
        (tmp_path / name).mkdir(mode=0o700)
        monkeypatch.setenv(f"XDG_{name}", str(tmp_path / name))

    def call(*words):
        code = run(["token", *words], None)
        said = capsys.readouterr()
        return code, said.out.strip(), said.err.strip()

    return call


def test_a_token_is_printed_once_and_proves_its_client(token, tmp_path):
    code, text, _ = token("--client", "codex", "--toolsets", "panes,ops", "--read-only")
    assert code == 0
    known = Tokens(str(tmp_path / "RUNTIME_DIR" / "cmdr"), str(tmp_path / "STATE_HOME" / "cmdr")).verify(text)
    assert (known.id, known.toolsets, known.read_only) == ("agent:codex", frozenset({"panes", "ops"}), True)
    assert text not in (tmp_path / "STATE_HOME" / "cmdr" / "clients.json").read_text()


def test_a_second_token_for_a_client_is_asked_for_in_words(token):
    first = token("--client", "codex")[1]
    code, text, why = token("--client", "codex")
    assert (code, text) == (1, "")
    assert "codex already has a token" in why
    assert re.fullmatch(r"cmdr_\S{40,}", again := token("--client", "codex", "--replace")[1])
    assert again != first


def test_a_token_can_be_listed_and_revoked(token):
    token("--client", "codex", "--for", "2h")
    assert token("--list") == (0, "codex all toolsets ends in 2.0 h", "")
    assert token("--revoke", "codex") == (0, "Revoked codex.", "")
    assert token("--revoke", "codex") == (1, "No client is called codex.", "")
    assert token("--list") == (0, "", "")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--client", "Bad Name"], "cannot name a client"),
        (["--client", "x", "--toolsets", "panes,nope"], "No toolset nope. There are: fs, ide,"),
        ([], "cmdr is not running, so there is no token"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_is_made(token, words, why):
    code, text, told = token(*words)
    assert code != 0
    assert text == ""
    assert why in told
    assert token("--list") == (0, "", "")


@pytest.mark.parametrize("time", ["soon", "2", "h", "2w", "1.5h"])
def test_a_time_that_is_none_is_refused(token, time, capsys):
    with pytest.raises(SystemExit) as ended:
        token("--client", "x", "--for", time)
    assert ended.value.code == 2
    assert "30m, 2h or 7d" in capsys.readouterr().err


def test_a_client_is_listed_with_all_it_is_held_to():
    client = Client("held", HASH, ("fs", "panes"), 0.0, 5400.0, ("/srv:ro", "/tmp"), True)
    assert line_of(client, 0.0) == "held fs,panes roots /srv:ro:/tmp read-only ends in 1.5 h"
    assert line_of(client, 5400.0).endswith(" expired")
    nowhere = Client("nowhere", HASH, None, 0.0, None, (), False)
    assert line_of(nowhere, 0.0) == "nowhere all toolsets roots none"
