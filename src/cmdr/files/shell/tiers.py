"""Which sandbox holds commands on this machine: the strongest that proves itself by running."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from enum import StrEnum

from cmdr.files.shell.bubblewrap import bubblewrap
from cmdr.files.shell.seatbelt import seatbelt
from cmdr.files.shell.walls import Walls
from cmdr.model.launch import Launch

_SECONDS = 10.0
# Without the machine's site packages: this very program, and Python's own library.
_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_LAUNCHER = (
    f"import sys; sys.path.insert(0, {_HERE!r}); from cmdr.files.shell.launcher import main; sys.exit(main())".encode()
)
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
"""What a sandbox itself is started with. Its first process keeps this for as long as it runs, where all inside can read
it; so nothing of ours is in it, and what the command gets comes from its walls."""


class Tier(StrEnum):
    """The sandboxes, strongest first."""

    BUBBLEWRAP = "bubblewrap"
    NAMESPACES = "landlock+namespaces"
    """Landlock, and pid and network namespaces of our own making."""
    LANDLOCK = "landlock"
    SEATBELT = "seatbelt"


LADDER = (Tier.SEATBELT,) if sys.platform == "darwin" else (Tier.BUBBLEWRAP, Tier.NAMESPACES, Tier.LANDLOCK)

CANNOT_CARVE = (Tier.NAMESPACES, Tier.LANDLOCK)
"""Sandboxes that take or leave whole folders, with all that is in them."""


class CannotHide(Exception):
    """This sandbox can only allow whole folders; what is private inside them would be seen."""

    def __init__(self, path: bytes, tier: Tier) -> None:
        self.path = path
        super().__init__(
            f"{os.fsdecode(path)} is private and lies inside a root, and {tier} cannot hide it. "
            "Install bubblewrap, or start cmdr with a smaller --root."
        )


def sandboxed(
    command: Sequence[bytes], walls: Walls, tier: Tier, *, told: int | None = None, leash: int | None = None
) -> Launch:
    """What runs a command behind walls; the command is an argv, its first word an absolute path.

    `told` is a descriptor on which bubblewrap tells its process id, `leash` one whose closing ends everything behind
    Landlock; without them the command ends with whoever started it.
    """
    if tier is Tier.BUBBLEWRAP:
        program = _bubblewrap()
        if program is None:
            raise FileNotFoundError("bwrap is not in PATH")
        return _launch(bubblewrap(command, walls, program=program, told=told))
    if tier is Tier.SEATBELT:
        return _launch(seatbelt(command, walls))
    if walls.hide:
        raise CannotHide(walls.hide[0], tier)
    line = [os.fsencode(sys.executable), b"-I", b"-S", b"-c", _LAUNCHER, b"--folder", walls.folder]
    if tier is Tier.NAMESPACES:
        line.append(b"--namespaces")
    if walls.network:
        line.append(b"--network")
    if leash is not None:
        line += [b"--leash", b"%d" % leash]
    for option, paths in ((b"--write", walls.write), (b"--read", walls.read)):
        for path in paths:
            line += [option, path]
    limits = walls.limits
    line += [b"--limits", b"%d,%d,%d,%d" % (limits.memory, limits.processes, limits.file_size, limits.open_files)]
    for name, value in walls.variables:
        line += [b"--set", os.fsencode(f"{name}={value}")]
    return _launch([*line, b"--", *command])


def _launch(words: Sequence[bytes]) -> Launch:
    return Launch(tuple(words), _ENVIRONMENT)


def _bubblewrap() -> bytes | None:
    """Where bubblewrap is installed; a folder that PATH names relative to where we stand is anybody's."""
    folders = [folder for folder in os.get_exec_path() if os.path.isabs(folder)]
    found = shutil.which("bwrap", path=os.pathsep.join(folders))
    return None if found is None else os.fsencode(found)


def probe(ladder: Sequence[Tier] = LADDER) -> Tier | None:
    """The strongest sandbox that works here, found by running something in it; None when there is none."""
    return next((tier for tier in ladder if holds(tier)), None)


def holds(tier: Tier) -> bool:
    """Whether a sandbox starts, lets a command write inside, and keeps it from reading outside."""
    inside, outside = (os.fsencode(tempfile.mkdtemp(prefix="cmdr-probe-")) for _ in range(2))
    try:
        canary = outside + b"/canary"
        with open(canary, "wb") as file:
            file.write(b"seen")
        script = b'echo "$(cat "$1" 2>/dev/null)walled" > "$2/answer"'
        command = [b"/bin/sh", b"-c", script, b"sh", canary, inside]
        launch = sandboxed(command, Walls(inside, write=(inside,)), tier)
        subprocess.run(
            launch.words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
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
