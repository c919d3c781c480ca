"""Serve agents: the port, the token, the person's line and the record by which others find us."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from cmdr import __version__

if TYPE_CHECKING:
    import socket

    import uvicorn

    from cmdr.core.agents.tokens import Tokens
    from cmdr.core.commander import Commander
    from cmdr.core.entrance.instance import Instance
    from cmdr.core.entrance.lingering import Lingering


@asynccontextmanager
async def agents_served(
    commander: Commander,
    listener: socket.socket,
    tokens: Tokens,
    instance: Instance,
    lingering: Lingering | None = None,
) -> AsyncIterator[asyncio.Task[None]]:
    """Serve agents on a socket until this is left; gives the task that ends when the person quits."""
    from cmdr.app.http_server import http_server
    from cmdr.core import places
    from cmdr.core.entrance.person_line import PersonLine

    tokens.renew()
    commander.tokens = tokens
    try:
        port: int = listener.getsockname()[1]
        person = PersonLine(commander, places.runtime(), lingering)
        await person.open()
        server = http_server(commander, tokens, port)
        ending = asyncio.create_task(_stop_on_quit(commander, server))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            # What is loaded by now stays; looking through all of it for garbage holds up everybody for 0.1 s each time.
            gc.freeze()
            instance.announce(port, __version__)
            yield serving
        finally:
            await person.close()
            ending.cancel()
            with suppress(asyncio.CancelledError):
                await ending
    finally:
        commander.tokens = None
        tokens.withdraw()


async def _stop_on_quit(commander: Commander, server: uvicorn.Server) -> None:
    await commander.quitting.wait()
    commander.end_agent_calls()
    server.should_exit = True
