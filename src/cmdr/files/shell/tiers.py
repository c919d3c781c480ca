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

_SECONDS = 10.0
# Without the machine's site packages: this very program, and Python's own library.
_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_LAUNCHER = (
    f"import sys; sys.path.insert(0, {_HERE!r}); from cmdr.files.shell.launcher import main; sys.exit(main())".encode()
)


class Tier(StrEnum):
    """The sandboxes, strongest first."""

    BUBBLEWRAP = "bubblewrap"
    NAMESPACES = "landlock+namespaces"
    """Landlock, and pid and network namespaces of our own making."""
    LANDLOCK = "landlock"
    SEATBELT = "seatbelt"


LADDER = (Tier.SEATBELT,) if sys.platform == "darwin" else (Tier.BUBBLEWRAP, Tier.NAMESPACES, Tier.LANDLOCK)


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
) -> list[bytes]:
    """The command line that runs a command behind walls; the command is an argv, its first word an absolute path.

    `told` is a descriptor on which bubblewrap tells its process id, `leash` one whose closing ends everything behind
    Landlock; without them the command ends with whoever started it.
    """
    if tier is Tier.BUBBLEWRAP:
        return bubblewrap(command, walls, told=told)
    if tier is Tier.SEATBELT:
        return seatbelt(command, walls)
    if walls.hide:
        raise CannotHide(walls.hide[0], tier)
    line = [os.fsencode(sys.executable), b"-I", b"-S", b"-c", _LAUNCHER, b"--folder", walls.folder]
    if tier is Tier.NAMESPACES:
        line.append(b"--namespaces")
    if leash is not None:
        line += [b"--leash", b"%d" % leash]
    for option, paths in ((b"--write", walls.write), (b"--read", walls.read)):
        for path in paths:
            line += [option, path]
    for name, value in walls.variables:
        line += [b"--set", os.fsencode(f"{name}={value}")]
    return [*line, b"--", *command]


def probe(ladder: Sequence[Tier] = LADDER) -> Tier | None:
    """The strongest sandbox that works here, found by running something in it; None when there is none."""
    return next((tier for tier in ladder if holds(tier)), None)


def holds(tier: Tier) -> bool:
    """Whether a sandbox starts, lets a command write inside, and keeps it from reading outside."""
    if tier is Tier.BUBBLEWRAP and shutil.which("bwrap") is None:
        return False
    inside, outside = (os.fsencode(tempfile.mkdtemp(prefix="cmdr-probe-")) for _ in range(2))
    try:
        canary = outside + b"/canary"
        with open(canary, "wb") as file:
            file.write(b"seen")
        script = b'echo "$(cat "$1" 2>/dev/null)walled" > "$2/answer"'
        command = [b"/bin/sh", b"-c", script, b"sh", canary, inside]
        subprocess.run(
            sandboxed(command, Walls(inside, write=(inside,)), tier),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=True,
            env={"PATH": os.environ.get("PATH", os.defpath)},
        )
        with open(inside + b"/answer", "rb") as file:
            return file.read() == b"walled\n"
    except (OSError, subprocess.SubprocessError):
        return False
    finally:
        for folder in (inside, outside):
            shutil.rmtree(folder, ignore_errors=True)
