"""The only module that knows every part: it builds, wires, starts and stops them."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
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
    from cmdr.tui.terminal import Terminal

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

    def terminal(self, start: Start) -> int:
        """Run the terminal face until the person quits."""
        from cmdr.core.environment import BadSetting, Environment
        from cmdr.core.instance import AlreadyRunning, Instance
        from cmdr.core.places import UnsafePlace

        # Imports make a hundred thousand objects that stay; looking them over again and again would delay the panes.
        gc.disable()
        try:
            environment = Environment.read()
            if not environment.enabled:
                asyncio.run(_terminal(start, environment, None))
            else:
                with Instance.claim() as instance:
                    asyncio.run(_terminal(start, environment, instance))
        except AlreadyRunning as error:
            print(f"{error}\nCMDR_MCP_ENABLED=false cmdr opens another one without the agent server.", file=sys.stderr)
            return 1
        except (BadSetting, UnsafePlace) as error:
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
    # Named as TCP, or asyncio leaves Nagle's delay on, and each answer on a kept connection waits 40 ms for an ACK.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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
        async with commander_at(start, environment) as commander, AsyncExitStack() as editors:
            person = PersonLine(commander, places.runtime())
            await person.open()
            await editors.enter_async_context(_editor_face(commander, start, environment, print))
            server = http_server(commander, tokens, port)
            ending = asyncio.create_task(_end_on_quit(commander, server))
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                record = instance.announce(port, __version__)
                print(f"cmdr {__version__} listens at http://127.0.0.1:{record.port}/mcp", flush=True)
                print(f"token: {tokens.path}\nlog:   {log}", flush=True)
                if commander.policy.toolsets & {"fs", "shell"}:
                    print(f"roots: {', '.join(map(str, commander.sandbox.roots))}", flush=True)
                await serving
            finally:
                await person.close()
                ending.cancel()
                with suppress(asyncio.CancelledError):
                    await ending
    finally:
        tokens.withdraw()


async def _terminal(start: Start, environment: Environment, instance: Instance | None) -> None:
    from cmdr.tui.terminal import Terminal

    _raise_file_limit()
    async with commander_at(start, environment, panes_up=False) as commander:
        painted = asyncio.Event()
        terminal = Terminal(commander, painted=painted.set)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, commander.quitting.set)
        # In the panes Ctrl+C is a key; as a signal it is meant for an editor that has the terminal meanwhile.
        loop.add_signal_handler(signal.SIGINT, bool)
        behind = loop.create_task(_serve_behind(start, environment, instance, terminal, painted))
        try:
            await terminal.run_async(mouse=commander.settings.flag("advanced.mouse"))
        finally:
            commander.quitting.set()
            # Before agents can connect there is nothing to end in good order.
            if not terminal.listens_at:
                behind.cancel()
            with suppress(asyncio.CancelledError):
                await behind


async def _serve_behind(
    start: Start, environment: Environment, instance: Instance | None, terminal: Terminal, painted: asyncio.Event
) -> None:
    """The agent server behind the terminal face; nothing of it is imported before the panes are on the screen."""
    from cmdr.core import places
    from cmdr.core.server_log import log_to
    from cmdr.core.threads import in_thread

    await painted.wait()
    await in_thread(_import_late_commands)
    gc.freeze()
    gc.enable()
    log_to(places.state())  # whatever is said from now on must not land on the screen
    terminal.apply_settings()
    async with _editor_face(terminal.commander, start, environment, lambda text: terminal.main.tell(text, bad=True)):
        if instance is None:
            await terminal.commander.quitting.wait()
        else:
            await _serve_agents(start, environment, instance, terminal)


async def _serve_agents(start: Start, environment: Environment, instance: Instance, terminal: Terminal) -> None:
    from cmdr.core import places
    from cmdr.core.person_line import PersonLine
    from cmdr.core.threads import in_thread
    from cmdr.core.tokens import Tokens

    commander = terminal.commander
    try:
        listener = _listening(start.port, environment)
    except PortTaken as error:
        terminal.main.tell(f"Agents cannot connect: {error}", bad=True)
        return
    tokens = Tokens(places.runtime(), places.state())
    try:
        with listener:
            await in_thread(_import_server)
            tokens.renew()
            port: int = listener.getsockname()[1]
            person = PersonLine(commander, places.runtime())
            await person.open()
            server = http_server(commander, tokens, port)
            ending = asyncio.create_task(_stop_on_quit(commander, server))
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                instance.announce(port, __version__)
                terminal.listens_at = f"http://127.0.0.1:{port}/mcp"
                await serving
            finally:
                await person.close()
                ending.cancel()
                with suppress(asyncio.CancelledError):
                    await ending
    finally:
        tokens.withdraw()


@asynccontextmanager
async def _editor_face(
    commander: Commander, start: Start, environment: Environment, tell: Callable[[str], None]
) -> AsyncIterator[None]:
    """cmdr as the editor of coding agents, until this is left; the person's Neovim takes part when there is one."""
    from cmdr.core.errors import CommandError

    if address := start.nvim or os.environ.get("NVIM"):
        try:
            await commander.editor.text.attach(address)
        except CommandError as error:
            tell(str(error))
    if not environment.ide:
        yield
        return
    from cmdr.core.threads import in_thread

    await in_thread(_import_editor_face)
    from cmdr.ide.face import IdeFace

    async with IdeFace(commander).running():
        yield


