"""What `cmdr doctor` looks at: each finding says how things are and, where they are not well, how to mend them."""

import importlib.util
import os
import resource
import shutil
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from cmdr.core import places
from cmdr.core.agents.agent_roots import Origin, chosen_roots
from cmdr.core.agents.tokens import TokenError, Tokens
from cmdr.core.agents.trust import TrustStore, UnreadableTrustList
from cmdr.core.audit.anchor import read_anchor
from cmdr.core.audit.chain import is_cut_off
from cmdr.core.dispatch.policy import Policy
from cmdr.core.environment import BadSetting, Environment
from cmdr.core.errors import CommandError
from cmdr.core.runtime.control_socket import ControlClient
from cmdr.core.runtime.instance import running
from cmdr.core.settings import Settings
from cmdr.engine.journal.store import JournalUnavailable, look_into
from cmdr.files.process_sandbox.backend import BACKENDS, Backend, holds
from cmdr.files.sandbox.open_beneath import kernel_can
from cmdr.index.contents.compiled import contents_library
from cmdr.index.scan.compiled_reader import CompiledReader, compiled_library, directory_reader
from cmdr.model.install_hint import install_command
from cmdr.model.names import to_wire
from cmdr.model.units import count

_FILES_NEEDED = 4096
ANSWER_TIMEOUT_S = 5.0
"""Seconds a running cmdr has to say what holds there."""
_PROGRAMS = (
    (("pbcopy", "wl-copy", "xclip", "xsel"), "the clipboard", "install wl-clipboard (Wayland) or xclip (X11)"),
    (
        ("open" if sys.platform == "darwin" else "xdg-open",),
        "showing files in the system's file manager",
        "install xdg-utils",
    ),
    (("nvim",), "editing in Neovim", "install neovim"),
)
_LIBRARIES = (
    ("textual", "the terminal face", install_command("textual")),
    ("ipykernel", "running code for agents", install_command("jupyter_client", "ipykernel")),
    ("pynvim", "the Neovim bridge", install_command("pynvim")),
    ("pygls", "diagnostics from language servers", install_command("pygls", "lsprotocol")),
    ("tree_sitter", "colours of code in the editor", install_command("'textual[syntax]'")),
    ("duckdb", "asking exports of many machines", install_command("ibis-framework", "duckdb")),
)


class Health(StrEnum):
    """How a finding is meant."""

    GOOD = "ok"
    NOTE = "note"
    """Something is missing that only some need."""
    BAD = "bad"


