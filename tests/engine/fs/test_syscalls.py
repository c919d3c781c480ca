"""Only the syscall layer changes the disk: everything else in the package is read for calls that would."""

import ast
from fnmatch import fnmatch
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / "src" / "cmdr"
DOOR = "engine/fs/syscalls.py"
CHANGING = frozenset(
    """rename renames replace unlink remove rmdir removedirs mkdir makedirs link symlink truncate ftruncate mkfifo mknod
    chmod fchmod lchmod chown fchown lchown utime setxattr removexattr write pwrite pwritev writev sendfile
    copy_file_range posix_fallocate""".split()
)
PATH_METHODS = frozenset({"write_text", "write_bytes", "touch", "hardlink_to", "symlink_to", "rmtree"})
HARMLESS = frozenset({"which", "disk_usage", "get_terminal_size"})
OWN_DATA = {
    "index/*": "the index writes its own files below the cache directory",
    "core/audit/log.py": "the audit log is append-only and rotates itself",
    "core/audit/anchor.py": "the anchor beside the audit log",
    "engine/journal/store.py": "a damaged journal is put aside, and the mark that there was one",
    "editor/diagnostics/language_server.py": "the scratch directory of a language server",
    "core/runtime/instance.py": "the instance lock and port file",
    "core/runtime/control_socket.py": "the private socket of the terminal face",
    "core/places.py": "the program's own directories and settings file",
    "core/runtime/log_file.py": "the program's own log",
    "files/viewing/decode_worker.py": "the program in the sandbox; it leaves complaints to /dev/null",
    "files/process_sandbox/*": "pipes to sandboxed commands, and their scratch directories",
    "files/viewing/decoding.py": "a sealed copy, in memory, of the file that is decoded",
    "core/agents/tokens.py": "token files in the runtime directory",
    "core/transfers/uploads.py": "what arrives from the browser, in the state directory until the engine copies it",
    "core/proposals/proposal_store.py": "what agents proposed, in the state directory until it is answered",
    "cli/bridge.py": "writes to its own standard output",
    "editor/kernel.py": "the scratch directory of a code run",
    "ide/face.py": "the lock file by which Claude Code finds the editor socket",
    "tui/terminal/startup_terminal.py": "draws the first picture on the terminal",
}
"""Modules that write only cmdr's own data, and why; a person's files are never theirs to touch."""


def offences(module: Path) -> list[str]:
    name = module.relative_to(PACKAGE).as_posix()
    if any(fnmatch(name, pattern) for pattern in OWN_DATA):
        return []
    found = []
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.ImportFrom):
            if node.module == "shutil":
                found += [f"from shutil import {alias.name}" for alias in node.names if alias.name not in HARMLESS]
            if node.module == "os":
                found += [f"from os import {alias.name}" for alias in node.names if alias.name in CHANGING]
        elif isinstance(node, ast.Call):
            found += _call(node)
    return [f"{name}: {text}" for text in found]


def _call(node: ast.Call) -> list[str]:
    function = node.func
    if isinstance(function, ast.Attribute):
        owner = function.value.id if isinstance(function.value, ast.Name) else ""
        if owner == "os" and function.attr in CHANGING:
            return [f"os.{function.attr}"]
        if owner == "shutil" and function.attr not in HARMLESS:
            return [f"shutil.{function.attr}"]
        if function.attr in PATH_METHODS:
            return [f".{function.attr}"]
        if owner == "os" and function.attr == "open" and _has_writing_flags(node):
            return ["os.open for writing"]
        if function.attr == "open" and owner != "os" and _mode(node, 0) & set("wax+"):
            return [".open for writing"]
    if isinstance(function, ast.Name) and function.id == "open" and _mode(node, 1) & set("wax+"):
        return ["open for writing"]
    return []


def _mode(node: ast.Call, position: int) -> set[str]:
    values = [keyword.value for keyword in node.keywords if keyword.arg == "mode"] + node.args[position : position + 1]
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return set(value.value) if set(value.value) <= set("rwaxbtU+") else set()
    return set()


def _has_writing_flags(node: ast.Call) -> bool:
    names = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    return bool(names & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"})


def test_no_module_but_the_syscall_layer_changes_the_disk():
    modules = [module for module in sorted(PACKAGE.rglob("*.py")) if module.relative_to(PACKAGE).as_posix() != DOOR]
    assert len(modules) > 20
    assert [text for module in modules for text in offences(module)] == []


def test_the_check_sees_what_it_should(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    bad = tmp_path / "bad.py"
    bad.write_text(
        "import os, shutil\nfrom os import unlink\nshutil.copy(a, b)\nshutil.which('x')\n"
        "os.rename(a, b)\nopen(p, 'w')\nopen(p, mode='ab')\np.write_text('x')\n"
        "p.open('r+')\nos.open(p, os.O_RDWR)\nopen(p)\nopen(p, 'rb')\nos.open(p, os.O_RDONLY)\n'a'.replace('b', 'c')\n"
    )
    assert len(offences(bad)) == 8
