"""Language servers are found where the person installed them, never where a project could have put them."""

import os
import sys

import pytest

from cmdr.editor.diagnostics.known_servers import KNOWN_SERVERS, ServerSpec, find_program, installed, installed_servers

GO = ServerSpec("gopls", ("gopls", "-x"), frozenset({"go"}))
TYPESCRIPT = next(spec for spec in KNOWN_SERVERS if spec.name == "typescript")


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A folder in PATH, and a project that is in PATH too."""
    for name in ("tools", "project"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'project'}:{tmp_path / 'tools'}:/usr/bin:/bin")
    return tmp_path


def program(path, first=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(first or "\x7fELF")
    path.chmod(0o755)
    return path


def test_a_program_of_the_project_is_passed_over_for_the_one_behind_it(world):
    program(world / "project" / "gopls")
    real = program(world / "tools" / "gopls")
    assert find_program("gopls") == str(world / "project" / "gopls")
    assert find_program("gopls", [bytes(world / "project")]) == str(real)
    assert find_program("gopls", [bytes(world)]) is None
    assert find_program("no such program") is None


def test_what_cannot_be_run_is_no_program(world):
    (world / "tools" / "gopls").write_text("")
    (world / "project" / "gopls").mkdir()
    assert find_program("gopls") is None


def test_a_program_needs_itself_and_runs_under_its_real_name(world):
    real = program(world / "elsewhere" / "gopls")
    (world / "tools" / "gopls").symlink_to(real)
    found = installed(GO)
    assert found.spec.command == (str(real), "-x")
    assert found.read == {bytes(real)}


def test_a_program_that_goes_by_its_name_keeps_it(world):
    """Links to `rustup` say by their name which program is meant."""
    real = program(world / "elsewhere" / "rustup")
    (world / "tools" / "gopls").symlink_to(real)
    found = installed(GO)
    assert found.spec.command[0] == str(world / "tools" / "gopls")
    assert found.read == {bytes(world / "tools" / "gopls"), bytes(real)}


def test_a_script_of_a_virtual_environment_needs_it_and_its_python(world):
    venv, base = world / "venv", world / "python"
    program(base / "bin" / "python3")
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(base / "bin" / "python3")
    (venv / "pyvenv.cfg").write_text(f"home = {base / 'bin'}\nversion = 3.11\n")
    program(venv / "bin" / "gopls", f"#!{venv}/bin/python\n")
    (world / "tools" / "gopls").symlink_to(venv / "bin" / "gopls")
    assert {bytes(venv), bytes(base)} <= installed(GO).read


def test_a_script_finds_its_interpreter_outside_the_project_or_is_not_used(world):
    packages = world / "prefix" / "lib" / "node_modules"
    program(packages / "gopls" / "cli.js", "#!/usr/bin/env own-node\n")
    (world / "tools" / "gopls").symlink_to(packages / "gopls" / "cli.js")
    assert installed(GO) is None
    program(world / "project" / "own-node")
    assert installed(GO, [bytes(world / "project")]) is None
    program(world / "tools" / "own-node")
    found = installed(GO, [bytes(world / "project")])
    assert found.path == (str(world / "tools"),)
    assert {bytes(packages), bytes(world / "tools" / "own-node")} <= found.read
    program(packages / "gopls" / "cli.js", "#!/usr/bin/env -S own-node --flag\n")
    assert installed(GO, [bytes(world / "project")]) is not None


def test_typescripts_server_is_used_only_with_a_typescript_of_its_own(world):
    packages = world / "prefix" / "lib" / "node_modules"
    program(packages / "typescript-language-server" / "lib" / "cli.mjs", f"#!{sys.executable}\n")
    (world / "tools" / "typescript-language-server").symlink_to(
        packages / "typescript-language-server" / "lib" / "cli.mjs"
    )
    assert installed(TYPESCRIPT) is None
    own = program(packages / "typescript" / "lib" / "tsserver.js")
    settings = installed(TYPESCRIPT).spec.settings
    assert settings["tsserver"] == {"path": str(own), "fallbackPath": str(own)}
    assert settings["disableAutomaticTypingAcquisition"] is True


def test_only_servers_of_the_language_are_looked_for(world):
    program(world / "tools" / "gopls")
    assert [found.spec.name for found in installed_servers("go")] == ["gopls"]
    assert installed_servers("go", [bytes(world)]) == ()
    assert installed_servers("plaintext") == ()


def test_a_file_that_cannot_be_read_is_no_script(world):
    path = program(world / "tools" / "gopls", "#!")
    assert installed(GO).spec.command[0] == str(path)
    if os.geteuid() != 0:
        path.chmod(0o111)
        assert installed(GO).spec.command[0] == str(path)
