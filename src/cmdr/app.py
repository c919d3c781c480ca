"""The only module that knows every part: it builds, wires, starts and stops them."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING

from cmdr import __version__

if TYPE_CHECKING:
    import uvicorn

    from cmdr.cli.launcher import Ask, Start
    from cmdr.core.commander import Commander
    from cmdr.core.environment import Environment
    from cmdr.core.exchange import App
    from cmdr.core.guard import Verifier
    from cmdr.core.instance import Instance

GRACE = 1
"""Seconds that open connections get when the program ends."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The console script."""
    from cmdr.cli.main import run

    return run(arguments, _Application())


class _Application:
    """What the command line can start."""

    def serve(self, start: Start) -> int:
        """Run headless until asked to quit."""
        from cmdr.core.environment import BadSetting, Environment
        from cmdr.core.instance import AlreadyRunning, Instance
        from cmdr.core.places import UnsafePlace

        try:
            environment = Environment.read()
            if not environment.enabled:
                print("CMDR_MCP_ENABLED is false, so there is nothing to serve.", file=sys.stderr)
                return 1
            with Instance.claim() as instance, _listening(start.port, environment) as listener:
                asyncio.run(_serve(start, environment, instance, listener))
        except (BadSetting, AlreadyRunning, UnsafePlace, PortTaken) as error:
            print(error, file=sys.stderr)
            return 1
        return 0

    @contextmanager
    def person(self) -> Iterator[Ask]:
        """Speak as the person: to the cmdr that runs, or to one that runs only for this."""
        from cmdr.core import places
        from cmdr.core.instance import Instance, running
        from cmdr.core.person_line import PersonCaller

        if running() is not None:
            caller = PersonCaller(places.runtime())
            try:
                yield caller.ask
            finally:
                caller.close()
        else:
            with Instance.claim(), _alone() as ask:
                yield ask


@contextmanager
def _alone() -> Iterator[Ask]:
    """A core without faces, on a loop of its own, for one errand of the person's."""
    from cmdr.cli.launcher import Start
    from cmdr.core.environment import Environment
    from cmdr.core.person_line import SHELL

    with asyncio.Runner() as runner:
        core = commander_at(Start(), Environment.read())
        commander = runner.run(core.__aenter__())
        try:
            yield lambda command, arguments: runner.run(commander.run(SHELL, command, arguments))
        finally:
            runner.run(core.__aexit__(None, None, None))


class PortTaken(Exception):
    """Another program listens where cmdr should."""

    def __init__(self, port: int) -> None:
        super().__init__(
            f"Port {port} on 127.0.0.1 is taken by another program. Choose another with --port or CMDR_MCP_PORT."
        )


def _listening(port: int | None, environment: Environment) -> socket.socket:
    wanted = environment.port if port is None else port
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", wanted))
        # From here on clients wait for the first answer instead of being turned away; two that bound alike find out.
        listener.listen(2048)
    except (OSError, OverflowError):
        listener.close()
        raise PortTaken(wanted) from None
    return listener


async def _serve(start: Start, environment: Environment, instance: Instance, listener: socket.socket) -> None:
    from cmdr.core import places
    from cmdr.core.person_line import PersonLine
    from cmdr.core.server_log import log_to
    from cmdr.core.tokens import Tokens

    _raise_file_limit()
    log = log_to(places.state())
    tokens = Tokens(places.runtime(), places.state())
    tokens.renew()
    port: int = listener.getsockname()[1]
    try:
        async with commander_at(start, environment) as commander:
            person = PersonLine(commander, places.runtime())
            await person.open()
            server = http_server(commander, tokens, port)
            ending = asyncio.create_task(_end_on_quit(commander, server))
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                record = instance.announce(port, __version__)
                print(f"cmdr {__version__} listens at http://127.0.0.1:{record.port}/mcp", flush=True)
                print(f"token: {tokens.path}\nlog:   {log}", flush=True)
                await serving
            finally:
                await person.close()
                ending.cancel()
                with suppress(asyncio.CancelledError):
                    await ending
    finally:
        tokens.withdraw()


@asynccontextmanager
async def commander_at(start: Start, environment: Environment) -> AsyncIterator[Commander]:
    """The core with its commands, panes up, until this is left."""
    from cmdr import commands
    from cmdr.core import places
    from cmdr.core.audit import Audit
    from cmdr.core.commander import Commander
    from cmdr.core.engine import Engine
    from cmdr.core.journal import Journal
    from cmdr.core.policy import Policy
    from cmdr.model.workspace import Workspace

    commands.register()
    home = os.path.expanduser(b"~")
    workspace = Workspace.at(start.left or os.getcwdb(), start.right or home)
    audit = Audit(os.path.join(places.state(), "audit"))
    engine = Engine(Journal(os.fsencode(os.path.join(places.state(), "journal.db"))))
    commander = Commander(workspace, audit, policy=Policy(environment.toolsets), engine=engine)
    await commander.start()
    try:
        yield commander
    finally:
        await commander.close()


def application(commander: Commander, tokens: Verifier, port: int) -> App:
    """Every route of every web-facing face, behind the one guard."""
    from starlette.applications import Starlette

    from cmdr.core.guard import Guard
    from cmdr.mcp.face import MAX_BODY, McpFace

    face = McpFace(commander)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with face.running():
            yield

    routes = Starlette(routes=face.routes(), lifespan=lifespan)
    return Guard(routes, port=port, tokens=tokens, body_limits={"/mcp": MAX_BODY})


def http_server(commander: Commander, tokens: Verifier, port: int) -> uvicorn.Server:
    """The HTTP server; it leaves signals, the terminal and the log to the program around it."""
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    return Server(
        uvicorn.Config(
            application(commander, tokens, port),
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE,
            timeout_keep_alive=75,
            ws="none",
        )
    )


async def _end_on_quit(commander: Commander, server: uvicorn.Server) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, commander.quitting.set)
    await commander.quitting.wait()
    server.should_exit = True


def _raise_file_limit() -> None:
    """A thousand clients need more descriptors than the usual soft limit of 1,024."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else max(soft, 65536), hard))
