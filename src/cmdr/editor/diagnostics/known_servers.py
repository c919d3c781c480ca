"""The language servers that cmdr knows, where they are installed, and what each needs to be started."""

import os
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from cmdr.model.launch_spec import LaunchSpec
from cmdr.model.names import is_within

Settings = dict[str, Any]
_SHEBANG_BYTES = 512
_MAX_LEVELS_UP = 4
"""Folders above a server in which its own libraries may stand, as in `node_modules/NAME/lib/cli.mjs`."""


REPOSITORY = (b".git", b".hg", b".jj")


_MARKERS = (b".git", b"pyproject.toml", b"package.json", b"Cargo.toml", b"go.mod", b"tsconfig.json")


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """How to start one language server, and what it is for."""

    name: str
    command: tuple[str, ...]
    languages: frozenset[str]
    settings: Settings = field(default_factory=dict)
    """Sent as initialization options."""
    settings_for: Callable[[str], Settings | None] | None = None
    """Makes the settings for the program that was found; None when that one cannot be used."""
    asks: tuple[str, ...] = ()
    """Questions to put to TypeScript's own server: what it publishes by itself comes in parts, an empty one first."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A server that was found, and what of the disk it needs."""

    spec: ServerSpec
    """With the full path of its program."""
    read: frozenset[bytes]
    """Where its program, its interpreter and their libraries stand."""
    path: tuple[str, ...] = ()
    """Folders in which it finds programs that it starts."""


Start = Callable[[ServerSpec, str], LaunchSpec]
"""What starts a server in a sandbox; it may write to the folder that is named."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Which servers may look at a file."""

    servers: tuple[ServerSpec, ...] = ()
    root: bytes = b"/"
    """What they take for the project."""
    visible: bytes = b"/"
    """The folder of which they see everything, the project or one around it."""
    start: Start | None = None
    why_not: str = ""
    """Why none of those that are installed runs, in a sentence."""
    untrusted: bytes | None = None
    """The folder that the person would have to trust."""


def _own_tsserver(program: str) -> Settings | None:
    """The TypeScript that is installed with the server; never the one of the project, which is anybody's code."""
    above = os.path.dirname(program)
    for _ in range(_MAX_LEVELS_UP):
        for near in ("node_modules/typescript", "typescript"):
            own = os.path.join(above, near, "lib", "tsserver.js")
            if os.path.isfile(own):
                tsserver = {"path": own, "fallbackPath": own}
                return {"tsserver": tsserver, "disableAutomaticTypingAcquisition": True, "plugins": []}
        above = os.path.dirname(above)
    return None


_SCRIPTS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})
_TSSERVER = ("syntacticDiagnosticsSync", "semanticDiagnosticsSync")
# Without build scripts and macros of the project: they would be programs of its own.
_RUST = {
    "cargo": {"buildScripts": {"enable": False}},
    "procMacro": {"enable": False},
    "checkOnSave": False,
}

KNOWN_SERVERS = (
    ServerSpec("ruff", ("ruff", "server"), frozenset({"python"})),
    ServerSpec("pyright", ("pyright-langserver", "--stdio"), frozenset({"python"})),
    ServerSpec(
        "typescript", ("typescript-language-server", "--stdio"), _SCRIPTS, settings_for=_own_tsserver, asks=_TSSERVER
    ),
    ServerSpec("gopls", ("gopls",), frozenset({"go"}), {"pullDiagnostics": True}),
    ServerSpec("rust-analyzer", ("rust-analyzer",), frozenset({"rust"}), _RUST),
    ServerSpec("clangd", ("clangd",), frozenset({"c", "cpp"})),
    ServerSpec("lua", ("lua-language-server",), frozenset({"lua"})),
    ServerSpec("bash", ("bash-language-server", "start"), frozenset({"shellscript"})),
)


