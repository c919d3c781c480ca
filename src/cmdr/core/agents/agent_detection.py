"""Detects whether a process was started by an agent: what it asks for is then not the person's word.

Agents mark the shells they open with a variable, and an agent that is connected to this cmdr holds a connection to it
or has started its bridge. The kernel says which process asks, and /proc who started it, so the asking process cannot
say otherwise. This keeps an agent's own shell from deciding by an honest mistake. It cannot stop a program of the same
user that wants to pass for the person: such a program can leave its family, or press keys in a terminal of its own.
"""

import os
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cmdr.core.runtime.peer import client_sockets

if TYPE_CHECKING:
    from cmdr.core.commander import Commander

ADVICE = "Decide in cmdr's panes, or type it in a terminal of your own."


@dataclass(frozen=True, slots=True)
class Mark:
    """A variable that an agent sets for the commands it runs."""

    variable: str
    agent: str
    source: str
    """Where that is written down, or who relies on it."""


_DETECTION = "read by several programs that tell agents from people"
MARKS = (
    Mark("CLAUDECODE", "Claude Code", "code.claude.com/docs/en/env-vars"),
    Mark("GEMINI_CLI", "Gemini CLI", "geminicli.com/docs/tools/shell; seen in gitlab-org/cli merge request 3293"),
    Mark("CODEX_SANDBOX", "Codex", "AGENTS.md of openai/codex: set for everything under Seatbelt"),
    Mark("CODEX_SANDBOX_NETWORK_DISABLED", "Codex", "AGENTS.md of openai/codex: set for its shell tool"),
    Mark("CODEX_THREAD_ID", "Codex", _DETECTION),
    Mark("CODEX_CI", "Codex", _DETECTION),
    Mark("CURSOR_AGENT", "Cursor", _DETECTION),
    Mark("OPENCODE", "opencode", _DETECTION),
    Mark("COPILOT_CLI", "Copilot CLI", _DETECTION),
    Mark("CLINE_ACTIVE", "Cline", _DETECTION),
    Mark("AUGMENT_AGENT", "Augment", _DETECTION),
    Mark("ANTIGRAVITY_AGENT", "Antigravity", _DETECTION),
)
_BRIDGE_WORDS = (b"cmdr-mcp-stdio", b"cmdr.cli.bridge")
_ORPHANAGES = (b"systemd", b"init")
"""Programs that adopt what others leave behind: being their child says nothing."""


def agent_ports(commander: "Commander") -> list[int]:
    """Where agents connect to a cmdr: over HTTP, and to the editor."""
    http = commander.base_url.rpartition(":")[2]
    return [int(port) for port in (http, commander.editor.port) if port]


def marked(environment: Mapping[str, str]) -> str | None:
    """Why these variables belong to a shell of an agent's, or None."""
    found = next((mark for mark in MARKS if environment.get(mark.variable)), None)
    return f"{found.variable} is set, as {found.agent} does for the commands it runs" if found else None


def agent_above(pid: int, ports: Collection[int] = (), *, below: int = 0) -> str | None:
    """Why a process counts as an agent's: its own variables, or those and the doings of whoever started it.

    Nobody above the process `below` is looked at: what was started in cmdr's own terminal was started by the person.
    """
    if sys.platform != "linux":
        return None  # there the asking program looks at its own variables
    family = list(_family(pid, below))
    for member in family:
        if why := marked(_variables(member)):
            return why
    talking = client_sockets(ports) if ports else frozenset()
    bridging = _parents_of_bridges()
    for member in family:
        if member in bridging:
            return f"process {member} above it runs cmdr's bridge for agents"
        if talking and not talking.isdisjoint(_sockets(member)):
            return f"process {member} above it is connected to cmdr as an agent"
    return None


def _family(pid: int, below: int) -> Iterator[int]:
    """A process and all above it."""
    seen: set[int] = set()
    while pid > 0 and pid != below and pid not in seen:
        seen.add(pid)
        yield pid
        pid = _parent(pid)


def _parent(pid: int) -> int:
    # The name in brackets may hold anything, brackets too; what follows the last one is the kernel's alone.
    fields = _read(pid, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0


def _variables(pid: int) -> dict[str, str]:
    pairs = (os.fsdecode(line).partition("=") for line in _read(pid, "environ").split(b"\0"))
    return {name: value for name, _, value in pairs}


def _parents_of_bridges() -> frozenset[int]:
    """Who started a bridge of this user's: the nearest process above it that is not merely its launcher."""
    found = set()
    for name in os.listdir("/proc"):
        if name.isdecimal() and _is_bridge(int(name)):
            above = _parent(int(name))
            while above > 1 and _is_bridge(above):
                above = _parent(above)
            if above > 1 and _read(above, "comm").strip() not in _ORPHANAGES:
                found.add(above)
    return frozenset(found)


def _is_bridge(pid: int) -> bool:
    line = _read(pid, "cmdline")
    return any(word in line for word in _BRIDGE_WORDS) or line.endswith(b"/cmdr\0mcp\0")


def _sockets(pid: int) -> Iterator[int]:
    folder = f"/proc/{pid}/fd"
    try:
        numbers = os.listdir(folder)
    except OSError:
        return
    for number in numbers:
        try:
            held = os.readlink(f"{folder}/{number}")
        except OSError:
            continue
        if held.startswith("socket:["):
            yield int(held[8:-1])


def _read(pid: int, what: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{what}", "rb") as file:
            return file.read()
    except OSError:
        return b""
