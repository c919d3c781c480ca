"""The process of a language server: started behind its walls, and surely ended with everything it started."""

import asyncio
import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Callable

from cmdr.model.launch import Launch

_GRACE_S = 1.0
"""How long a server has to leave after it was asked to."""


class ServerProcess:
    """A running server, its two pipes, and a folder of its own for what it wants to keep."""

    def __init__(self, process: asyncio.subprocess.Process, home: str) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a server needs both pipes")
        self.stdin = process.stdin
        self.stdout = process.stdout
        self._process = process
        self._home = home

    @classmethod
    async def start(cls, launch: Callable[[str], Launch], folder: bytes) -> "ServerProcess":
        """Start what is launched for the server's own folder; raises `OSError` when it cannot be run."""
        home = tempfile.mkdtemp(prefix="cmdr-server-")
        try:
            made = launch(home)
            process = await asyncio.create_subprocess_exec(
                *made.words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,  # a pipe that nobody reads would stop a talkative server
                cwd=folder,
                env=made.environment,
                start_new_session=True,
            )
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        return cls(process, home)

    @property
    def pid(self) -> int:
        """The process id, which is also its group."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.returncode is None

    async def ended(self) -> None:
        """Wait until it has ended."""
        await self._process.wait()

    async def end(self, *, polite: bool = False) -> None:
        """End it and its children; `polite` gives it a moment to leave by itself. Safe to call again."""
        try:
            if polite:
                await self._wait_a_moment()
            if self.running:
                # A sandbox that is asked to end ends the family it holds; a killed one could not.
                with contextlib.suppress(ProcessLookupError):
                    self._process.terminate()
                await self._wait_a_moment()
        finally:
            # The group outlives its leader: children of a server that crashed end here too.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self.stdin.close()
            await self._process.wait()
            await asyncio.to_thread(shutil.rmtree, self._home, ignore_errors=True)

    async def _wait_a_moment(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                await self._process.wait()