def find_program(name: str, never_in: Collection[bytes] = ()) -> str | None:
    """The full path of a program: next to this Python first, where `pip` puts it, then on the PATH.

    One that lies in a folder of `never_in`, by its name or really, is not taken: whoever can write there could have put
    it there. The same for folders that PATH names relative to where we stand.
    """
    for folder in (os.path.dirname(sys.executable), *os.get_exec_path()):
        found = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(found) and os.access(found, os.X_OK):
            names = [os.path.abspath(found), os.path.realpath(folder), os.path.realpath(found)]
            if not any(is_within(os.fsencode(each), never) for each in names for never in never_in):
                return found
    return None


def installed_servers(language_id: str, never_in: Collection[bytes] = ()) -> tuple[Installed, ...]:
    """The servers for a language whose program was found outside some folders; looks at the disk."""
    able = (spec for spec in KNOWN_SERVERS if language_id in spec.languages)
    return tuple(found for spec in able if (found := installed(spec, never_in)) is not None)


def installed(spec: ServerSpec, never_in: Collection[bytes] = ()) -> Installed | None:
    """One server, if its program was found outside some folders and can be used."""
    found = find_program(spec.command[0], never_in)
    if found is None:
        return None
    real = os.path.realpath(found)
    script = _interpreter(real)
    # A program that goes by its name, as links to `rustup` do, keeps the name it was found under.
    program = found if script is None and os.path.basename(real) != os.path.basename(found) else real
    settings = spec.settings if spec.settings_for is None else spec.settings_for(real)
    if settings is None:
        return None
    needed, path = [program, *_places(real)], []
    if script is not None:
        interpreter = script[0]
        if os.path.basename(interpreter) == "env":
            named = next((word for word in script[1:] if not word.startswith("-")), "")
            interpreter = find_program(named, never_in) or ""
            path.append(os.path.dirname(interpreter))
        if not interpreter:
            return None
        needed += [interpreter, *_places(os.path.realpath(interpreter)), *_places(interpreter)]
    spec = replace(spec, command=(program, *spec.command[1:]), settings=settings)
    return Installed(spec, frozenset(os.fsencode(place) for place in needed), tuple(path))


def _places(program: str) -> Iterator[str]:
    """A program, and where its libraries stand: a virtual environment with its Python, or the packages around it."""
    yield program
    prefix = os.path.dirname(os.path.dirname(program))
    home = _python_home(os.path.join(prefix, "pyvenv.cfg"))
    if home is not None:
        yield prefix
        yield os.path.dirname(os.path.realpath(home))
    elif os.path.basename(program).startswith("python") and os.path.isdir(os.path.join(prefix, "lib")):
        yield os.path.join(prefix, "lib")
    before, around, _ = program.partition("/node_modules/")
    if around:
        yield f"{before}/node_modules"


def _python_home(config: str) -> str | None:
    try:
        with open(config, encoding="utf-8") as file:
            lines = [line.partition("=") for line in file]
    except (OSError, ValueError):
        return None
    return next((value.strip() for key, _, value in lines if key.strip() == "home"), None)


def _interpreter(script: str) -> list[str] | None:
    """The words after `#!` of a script, None for any other program."""
    try:
        with open(script, "rb") as file:
            first = file.read(_SHEBANG_BYTES).partition(b"\n")[0]
    except OSError:
        return None
    return os.fsdecode(first[2:]).split() or None if first.startswith(b"#!") else None


def project_root(path: bytes) -> bytes:
    """The nearest folder above a file that holds a repository or a project file, else the file's own folder."""
    return nearest_holding(os.path.dirname(os.path.abspath(path)), _MARKERS)


def repository_root(path: bytes) -> bytes:
    """The repository that a file belongs to, else its project: what one trusts as a whole."""
    project = project_root(path)
    return nearest_holding(project, REPOSITORY)


def nearest_holding(folder: bytes, markers: Collection[bytes]) -> bytes:
    """The nearest folder, this one or one above it, that holds one of some names; this one when there is none."""
    here = folder
    while not any(os.path.lexists(os.path.join(here, marker)) for marker in markers):
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above
    return here
