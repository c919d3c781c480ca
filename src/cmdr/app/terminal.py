"""Run the terminal face, with the agent server behind it in the same loop."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmdr.app.opening import Opening
    from cmdr.cli.launcher import Start
    from cmdr.core.environment import Environment
    from cmdr.core.runtime.instance import Instance
    from cmdr.tui.app import TerminalApp


async def open_terminal(start: Start, environment: Environment, instance: Instance | None, opening: Opening) -> None:
    """Show the panes until the person quits, with the agent server behind them."""
    from cmdr.app.building import commander_at, raise_file_limit
    from cmdr.tui.app import TerminalApp

    raise_file_limit()
    async with commander_at(start, environment, opening) as commander:
        painted = asyncio.Event()
        terminal = TerminalApp(commander, painted=painted.set, saved_tabs=opening.saved_tabs, startup=opening.startup)
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
    start: Start, environment: Environment, instance: Instance | None, terminal: TerminalApp, painted: asyncio.Event
) -> None:
    """The agent server behind the terminal face; nothing of it is imported before the panes are on the screen."""
    from cmdr.app.building import editor_face
    from cmdr.core import places
    from cmdr.core.runtime.log_file import log_to
    from cmdr.core.threads import in_thread

    await painted.wait()
    await in_thread(_import_late_commands)
    if terminal.commander.quitting.is_set():
        return
    gc.freeze()
    gc.enable()
    log_to(places.state())  # whatever is said from now on must not land on the screen
    for warning in terminal.commander.warnings.texts():
        logging.getLogger(__name__).warning("%s", warning)
    terminal.apply_settings()
    await terminal.commander.editor.start()
    async with editor_face(
        terminal.commander, start, environment, lambda text: terminal.main.show_message(text, bad=True)
    ):
        if instance is None:
            await terminal.commander.quitting.wait()
        else:
            await _serve_agents(start, environment, instance, terminal)


async def _serve_agents(start: Start, environment: Environment, instance: Instance, terminal: TerminalApp) -> None:
    from cmdr.app.serving import serve_agents
    from cmdr.core import places
    from cmdr.core.agents.tokens import Tokens
    from cmdr.core.threads import in_thread
    from cmdr.http.server import PortTaken, listening

    try:
        listener = listening(start.port, environment)
    except PortTaken as error:
        terminal.main.show_message(f"Agents cannot connect: {error}", bad=True)
        return
    with listener:
        await in_thread(_import_server)
        tokens = Tokens(places.runtime(), places.state())
        async with serve_agents(terminal.commander, listener, tokens, instance) as serving:
            terminal.listens_at = f"{terminal.commander.base_url}/mcp"
            await serving


def _import_late_commands() -> None:
    import cmdr.core.editing.editor_services  # noqa: F401 - its libraries, before the loop builds it
    from cmdr import commands

    commands.register()


def _import_server() -> None:
    import cmdr.http.authentication
    import cmdr.mcp.face  # noqa: F401
