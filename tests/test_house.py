"""The house stands as it was drawn: who may import whom, how light the doors are, and that every room has its sign."""

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "cmdr"
MODULES = sorted(PACKAGE.rglob("*.py"))
HEAVY = {
    "asyncio",
    "textual",
    "rich",
    "mcp",
    "starlette",
    "uvicorn",
    "anyio",
    "pydantic",
    "watchfiles",
    "numpy",
    "polars",
    "yaml",
    "tomlkit",
    "sqlite3",
}
NOT_CONCEPTS = {"utils", "util", "helpers", "helper", "common", "manager", "misc", "base", "types"}


def loaded_by(*imports):
    """The modules a fresh interpreter has loaded after some imports."""
    program = f"import json, sys\n{'; '.join(imports)}\nprint(json.dumps(sorted(sys.modules)))"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("COV_", "COVERAGE_"))}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
        env=environment | {"PYTHONPATH": str(ROOT / "src")},
    )
    return set(json.loads(done.stdout))


def imports_of(path):
    """Every top-level package a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module


def lint_imports(root):
    # The cache would remember the copy's modules under the names of the real ones.
    program = shutil.which("lint-imports", path=sysconfig.get_path("scripts")) or "lint-imports"
    return subprocess.run(
        [program, "--no-cache", "--config", str(ROOT / "pyproject.toml")],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )


def test_everybody_imports_only_whom_they_may():
    done = lint_imports(PACKAGE.parent)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the package that can be spoilt."""
    root = tmp_path_factory.mktemp("house")
    shutil.copytree(PACKAGE, root / "cmdr", ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.mark.parametrize(
    ("room", "line", "contract"),
    [
        ("model/units.py", "import cmdr.core.errors", "who may import whom"),
        ("mcp/face.py", "import cmdr.commands.panes.state", "never reach below the core"),
        ("core/events.py", "import starlette", "nothing knows a terminal"),
    ],
    ids=["upwards", "a face below the core", "the web below the faces"],
)
def test_a_planted_violation_is_caught(house, room, line, contract):
    path = house / "cmdr" / room
    whole = path.read_text()
    try:
        path.write_text(f"{whole}\n{line}\n")
        done = lint_imports(house)
        assert done.returncode == 1
        (broken,) = [told for told in done.stdout.splitlines() if "BROKEN" in told]
        assert contract in broken
    finally:
        path.write_text(whole)


def test_importing_cmdr_loads_nothing_else():
    loaded = loaded_by("import cmdr") - loaded_by("pass")
    assert loaded == {"cmdr"}


def test_importing_the_program_stays_light():
    loaded = loaded_by("import cmdr.app")
    assert not loaded & HEAVY
    assert {name for name in loaded if name.startswith("cmdr")} == {"cmdr", "cmdr.app"}


def test_the_bridge_is_the_standard_librarys_alone():
    loaded = {name.partition(".")[0] for name in loaded_by("import cmdr.cli.bridge") - loaded_by("pass")}
    assert loaded <= {"cmdr"} | sys.stdlib_module_names
    assert not loaded & HEAVY


def test_the_commands_know_no_face_and_no_server():
    loaded = {name.partition(".")[0] for name in loaded_by("from cmdr import commands; commands.register()")}
    assert not loaded & {"textual", "rich", "mcp", "starlette", "uvicorn", "pydantic"}


def test_the_model_imports_the_standard_library_and_itself():
    for path in (PACKAGE / "model").rglob("*.py"):
        for name in imports_of(path):
            top = name.partition(".")[0]
            assert top in sys.stdlib_module_names or name.startswith("cmdr.model"), f"{path.name} imports {name}"


def test_rooms_are_named_after_concepts():
    assert [path for path in MODULES if path.stem in NOT_CONCEPTS or path.parent.name in NOT_CONCEPTS] == []


def test_every_room_has_its_sign():
    unsigned = [
        str(path.relative_to(PACKAGE)) for path in MODULES if not ast.get_docstring(ast.parse(path.read_bytes()))
    ]
    assert unsigned == []


def test_all_configuration_is_in_one_place():
    for name in ("setup.cfg", "tox.ini", "pytest.ini", ".flake8", "mypy.ini", ".importlinter"):
        assert not (ROOT / name).exists()


def test_the_first_frame_is_drawn_before_anything_heavy_is_loaded():
    loaded = loaded_by("import cmdr.cli.main, cmdr.app.opening, cmdr.app.handover")
    assert "cmdr.tui.terminal.first_frame" in loaded
    heavy = HEAVY - {"rich"}  # it counts cells
    assert loaded & (heavy | {"socket", "shutil", "cmdr.core.commander", "cmdr.core.changes.engine"}) == set()
