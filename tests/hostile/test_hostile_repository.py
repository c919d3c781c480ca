"""Repositories full of files that programs obey: nothing of them runs unasked, and behind walls when it was allowed."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from walls_ground import AGENT, Ground

from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.files.process_sandbox.backend import BACKENDS, Backend, holds
from cmdr.model.root_spec import RootSpec

HERE = Path(__file__).parent
SERVERS = HERE.parent / "e2e" / "language_servers" / "node_modules" / ".bin"
KEY = "sk-planted-77e1"

BUILD = """
import glob, json, os, socket, tempfile

found = {}

def tried(what, work):
    try:
        found[what] = work() or True
    except BaseException as error:
        found[what] = False

def wrote(path):
    with open(path, "w") as file:
        file.write("canary")

def read(path):
    with open(path, "rb") as file:
        return file.read(200).decode("latin-1")

def environments():
    for path in glob.glob("/proc/*/environ"):
        try:
            with open(path, "rb") as file:
                if KEY.encode() in file.read():
                    return True
        except OSError:
            pass
    if KEY in str(os.environ):
        return True
    raise LookupError

tried("ran", lambda: True)
tried("write outside", lambda: wrote(OUTSIDE + "/canary"))
tried("write here", lambda: wrote("canary"))
tried("write a hook", lambda: wrote(".git/hooks/post-checkout"))
tried("read outside", lambda: read(OUTSIDE + "/secret.txt"))
tried("read the token", lambda: read(STATE + "/token"))
tried("read a private place here", lambda: read(".ssh/id_ed25519"))
tried("see a key of cmdr", environments)
tried("reach a port", lambda: socket.create_connection(("127.0.0.1", PORT), 5).close())
tried("keep something of its own", lambda: wrote(os.environ["HOME"] + "/own"))
tried("see the project", lambda: read("a.go"))
tried("see the repository around", lambda: read(REPO + "/a.go"))
"""


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A repository that wants out, tools in PATH beside it, a key in the environment, and a port to reach."""
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy(HERE / "eager_server.py", tools / "gopls")
    (tools / "gopls").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("PLANTED_API_KEY", KEY)
    with socket.create_server(("127.0.0.1", 0)) as listener, Ground(tmp_path) as ground:
        repo = ground.root
        (repo / ".git" / "hooks").mkdir(parents=True)
        (repo / "a.go").write_text("package a\n")
        names = {
            "OUTSIDE": str(ground.outside),
            "STATE": str(ground.own),
            "PORT": listener.getsockname()[1],
            "KEY": KEY,
        }
        names["REPO"] = str(repo)
        lines = [f"{name} = {value!r}" for name, value in names.items()]
        (repo / "build.py").write_text("\n".join(lines) + BUILD)
        ground.tools = tools
        yield ground


def asked(ground, path, principal=AGENT):
    """The row about a file once every server has answered."""
    for _ in range(12):
        answer = ground.ask("get_diagnostics", principal, uri=str(path))
        (row,) = json.loads(answer.removeprefix("OK: "))
        if "Not yet known" not in row.get("note", ""):
            return row
    raise AssertionError(row)


def did(row):
    (found,) = row["diagnostics"]
    return {what for what, came in json.loads(found["message"]).items() if came}


def started(ground):
    """Which servers were started, as the record says."""
    ground.commander.audit.flush()
    lines = [
        json.loads(line) for path in (ground.own / "audit").glob("*.jsonl") for line in path.read_text().splitlines()
    ]
    return [line["what"] for line in lines if line["what"].startswith("language server")]


def in_sandbox(ground, tier):
    if not holds(tier):
        pytest.skip(f"{tier} does not work here")
    ground.commander.shells.backend = tier


def trust(ground, folder=None, **more):
    assert ground.ask("trust.add", PERSON, folder=str(folder or ground.root), **more).startswith("OK: ")


