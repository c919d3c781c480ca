"""A real Neovim for each test, without a screen or on a real terminal."""

import asyncio
import contextlib
import os
import pty
import shutil
import signal
import subprocess
import threading
import time

import pytest

from cmdr.editor.neovim.connection import NeovimError
from cmdr.editor.neovim.documents import Neovim

try:
    import pynvim
except ImportError:
    pynvim = None


class RunningNeovim:
    """A Neovim process and the way to it."""

    def __init__(self, folder, *, terminal=False):
        self.address = str(folder / "nvim.sock")
        environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "TERM": "xterm", "HOME": str(folder)}
        environment.pop("NVIM", None)
        # Looking for a Python of its own takes Neovim seconds when it opens a Python file.
        command = ["nvim", "--clean", "--cmd", "let g:loaded_python3_provider = 0", "--listen", self.address]
        self._master = None
        if terminal:
            self._master, slave = pty.openpty()
            self.process = subprocess.Popen(
                command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
            )
            os.close(slave)
            self._reader = threading.Thread(target=self._drain, daemon=True)
            self._reader.start()
        else:
            self.process = subprocess.Popen([*command, "--headless"], env=environment, start_new_session=True)

    def _drain(self):
        # A terminal that nobody reads would stop Neovim.
        with contextlib.suppress(OSError):
            while os.read(self._master, 65536):
                pass

    async def attach(self):
        """Connect as soon as Neovim listens."""
        end = time.monotonic() + 60
        while True:
            try:
                return await Neovim.attach(self.address)
            except NeovimError:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(0.02)

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self._master is not None:
            self._reader.join(60)
            os.close(self._master)
            self._master = None


@pytest.fixture
def start_neovim(tmp_path):
    """Start a Neovim; it ends with the test."""
    if pynvim is None:
        pytest.skip("pynvim is not installed")
    if shutil.which("nvim") is None:
        pytest.skip("nvim is not installed")
    started = []

    def start(**options):
        started.append(RunningNeovim(tmp_path, **options))
        return started[-1]

    yield start
    for each in started:
        each.kill()


@pytest.fixture
def with_neovim(start_neovim):
    """Run a story with a connected Neovim: `with_neovim(async_function, terminal=…)`.

    Nobody else types there, so nothing waits for a pause unless the test says how long.
    """

    def run(story, *, quiet_ms=0, deaf_ms=0, **options):
        async def whole():
            running = start_neovim(**options)
            neovim = await running.attach()
            neovim.connection.quiet_ms, neovim.diffs.deaf_ms = quiet_ms, deaf_ms
            try:
                async with asyncio.timeout(60):
                    return await story(neovim, running)
            finally:
                await neovim.close()

        return asyncio.run(whole())

    return run