def _import_editor_face() -> None:
    import cmdr.ide.face  # noqa: F401


def _import_late_commands() -> None:
    from cmdr import commands

    commands.register()


def _import_server() -> None:

    import cmdr.core.guard
    import cmdr.mcp.face  # noqa: F401


@asynccontextmanager
async def commander_at(start: Start, environment: Environment, *, panes_up: bool = True) -> AsyncIterator[Commander]:
    """The core with its commands until this is left; the panes are up, unless a face wants to bring them up itself."""
    from cmdr import commands
    from cmdr.core import places
    from cmdr.core.agent_roots import sandbox_of
    from cmdr.core.audit import Audit
    from cmdr.core.bookmarks import Bookmarks
    from cmdr.core.commander import Commander
    from cmdr.core.engine import Engine
    from cmdr.core.journal import Journal
    from cmdr.core.policy import Policy
    from cmdr.core.settings import Settings
    from cmdr.model.workspace import Workspace

    if panes_up:
        commands.register()
    else:
        commands.register_first()
    home = os.path.expanduser(b"~")
    workspace = Workspace.at(start.left or os.getcwdb(), start.right or home)
    sandbox = sandbox_of(start.roots or environment.roots, start.left or os.getcwdb())
    audit = Audit(os.path.join(places.state(), "audit"))
    engine = Engine(Journal(os.fsencode(os.path.join(places.state(), "journal.db"))))
    commander = Commander(
        workspace,
        audit,
        policy=Policy(environment.toolsets, allow_write=environment.allow_write, allow_shell=environment.allow_shell),
        engine=engine,
        sandbox=sandbox,
        settings=Settings(places.config()),
        bookmarks=Bookmarks(places.state()),
        indexes=places.state(),
        start_folder=os.getcwdb(),
    )
    if environment.allow_shell:
        commander.shells.look_for_a_sandbox()
    if panes_up:
        await commander.start()
    try:
        yield commander
    finally:
        await commander.close()


def application(commander: Commander, tokens: Verifier, port: int) -> App:
    """Every route of every web-facing face, behind the one guard."""
    from starlette.applications import Starlette

    from cmdr.core.browser_login import BrowserLogin
    from cmdr.core.guard import Guard
    from cmdr.mcp.face import MAX_BODY, McpFace
    from cmdr.web.face import WebFace

    commander.base_url = f"http://127.0.0.1:{port}"
    face = McpFace(commander)
    login = BrowserLogin()
    commander.new_login_link = lambda: f"{commander.base_url}/login?code={login.new_code()}"

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with face.running():
            yield

    web = WebFace(commander, login, port)
    routes = Starlette(routes=[*face.routes(), *web.routes()], lifespan=lifespan)
    return Guard(routes, port=port, tokens=tokens, browser=login.person, body_limits={"/mcp": MAX_BODY})


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


def _end_on_quit(commander: Commander, server: uvicorn.Server) -> Coroutine[None, None, None]:
    # At once and not in the task: a signal that comes right after the start must find its handler.
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, commander.quitting.set)
    return _stop_on_quit(commander, server)


async def _stop_on_quit(commander: Commander, server: uvicorn.Server) -> None:
    await commander.quitting.wait()
    commander.end_agent_calls()
    server.should_exit = True


def _raise_file_limit() -> None:
    """A thousand clients need more descriptors than the usual soft limit of 1,024."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else max(soft, 65536), hard))