def test_untrusted_nothing_of_a_repository_runs_and_the_answer_says_so(world):
    """Asking what is wrong in a file ran the repository's code as the user, with every key in sight."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    row = asked(world, world.root / "a.go")
    assert row["diagnostics"] == []
    assert f"the person has not trusted {world.root}" in row["note"]
    assert started(world) == []
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    (proposal,) = world.commander.proposals.pending()
    assert proposal.plan.title == f"Trust {world.root}"
    asked(world, world.root / "a.go")
    assert len(world.commander.proposals.pending()) == 1


@pytest.mark.parametrize("tier", BACKENDS)
def test_trusted_a_repositorys_code_runs_behind_walls(world, tier):
    in_sandbox(world, tier)
    trust(world)
    assert did(asked(world, world.root / "a.go")) == {
        "ran", "keep something of its own", "see the project", "see the repository around",
    }  # fmt: skip
    assert not (world.outside / "canary").exists()
    assert started(world) == ["language server gopls"]


def test_private_places_in_a_trusted_repository_are_covered(world):
    in_sandbox(world, Backend.BUBBLEWRAP)
    (world.root / ".ssh").mkdir()
    (world.root / ".ssh" / "id_ed25519").write_text("key")
    trust(world)
    assert "read a private place here" not in did(asked(world, world.root / "a.go"))


@pytest.mark.parametrize("tier", [Backend.NAMESPACES, Backend.LANDLOCK])
def test_where_private_places_cannot_be_covered_no_server_runs(world, tier):
    in_sandbox(world, tier)
    (world.root / ".ssh").mkdir()
    (world.root / ".ssh" / "id_ed25519").write_text("key")
    trust(world)
    row = asked(world, world.root / "a.go")
    assert row["diagnostics"] == [] and "is private and lies inside" in row["note"]
    assert started(world) == []


@pytest.mark.parametrize("tier", BACKENDS)
def test_the_network_is_there_only_where_the_person_said_so(world, tier):
    in_sandbox(world, tier)
    trust(world, network=True)
    ways = did(asked(world, world.root / "a.go"))
    assert "reach a port" in ways
    assert not ways & {"write here", "write outside", "read outside", "read the token", "see a key of cmdr"}


def test_files_are_changed_only_where_the_person_said_so_and_hooks_never(world):
    in_sandbox(world, Backend.BUBBLEWRAP)
    trust(world, write=True)
    ways = did(asked(world, world.root / "a.go"))
    assert "write here" in ways
    assert not ways & {"write a hook", "write outside", "reach a port", "read the token"}
    assert (world.root / "canary").exists()


@pytest.mark.parametrize("tier", [Backend.NAMESPACES, Backend.LANDLOCK])
def test_where_hooks_cannot_be_kept_no_server_may_write(world, tier):
    in_sandbox(world, tier)
    (world.root / ".git" / "hooks" / "pre-commit").touch()
    trust(world, write=True)
    row = asked(world, world.root / "a.go")
    assert "cannot keep" in row["note"]
    assert started(world) == []


def test_a_folder_to_read_is_read_and_not_changed(world):
    in_sandbox(world, Backend.BUBBLEWRAP)
    trust(world, read=[str(world.outside)])
    ways = did(asked(world, world.root / "a.go"))
    assert "read outside" in ways and "write outside" not in ways


def test_servers_see_no_more_than_the_one_who_asks(world):
    """An agent held to a part of a trusted repository would read the rest through what a server says."""
    in_sandbox(world, Backend.BUBBLEWRAP)
    trust(world)
    part = world.root / "sub"
    for name in ("a.go", "build.py"):
        shutil.copy(world.root / name, part / name)
    narrow = Principal("agent", "narrow", token=True, roots=(RootSpec(bytes(part)),))
    ways = did(asked(world, part / "a.go", narrow))
    assert "see the project" in ways and "see the repository around" not in ways
    assert "see the repository around" in did(asked(world, part / "a.go"))


def test_without_a_sandbox_no_server_runs_and_the_answer_says_so(world, monkeypatch):
    monkeypatch.setattr("cmdr.core.agents.shell_commands.probe", lambda: None)
    world.commander.shells.backend = None
    trust(world)
    row = asked(world, world.root / "a.go")
    assert "no sandbox works on this machine" in row["note"]
    assert started(world) == []


def test_a_damaged_list_of_trust_runs_nothing_and_is_told(world, tmp_path):
    from cmdr.core.agents.trust import FILE_NAME

    world.commander.trusting.trust._path = str(world.own / FILE_NAME)
    (world.own / FILE_NAME).write_text("{")
    assert "cannot be understood, so nothing is trusted" in asked(world, world.root / "a.go")["note"]
    assert started(world) == []


@pytest.mark.parametrize("tier", BACKENDS)
def test_trust_taken_back_ends_the_servers_at_once(world, tier):
    in_sandbox(world, tier)
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    trust(world)
    asked(world, world.root / "a.go")
    running = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert running
    assert world.ask("trust.remove", PERSON, folder=str(world.root)).startswith("OK: ")
    assert psutil.wait_procs(running, timeout=10)[1] == []
    assert "has not trusted" in asked(world, world.root / "a.go")["note"]


@pytest.mark.parametrize("tier", BACKENDS)
def test_the_kill_switch_ends_servers(world, tier):
    in_sandbox(world, tier)
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    trust(world)
    asked(world, world.root / "a.go")
    running = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    world.ask("agents.stop", PERSON)
    world.run(world.commander.editor.diagnostics.close())
    assert psutil.wait_procs(running, timeout=10)[1] == []


def plant_in_bin(world, monkeypatch):
    """As a shell does that puts the packages of the project it stands in on its PATH."""
    folder = world.root / "node_modules" / ".bin"
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder / "gopls"


def plant_relative(world, monkeypatch):
    monkeypatch.chdir(world.root)
    monkeypatch.setenv("PATH", "bin::/usr/bin:/bin")
    return world.root / "bin" / "gopls"


def plant_linked(world, monkeypatch):
    (world.tools / "gopls").unlink()
    (world.tools / "gopls").symlink_to(world.root / "gopls")
    monkeypatch.setenv("PATH", f"{world.tools}:/usr/bin:/bin")
    return world.root / "gopls"


def plant_linked_folder(world, monkeypatch):
    (world.home / "bin").symlink_to(world.root / "bin")
    monkeypatch.setenv("PATH", f"{world.home / 'bin'}:/usr/bin:/bin")
    return world.root / "bin" / "gopls"


@pytest.mark.parametrize("plant", [plant_in_bin, plant_relative, plant_linked, plant_linked_folder])
def test_no_server_of_the_workspace_is_ever_used(world, monkeypatch, plant):
    in_sandbox(world, Backend.BUBBLEWRAP)
    program = plant(world, monkeypatch)
    program.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "eager_server.py", program)
    program.chmod(0o755)
    trust(world)
    row = asked(world, world.root / "a.go")
    assert row["diagnostics"] == []
    is_told = "lies in a folder that agents or projects use" in row.get("note", "")
    assert is_told == (plant is not plant_relative)  # a folder that depends on where one stands is none at all
    assert started(world) == []


def found_in(row, source):
    return [each["message"] for each in row["diagnostics"] if each.get("source", "").lower() == source]


def real_server(name):
    found = shutil.which(name, path=f"{SERVERS}:{Path(sys.executable).parent}:{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not installed; `make tools` installs it")
    return os.path.dirname(found)


CANARY_JS = """
const fs = require('fs');
for (const path of {paths}) {{ try {{ fs.writeFileSync(path, 'canary'); }} catch (error) {{}} }}
process.exit(1);
"""


@pytest.mark.parametrize("is_trusted", [True, False], ids=["trusted", "untrusted"])
def test_typescripts_server_never_loads_the_projects_own(world, monkeypatch, is_trusted):
    """The repository's `node_modules/typescript/lib/tsserver.js` ran as the user and read cmdr's token."""
    monkeypatch.setenv("PATH", f"{real_server('typescript-language-server')}:{os.environ['PATH']}")
    canaries = [str(world.outside / "canary"), str(world.root / "canary"), str(world.home / "canary")]
    source = CANARY_JS.format(paths=json.dumps(canaries))
    library = world.root / "node_modules" / "typescript"
    (library / "lib").mkdir(parents=True)
    (library / "package.json").write_text('{"name": "typescript", "version": "5.4.0"}')
    for name in ("tsserver.js", "typescript.js", "_tsserver.js"):
        (library / "lib" / name).write_text(source)
    plugin = world.root / "node_modules" / "evil-plugin"
    plugin.mkdir()
    (plugin / "index.js").write_text(source)
    (plugin / "package.json").write_text('{"name": "evil-plugin", "main": "index.js"}')
    (world.root / "tsconfig.json").write_text('{"compilerOptions": {"plugins": [{"name": "evil-plugin"}]}}')
    (world.root / "a.ts").write_text("const x: number = 'a';\n")
    if is_trusted:
        trust(world)
    row = asked(world, world.root / "a.ts")
    if is_trusted:
        assert found_in(row, "typescript") == ["Type 'string' is not assignable to type 'number'."]
    else:
        assert "has not trusted" in row["note"]
    assert not any(map(os.path.exists, canaries))


def python_that_writes(path, canary):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho canary > {canary}\nexec /usr/bin/python3 "$@"\n')
    path.chmod(0o755)


@pytest.mark.parametrize("is_trusted", [True, False], ids=["trusted", "untrusted"])
@pytest.mark.parametrize("server", ["ruff", "pyright-langserver"])
def test_servers_for_python_run_nothing_of_the_project_outside_walls(world, monkeypatch, server, is_trusted):
    monkeypatch.setenv("PATH", f"{real_server(server)}:{os.environ['PATH']}")
    canary = world.outside / "canary"
    python_that_writes(world.root / ".venv" / "bin" / "python", canary)
    shutil.copy(world.root / ".venv" / "bin" / "python", world.root / ".venv" / "bin" / "python3")
    (world.root / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (world.root / "sitecustomize.py").write_text(f"open({str(canary)!r}, 'w')\n")
    (world.root / "pyproject.toml").write_text(
        '[tool.pyright]\nvenvPath = "."\nvenv = ".venv"\n[tool.ruff]\nextend = "ruff-base.toml"\n'
    )
    (world.root / "ruff-base.toml").write_text('lint.select = ["F", "E9"]\n')
    (world.root / "a.py").write_text("import os\nx: int = 'a'\n")
    if is_trusted:
        trust(world)
    row = asked(world, world.root / "a.py")
    if not is_trusted:
        assert "has not trusted" in row["note"]
    elif server == "ruff":
        assert any("imported but unused" in message for message in found_in(row, "ruff"))
    else:
        assert any("not assignable" in message for message in found_in(row, "pyright"))
    assert not canary.exists()


def test_git_is_never_run_so_nothing_of_a_repositorys_git_is_obeyed(world, monkeypatch):
    """Hooks, fsmonitor, filters, textconv, external diffs, a pager: every one of them would leave a canary."""
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    canary = world.outside / "canary"
    evil = world.root / "evil.sh"
    evil.write_text(f"#!/bin/sh\necho canary > {canary}\ncat\n")
    evil.chmod(0o755)
    shutil.rmtree(world.root / ".git")
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(world.home), "GIT_CONFIG_NOSYSTEM": "1"}
    run = lambda *words: subprocess.run([git, *words], cwd=world.root, env=clean, check=True, capture_output=True)  # noqa: E731
    run("init", "-q")
    for key in ("core.fsmonitor", "core.pager", "diff.external", "filter.evil.clean", "filter.evil.smudge",
                "diff.evil.textconv", "core.sshCommand", "core.editor"):  # fmt: skip
        run("config", key, str(evil))
    (world.root / ".gitattributes").write_text("* filter=evil diff=evil\n")
    for hook in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        shutil.copy(evil, world.root / ".git" / "hooks" / hook)
    (world.tools / "git").write_text(f"#!/bin/sh\necho {canary}.git > {canary}\nexit 1\n")
    (world.tools / "git").chmod(0o755)
    trust(world)
    look_at_everything(world)
    assert not canary.exists()
    with contextlib.suppress(subprocess.CalledProcessError):
        run("status")
    assert canary.exists()  # for git itself would have obeyed


def look_at_everything(world):
    """What an agent and the person do with a folder, so that whatever obeys its files would."""
    asked(world, world.root / "a.go")
    for tool, wish in (
        ("state", {}),
        ("fs_list", {"path": str(world.root)}),
        ("fs_read", {"path": str(world.root / "a.go")}),
        ("fs_write", {"path": str(world.root / "new.go"), "contents": "package a\n"}),
        ("open_file", {"filePath": str(world.root / "a.go")}),
        ("get_workspace_folders", {}),
    ):
        assert "UNKNOWN" not in world.ask(tool, **wish), tool
    assert world.ask("nav_to_path", PERSON, pane="left", path=str(world.root / ".git")).startswith("OK")
    assert world.ask("nav_to_path", PERSON, pane="left", path=str(world.root)).startswith("OK")


KERNEL_TRAPS = ("ipykernel_launcher.py", "sitecustomize.py", "usercustomize.py", "ipython_config.py",
                "ipython_kernel_config.py", "jupyter_config.py", ".ipython/profile_default/startup/00-evil.py",
                "profile_default/startup/00-evil.py", "ipykernel/__init__.py", "traitlets.py")  # fmt: skip


def test_a_kernel_obeys_no_file_of_the_folder_it_starts_in(tmp_path, monkeypatch):
    pytest.importorskip("ipykernel")
    pytest.importorskip("jupyter_client")
    if not holds(Backend.BUBBLEWRAP):
        pytest.skip("kernels run behind bubblewrap alone")
    with Ground(tmp_path, shell=True) as ground:
        for name in KERNEL_TRAPS:
            path = ground.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"open({str(ground.root / 'canary')!r}, 'a').write({name!r})\n")
        monkeypatch.chdir(ground.root)
        answer = ground.ask("execute_code", PERSON, code="print(6 * 7)")
        assert answer.startswith("OK: done"), answer
        assert not (ground.root / "canary").exists(), (ground.root / "canary").read_text()
        ground.ask("execute_code", PERSON, code="import sitecustomize_not_there")


def test_built_in_checks_obey_no_file_of_the_folder(world, monkeypatch):
    """They run beside cmdr, in a Python that looks neither into its folder nor at variables."""
    canary = world.outside / "canary"
    for name in ("json.py", "sitecustomize.py", "yaml.py", "tomllib.py", "resource.py", "warnings.py"):
        (world.root / name).write_text(f"open({str(canary)!r}, 'w')\n")
    monkeypatch.chdir(world.root)
    monkeypatch.setenv("PYTHONPATH", str(world.root))
    for name, text in (("a.json", "{"), ("a.yaml", "a: ["), ("a.toml", "a ="), ("a.py", "x = (")):
        (world.root / name).write_text(text)
        assert asked(world, world.root / name)["diagnostics"], name
    assert not canary.exists()


MODULES = "json pickle struct marshal array sitecustomize usercustomize os re ctypes stat io cmdr signal select".split()


def test_helper_processes_obey_no_file_of_the_folder_they_are_started_in(world, monkeypatch):
    """Reading and sorting, planning, searching and scanning, each in a process of its own."""
    from cmdr.engine.plan.large_plan import plan_in_process
    from cmdr.engine.plan.transfer_plan import Choices
    from cmdr.files.large_folder import scan_in_process
    from cmdr.files.viewing.text_search import find_in_process
    from cmdr.index.scan.walk import Worker
    from cmdr.model.panes.sorting import SortOrder
    from cmdr.model.plans.plan import Verb

    canary = world.outside / "canary"
    for name in MODULES:
        (world.root / f"{name}.py").write_text(f"open({str(canary)!r}, 'w')\n")
    monkeypatch.chdir(world.root)
    monkeypatch.setenv("PYTHONPATH", str(world.root))
    monkeypatch.setenv("PYTHONSTARTUP", str(world.root / "json.py"))
    assert scan_in_process(bytes(world.root), SortOrder(), show_hidden=True).columns
    assert plan_in_process(Verb.DELETE, [bytes(world.root / "a.go")], None, Choices(), lambda _: None).items
    assert find_in_process(b"xyz", 3, re.compile(b"y"), 0, backwards=False, stopped=lambda: False) is not None
    worker = Worker("")
    worker.process.stdin.close()
    worker.process.stdout.close()
    worker.process.wait()
    assert not canary.exists()


def test_a_server_that_outlives_its_walls_is_noticed_here(world):
    """The eager server without any walls: otherwise it would prove nothing."""
    build = (world.root / "build.py").read_text()
    (world.root / ".ssh").mkdir()
    (world.root / ".ssh" / "id_ed25519").write_text("key")
    script = build + "\nprint(json.dumps(found))\n"
    how = {"cwd": world.root, "capture_output": True, "text": True, "check": True}
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "HOME": str(world.home)}, **how)
    found = json.loads(done.stdout)
    assert all(found.values()), found
