"""The process of a language server: started in its own group, and surely ended with everything it started."""

import asyncio
import contextlib
import os
import signal

_GRACE = 1.0
"""Seconds a server has to leave after it was asked politely."""


class ServerProcess:
    """A running server and its two pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a server needs both pipes")
        self.stdin = process.stdin
        self.stdout = process.stdout
        self._process = process

    @classmethod
    async def start(cls, command: tuple[str, ...], folder: bytes) -> "ServerProcess":
        """Start it; raises `OSError` when the program cannot be run."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,  # a pipe that nobody reads would stop a talkative server
            cwd=folder,
            start_new_session=True,
        )
        return cls(process)

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
            if polite and self.running:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_GRACE):
                        await self._process.wait()
        finally:
            # The group outlives its leader: children of a server that crashed end here too.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self.stdin.close()
            await self._process.wait()