PASSED_ON = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The variables that MCP's own libraries pass to a program which a client starts."""
_PLACE_VARIABLES = ("XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
"""Where cmdr looks for its files: with others a bridge would look elsewhere."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    health: Health
    text: str
    mend: str = ""


def examine() -> Iterator[Finding]:
    """Look at everything, one after the other; nothing is changed but the folders cmdr needs."""
    yield from _running()
    yield from _settings()
    yield from _stripped()
    yield from _places()
    yield from _record()
    yield from _clients()
    yield from _trusted()
    yield from _port()
    yield from _sandboxes()
    yield _descriptors()
    yield _scans()
    yield _contents()
    yield from _programs()


def _running() -> Iterator[Finding]:
    """What holds in the cmdr that runs, which may have been started with other flags and variables."""
    try:
        if (record := running()) is None:
            return
        caller = ControlClient(places.runtime(), ANSWER_TIMEOUT_S)
    except (places.UnsafePlace, OSError):
        return  # told below
    who = f"the running cmdr (process {record.pid})"
    try:
        access = caller.ask("app.access", {}).result
    except CommandError as error:
        yield Finding(Health.NOTE, f"{who} does not tell what holds: {error}", "run this at a terminal of your own")
        return
    except (OSError, ValueError):
        yield Finding(Health.BAD, f"{who} does not answer", "end it with `cmdr quit`, or look into its log")
        return
    finally:
        caller.close()
    switched = ", ".join(access["switches"]) or "nothing more"
    yield Finding(Health.GOOD, f"{who}: agents get {', '.join(access['toolsets'])}; switched on: {switched}")
    yield Finding(Health.GOOD, f"{who}: agents' file tools may use {', '.join(access['roots']) or 'no folder'}")
    yield from (Finding(Health.BAD, f"{who}: {warning}", "cmdr pending") for warning in access["warnings"])
    yield Finding(Health.GOOD, "what follows about settings holds for the next start from this shell")


def _settings() -> Iterator[Finding]:
    try:
        environment = Environment.read()
    except (BadSetting, ValueError) as error:
        yield Finding(Health.BAD, str(error), "correct or unset the variable")
        return
    policy = Policy(environment.toolsets, allow_write=environment.allow_write, allow_shell=environment.allow_shell)
    on = [name for name in ("allow_write", "allow_shell") if getattr(environment, name)]
    yield Finding(
        Health.GOOD,
        f"agents get: {', '.join(sorted(policy.toolsets))}; switched on: {', '.join(on) or 'nothing more'}",
    )
    yield from _roots(environment)


def _stripped() -> Iterator[Finding]:
    """What is set here, and does not reach a cmdr that a client starts through the bridge."""
    names = sorted(name for name in os.environ if name.startswith("CMDR_") or name in _PLACE_VARIABLES)
    if names:
        yield Finding(
            Health.NOTE,
            f"clients that start cmdr-mcp-stdio pass on {', '.join(PASSED_ON)} and little else; "
            f"set in this shell only: {', '.join(names)}",
            "name them under env in the client's own settings as well, or start cmdr yourself before the client",
        )


def _roots(environment: Environment) -> Iterator[Finding]:
    try:
        settings = Settings(places.config())
    except (places.UnsafePlace, OSError):
        return  # told below
    yield from (Finding(Health.BAD, problem, f"correct {settings.path}") for problem in settings.problems)
    chosen = chosen_roots((), environment.roots, settings)
    if chosen.origin is Origin.USUAL:
        yield Finding(Health.GOOD, f"agents' file tools may use {chosen.origin}; --root chooses others")
        return
    named = ", ".join(map(str, chosen.roots)) or "no folder"
    yield Finding(Health.GOOD, f"agents' file tools may use {named} ({chosen.origin})")
    for root in chosen.missing:
        yield Finding(Health.BAD, f"the root {root} is not a folder", f"make it, or correct {chosen.origin}")


def _places() -> Iterator[Finding]:
    wanted: tuple[tuple[str, Callable[[], str]], ...] = (
        ("runtime", places.runtime),
        ("state", places.state),
        ("config", places.config),
    )
    for name, find in wanted:
        try:
            folder = find()
        except (places.UnsafePlace, OSError) as error:
            yield Finding(Health.BAD, f"{name}: {error}", "follow the advice in the line above")
            continue
        mode = stat.S_IMODE(os.stat(folder).st_mode)
        if mode & 0o077:
            yield Finding(Health.NOTE, f"{name}: {folder} can be read by others", f"chmod 700 '{folder}'")
        else:
            yield Finding(Health.GOOD, f"{name}: {folder}")


def _record() -> Iterator[Finding]:
    """Whether what was done is written down, and can be."""
    try:
        state = places.state()
        room = os.statvfs(state)
    except (places.UnsafePlace, OSError):
        return  # told above
    if not (room.f_bavail and room.f_favail):
        yield Finding(Health.BAD, f"the disk of {state} is full: nothing can be recorded", "make room on that disk")
    folder = os.path.join(state, "audit")
    anchor = read_anchor(folder)
    if anchor is not None and anchor.gap is not None:
        yield Finding(Health.BAD, f"the audit log cannot be written, {anchor.gap.text()}", "make room on that disk")
    elif is_cut_off(folder):
        yield Finding(Health.BAD, "records of the audit log are missing", "look with: cmdr audit --verify")
    else:
        yield Finding(Health.GOOD, f"audit log: {count(anchor.seq if anchor is not None else 0, 'record')}")
    yield from _journal(os.fsencode(os.path.join(state, "journal.db")))


def _journal(path: bytes) -> Iterator[Finding]:
    try:
        damage, waiting = look_into(path)
    except JournalUnavailable as error:
        yield Finding(Health.BAD, str(error))
        return
    for each in damage:
        yield Finding(Health.BAD, each.told(), "`cmdr pending` takes note that you know")
    if waiting:
        cut_short = count(waiting, "operation was interrupted", "operations were interrupted")
        yield Finding(Health.NOTE, cut_short, "cmdr pending, then cmdr resume ID, cmdr undo ID or cmdr leave ID")
    if not damage:
        yield Finding(Health.GOOD, "the journal can be read")


def _clients() -> Iterator[Finding]:
    try:
        clients = Tokens(places.runtime(), places.state()).clients()
    except (TokenError, places.UnsafePlace, OSError) as error:
        yield Finding(Health.BAD, str(error), "mend or move the file, then issue the tokens again")
        return
    yield Finding(Health.GOOD, f"clients with a token of their own: {', '.join(c.name for c in clients) or 'none'}")


def _trusted() -> Iterator[Finding]:
    """The folders in which language servers may run."""
    try:
        folders = TrustStore(places.state()).all()
        shown = ", ".join(to_wire(folder.path) for folder in folders if folder.stands) or "none"
        gone = [to_wire(folder.path) for folder in folders if not folder.stands]
    except UnreadableTrustList as error:
        yield Finding(Health.BAD, str(error), "move the file away, then trust your folders again: cmdr trust DIR")
        return
    except (places.UnsafePlace, OSError):
        return  # told above
    yield Finding(Health.GOOD, f"folders trusted for language servers: {shown}")
    if gone:
        what = f"gone, or other folders than those you trusted: {', '.join(gone)}"
        yield Finding(Health.NOTE, what, "trust them again if you mean them, else: cmdr trust --remove DIR")


def _port() -> Iterator[Finding]:
    try:
        record, wanted = running(), Environment.read().port
    except (BadSetting, ValueError, places.UnsafePlace, OSError):
        return  # told above
    if record is not None:
        yield Finding(Health.GOOD, f"cmdr {record.version} runs as process {record.pid} on port {record.port}")
        return
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", wanted))
        except OSError as error:
            yield Finding(
                Health.BAD,
                f"port {wanted} cannot be used: {error.strerror}",
                "end the program that listens there (ss -ltnp), or set CMDR_MCP_PORT to another",
            )
        else:
            yield Finding(Health.GOOD, f"port {wanted} is free; cmdr is not running")


def _sandboxes() -> Iterator[Finding]:
    if sys.platform == "linux" and not kernel_can():
        yield Finding(
            Health.NOTE,
            "the kernel does not resolve paths beneath a folder here (openat2); cmdr walks them itself",
            "use Linux 5.6 or newer, or allow openat2 in the container's seccomp profile",
        )
    found = {tier: holds(tier) for tier in BACKENDS}
    best = next((tier for tier, works in found.items() if works), None)
    if best is None:
        yield Finding(
            Health.NOTE,
            "no sandbox works here, so agents' commands are refused",
            "install bubblewrap; on Ubuntu 24.04 also allow it: sudo apt install apparmor-profiles bubblewrap",
        )
        return
    yield Finding(Health.GOOD, f"agents' commands run behind {best}")
    if Backend.BUBBLEWRAP in found and not found[Backend.BUBBLEWRAP]:
        yield Finding(
            Health.NOTE,
            "bubblewrap, the strongest sandbox, does not work here",
            "apt install bubblewrap (or dnf, pacman); if it is there, unprivileged user namespaces are forbidden",
        )


def _descriptors() -> Finding:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY or most >= _FILES_NEEDED:
        return Finding(Health.GOOD, "enough files may be open for a thousand clients")
    return Finding(
        Health.NOTE, f"only {most} files may be open at once", f"raise the hard limit: ulimit -Hn {_FILES_NEEDED}"
    )


def _scans() -> Finding:
    if isinstance(directory_reader(compiled_library()), CompiledReader):
        return Finding(Health.GOOD, "trees are scanned with the compiled reader")
    return Finding(
        Health.NOTE,
        "trees are scanned without the compiled reader, which takes half as long again",
        "install a C compiler (on Debian: gcc libc6-dev), then cmdr again" if sys.platform == "linux" else "",
    )


def _contents() -> Finding:
    if contents_library() is not None:
        return Finding(Health.GOOD, "contents are searched and indexed with the compiled library")
    return Finding(
        Health.NOTE,
        "contents are searched without the compiled library: slowly, and without an index",
        "install a C compiler (on Debian: gcc libc6-dev), then cmdr again" if sys.platform == "linux" else "",
    )


def _programs() -> Iterator[Finding]:
    for names, purpose, mend in _PROGRAMS:
        found = next((name for name in names if shutil.which(name)), None)
        if found:
            yield Finding(Health.GOOD, f"{found} for {purpose}")
        else:
            yield Finding(Health.NOTE, f"nothing found for {purpose}", mend)
    for library, purpose, mend in _LIBRARIES:
        if importlib.util.find_spec(library) is None:
            yield Finding(Health.NOTE, f"{library} is not installed: {purpose}", mend)
        else:
            yield Finding(Health.GOOD, f"{library} for {purpose}")
