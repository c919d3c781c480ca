"""The sandbox backends, and which one is used on this machine: the strongest that proves itself by running."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from enum import StrEnum

from cmdr.files.process_sandbox.bubblewrap import bubblewrap
from cmdr.files.process_sandbox.sandbox_profile import SandboxProfile
from cmdr.files.process_sandbox.seatbelt import seatbelt
from cmdr.model.launch_spec import LaunchSpec

_PROBE_TIMEOUT_S = 10.0
# Without the machine's site packages: this very program, and Python's own library.
_SOURCE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_LAUNCH = "from cmdr.files.process_sandbox.launcher import main; sys.exit(main())"
_LAUNCHER = f"import sys; sys.path.insert(0, {_SOURCE_ROOT!r}); {_LAUNCH}".encode()
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
"""What a sandbox itself is started with. Its first process keeps this for as long as it runs, where all inside can read
it; so nothing of ours is in it, and what the command gets comes from its profile."""


class Backend(StrEnum):
    """The sandboxes, strongest first."""

    BUBBLEWRAP = "bubblewrap"
    NAMESPACES = "landlock+namespaces"
    """Landlock, and pid and network namespaces of our own making."""
    LANDLOCK = "landlock"
    SEATBELT = "seatbelt"


BACKENDS = (
    (Backend.SEATBELT,) if sys.platform == "darwin" else (Backend.BUBBLEWRAP, Backend.NAMESPACES, Backend.LANDLOCK)
)

ALLOWS_WHOLE_FOLDERS_ONLY = (Backend.NAMESPACES, Backend.LANDLOCK)
"""Sandboxes that take or leave whole folders, with all that is in them."""


class CannotHide(Exception):
    """This sandbox can only allow whole folders; what is private inside them would be seen."""

    def __init__(self, path: bytes, backend: Backend) -> None:
        self.path = path
        super().__init__(
            f"{os.fsdecode(path)} is private and lies inside a root, and {backend} cannot hide it. "
            "Install bubblewrap, or start cmdr with a smaller --root."
        )


def sandboxed_command(
    command: Sequence[bytes],
    profile: SandboxProfile,
    backend: Backend,
    *,
    info_fd: int | None = None,
    leash: int | None = None,
) -> LaunchSpec:
    """What runs a command in a sandbox; the command is an argv, its first word an absolute path.

    `info_fd` is a descriptor on which bubblewrap tells its process id, `leash` one whose closing ends everything behind
    Landlock; without them the command ends with whoever started it.
    """
    if backend is Backend.BUBBLEWRAP:
        program = _bubblewrap()
        if program is None:
            raise FileNotFoundError("bwrap is not in PATH")
        return _launch(bubblewrap(command, profile, program=program, info_fd=info_fd))
    if backend is Backend.SEATBELT:
        return _launch(seatbelt(command, profile))
    if profile.hide:
        raise CannotHide(profile.hide[0], backend)
    line = [os.fsencode(sys.executable), b"-I", b"-S", b"-c", _LAUNCHER, b"--folder", profile.folder]
    if backend is Backend.NAMESPACES:
        line.append(b"--namespaces")
    if profile.network:
        line.append(b"--network")
    if leash is not None:
        line += [b"--leash", b"%d" % leash]
    for option, paths in ((b"--write", profile.write), (b"--read", profile.read)):
        for path in paths:
            line += [option, path]
    limits = profile.limits
    line += [b"--limits", b"%d,%d,%d,%d" % (limits.memory, limits.processes, limits.file_size, limits.open_files)]
    for name, value in profile.variables:
        line += [b"--set", os.fsencode(f"{name}={value}")]
    return _launch([*line, b"--", *command])


def _launch(words: Sequence[bytes]) -> LaunchSpec:
    return LaunchSpec(tuple(words), _ENVIRONMENT)


def _bubblewrap() -> bytes | None:
    """Where bubblewrap is installed; a folder that PATH names relative to where we stand is anybody's."""
    folders = [folder for folder in os.get_exec_path() if os.path.isabs(folder)]
    found = shutil.which("bwrap", path=os.pathsep.join(folders))
    return None if found is None else os.fsencode(found)


def probe(ladder: Sequence[Backend] = BACKENDS) -> Backend | None:
    """The strongest sandbox that works here, found by running something in it; None when there is none."""
    return next((backend for backend in ladder if holds(backend)), None)


def holds(backend: Backend) -> bool:
    """Whether a sandbox starts, lets a command write inside, and keeps it from reading outside."""
    inside, outside = (os.fsencode(tempfile.mkdtemp(prefix="cmdr-probe-")) for _ in range(2))
    try:
        canary = outside + b"/canary"
        with open(canary, "wb") as file:
            file.write(b"seen")
        script = b'echo "$(cat "$1" 2>/dev/null)walled" > "$2/answer"'
        command = [b"/bin/sh", b"-c", script, b"sh", canary, inside]
        launch = sandboxed_command(command, SandboxProfile(inside, write=(inside,)), backend)
        subprocess.run(
            launch.words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PROBE_TIMEOUT_S,
            check=True,
            env=launch.environment,
        )
        with open(inside + b"/answer", "rb") as file:
            return file.read() == b"walled\n"
    except (OSError, subprocess.SubprocessError):
        return False
    finally:
        for folder in (inside, outside):
            shutil.rmtree(folder, ignore_errors=True)
