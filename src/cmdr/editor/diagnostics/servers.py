"""The language servers that cmdr knows, and which of them are installed."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """How to start one language server, and what it is for."""

    name: str
    command: tuple[str, ...]
    languages: frozenset[str]
    settings: dict[str, Any] = field(default_factory=dict)
    """Sent as initialization options."""


_SCRIPTS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})

KNOWN_SERVERS = (
    ServerSpec("ruff", ("ruff", "server"), frozenset({"python"})),
    ServerSpec("pyright", ("pyright-langserver", "--stdio"), frozenset({"python"})),
    ServerSpec("typescript", ("typescript-language-server", "--stdio"), _SCRIPTS),
    ServerSpec("gopls", ("gopls",), frozenset({"go"})),
    ServerSpec("rust-analyzer", ("rust-analyzer",), frozenset({"rust"})),
    ServerSpec("clangd", ("clangd",), frozenset({"c", "cpp"})),
    ServerSpec("lua", ("lua-language-server",), frozenset({"lua"})),
    ServerSpec("bash", ("bash-language-server", "start"), frozenset({"shellscript"})),
)


def find_program(name: str) -> str | None:
    """The full path of a program: next to this Python first, where `pip` puts it, then on the PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), name)
    return beside if os.access(beside, os.X_OK) else shutil.which(name)


def installed_servers(
    specs: Iterable[ServerSpec] = KNOWN_SERVERS, find: Callable[[str], str | None] = find_program
) -> tuple[ServerSpec, ...]:
    """Those servers whose program was found, their commands with its full path."""
    out: list[ServerSpec] = []
    for spec in specs:
        program = find(spec.command[0])
        if program is not None:
            out.append(ServerSpec(spec.name, (program, *spec.command[1:]), spec.languages, spec.settings))
    return tuple(out)
