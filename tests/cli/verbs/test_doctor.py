"""`cmdr doctor` and `cmdr token`, as a person runs them."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cmdr.core import places
from cmdr.core.agents.tokens import Tokens
from cmdr.core.agents.trust import FILE_NAME, TrustStore
from cmdr.core.runtime import checkup
from cmdr.index.scan.compiled_reader import compiled_library

CMDR = str(Path(sys.executable).with_name("cmdr"))


@pytest.fixture
def home(tmp_path):
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "state").mkdir(mode=0o700)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CMDR_", "XDG_"))}
    environment |= {
        "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path / "run"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    environment |= {"XDG_CONFIG_HOME": str(tmp_path / "config")}

    def run(*arguments, **variables):
        return subprocess.run(
            [CMDR, *arguments],
            env={**environment, **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    run.folder = tmp_path
    return run


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def test_a_healthy_machine_is_told_so(home):
    done = home("doctor", CMDR_MCP_PORT=str(free_port()))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is free; cmdr is not running" in done.stdout
    assert re.search(r"commands run behind|no sandbox works", done.stdout)
    assert "bad " not in done.stdout


def test_every_trouble_comes_with_its_remedy(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = home("doctor", CMDR_MCP_PORT=str(port), CMDR_ROOTS="/no/such/root", CMDR_MCP_ALLOW_WRITE="true")
    assert done.returncode == 1
    told = done.stdout.splitlines()
    for number, line in enumerate(told):
        if line.startswith(("bad", "note")):
            assert told[number + 1].startswith("      → "), line
    assert f"port {port} cannot be used" in done.stdout
    assert "/no/such/root is not a folder" in done.stdout
    assert "agents get: fs, index, ops, panes, review; switched on: allow_write" in done.stdout


def test_a_state_folder_of_others_is_named_with_the_command_that_mends_it(home):
    own = home.folder / "state" / "cmdr"
    own.mkdir()
    own.chmod(0o777)
    done = home("doctor", CMDR_MCP_PORT=str(free_port()))
    assert done.returncode == 1
    assert f"chmod 700 '{own}'" in done.stdout


def test_a_setting_that_means_nothing_is_told(home):
    done = home("doctor", CMDR_MCP_ALLOW_SHELL="perhaps")
    assert done.returncode == 1
    assert "CMDR_MCP_ALLOW_SHELL" in done.stdout


def test_a_client_is_issued_held_and_listed(home):
    done = home(
        "token",
        "--client",
        "codex",
        "--toolsets",
        "fs,panes",
        "--roots",
        "/srv/a:ro:/srv/b",
        "--read-only",
        "--for",
        "2h",
    )
    assert done.returncode == 0, done.stderr
    tokens = Tokens(places.own(str(home.folder / "run" / "cmdr")), places.own(str(home.folder / "state" / "cmdr")))
    principal = tokens.verify(done.stdout.strip())
    assert principal.name == "codex"
    assert principal.read_only
    assert [str(root) for root in principal.roots] == ["/srv/a:ro", "/srv/b"]
    assert principal.toolsets == {"fs", "panes"}
    late = Tokens(os.path.dirname(tokens.path), str(home.folder / "state" / "cmdr"), clock=lambda: time.time() + 7300)
    assert late.verify(done.stdout.strip()) is None
    listed = home("token", "--list").stdout
    assert listed.startswith("codex fs,panes roots /srv/a:ro:/srv/b read-only ends in 2.0 h")


def test_a_client_held_to_no_roots_stays_held(home):
    state = places.own(str(home.folder / "state" / "cmdr"))
    tokens = Tokens(places.own(str(home.folder / "run" / "cmdr")), state)
    token = tokens.issue("nothing", roots=())
    assert Tokens(os.path.dirname(tokens.path), state).verify(token).roots == ()


def test_what_holds_in_the_running_cmdr_is_told(home):
    """Its own --root was not looked at."""
    root = home.folder / "only here"
    root.mkdir()
    environment = {**os.environ, "HOME": str(home.folder), "XDG_RUNTIME_DIR": str(home.folder / "run")}
    environment |= {"XDG_STATE_HOME": str(home.folder / "state"), "XDG_CONFIG_HOME": str(home.folder / "config")}
    with subprocess.Popen(
        [CMDR, "serve", "--port", "0", "--root", f"{root}:ro"],
        env={**environment, "CMDR_MCP_TOOLSETS": "panes,fs", "CMDR_MCP_ALLOW_WRITE": "true"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert "listens at" in server.stdout.readline()
        done = home("doctor")
        server.terminate()
    who = f"the running cmdr (process {server.pid})"
    assert f"{who}: agents' file tools may use {root}:ro" in done.stdout
    assert f"{who}: agents get fs, panes; switched on: write" in done.stdout


@pytest.mark.parametrize(("library", "health"), [("as it is", "ok"), (None, "note")])
def test_it_tells_whether_the_reader_of_directories_was_compiled(monkeypatch, library, health):
    if library is None:
        monkeypatch.setattr(checkup, "compiled_library", lambda: None)
    elif not compiled_library():
        pytest.skip("read_directory.c was not built here")
    finding = checkup._scans()
    assert finding.health == health
    assert ("without" in finding.text) == (library is None)


def test_trusted_folders_are_told_and_a_damaged_list_of_them_is(home):
    state = home.folder / "state" / "cmdr"
    state.mkdir(mode=0o700)
    repo, other = home.folder / "repo", home.folder / "other"
    for folder in (repo, other):
        folder.mkdir()
        TrustStore(str(state)).add(bytes(folder))
    other.rename(home.folder / "aside")
    told = home("doctor", CMDR_MCP_PORT=str(free_port())).stdout
    assert f"folders trusted for language servers: {repo}\n" in told
    assert f"gone, or other folders than those you trusted: {other}" in told
    (state / FILE_NAME).write_text("{")
    done = home("doctor", CMDR_MCP_PORT=str(free_port()))
    assert done.returncode == 1
    assert "cannot be understood, so nothing is trusted" in done.stdout


def test_variables_that_clients_do_not_pass_on_are_named(monkeypatch):
    for name in [*os.environ]:
        if name.startswith(("CMDR_", "XDG_")):
            monkeypatch.delenv(name)
    assert list(checkup._stripped()) == []
    monkeypatch.setenv("CMDR_MCP_TOOLSETS", "index")
    monkeypatch.setenv("XDG_STATE_HOME", "/elsewhere")
    (found,) = checkup._stripped()
    assert found.health is checkup.Health.NOTE
    assert "only: CMDR_MCP_TOOLSETS, XDG_STATE_HOME" in found.text
    assert "env" in found.mend


@pytest.mark.parametrize(("library", "health"), [("as it is", "ok"), (None, "note")])
def test_it_tells_whether_the_search_of_contents_was_compiled(monkeypatch, library, health):
    if library is None:
        monkeypatch.setattr(checkup, "contents_library", lambda: None)
    elif checkup.contents_library() is None:
        pytest.skip("the library of contents was not built here")
    finding = checkup._contents()
    assert finding.health == health
    assert ("without" in finding.text) == (library is None)
