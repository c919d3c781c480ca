"""cmdr and the file managers it is measured against: how each is started, and how each goes into a folder."""

import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from pty_terminal import KEYS, PtyTerminal


@dataclass(frozen=True)
class Commander:
    """A program, its arguments before and after the folder, and the keys that enter the first folder shown."""

    name: str
    program: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    enter: tuple[str, ...] = ("enter",)
    drops_keys: bool = False
    """Whether it throws away what was typed while it was busy, so that a person types it again."""

    def open(self, folder, home, **environment):
        """Start it in a pseudo-terminal of its own."""
        argv = [self.program, *self.before, str(folder), *self.after]
        return PtyTerminal(argv, columns=120, rows=40, **_environment(home), **environment)


CMDR = Commander("cmdr", str(Path(sys.executable).with_name("cmdr")), after=("/",))
# ranger shows beside a folder what is in it; without that, a name that appears is the answer to a key.
_OTHERS = (
    Commander("mc", "mc", ("-x",), ("/",), enter=("\x1bOB", "enter")),
    Commander("vifm", "vifm", (), ("/",), enter=("j", "enter")),
    Commander("nnn", "nnn", enter=("l",)),
    Commander("ranger", "ranger", ("--cmd=set preview_directories false",), enter=("l",), drops_keys=True),
)


def commanders():
    """cmdr, and the others that are installed here."""
    return [CMDR, *(other for other in _OTHERS if shutil.which(other.program))]


def _environment(home):
    (home / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "CMDR_MCP_PORT": "0",
        "CMDR_MCP_RATE_SCALE": "1000",
    }


def shown(it, text, since, *, seconds=20):
    """Milliseconds from a moment until a text came to the screen; it must not have been there before."""
    assert text not in it.screen.text, f"{text} is on the screen too early:\n{it.screen.text}"
    it.wait(text, seconds=seconds)
    return (it.read_at - since) * 1000


def answered(it, text, *keys, again=False, seconds=20):
    """Milliseconds from a key until what it must show is on the screen; with `again`, it is typed until it does."""
    assert text not in it.screen.text, f"{text} is on the screen before the key:\n{it.screen.text}"
    pressed = time.perf_counter()
    while True:
        it.send("".join(KEYS[key].decode() if key in KEYS else key for key in keys))
        try:
            it.wait(text, seconds=0.1 if again else seconds)
        except AssertionError:
            if not again or time.perf_counter() - pressed > seconds:
                raise
        else:
            return (it.read_at - pressed) * 1000
