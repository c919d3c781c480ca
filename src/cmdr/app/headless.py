"""Run without a terminal, for agents only."""

from __future__ import annotations

import asyncio
import logging
import signal
from typing import TYPE_CHECKING

from cmdr import __version__

if TYPE_CHECKING:
    import socket

    from cmdr.cli.launcher import Start
    from cmdr.core.environment import Environment
    from cmdr.core.runtime.instance import Instance


async def serve(start: Start, environment: Environment, instance: Instance, listener: socket.socket) -> None:
    """Serve until asked to quit, by a command or a signal."""
    from cmdr.app.building import commander_at, raise_file_limit
    from cmdr.app.editor_face import editor_face
    from cmdr.app.serving import agents_served
    from cmdr.core import places
    from cmdr.core.agents.tokens import Tokens
    from cmdr.core.runtime.idle_shutdown import IdleShutdown
    from cmdr.core.runtime.log_file import log_to

    raise_file_limit()
    with places.needed():
        log = log_to(places.state())
        tokens = Tokens(places.runtime(), places.state())
    async with commander_at(start, environment) as commander, editor_face(commander, start, environment, print):
        # Before anybody is told where we listen: a signal that comes right after must find its handler.
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, commander.quitting.set)
        idle_shutdown = IdleShutdown(commander, start.leave_after) if start.leave_after is not None else None
        if idle_shutdown is not None:
            idle_shutdown.start()
        instance.headless = True
        async with agents_served(commander, listener, tokens, instance, idle_shutdown) as serving:
            print(f"cmdr {__version__} listens at {commander.base_url}/mcp", flush=True)
            print(f"token: {tokens.path}\nlog:   {log}", flush=True)
            if commander.policy.toolsets & {"fs", "shell"}:
                print(f"roots: {', '.join(map(str, commander.sandbox.roots))}", flush=True)
            for problem in (*commander.settings.problems, *commander.warnings.told()):
                print(problem, flush=True)
                logging.getLogger(__name__).warning("%s", problem)
            await serving
        if idle_shutdown is not None:
            idle_shutdown.close()
