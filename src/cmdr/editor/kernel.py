"""Runs code for an agent in a real Jupyter kernel, one for each client, capped in time and output."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cmdr.editor.kernel_output import CodeResult, OutputCollector
from cmdr.model.launch_spec import LaunchSpec

if TYPE_CHECKING:
    from jupyter_client.asynchronous.client import AsyncKernelClient
    from jupyter_client.manager import AsyncKernelManager

from importlib.util import find_spec

from cmdr.model.install_hint import install_command

LaunchIn = Callable[[str], LaunchSpec]
"""What goes before a kernel's command, made for the folder that holds its sockets: a sandbox, and its environment."""

RUN_TIMEOUT_S = 30.0
_START_TIMEOUT_S = 30.0
_INTERRUPT_TIMEOUT_S = 2.0
_INTERRUPTS = 2  # one that comes while the kernel is busy with itself is lost
_MAX_OUTPUT_CHARS = 64 * 1024 * 1024
"""So much output, and the run is stopped: nothing reads it, and it only fills memory."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


class KernelStartError(Exception):
    """Raised when a kernel does not come up."""

    def __init__(self) -> None:
        super().__init__("The Python kernel did not start; try again.")


class KernelMissingError(Exception):
    """Raised when the libraries for running code are not installed."""

    def __init__(self) -> None:
        super().__init__(f"Running code needs Jupyter's kernel: {install_command('jupyter_client', 'ipykernel')}")


def check_installed() -> None:
    """Raise `KernelMissingError` when code cannot run here; loads nothing."""
    if find_spec("ipykernel") is None or find_spec("jupyter_client") is None:
        raise KernelMissingError


class Kernel:
    """One running kernel; runs one piece of code at a time."""

    def __init__(self, folder: str, manager: "AsyncKernelManager") -> None:
        self._folder = folder
        self._manager = manager
        self._client: AsyncKernelClient = manager.client()
        self._ended = False
        self._runner: asyncio.Task[Any] | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @classmethod
    async def start(cls, launch_in: LaunchIn, *, cwd: str | None = None) -> "Kernel":
        """Start a kernel in the environment of its launch, and in nothing of ours."""
        new_manager = await asyncio.to_thread(manager_class)  # the libraries take a while to load
        # Sockets in a private folder instead of ports: no other user can reach them, and no network is needed.
        folder = tempfile.mkdtemp(prefix="cmdr-kernel-")
        manager = new_manager(
            transport="ipc", ip=os.path.join(folder, "k"), connection_file=os.path.join(folder, "connection.json")
        )
        kernel: Kernel | None = None
        try:
            launch = launch_in(folder)
            words = [os.fsdecode(word) for word in launch.words]
            # -P: the folder it starts in has nothing to say before the kernel stands.
            started = (sys.executable, "-P", "-m", "ipykernel_launcher", "-f", manager.connection_file)
            manager.command = [*words, *started]
            await manager.start_kernel(
                env={**launch.environment, "IPYTHONDIR": os.path.join(folder, "ipython")},  # not the person's history
                cwd=cwd,
                stdout=subprocess.DEVNULL,  # what the kernel says about itself must not land on the terminal
                stderr=subprocess.DEVNULL,
            )
            kernel = cls(folder, manager)  # only now are the addresses of its sockets known
            kernel._client.start_channels()
            await kernel._client.wait_for_ready(timeout=_START_TIMEOUT_S)
        except BaseException as error:
            await (kernel or cls(folder, manager)).end()
            if isinstance(error, (RuntimeError, OSError)):
                raise KernelStartError from error
            raise
        return kernel

    @property
    def pid(self) -> int | None:
        """The process id of the kernel, or of the sandbox around it."""
        return getattr(self._manager.provisioner, "pid", None)

    async def alive(self) -> bool:
        """Whether it can run code."""
        return not self._ended and bool(await self._manager.is_alive())

    async def run(self, code: str, timeout_s: float = RUN_TIMEOUT_S) -> CodeResult:
        """Run code; what does not end in time is interrupted, and ended when that does not help."""
        collector = OutputCollector()
        request = self._client.execute(code, allow_stdin=False)
        self._runner = asyncio.current_task()
        self._idle.clear()
        try:
            status = await self._collect(request, collector, timeout_s)
            if status is not None:
                return collector.result("error" if status == "error" else "ok")
            for _ in range(_INTERRUPTS):
                if not await self.alive():
                    break
                await self._manager.interrupt_kernel()
                if await self._collect(request, collector, _INTERRUPT_TIMEOUT_S / _INTERRUPTS) is not None:
                    return collector.result("interrupted")
            await self.end()
        except asyncio.CancelledError:
            await self.end()  # a caller that left: its code must not run on unseen
            raise
        finally:
            self._idle.set()
        return collector.result("killed")

    async def end(self) -> None:
        """End the kernel and everything it started in its process group. Safe to call again."""
        if self._ended:
            return
        self._ended = True
        try:
            group = getattr(self._manager.provisioner, "pgid", None)
            if group is not None:
                # LaunchIn the leader is waited for, so that the number cannot belong to anyone else yet.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
            with contextlib.suppress(Exception):
                await self._manager.shutdown_kernel(now=True)
            # Closing a socket cancels whoever reads it, so a run in another task first takes notice and leaves.
            if asyncio.current_task() is not self._runner:
                await self._idle.wait()
            self._client.stop_channels()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _collect(self, request: str, collector: OutputCollector, limit: float) -> str | None:
        """Take output until the run is over; its status, or None when time or patience ran out first."""
        until = time.monotonic() + limit
        status = "ok"
        while (left := until - time.monotonic()) > 0 and collector.received < _MAX_OUTPUT_CHARS:
            # Short waits, since a kernel that dies says nothing.
            message = await self._message(min(left, 0.5))
            if message is None:
                if not await self.alive():
                    return None
                continue
            if message.get("parent_header", {}).get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return status
            if kind == "error":
                status = "error"
            _take(kind, content, collector)
        return None

    async def _message(self, wait: float) -> dict[str, Any] | None:
        from queue import Empty

        try:
            message: dict[str, Any] = await self._client.get_iopub_msg(timeout=wait)
        except Empty:
            return None
        return message


def _take(kind: str, content: dict[str, Any], collector: OutputCollector) -> None:
    if kind == "stream":
        collector.text(content["text"])
    elif kind == "error":
        collector.text(_COLOUR.sub("", "\n".join(content["traceback"])) + "\n")
    elif kind in ("execute_result", "display_data"):
        data = content["data"]
        image = next((media for media in _IMAGES if media in data), None)
        if image is not None:
            collector.image(image, data[image].strip())
        elif "text/plain" in data:
            collector.text(data["text/plain"] + "\n")


def manager_class() -> Any:
    """A kernel manager that starts the command it is given; raises `KernelMissingError`."""
    try:
        import ipykernel  # noqa: F401
        from jupyter_client.kernelspec import KernelSpec
        from jupyter_client.manager import AsyncKernelManager
    except ImportError as error:
        raise KernelMissingError from error

    class CommandManager(AsyncKernelManager):
        command: list[str] = []  # noqa: RUF012

        @property
        def kernel_spec(self) -> KernelSpec:
            return KernelSpec(argv=self.command, display_name="Python", language="python")

    return CommandManager


class KernelSession:
    """The kernel of one client: started when first needed, replaced when it has died, ended with its client."""

    def __init__(self, launch_in: LaunchIn) -> None:
        self._launch_in = launch_in
        self._kernel: Kernel | None = None
        self._turn = asyncio.Lock()
        self._closed = False

    async def run(self, code: str, *, timeout_s: float = RUN_TIMEOUT_S, cwd: str | None = None) -> CodeResult:
        """Run code after what was asked before."""
        async with self._turn:
            kernel = self._kernel
            if kernel is None or not await kernel.alive():
                if kernel is not None:
                    await kernel.end()
                kernel = None if self._closed else await Kernel.start(self._launch_in, cwd=cwd)
                self._kernel = kernel
                if kernel is None or self._closed:  # the client went away while its kernel started
                    await self.close()
                    return CodeResult("killed", ())
            return await kernel.run(code, timeout_s)

    async def close(self) -> None:
        """The client is gone: end its kernel, whatever it is doing."""
        self._closed = True
        if self._kernel is not None:
            await self._kernel.end()
