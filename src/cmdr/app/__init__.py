"""The only part that knows every part: it builds, wires, starts and stops them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    from contextlib import AbstractContextManager

    from cmdr.cli.launcher import Ask, Start
    from cmdr.core.environment import Environment


def main(arguments: Sequence[str] | None = None) -> int:
    """The console script."""
    from cmdr.cli.main import run

    return run(arguments, _Application())


class _Application:
    """What the command line can start."""

    def serve(self, start: Start) -> int:
        """Run headless until asked to quit."""
        import asyncio
        import gc

        gc.disable()  # until everything is imported, as for the terminal
        from cmdr.app.serving import serve_headless
        from cmdr.core.environment import BadSetting, Environment
        from cmdr.core.places import needed
        from cmdr.core.runtime.instance import AlreadyRunning, Instance
        from cmdr.http.server import PortTaken
        from cmdr.model.errors import Unusable

        try:
            environment = Environment.read()
            if not environment.enabled:
                print("CMDR_MCP_ENABLED is false, so there is nothing to serve.", file=sys.stderr)
                return 1
            with needed():
                claimed = Instance.claim()
            with claimed as instance, _listening(start, environment) as listener:
                asyncio.run(serve_headless(start, environment, instance, listener))
        except (BadSetting, AlreadyRunning, Unusable, PortTaken) as error:
            print(error, file=sys.stderr)
            return 1
        finally:
            gc.enable()
        return 0

    def terminal(self, start: Start) -> int:
        """Run the terminal face until the person quits."""
        import gc

        from cmdr.app.handover import claimed
        from cmdr.app.opening import opened
        from cmdr.core.environment import BadSetting, Environment
        from cmdr.core.places import needed
        from cmdr.core.runtime.instance import AlreadyRunning
        from cmdr.model.errors import Unusable

        # Imports make a hundred thousand objects that stay; looking them over again and again would delay the panes.
        gc.disable()
        try:
            environment = Environment.read()
            with needed():
                place = claimed() if environment.enabled else nullcontext()
            with place as instance, opened(start) as opening:
                import asyncio

                from cmdr.app.terminal import open_terminal

                asyncio.run(open_terminal(start, environment, instance, opening))
        except AlreadyRunning as error:
            print(f"{error}\nCMDR_MCP_ENABLED=false cmdr opens another one without the agent server.", file=sys.stderr)
            return 1
        except (BadSetting, Unusable) as error:
            print(error, file=sys.stderr)
            return 1
        return 0

    def person(self) -> AbstractContextManager[Ask]:
        """Speak as the person: to the cmdr that runs, or to one that runs only for this."""
        from cmdr.app.control_client import person

        return person()


def _listening(start: Start, environment: Environment) -> socket.socket:
    """The socket that agents connect to. A cmdr that a bridge started is found by its record, whatever its port: where
    another program has the usual one, any other will do."""
    from cmdr.http.server import PortTaken, listening

    try:
        return listening(start.port, environment)
    except PortTaken:
        if start.leave_after is None or start.port is not None:
            raise
        return listening(0, environment)
