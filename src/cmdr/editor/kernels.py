"""The kernels of all clients: each has its own, started when first needed and ended with it."""

import asyncio

from cmdr.editor.kernel import TIME_LIMIT, Before, Kernel
from cmdr.editor.kernel_output import CodeResult


class Kernels:
    """All kernels. A client waits for its own code only."""

    def __init__(self, before: Before) -> None:
        """`before` is what goes before each kernel's command: its walls, and its environment."""
        self._before = before
        self._kernels: dict[str, Kernel] = {}
        self._turns: dict[str, asyncio.Lock] = {}

    async def run(
        self, client: str, code: str, *, time_limit: float = TIME_LIMIT, cwd: str | None = None
    ) -> CodeResult:
        """Run code in the client's own kernel, after what it asked before; a dead kernel is replaced by a fresh one."""
        turn = self._turns.setdefault(client, asyncio.Lock())
        async with turn:
            kernel = self._kernels.get(client)
            if kernel is None or not await kernel.alive():
                if kernel is not None:
                    await kernel.end()
                kernel = await Kernel.start(self._before, cwd=cwd)
                if self._turns.get(client) is not turn:  # the client went away while its kernel started
                    await kernel.end()
                    return CodeResult("killed", ())
                self._kernels[client] = kernel
            return await kernel.run(code, time_limit)

    async def close(self, client: str) -> None:
        """The client is gone: end its kernel, whatever it is doing."""
        self._turns.pop(client, None)
        kernel = self._kernels.pop(client, None)
        if kernel is not None:
            await kernel.end()

    async def close_all(self) -> None:
        """End every kernel."""
        await asyncio.gather(*(self.close(client) for client in list(self._turns)))
